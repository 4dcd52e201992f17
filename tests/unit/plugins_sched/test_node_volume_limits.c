/* NodeVolumeLimits. */
#include "base/util.h"
#include "plugin_scene.h"

#define CLAIM(name, members)                                                                       \
        "{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default','name':'" name          \
        "','annotations':{'pv.kubernetes.io/bind-completed':'yes'}},'spec':{" members "}}"
#define USES(claim)                                                                                \
        .spec = "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'" claim "'}}]"

#define CSI_VOLUME(name, handle)                                                                   \
        "{'kind':'PersistentVolume','metadata':{'name':'" name                                     \
        "'},'spec':{'csi':{'driver':'d','volumeHandle':'" handle "'}}}"
#define LIMIT(node, count)                                                                         \
        "{'kind':'CSINode','metadata':{'name':'" node                                              \
        "'},'spec':{'drivers':[{'name':'d','allocatable':{'count':" count "}}]}}"
#define TWO                                                                                        \
        CSI_VOLUME("v", "h"), CSI_VOLUME("w", "i"), CLAIM("c", "'volumeName':'v'"),                \
                CLAIM("e", "'volumeName':'w'")

static const struct plugin_case cases[] = {
        { "no limit", .objects = { TWO }, .pods = { { "a", USES("c") } }, .pod = { USES("e") },
          .fits = "n1 n2" },
        { "one more than allowed", .objects = { TWO, LIMIT("n1", "1") },
          .pods = { { "a", USES("c") } }, .pod = { USES("e") }, .fits = "n2",
          .why = "node(s) exceed max volume count" },
        { "up to the limit", .objects = { TWO, LIMIT("n1", "2") }, .pods = { { "a", USES("c") } },
          .pod = { USES("e") }, .fits = "n1 n2" },
        { "a volume counts once", .objects = { TWO, LIMIT("n1", "1") },
          .pods = { { "a", USES("c") } }, .pod = { USES("c") }, .fits = "n1 n2" },
        { "no volumes", .objects = { TWO, LIMIT("n1", "0") }, .fits = "n1 n2" },
};

int main(void) {
        return plugin_suite_main(&(const struct plugin_suite){ "NodeVolumeLimits", cases,
                                                               ARRAY_LEN(cases), NULL, 0 });
}
