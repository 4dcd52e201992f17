/* VolumeRestrictions. */
#include "base/util.h"
#include "plugin_scene.h"

#define CLAIM(name, members)                                                                       \
        "{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default','name':'" name          \
        "','annotations':{'pv.kubernetes.io/bind-completed':'yes'}},'spec':{" members "}}"
#define USES(claim)                                                                                \
        .spec = "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'" claim "'}}]"

#define DISK(members)                                                                              \
        .spec = "'volumes':[{'name':'d','awsElasticBlockStore':{'volumeID':'e'" members "}}]"
#define ALONE CLAIM("c", "'volumeName':'v','accessModes':['ReadWriteOncePod']")

static const struct plugin_case cases[] = {
        { "no volumes", .pods = { { "a", DISK("") } }, .fits = "n1 n2" },
        { "a disk in use", .pods = { { "a", DISK("") } }, .pod = { DISK("") }, .fits = "n2",
          .why = "node(s) had no available disk" },
        { "another disk", .pods = { { "a", DISK("") } },
          .pod = { .spec = "'volumes':[{'name':'d','awsElasticBlockStore':{'volumeID':'f'}}]" },
          .fits = "n1 n2" },
        { "a claim for one pod, free", .objects = { ALONE }, .pod = { USES("c") },
          .fits = "n1 n2" },
        { "a claim for one pod, in use", .objects = { ALONE }, .pods = { { "a", USES("c") } },
          .pod = { USES("c") }, .fits = "",
          .why = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access "
                 "mode already in-use by another pod" },
        { "in use in another namespace", .objects = { ALONE },
          .pods = { { "a", USES("c"), .ns = "other" } }, .pod = { USES("c") }, .fits = "n1 n2" },
        { "no such claim", .pod = { USES("gone") },
          .refused = "persistentvolumeclaim \"gone\" not found" },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){ "VolumeRestrictions", cases,
                                                               ARRAY_LEN(cases), NULL, 0 });
}
