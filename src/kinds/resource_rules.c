/* Names of resources and amounts of them. */
#include "kinds/resource_rules.h"

#include "api/selector.h"
#include "base/util.h"

/* ---- names ---- */

enum resource_traits {
        TRAIT_CONTAINER = 1, /* containers may ask for it */
        TRAIT_QUOTA = 2,     /* quotas may limit it */
        TRAIT_COUNTED = 4,   /* comes in whole units */
};
struct resource_trait {
        const char *name;
        unsigned traits;
};
static const struct resource_trait standard_resources[] = {
        { "cpu", TRAIT_CONTAINER | TRAIT_QUOTA },
        { "memory", TRAIT_CONTAINER | TRAIT_QUOTA },
        { "ephemeral-storage", TRAIT_CONTAINER | TRAIT_QUOTA },
        { "storage", 0 },
        { "requests.cpu", TRAIT_QUOTA },
        { "requests.memory", TRAIT_QUOTA },
        { "requests.storage", TRAIT_QUOTA },
        { "requests.ephemeral-storage", TRAIT_QUOTA },
        { "limits.cpu", TRAIT_QUOTA },
        { "limits.memory", TRAIT_QUOTA },
        { "limits.ephemeral-storage", TRAIT_QUOTA },
        { "pods", TRAIT_QUOTA | TRAIT_COUNTED },
        { "resourcequotas", TRAIT_QUOTA | TRAIT_COUNTED },
        { "services", TRAIT_QUOTA | TRAIT_COUNTED },
        { "replicationcontrollers", TRAIT_QUOTA | TRAIT_COUNTED },
        { "secrets", TRAIT_QUOTA | TRAIT_COUNTED },
        { "configmaps", TRAIT_QUOTA | TRAIT_COUNTED },
        { "persistentvolumeclaims", TRAIT_QUOTA | TRAIT_COUNTED },
        { "services.nodeports", TRAIT_QUOTA | TRAIT_COUNTED },
        { "services.loadbalancers", TRAIT_QUOTA | TRAIT_COUNTED },
};
static const struct resource_trait huge_pages = { "hugepages-", TRAIT_CONTAINER | TRAIT_QUOTA };
static const struct resource_trait huge_page_requests = { "requests.hugepages-", TRAIT_QUOTA };

/* NULL when it is none of Kubernetes' own. */
static const struct resource_trait *resource_trait(struct slice name) {
        if (slice_has_prefix(name, slice_of(huge_pages.name)))
                return &huge_pages;
        if (slice_has_prefix(name, slice_of(huge_page_requests.name)))
                return &huge_page_requests;
        for (size_t i = 0; i < ARRAY_LEN(standard_resources); i++)
                if (slice_is(name, standard_resources[i].name))
                        return &standard_resources[i];
        return NULL;
}

static bool has_trait(struct slice name, enum resource_traits trait) {
        const struct resource_trait *resource = resource_trait(name);

        return resource && (resource->traits & trait);
}

bool is_quota_resource(struct slice name) {
        return has_trait(name, TRAIT_QUOTA);
}

bool is_huge_page(struct slice name) {
        return slice_has_prefix(name, slice_of(huge_pages.name));
}

static bool is_qualified(struct slice name) {
        return name.len && memchr(name.ptr, '/', name.len);
}

static bool is_native(struct slice name) {
        return !is_qualified(name) || slice_contains(name, SLICE_LITERAL("kubernetes.io/"));
}

bool is_overcommittable(struct slice name) {
        return is_native(name) && !is_huge_page(name);
}

#define QUOTA_PREFIX "requests."

/* The name has room for a prefix that quotas give it. */
static bool is_extended(struct slice name) {
        char text[512];

        if (is_native(name) || slice_has_prefix(name, SLICE_LITERAL(QUOTA_PREFIX)) ||
            name.len + sizeof(QUOTA_PREFIX) > sizeof(text))
                return false;
        memcpy(text, QUOTA_PREFIX, sizeof(QUOTA_PREFIX) - 1);
        memcpy(text + sizeof(QUOTA_PREFIX) - 1, name.ptr, name.len);
        return !label_key_problem(slice_make(text, name.len + sizeof(QUOTA_PREFIX) - 1));
}

static bool check_any_name(struct checker *checker, const struct at *at, struct slice name) {
        struct text_problems problems = text_problems(checker->errors->arena, FORM_QUALIFIED, name);

        for (size_t i = 0; i < problems.count; i++)
                report_json_text(checker, at, NULL, name, problems.items[i]);
        if (problems.count)
                return false;
        if (is_qualified(name) || resource_trait(name))
                return true;
        report_json_text(checker, at, NULL, name,
                         "must be a standard resource type or fully qualified");
        return false;
}

/* Why a resource that is known may not stand there; NULL when it may. */
static const char *use_problem(struct slice name, enum resource_use use) {
        if (use == RESOURCE_OF_QUOTA && !is_qualified(name) && !has_trait(name, TRAIT_QUOTA))
                return "must be a standard resource for quota";
        if (use != RESOURCE_OF_CONTAINER)
                return NULL;
        if (!is_qualified(name) && !has_trait(name, TRAIT_CONTAINER))
                return "must be a standard resource for containers";
        return is_native(name) || is_extended(name) ? NULL
                                                    : "doesn't follow extended resource name "
                                                      "standard";
}

bool check_resource_name(struct checker *checker, const struct at *at, struct slice name,
                         enum resource_use use) {
        static const char *const of_pods[] = { "cpu", "hugepages-", "memory", NULL };
        bool is_right = check_any_name(checker, at, name);
        bool is_compute = slice_is(name, "cpu") || slice_is(name, "memory") || is_huge_page(name);
        const char *problem = use_problem(name, use);

        if (use == RESOURCE_OF_POD && is_right && !is_compute) {
                report_choice(checker, at, NULL, quoted_json(checker, name), of_pods);
                return false;
        }
        if (problem)
                report_json_text(checker, at, NULL, name, problem);
        return is_right && !problem;
}

/* ---- amounts ---- */

void check_resource_amount(struct checker *checker, const struct at *at, struct slice name,
                           struct slice amount) {
        check_quantity_not_negative(checker, at, amount);
        if ((has_trait(name, TRAIT_COUNTED) || is_extended(name)) && !is_whole_quantity(amount))
                report_text(checker, at, NULL, amount, "must be an integer");
}
