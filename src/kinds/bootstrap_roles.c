/* The roles every cluster brings along, by their upstream names and rules, as far as programs and
 * people of the sandbox use them: kube-scheduler's, those for servers that review tokens and
 * accesses (auth-delegator), and admin, edit and view.
 *
 * Upstream joins the last three from labelled parts (aggregation); here each has its rules at
 * once. */
#include "kinds/bootstrap_roles.h"
#include "base/buf.h"
#include "base/util.h"

#include <string.h>

#define READ "get list watch"
#define WRITE "create delete deletecollection patch update"

/* Lists are words between single spaces; "-" is the core group. Rules of one role stand together.
 */
struct role_rule {
        const char *role, *groups, *resources, *names, *verbs;
};

static const struct role_rule rules[] = {
        { "system:auth-delegator", "authentication.k8s.io", "tokenreviews", NULL, "create" },
        { "system:auth-delegator", "authorization.k8s.io", "subjectaccessreviews", NULL, "create" },

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
static const struct {
        const char *name;
        unsigned int role;
} people_roles[] = { { "admin", ADMIN }, { "edit", EDIT }, { "view", VIEW } };

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

static void role_begin(struct buf *out, const char *name) {
        buf_clear(out);
        buf_printf(out,
                   "{\"metadata\":{\"name\":\"%s\",\"labels\":{"
                   "\"kubernetes.io/bootstrapping\":\"rbac-defaults\"}},\"rules\":[",
                   name);
}

void bootstrap_roles_each(void (*each)(struct slice json, void *data), void *data) {
        struct buf out = { 0 };

        for (size_t i = 0; i < ARRAY_LEN(rules);) {
                const char *role = rules[i].role;

                role_begin(&out, role);
                for (; i < ARRAY_LEN(rules) && strcmp(rules[i].role, role) == 0; i++)
                        rule_write(&out, &rules[i]);
                buf_printf(&out, "]}");
                each(buf_view(&out), data);
        }
        for (size_t i = 0; i < ARRAY_LEN(people_roles); i++) {
                role_begin(&out, people_roles[i].name);
                for (size_t j = 0; j < ARRAY_LEN(people); j++) {
                        if (people[j].roles & people_roles[i].role)
                                rule_write(&out,
                                           &(struct role_rule){ .groups = people[j].groups,
                                                                .resources = people[j].resources,
                                                                .verbs = people[j].verbs });
                }
                buf_printf(&out, "]}");
                each(buf_view(&out), data);
        }
        buf_release(&out);
}
