/* The roles every cluster brings along, by their upstream names and rules, as far as programs and
 * people of the sandbox use them: those of kube-scheduler, of kube-controller-manager and its
 * controllers, of nodes and what runs on them, of add-ons, of who signs certificates, of servers
 * that review tokens and accesses (auth-delegator), and admin, edit and view with the parts that
 * they gather. They begin with all their rules, so that they are of use without a controller. */
#include "kinds/bootstrap_roles.h"
#include "base/buf.h"
#include "base/util.h"
#include "kinds/controller_roles.h"

#include <string.h>

#define READ "get list watch"
#define WRITE "create delete deletecollection patch update"

#define RBAC "/apis/rbac.authorization.k8s.io/v1/"
#define MANAGER "system:kube-controller-manager"
#define NODE "system:node"
#define SIGNING "system:certificates.k8s.io:"

/* Rules of one role stand together. */
static const struct role_rule rules[] = {
        { "system:auth-delegator", "authentication.k8s.io", "tokenreviews", NULL, "create" },
        { "system:auth-delegator", "authorization.k8s.io", "subjectaccessreviews", NULL, "create" },

        { MANAGER, "- events.k8s.io", "events", NULL, "create patch update" },
        { MANAGER, "coordination.k8s.io", "leases", NULL, "create" },
        { MANAGER, "coordination.k8s.io", "leases", "kube-controller-manager", "get update" },
        { MANAGER, "-", "secrets serviceaccounts", NULL, "create get update" },
        { MANAGER, "-", "secrets", NULL, "delete" },
        { MANAGER, "-", "configmaps namespaces", NULL, "get" },
        { MANAGER, "-", "serviceaccounts/token", NULL, "create" },
        { MANAGER, "authentication.k8s.io", "tokenreviews", NULL, "create" },
        { MANAGER, "authorization.k8s.io", "subjectaccessreviews", NULL, "create" },
        { MANAGER, "*", "*", NULL, "list watch" },

        { "system:kube-scheduler", "- events.k8s.io", "events", NULL, "create patch update" },
        { "system:kube-scheduler", "coordination.k8s.io", "leases", NULL, "create" },
        { "system:kube-scheduler", "coordination.k8s.io", "leases", "kube-scheduler",
          READ " update" },
        { "system:kube-scheduler", "coordination.k8s.io", "leasecandidates", NULL, READ " " WRITE },
        { "system:kube-scheduler", "-", "nodes namespaces replicationcontrollers services", NULL,
          READ },
        { "system:kube-scheduler", "-", "persistentvolumes persistentvolumeclaims", NULL, READ },
        { "system:kube-scheduler", "-", "pods", NULL, READ " delete" },
        { "system:kube-scheduler", "-", "bindings pods/binding", NULL, "create" },
        { "system:kube-scheduler", "-", "pods/status", NULL, "patch update" },
        { "system:kube-scheduler", "-", "pods/finalizers", NULL, "update" },
        { "system:kube-scheduler", "apps extensions", "replicasets", NULL, READ },
        { "system:kube-scheduler", "apps", "statefulsets", NULL, READ },
        { "system:kube-scheduler", "policy", "poddisruptionbudgets", NULL, READ },
        { "system:kube-scheduler", "authentication.k8s.io", "tokenreviews", NULL, "create" },
        { "system:kube-scheduler", "authorization.k8s.io", "subjectaccessreviews", NULL, "create" },
        { "system:kube-scheduler", "storage.k8s.io",
          "csinodes csidrivers csistoragecapacities volumeattachments", NULL, READ },
        { "system:kube-scheduler", "resource.k8s.io", "deviceclasses resourceslices", NULL, READ },
        { "system:kube-scheduler", "resource.k8s.io", "resourceclaims", NULL,
          READ " create delete patch update" },
        { "system:kube-scheduler", "resource.k8s.io", "resourceclaims/status", NULL,
          READ " patch update" },
        { "system:kube-scheduler", "resource.k8s.io", "resourceclaims/binding", NULL,
          "patch update" },

        { "system:volume-scheduler", "-", "persistentvolumes persistentvolumeclaims", NULL,
          READ " patch update" },
        { "system:volume-scheduler", "storage.k8s.io", "storageclasses", NULL, READ },

        { NODE, "authentication.k8s.io", "tokenreviews", NULL, "create" },
        { NODE, "authorization.k8s.io", "subjectaccessreviews localsubjectaccessreviews", NULL,
          "create" },
        { NODE, "-", "services", NULL, READ },
        { NODE, "-", "nodes", NULL, READ " create" },
        { NODE, "-", "nodes/status", NULL, "patch update" },
        { NODE, "-", "nodes", NULL, "patch update" },
        { NODE, "- events.k8s.io", "events", NULL, "create patch update" },
        { NODE, "-", "pods", NULL, READ },
        { NODE, "-", "pods", NULL, "create delete" },
        { NODE, "-", "pods/status", NULL, "patch update" },
        { NODE, "-", "pods/eviction", NULL, "create" },
        { NODE, "-", "configmaps secrets", NULL, READ },
        { NODE, "-", "persistentvolumeclaims persistentvolumes", NULL, "get" },
        { NODE, "-", "endpoints", NULL, "get" },
        { NODE, "certificates.k8s.io", "certificatesigningrequests", NULL, READ " create" },
        { NODE, "coordination.k8s.io", "leases", NULL, "create delete get patch update" },
        { NODE, "storage.k8s.io", "volumeattachments", NULL, "get" },
        { NODE, "-", "serviceaccounts/token", NULL, "create" },
        { NODE, "-", "serviceaccounts", NULL, "get" },
        { NODE, "-", "persistentvolumeclaims/status", NULL, "get patch update" },
        { NODE, "storage.k8s.io", "csidrivers", NULL, READ },
        { NODE, "storage.k8s.io", "csinodes", NULL, "create delete get patch update" },
        { NODE, "node.k8s.io", "runtimeclasses", NULL, READ },
        { NODE, "resource.k8s.io", "resourceclaims", NULL, "get" },
        { NODE, "resource.k8s.io", "resourceslices", NULL, "deletecollection" },
        { "system:node-bootstrapper", "certificates.k8s.io", "certificatesigningrequests", NULL,
          READ " create" },
        { "system:node-proxier", "-", "services endpoints", NULL, "list watch" },
        { "system:node-proxier", "-", "nodes", NULL, READ },
        { "system:node-proxier", "- events.k8s.io", "events", NULL, "create patch update" },
        { "system:node-proxier", "discovery.k8s.io", "endpointslices", NULL, "list watch" },
        { "system:node-proxier", "networking.k8s.io", "servicecidrs", NULL, "list watch" },
        { "system:node-problem-detector", "-", "nodes", NULL, "get" },
        { "system:node-problem-detector", "-", "nodes/status", NULL, "patch" },
        { "system:node-problem-detector", "- events.k8s.io", "events", NULL,
          "create patch update" },
        { "system:kubelet-api-admin", "-", "nodes", NULL, READ },
        { "system:kubelet-api-admin", "-", "nodes", NULL, "proxy" },
        { "system:kubelet-api-admin", "-", "nodes/log nodes/metrics nodes/proxy nodes/stats", NULL,
          "*" },
        { "system:kubelet-api-admin", "-", "nodes/configz nodes/healthz nodes/pods", NULL, "*" },

        { "system:heapster", "-", "events pods nodes namespaces", NULL, READ },
        { "system:heapster", "extensions", "deployments", NULL, READ },
        { "system:kube-aggregator", "-", "services endpoints", NULL, READ },
        { "system:kube-dns", "-", "endpoints services", NULL, "list watch" },
        { "system:persistent-volume-provisioner", "-", "persistentvolumes", NULL,
          READ " create delete" },
        { "system:persistent-volume-provisioner", "-", "persistentvolumeclaims", NULL,
          READ " update" },
        { "system:persistent-volume-provisioner", "storage.k8s.io", "storageclasses", NULL, READ },
        { "system:persistent-volume-provisioner", "-", "events", NULL, "watch" },
        { "system:persistent-volume-provisioner", "- events.k8s.io", "events", NULL,
          "create patch update" },

        { SIGNING "certificatesigningrequests:nodeclient", "certificates.k8s.io",
          "certificatesigningrequests/nodeclient", NULL, "create" },
        { SIGNING "certificatesigningrequests:selfnodeclient", "certificates.k8s.io",
          "certificatesigningrequests/selfnodeclient", NULL, "create" },
        { SIGNING "kube-apiserver-client-approver", "certificates.k8s.io", "signers",
          "kubernetes.io/kube-apiserver-client", "approve" },
        { SIGNING "kube-apiserver-client-kubelet-approver", "certificates.k8s.io", "signers",
          "kubernetes.io/kube-apiserver-client-kubelet", "approve" },
        { SIGNING "kubelet-serving-approver", "certificates.k8s.io", "signers",
          "kubernetes.io/kubelet-serving", "approve" },
        { SIGNING "legacy-unknown-approver", "certificates.k8s.io", "signers",
          "kubernetes.io/legacy-unknown", "approve" },
};

/* What view reads, edit writes as well, and admin may hand on; each line is one rule of up to three
 * roles. */
#define VIEW 1U
#define EDIT 2U
#define ADMIN 4U
static const struct {
        const char *groups, *resources, *verbs;
        unsigned int roles;
} people[] = {
        { "-",
          "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods "
          "replicationcontrollers replicationcontrollers/scale serviceaccounts services "
          "services/status bindings limitranges namespaces namespaces/status pods/log pods/status "
          "replicationcontrollers/status resourcequotas resourcequotas/status",
          READ, VIEW | EDIT | ADMIN },
        { "- events.k8s.io", "events", READ, VIEW | EDIT | ADMIN },
        { "discovery.k8s.io", "endpointslices", READ, VIEW | EDIT | ADMIN },
        { "apps",
          "controllerrevisions daemonsets daemonsets/status deployments deployments/scale "
          "deployments/status replicasets replicasets/scale replicasets/status statefulsets "
          "statefulsets/scale statefulsets/status",
          READ, VIEW | EDIT | ADMIN },
        { "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status", READ,
          VIEW | EDIT | ADMIN },
        { "batch", "cronjobs cronjobs/status jobs jobs/status", READ, VIEW | EDIT | ADMIN },
        { "policy", "poddisruptionbudgets poddisruptionbudgets/status", READ, VIEW | EDIT | ADMIN },
        { "networking.k8s.io", "ingresses ingresses/status networkpolicies", READ,
          VIEW | EDIT | ADMIN },
        { "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates", READ,
          VIEW | EDIT | ADMIN },
        { "-", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy", READ,
          EDIT | ADMIN },
        { "-", "serviceaccounts", "impersonate", EDIT | ADMIN },
        { "-",
          "configmaps persistentvolumeclaims pods pods/attach pods/exec pods/portforward "
          "pods/proxy replicationcontrollers replicationcontrollers/scale secrets "
          "serviceaccounts services services/proxy",
          WRITE, EDIT | ADMIN },
        { "-", "pods/eviction serviceaccounts/token", "create", EDIT | ADMIN },
        { "- events.k8s.io", "events", WRITE, EDIT | ADMIN },
        { "apps",
          "daemonsets deployments deployments/rollback deployments/scale replicasets "
          "replicasets/scale statefulsets statefulsets/scale",
          WRITE, EDIT | ADMIN },
        { "autoscaling", "horizontalpodautoscalers", WRITE, EDIT | ADMIN },
        { "batch", "cronjobs jobs", WRITE, EDIT | ADMIN },
        { "policy", "poddisruptionbudgets", WRITE, EDIT | ADMIN },
        { "networking.k8s.io", "ingresses networkpolicies", WRITE, EDIT | ADMIN },
        { "coordination.k8s.io", "leases", READ " " WRITE, EDIT | ADMIN },
        { "resource.k8s.io", "resourceclaims resourceclaimtemplates", WRITE, EDIT | ADMIN },
        { "authorization.k8s.io", "localsubjectaccessreviews", "create", ADMIN },
        { "rbac.authorization.k8s.io", "rolebindings roles", READ " " WRITE, ADMIN },
};
/* Of each role the parts, in the order of the names of the roles that they come from: a controller
 * would gather them in this order. */
static const struct {
        const char *name, *gathered_by; /* NULL: by no other */
        unsigned int own, parts[3];
} people_roles[] = { { "admin", NULL, ADMIN, { EDIT, VIEW, ADMIN } },
                     { "edit", "admin", EDIT, { EDIT, VIEW } },
                     { "view", "edit", VIEW, { VIEW } } };

static void words_write(struct buf *out, const char *member, const char *words) {
        struct slice rest = slice_of(words), word;
        const char *comma = "";

        buf_printf(out, "\"%s\":[", member);
        while (slice_split(&rest, ' ', &word)) {
                buf_printf(out, "%s\"" SLICE_FMT "\"", comma,
                           SLICE_ARG(slice_is(word, "-") ? SLICE_EMPTY : word));
                comma = ",";
        }
        buf_printf(out, "]");
}

static void rule_write(struct buf *out, const struct role_rule *rule) {
        buf_printf(out, out->len && out->data[out->len - 1] == '}' ? ",{" : "{");
        words_write(out, "apiGroups", rule->groups);
        buf_printf(out, ",");
        words_write(out, "resources", rule->resources);
        buf_printf(out, ",");
        if (rule->names) {
                words_write(out, "resourceNames", rule->names);
                buf_printf(out, ",");
        }
        words_write(out, "verbs", rule->verbs);
        buf_printf(out, "}");
}

/* PREFIX and NAME together name the role. */
static void role_begin(struct buf *out, const char *prefix, const char *name) {
        buf_clear(out);
        buf_printf(out,
                   "{\"metadata\":{\"name\":\"%s%s\",\"labels\":{"
                   "\"kubernetes.io/bootstrapping\":\"rbac-defaults\"}},\"rules\":[",
                   prefix, name);
}

struct role_visit {
        void (*each)(const char *path, struct slice json, void *data);
        void *data;
        struct buf text;
};

static void role_end(struct role_visit *visit) {
        buf_printf(&visit->text, "]}");
        visit->each(RBAC "clusterroles", buf_view(&visit->text), visit->data);
}

/* The role whose rules start at FIRST; the index after its last one. */
static size_t role_visit(struct role_visit *visit, const char *prefix,
                         const struct role_rule *first, size_t count) {
        size_t i = 0;

        role_begin(&visit->text, prefix, first->role);
        for (; i < count && strcmp(first[i].role, first->role) == 0; i++)
                rule_write(&visit->text, &first[i]);
        role_end(visit);
        return i;
}

/* The role of each controller, bound to its account. */
static void controllers_visit(struct role_visit *visit) {
        size_t count;
        const struct role_rule *all = controller_rules(&count);

        for (size_t i = 0; i < count;) {
                const char *name = all[i].role;

                i += role_visit(visit, "system:controller:", &all[i], count - i);
                buf_clear(&visit->text);
                buf_printf(&visit->text,
                           "{\"metadata\":{\"name\":\"system:controller:%s\",\"labels\":{"
                           "\"kubernetes.io/bootstrapping\":\"rbac-defaults\"}},\"roleRef\":{"
                           "\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\","
                           "\"name\":\"system:controller:%s\"},\"subjects\":[{\"kind\":"
                           "\"ServiceAccount\",\"name\":\"%s\",\"namespace\":\"kube-system\"}]}",
                           name, name, name);
                visit->each(RBAC "clusterrolebindings", buf_view(&visit->text), visit->data);
        }
}

/* The rules of one part: those that no lesser role has. */
static void part_write(struct buf *out, unsigned int part) {
        for (size_t i = 0; i < ARRAY_LEN(people); i++) {
                const struct role_rule rule = { .groups = people[i].groups,
                                                .resources = people[i].resources,
                                                .verbs = people[i].verbs };
                unsigned int roles = people[i].roles;

                if ((roles & VIEW ? VIEW : roles & EDIT ? EDIT : ADMIN) == part)
                        rule_write(out, &rule);
        }
}

#define AGGREGATES "rbac.authorization.k8s.io/aggregate-to-"

static void labelled_begin(struct buf *out, const char *prefix, const char *name,
                           const char *gathered_by) {
        buf_clear(out);
        buf_printf(out,
                   "{\"metadata\":{\"name\":\"%s%s\",\"labels\":{"
                   "\"kubernetes.io/bootstrapping\":\"rbac-defaults\"",
                   prefix, name);
        if (gathered_by)
                buf_printf(out, ",\"" AGGREGATES "%s\":\"true\"", gathered_by);
        buf_printf(out, "}},");
}

/* Roles for people gather their rules from parts, to which others may add. */
static void people_visit(struct role_visit *visit) {
        for (size_t i = 0; i < ARRAY_LEN(people_roles); i++) {
                const char *name = people_roles[i].name;

                labelled_begin(&visit->text, "", name, people_roles[i].gathered_by);
                buf_printf(&visit->text,
                           "\"aggregationRule\":{\"clusterRoleSelectors\":[{\"matchLabels\":{"
                           "\"" AGGREGATES "%s\":\"true\"}}]},\"rules\":[",
                           name);
                for (size_t j = 0; j < ARRAY_LEN(people_roles[i].parts); j++)
                        part_write(&visit->text, people_roles[i].parts[j]);
                role_end(visit);
                labelled_begin(&visit->text, "system:aggregate-to-", name, name);
                buf_printf(&visit->text, "\"rules\":[");
                part_write(&visit->text, people_roles[i].own);
                role_end(visit);
        }
}

void bootstrap_roles_each(void (*each)(const char *path, struct slice json, void *data),
                          void *data) {
        struct role_visit visit = { .each = each, .data = data };

        for (size_t i = 0; i < ARRAY_LEN(rules);)
                i += role_visit(&visit, "", &rules[i], ARRAY_LEN(rules) - i);
        people_visit(&visit);
        controllers_visit(&visit);
        buf_release(&visit.text);
}
