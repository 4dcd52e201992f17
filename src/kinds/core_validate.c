/* Validation of the core kinds other than pods and workloads. */
#include "kinds/check.h"

#include "api/quantity.h"
#include "api/selector.h"
#include "base/arena.h"
#include "base/base64.h"
#include "base/util.h"

/* ---- nodes ---- */

static void check_taints(struct checker *checker, const struct json_node *taints) {
        struct at metadata = at_root("metadata"), list = at_member(&metadata, "taints");
        CLEANUP(text_set_release) struct text_set pairs = { 0 };

        for (size_t i = 0; i < node_count(taints); i++) {
                const struct json_node *taint = node_at(taints, i);
                struct slice key = node_get_text(taint, "key"),
                             value = node_get_text(taint, "value");
                struct slice effect = node_get_text(taint, "effect");
                const char *problem = label_value_problem(value);
                struct at place = at_index(&list, i);

                check_label_key(checker, &place, "key", key);
                if (problem)
                        report_text(checker, &place, "value", value, problem);
                check_taint_effect(checker, &place, taint, false);
                if (!text_set_add(&pairs, pair_text(checker, key, effect)))
                        report(checker, FIELD_DUPLICATE, &place, NULL,
                               message_of(checker,
                                          "{\"Key\":%s,\"Value\":%s,\"Effect\":%s,\"TimeAdded\":"
                                          "%s}",
                                          quoted(checker, key), quoted(checker, value),
                                          quoted(checker, effect),
                                          node_json(checker, node_get(taint, "timeAdded"))),
                               "taints must be unique by key and effect pair");
        }
}

static bool is_whole_resource(struct slice name) {
        return slice_has_prefix(name, SLICE_LITERAL("hugepages-")) || slice_is(name, "pods") ||
               (name.len && memchr(name.ptr, '/', name.len));
}

static void check_node_resources(struct checker *checker, const struct json_node *status,
                                 const char *list) {
        struct node_iter iter = node_iter(node_get(status, list));
        struct at root = at_root("status"), at = at_member(&root, list);
        struct json_node *amount;
        struct slice name;

        while (node_next(&iter, &name, &amount)) {
                struct at place = at_member(&at, message_of(checker, SLICE_FMT, SLICE_ARG(name)));
                int64_t milli = 0;

                check_quantity_not_negative(checker, &place, node_get_slice(amount));
                if (is_whole_resource(name) &&
                    quantity_milli(node_get_slice(amount), &milli, NULL) == 0 && milli % 1000 != 0)
                        report_text(checker, &place, NULL, node_get_slice(amount),
                                    "must be an integer");
        }
}

static void check_node_update(struct checker *checker, const struct json_node *spec,
                              const struct json *old) {
        struct slice provider = json_get_text(old, "providerID");
        struct at at = at_root("spec");

        if (json_count(json_get(old, "podCIDRs")) > 0 && !is_same_member(spec, old, "podCIDRs"))
                report(checker, FIELD_FORBIDDEN, &at, "podCIDRs", NULL,
                       "node updates may not change podCIDR except from \"\" to valid");
        if (provider.len && !slice_eq(provider, node_get_text(spec, "providerID")))
                report(checker, FIELD_FORBIDDEN, &at, "providerID", NULL,
                       "node updates may not change providerID except from \"\" to valid");
}

VALIDATE_HOOK(node_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");

        if (operation == KIND_CREATE)
                check_taints(&checker, node_get(spec, "taints"));
        check_node_resources(&checker, node_get(object, "status"), "capacity");
        check_node_resources(&checker, node_get(object, "status"), "allocatable");
        if (operation == KIND_CREATE)
                return;
        check_node_update(&checker, spec, json_get(old, "spec"));
        check_taints(&checker, node_get(spec, "taints"));
}

VALIDATE_HOOK(namespace_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *finalizers = node_get(node_get(object, "spec"), "finalizers");
        struct at spec = at_root("spec"), list = at_member(&spec, "finalizers");

        (void)operation, (void)old;
        for (size_t i = 0; i < node_count(finalizers); i++) {
                struct slice name = node_get_slice(node_at(finalizers, i));

                if (check_label_key(&checker, &list, NULL, name) && !slice_is(name, "kubernetes") &&
                    !memchr(name.ptr, '/', name.len))
                        report_text(&checker, &list, NULL, name,
                                    "name is neither a standard finalizer name nor is it fully "
                                    "qualified");
        }
}

/* ---- configuration ---- */

#define CONFIG_KEY_TEXT                                                                            \
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "       \
        "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "                \
        "'[-._a-zA-Z0-9]+')"
#define CONFIG_KEY_MAX 253
#define CONFIG_BYTES_MAX ((size_t)1 << 20)

static const char *config_key_problem(struct slice key) {
        if (key.len > CONFIG_KEY_MAX)
                return "must be no more than 253 characters";
        for (size_t i = 0; i < key.len; i++) {
                char c = key.ptr[i];

                if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || c == '.'))
                        return CONFIG_KEY_TEXT;
        }
        if (key.len == 0)
                return CONFIG_KEY_TEXT;
        if (slice_is(key, "."))
                return "must not be '.'";
        return slice_has_prefix(key, SLICE_LITERAL("..")) ? "must not start with '..'" : NULL;
}

static size_t check_config_keys(struct checker *checker, const struct json_node *object,
                                const char *member) {
        struct node_iter iter = node_iter(node_get(object, member));
        struct at at = at_root(member);
        struct json_node *value;
        struct slice key;
        size_t size = 0;

        while (node_next(&iter, &key, &value)) {
                const char *problem = config_key_problem(key);
                struct at place = at_key(&at, key);

                if (problem)
                        report_text(checker, &place, NULL, key, problem);
                size += node_get_slice(value).len;
        }
        return size;
}

static void check_frozen(struct checker *checker, const struct json_node *object,
                         const struct json *old, const char *const *members) {
        if (!json_get_bool(old, "immutable", false))
                return;
        struct at at = at_root("immutable");
        if (!node_is_true(node_get(object, "immutable")))
                report(checker, FIELD_FORBIDDEN, &at, NULL, NULL,
                       "field is immutable when `immutable` is set");
        for (; *members; members++) {
                at = at_root(*members);
                if (!is_same_member(object, old, *members))
                        report(checker, FIELD_FORBIDDEN, &at, NULL, NULL,
                               "field is immutable when `immutable` is set");
        }
}

VALIDATE_HOOK(config_map_validate) {
        static const char *const frozen[] = { "data", "binaryData", NULL };
        struct checker checker = { .errors = errors, .context = context };
        struct node_iter iter = node_iter(node_get(object, "binaryData"));
        struct at data = at_root("data"), none = { .name = "" };
        struct slice key;

        (void)operation;
        check_frozen(&checker, object, old, frozen);
        size_t size = check_config_keys(&checker, object, "data");
        while (node_next(&iter, &key, NULL))
                if (node_find(node_get(object, "data"), key)) {
                        struct at place = at_key(&data, key);

                        report(&checker, FIELD_INVALID, &place, NULL,
                               "\"duplicate of key present in binaryData\"", NULL);
                }
        size += check_config_keys(&checker, object, "binaryData") / 4 * 3;
        if (size > CONFIG_BYTES_MAX)
                report(&checker, FIELD_TOO_LONG, &none, NULL, NULL,
                       "may not be more than 1048576 bytes");
}

/* Keys that a secret of a certain type cannot do without. */
struct secret_key {
        const char *type, *key;
};
static const struct secret_key secret_keys[] = {
        { "kubernetes.io/dockercfg", ".dockercfg" },
        { "kubernetes.io/dockerconfigjson", ".dockerconfigjson" },
        { "kubernetes.io/ssh-auth", "ssh-privatekey" },
        { "kubernetes.io/tls", "tls.crt" },
        { "kubernetes.io/tls", "tls.key" },
};

VALIDATE_HOOK(secret_validate) {
        static const char *const frozen[] = { "data", NULL };
        struct checker checker = { .errors = errors, .context = context };
        struct slice type = node_get_text(object, "type");
        struct at data = at_root("data");

        check_config_keys(&checker, object, "data");
        for (size_t i = 0; i < ARRAY_LEN(secret_keys); i++) {
                struct at place = at_key(&data, slice_of(secret_keys[i].key));

                if (slice_is(type, secret_keys[i].type) &&
                    !node_get(node_get(object, "data"), secret_keys[i].key))
                        report(&checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
        }
        if (operation == KIND_CREATE)
                return;
        if (!slice_eq(type, json_get_text(old, "type"))) {
                struct at place = at_root("type");

                report_text(&checker, &place, NULL, type, "field is immutable");
        }
        check_frozen(&checker, object, old, frozen);
}
