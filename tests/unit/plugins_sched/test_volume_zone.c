/* VolumeZone. */
#include "base/util.h"
#include "plugin_scene.h"

#define ZONED_VOLUME(name, zone)                                                                   \
        "{'kind':'PersistentVolume','metadata':{'name':'" name                                     \
        "','labels':{'topology.kubernetes.io/zone':'" zone "'}},'spec':{}}"
#define LABELLED_VOLUME(name, labels)                                                              \
        "{'kind':'PersistentVolume','metadata':{'name':'" name "','labels':{" labels "}},'spec':{" \
        "}}"
#define CLASS(members) "{'kind':'StorageClass','metadata':{'name':'s'}" members "}"
#define BETA_ZONE "'failure-domain.beta.kubernetes.io/zone'"
#define BETA_REGION "'failure-domain.beta.kubernetes.io/region'"
#define ZONE "'topology.kubernetes.io/zone'"
#define REGION "'topology.kubernetes.io/region'"
#define BOUND(labels)                                                                              \
        .objects = { LABELLED_VOLUME("v", labels), CLAIM("c", "'volumeName':'v'") },               \
        .pod = { USES("c") }
/* One node for each label, one that has a beta label beside another value of the new one. */
#define ALL_LABELS                                                                                 \
        .nodes = { { "zone", .labels = ZONE ":'a'" },                                              \
                   { "region", .labels = REGION ":'a'" },                                          \
                   { "betaz", .labels = BETA_ZONE ":'a'" },                                        \
                   { "betar", .labels = BETA_REGION ":'a'" },                                      \
                   { "both", .labels = BETA_ZONE ":'a'," ZONE ":'b'" },                            \
                   { "none" } }
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

        /* each label, and what stands in for it */
        { "zone", ALL_LABELS, BOUND(ZONE ":'a'"), .fits = "zone none" },
        { "region", ALL_LABELS, BOUND(REGION ":'a'"), .fits = "region none" },
        { "beta zone: or the new label", ALL_LABELS, BOUND(BETA_ZONE ":'a'"),
          .fits = "zone none betaz both" },
        { "beta zone: the node's beta label comes first", ALL_LABELS, BOUND(BETA_ZONE ":'b'"),
          .fits = "none" },
        { "beta region: or the new label", ALL_LABELS, BOUND(BETA_REGION ":'a'"),
          .fits = "region none betar" },
        { "zone and region", ALL_LABELS, BOUND(ZONE ":'a'," REGION ":'a'"), .fits = "none" },
        { "a value nobody has", ALL_LABELS, BOUND(ZONE ":'z'"), .fits = "none" },
        { "blanks around zones", ZONES, BOUND(ZONE ":' b __ x'"), .fits = "n2 n3" },
        { "one underscore is part of the name", ZONES, BOUND(ZONE ":'a_b'"), .fits = "n3" },
        { "a label that is no text", ZONES, BOUND(ZONE ":7"), .fits = "n1 n2 n3" },
        { "an empty label", ZONES, BOUND(ZONE ":''"), .fits = "n3" },
        { "two claims in two zones", ZONES,
          .objects = { ZONED_VOLUME("v", "a"), ZONED_VOLUME("w", "b"),
                       CLAIM("c", "'volumeName':'v'"), CLAIM("d", "'volumeName':'w'") },
          .pod = { .spec = "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}},{"
                           "'name':'w','persistentVolumeClaim':{'claimName':'d'}}]" },
          .fits = "n3" },
        { "behind another volume", ZONES,
          .objects = { ZONED_VOLUME("v", "a"), CLAIM("c", "'volumeName':'v'") },
          .pod = { .spec = "'volumes':[{'name':'e','emptyDir':{}},{'name':'v',"
                           "'persistentVolumeClaim':{'claimName':'c'}}]" },
          .fits = "n1 n3" },

        /* what is missing */
        { "no such claim", ZONES, .pod = { USES("c") },
          .refused = "persistentvolumeclaim \"c\" not found" },
        { "no such volume", ZONES, .objects = { CLAIM("c", "'volumeName':'v'") },
          .pod = { USES("c") }, .refused = "persistentvolume \"v\" not found" },
        { "no such class", ZONES, .objects = { CLAIM("c", "'storageClassName':'s'") },
          .pod = { USES("c") }, .refused = "storageclass.storage.k8s.io \"s\" not found" },
        { "a class without a mode", ZONES,
          .objects = { CLAIM("c", "'storageClassName':'s'"), CLASS("") }, .pod = { USES("c") },
          .refused = "VolumeBindingMode not set for StorageClass \"s\"" },
        { "bound at once, and not yet", ZONES,
          .objects = { CLAIM("c", "'storageClassName':'s'"),
                       CLASS(",'volumeBindingMode':'Immediate'") },
          .pod = { USES("c") }, .refused = "PersistentVolume had no name" },
        { "waits for its first consumer", ZONES,
          .objects = { CLAIM("c", "'storageClassName':'s'"),
                       CLASS(",'volumeBindingMode':'WaitForFirstConsumer'") },
          .pod = { USES("c") }, .fits = "n1 n2 n3" },
};

int main(void) {
        return plugin_suite_main(
                &(const struct plugin_suite){ "VolumeZone", cases, ARRAY_LEN(cases), NULL, 0 });
}
