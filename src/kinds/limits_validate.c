/* Validation of resource quotas and limit ranges. */
#include "kinds/check.h"

#include "api/quantity.h"
#include "base/arena.h"
#include "base/util.h"

/* ---- quotas ---- */

static bool is_quota_name(struct slice name) {
        static const char *const names[] = {
                "cpu",
                "memory",
                "ephemeral-storage",
                "requests.cpu",
                "requests.memory",
                "requests.ephemeral-storage",
                "limits.cpu",
                "limits.memory",
                "limits.ephemeral-storage",
                "pods",
                "services",
                "replicationcontrollers",
                "resourcequotas",
                "secrets",
                "configmaps",
                "persistentvolumeclaims",
                "requests.storage",
                "services.nodeports",
                "services.loadbalancers",
                "storage",
        };

        for (size_t i = 0; i < ARRAY_LEN(names); i++)
                if (slice_is(name, names[i]))
                        return true;
        return slice_has_prefix(name, SLICE_LITERAL("requests.hugepages-")) ||
               slice_has_prefix(name, SLICE_LITERAL("hugepages-"));
}

/* Amounts of these come in whole units. */
static bool is_counted(struct slice name) {
        static const char *const measured[] = { "cpu", "memory", "storage" };

        for (size_t i = 0; i < ARRAY_LEN(measured); i++)
                if (slice_has_suffix(name, slice_of(measured[i])))
                        return false;
        return true;
}

static void check_hard(struct checker *checker, const struct at *at, struct slice name,
                       struct slice amount) {
        int64_t milli = 0;

        if (check_label_key(checker, at, NULL, name) && !memchr(name.ptr, '/', name.len) &&
            !is_quota_name(name))
                report_text(checker, at, NULL, name, "must be a standard resource for quota");
        check_quantity_not_negative(checker, at, amount);
        if (is_counted(name) && quantity_milli(amount, &milli, NULL) == 0 && milli % 1000 != 0)
                report_text(checker, at, NULL, amount, "must be an integer");
}

VALIDATE_HOOK(resource_quota_validate) {
        struct checker checker = { .errors = errors, .context = context };
        struct node_iter iter = node_iter(node_get(node_get(object, "spec"), "hard"));
        struct at spec = at_root("spec"), hard = at_member(&spec, "hard");
        struct json_node *amount;
        struct slice name;

        if (operation == KIND_UPDATE_STATUS)
                return;
        while (node_next(&iter, &name, &amount)) {
                struct at place = at_key(&hard, name);

                check_hard(&checker, &place, name, node_get_slice(amount));
        }
        if (operation == KIND_UPDATE)
                check_immutable(&checker, &spec, node_get(object, "spec"), json_get(old, "spec"),
                                "scopes");
}

/* ---- limit ranges ---- */

/* Pairs of lists in which the first must not exceed the second, and how it is said. blamed: which
 * of the lists and of the amounts the complaint shows. */
struct limit_order {
        const char *low, *high, *low_name, *high_name, *blamed;
        bool shows_low;
};
static const struct limit_order limit_orders[] = {
        { "min", "max", "min value", "max value", "min", true },
        { "min", "defaultRequest", "min value", "default request value", "defaultRequest", false },
        { "defaultRequest", "max", "default request value", "max value", "defaultRequest", true },
        { "defaultRequest", "default", "default request value", "default limit value",
          "defaultRequest", true },
        { "min", "default", "min value", "default value", "default", true },
        { "default", "max", "default value", "max value", "default", false },
};

static void check_limit_order(struct checker *checker, const struct at *at,
                              const struct json_node *item, const struct limit_order *rule) {
        struct node_iter iter = node_iter(node_get(item, rule->low));
        struct at list = at_member(at, rule->blamed);
        struct json_node *low;
        struct slice name;

        while (node_next(&iter, &name, &low)) {
                const struct json_node *high = node_find(node_get(item, rule->high), name);
                struct slice low_text = node_get_slice(low), high_text = node_get_slice(high);
                struct at place = at_key(&list, name);
                int order = 0;

                if (!high || quantity_compare(low_text, high_text, &order, NULL) < 0 || order <= 0)
                        continue;
                report_text(checker, &place, NULL, rule->shows_low ? low_text : high_text,
                            message_of(checker, "%s " SLICE_FMT " is greater than %s " SLICE_FMT,
                                       rule->low_name, SLICE_ARG(low_text), rule->high_name,
                                       SLICE_ARG(high_text)));
        }
}

static void check_limit_item(struct checker *checker, const struct at *at,
                             const struct json_node *item) {
        static const char *const no_pod[] = { "default", "defaultRequest" };
        bool is_pod = slice_is(node_get_text(item, "type"), "Pod");

        check_required(checker, at, item, "type");
        for (size_t i = 0; is_pod && i < ARRAY_LEN(no_pod); i++)
                if (node_count(node_get(item, no_pod[i])) > 0)
                        report(checker, FIELD_FORBIDDEN, at, no_pod[i], NULL,
                               "may not be specified when `type` is 'Pod'");
        if (slice_is(node_get_text(item, "type"), "PersistentVolumeClaim") &&
            !node_get(node_get(item, "min"), "storage") &&
            !node_get(node_get(item, "max"), "storage"))
                report(checker, FIELD_REQUIRED, at, "limits", NULL,
                       "either minimum or maximum storage value is required, but neither was "
                       "provided");
        for (size_t i = 0; i < ARRAY_LEN(limit_orders); i++)
                check_limit_order(checker, at, item, &limit_orders[i]);
}

VALIDATE_HOOK(limit_range_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *limits = node_get(node_get(object, "spec"), "limits");
        struct at spec = at_root("spec"), list = at_member(&spec, "limits");
        CLEANUP(text_set_release) struct text_set types = { 0 };

        (void)operation, (void)old;
        for (size_t i = 0; i < node_count(limits); i++) {
                const struct json_node *item = node_at(limits, i);
                struct slice type = node_get_text(item, "type");
                struct at place = at_index(&list, i);

                if (!text_set_add(&types, type))
                        report(&checker, FIELD_DUPLICATE, &place, "type", quoted(&checker, type),
                               NULL);
                check_limit_item(&checker, &place, item);
        }
}
