/* How often upstream checks the metadata of an object, by kind. It shows in the list of causes. */
#include "base/util.h"
#include "kinds/kind.h"

struct kind_rules {
        const char *group, *plurals; /* plurals: separated by spaces; NULL = all of the group */
        struct metadata_rules rules;
};
static const struct kind_rules kind_rules[] = {
        { "", "pods configmaps endpoints secrets serviceaccounts", { "C", "UC", "U" } },
        { "", "services", { "C", "U", "U" } },
        { "", "events", { "", "", "" } },
        { "events.k8s.io", NULL, { "C", "U", "U" } },
        { "", "limitranges", { "C", "C", "U" } },
        { "", "namespaces nodes persistentvolumeclaims", { "C", "CU", "U" } },
        { "", "persistentvolumes", { "C", "CC", "U" } },
        { "", "podtemplates replicationcontrollers resourcequotas", { "C", "U", "U" } },
        { "apps", "controllerrevisions", { "C", "UC", "U" } },
        { "apps", NULL, { "C", "U", "U" } },
        { "autoscaling", NULL, { "C", "U", "U" } },
        { "batch", "jobs", { "C", "CU", "U" } },
        { "batch", "cronjobs", { "C", "U", "" } },
        { "coordination.k8s.io", NULL, { "c", "u", "u" } },
        { "policy", "poddisruptionbudgets", { "", "", "" } },
        { "discovery.k8s.io", NULL, { "C", "C", "U" } },
        { "flowcontrol.apiserver.k8s.io", NULL, { "C", "C", "" } },
        { "node.k8s.io", NULL, { "c", "cu", "u" } },
        { "apiregistration.k8s.io", NULL, { "c", "uc", "u" } },
        { "rbac.authorization.k8s.io", NULL, { "C", "CU", "U" } },
        { "scheduling.k8s.io", NULL, { "C", "U", "U" } },
        { "storage.k8s.io", "csistoragecapacities storageclasses", { "C", "CU", "U" } },
        { "storage.k8s.io", "csinodes volumeattachments", { "C", "C", "C" } },
        { "storage.k8s.io", "volumeattributesclasses", { "C", "UC", "U" } },
        { "storage.k8s.io", NULL, { "C", "U", "U" } },
        { "networking.k8s.io", "ingresses ingressclasses", { "C", "UC", "U" } },
        { "networking.k8s.io", NULL, { "C", "U", "U" } },
        { "resource.k8s.io",
          "resourceclaims resourceclaimtemplates deviceclasses",
          { "C", "CU", "U" } },
        { "resource.k8s.io", NULL, { "C", "U", "U" } },
        { "admissionregistration.k8s.io", NULL, { "c", "c", "c" } },
        { "apiextensions.k8s.io", NULL, { "c", "cu", "u" } },
};
static const struct metadata_rules usual_rules = { "C", "UC", "U" };
static const struct metadata_rules custom_rules = { "c", "u", "u" };

static bool has_word(const char *words, const char *word) {
        struct slice rest = slice_of(words), next;

        while (slice_split(&rest, ' ', &next))
                if (slice_is(next, word))
                        return true;
        return false;
}

const struct metadata_rules *kind_metadata_rules(const struct kind_info *kind) {
        if (kind->prune) /* custom resources */
                return &custom_rules;
        for (size_t i = 0; i < ARRAY_LEN(kind_rules); i++)
                if (strcmp(kind_rules[i].group, kind->group) == 0 &&
                    (!kind_rules[i].plurals || has_word(kind_rules[i].plurals, kind->plural)))
                        return &kind_rules[i].rules;
        return &usual_rules;
}
