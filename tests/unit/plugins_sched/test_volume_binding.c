/* VolumeBinding. */
#include "base/util.h"
#include "plugin_scene.h"

#define VOLUME(name, members)                                                                      \
        "{'kind':'PersistentVolume','metadata':{'name':'" name "'},'spec':{" members "}}"
#define CLAIM(name, members)                                                                       \
        "{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default','name':'" name          \
        "','annotations':{'pv.kubernetes.io/bind-completed':'yes'}},'spec':{" members "}}"
#define USES(claim)                                                                                \
        .spec = "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'" claim "'}}]"

#define IN_ZONE_A                                                                                  \
        "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'zone','"    \
        "operator':'In','values':['a']}]}]}}"
#define ZONES .nodes = { { "n1", .labels = "'zone':'a'" }, { "n2", .labels = "'zone':'b'" } }
#define UNBOUND(class)                                                                             \
        "{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default','name':'c'},'spec':{'"  \
        "storageClassName':'" class "','accessModes':['ReadWriteOnce'],'resources':{'requests':{'" \
                                    "storage':'1Gi'}}}}"
#define LATE_CLASS                                                                                 \
        "{'kind':'StorageClass','metadata':{'name':'late'},'provisioner':'kubernetes.io/"          \
        "no-provisioner','volumeBindingMode':'WaitForFirstConsumer'}"
#define FREE(size)                                                                                 \
        "{'kind':'PersistentVolume','metadata':{'name':'v'},'spec':{'storageClassName':'late','"   \
        "accessModes':['ReadWriteOnce'],'capacity':{'storage':'" size "'}," IN_ZONE_A              \
        "},'status':{'phase':'Available'}}"

static const struct plugin_case cases[] = {
        { "no volumes", ZONES, .fits = "n1 n2", .scores = "skip" },
        { "where the bound volume is", ZONES,
          .objects = { VOLUME("v", IN_ZONE_A), CLAIM("c", "'volumeName':'v'") },
          .pod = { USES("c") }, .fits = "n1",
          .why = "node(s) didn't match PersistentVolume's node affinity" },
        { "no such claim", ZONES, .pod = { USES("gone") },
          .refused = "persistentvolumeclaim \"gone\" not found" },
        { "a free volume", ZONES, .objects = { LATE_CLASS, FREE("1Gi"), UNBOUND("late") },
          .pod = { USES("c") }, .fits = "n1",
          .why = "node(s) didn't find available persistent volumes to bind" },
        { "one that is too small", ZONES,
          .objects = { LATE_CLASS, FREE("1023Mi"), UNBOUND("late") }, .pod = { USES("c") },
          .fits = "" },
        { "bound at once, and not yet", ZONES,
          .objects = { "{'kind':'StorageClass','metadata':{'name':'now'},'provisioner':'d'}",
                       UNBOUND("now") },
          .pod = { USES("c") }, .refused = "pod has unbound immediate PersistentVolumeClaims" },
};
static const struct plugin_refusal refusals[] = {
        { "a timeout", "'bindTimeoutSeconds':30", NULL },
        { "below zero", "'bindTimeoutSeconds':-1", "bindTimeoutSeconds" },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){
                "VolumeBinding", cases, ARRAY_LEN(cases), refusals, ARRAY_LEN(refusals) });
}
