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

#define USES_BOTH                                                                                  \
        .spec = "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}},{'name':'w',"   \
                "'persistentVolumeClaim':{'claimName':'d'}}]"
#define WAITING(name, size, meta)                                                                  \
        "{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default','name':'" name "'" meta \
        "},'spec':{'storageClassName':'late','accessModes':['ReadWriteOnce'],'resources':{"        \
        "'requests':{'storage':'" size "'}}}}"
#define SELECTED(node) ",'annotations':{'volume.kubernetes.io/selected-node':'" node "'}"
#define FREE_ANYWHERE(name, size)                                                                  \
        "{'kind':'PersistentVolume','metadata':{'name':'" name "'},'spec':{'storageClassName':"    \
        "'late','accessModes':['ReadWriteOnce'],'capacity':{'storage':'" size                      \
        "'}},'status':{'phase':'Available'}}"
#define PROVISIONING(members)                                                                      \
        "{'kind':'StorageClass','metadata':{'name':'late'},'provisioner':'example.com/disk',"      \
        "'volumeBindingMode':'WaitForFirstConsumer'" members "}"
#define NO_VOLUMES "node(s) didn't find available persistent volumes to bind"
#define EPHEMERAL .spec = "'volumes':[{'name':'e','ephemeral':{'volumeClaimTemplate':{}}}]"
#define OF_POD(uid, members)                                                                       \
        "{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default','name':'p-e',"          \
        "'annotations':{'pv.kubernetes.io/bind-completed':'yes'},'ownerReferences':[{'kind':"      \
        "'Pod','name':'p','uid':'" uid "','controller':true}]},'spec':{" members "}}"

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

        /* bound ones */
        { "a volume anywhere", ZONES,
          .objects = { VOLUME("v", ""), CLAIM("c", "'volumeName':'v'") }, .pod = { USES("c") },
          .fits = "n1 n2" },
        { "a volume that is gone", ZONES, .objects = { CLAIM("c", "'volumeName':'v'") },
          .pod = { USES("c") }, .fits = "",
          .why = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)" },
        { "one bound, one gone", ZONES,
          .objects = { VOLUME("v", ""), CLAIM("c", "'volumeName':'v'"),
                       CLAIM("d", "'volumeName':'w'") },
          .pod = { USES_BOTH }, .fits = "" },
        { "two bound, of which one is in a zone", ZONES,
          .objects = { VOLUME("v", ""), VOLUME("w", IN_ZONE_A), CLAIM("c", "'volumeName':'v'"),
                       CLAIM("d", "'volumeName':'w'") },
          .pod = { USES_BOTH }, .fits = "n1" },
        { "lost", ZONES,
          .objects = { "{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default','name':"
                       "'c'},'spec':{'volumeName':'v'},'status':{'phase':'Lost'}}" },
          .pod = { USES("c") },
          .refused = "persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"v\"" },
        { "being deleted", ZONES,
          .objects = { WAITING("c", "1Gi", ",'deletionTimestamp':'2026-01-01T00:00:00Z'") },
          .pod = { USES("c") }, .refused = "persistentvolumeclaim \"c\" is being deleted" },
        { "named a volume, and not bound to it", ZONES,
          .objects = { LATE_CLASS,
                       "{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default','name':"
                       "'c'},'spec':{'storageClassName':'late','volumeName':'v'}}" },
          .pod = { USES("c") }, .refused = "pod has unbound immediate PersistentVolumeClaims" },

        /* of the pod itself */
        { "not made yet", ZONES, .pod = { EPHEMERAL },
          .refused = "waiting for ephemeral volume controller to create the "
                     "persistentvolumeclaim \"p-e\"" },
        { "made for it", ZONES,
          .objects = { VOLUME("v", IN_ZONE_A), OF_POD("p", "'volumeName':'v'") },
          .pod = { EPHEMERAL }, .fits = "n1" },
        { "somebody else's", ZONES,
          .objects = { VOLUME("v", IN_ZONE_A), OF_POD("q", "'volumeName':'v'") },
          .pod = { EPHEMERAL },
          .refused = "PVC default/p-e was not created for pod default/p (pod is not owner)" },

        /* bound late */
        { "two claims, one volume", ZONES,
          .objects = { LATE_CLASS, FREE_ANYWHERE("v", "2Gi"), WAITING("c", "1Gi", ""),
                       WAITING("d", "1Gi", "") },
          .pod = { USES_BOTH }, .fits = "", .why = NO_VOLUMES },
        { "two claims, two volumes: the small one leaves the large", ZONES,
          .objects = { LATE_CLASS, FREE_ANYWHERE("v", "2Gi"), FREE_ANYWHERE("w", "1Gi"),
                       WAITING("c", "2Gi", ""), WAITING("d", "1Gi", "") },
          .pod = { USES_BOTH }, .fits = "n1 n2" },
        { "two claims, both too large for one", ZONES,
          .objects = { LATE_CLASS, FREE_ANYWHERE("v", "2Gi"), FREE_ANYWHERE("w", "1Gi"),
                       WAITING("c", "2Gi", ""), WAITING("d", "2Gi", "") },
          .pod = { USES_BOTH }, .fits = "", .why = NO_VOLUMES },
        { "provisioned anywhere", ZONES, .objects = { PROVISIONING(""), WAITING("c", "1Gi", "") },
          .pod = { USES("c") }, .fits = "n1 n2" },
        { "provisioned in a zone", ZONES,
          .objects = { PROVISIONING(",'allowedTopologies':[{'matchLabelExpressions':[{'key':"
                                    "'zone','values':['b']}]}]"),
                       WAITING("c", "1Gi", "") },
          .pod = { USES("c") }, .fits = "n2", .why = NO_VOLUMES },
        { "the node is selected already", ZONES,
          .objects = { PROVISIONING(""), WAITING("c", "1Gi", SELECTED("n2")) },
          .pod = { USES("c") }, .fits = "n2", .why = NO_VOLUMES },
        { "selected for one, free for the other", ZONES,
          .objects = { PROVISIONING(""), WAITING("c", "1Gi", SELECTED("n2")),
                       WAITING("d", "1Gi", "") },
          .pod = { USES_BOTH }, .fits = "n2" },
        { "selected apart", ZONES,
          .objects = { PROVISIONING(""), WAITING("c", "1Gi", SELECTED("n2")),
                       WAITING("d", "1Gi", SELECTED("n1")) },
          .pod = { USES_BOTH }, .fits = "", .why = NO_VOLUMES },
        { "bound in one zone, late in another", ZONES,
          .objects = { PROVISIONING(",'allowedTopologies':[{'matchLabelExpressions':[{'key':"
                                    "'zone','values':['b']}]}]"),
                       VOLUME("v", IN_ZONE_A), CLAIM("d", "'volumeName':'v'"),
                       WAITING("c", "1Gi", "") },
          .pod = { USES_BOTH }, .fits = "" },
        { "no score", ZONES, .objects = { PROVISIONING(""), WAITING("c", "1Gi", "") },
          .pod = { USES("c") }, .scores = "skip" },
};
static const struct plugin_refusal refusals[] = {
        { "a timeout", "'bindTimeoutSeconds':30", NULL },
        { "below zero", "'bindTimeoutSeconds':-1", "bindTimeoutSeconds" },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){
                "VolumeBinding", cases, ARRAY_LEN(cases), refusals, ARRAY_LEN(refusals) });
}
