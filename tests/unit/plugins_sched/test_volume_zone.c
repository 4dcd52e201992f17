/* VolumeZone. */
#include "base/util.h"
#include "plugin_scene.h"

#define ZONED_VOLUME(name, zone)                                                                   \
        "{'kind':'PersistentVolume','metadata':{'name':'" name                                     \
        "','labels':{'topology.kubernetes.io/zone':'" zone "'}},'spec':{}}"
#define CLAIM(name, members)                                                                       \
        "{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default','name':'" name          \
        "','annotations':{'pv.kubernetes.io/bind-completed':'yes'}},'spec':{" members "}}"
#define USES(claim)                                                                                \
        .spec = "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'" claim "'}}]"

#define ZONES                                                                                      \
        .nodes = { { "n1", .labels = "'topology.kubernetes.io/zone':'a'" },                        \
                   { "n2", .labels = "'topology.kubernetes.io/zone':'b'" },                        \
                   { "n3" } }

static const struct plugin_case cases[] = {
        { "no volumes", ZONES, .fits = "n1 n2 n3" },
        { "the volume's zone", ZONES,
          .objects = { ZONED_VOLUME("v", "a"), CLAIM("c", "'volumeName':'v'") },
          .pod = { USES("c") }, .fits = "n1 n3", .why = "node(s) had no available volume zone" },
        { "several zones", ZONES,
          .objects = { ZONED_VOLUME("v", "a__b"), CLAIM("c", "'volumeName':'v'") },
          .pod = { USES("c") }, .fits = "n1 n2 n3" },
        { "nodes without zones",
          .objects = { ZONED_VOLUME("v", "a"), CLAIM("c", "'volumeName':'v'") },
          .pod = { USES("c") }, .fits = "n1 n2" },
        { "claim without a volume", ZONES, .objects = { CLAIM("c", "") }, .pod = { USES("c") },
          .refused = "PersistentVolumeClaim had no pv name and storageClass name" },
};

int main(void) {
        return plugin_suite_main(
                &(const struct plugin_suite){ "VolumeZone", cases, ARRAY_LEN(cases), NULL, 0 });
}
