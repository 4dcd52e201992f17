/* Validation of the core kinds other than pods and workloads. */
#include "kinds/check.h"
#include "kinds/metadata_check.h"

#include "api/quantity.h"
#include "api/selector.h"
#include "base/arena.h"
#include "base/base64.h"
#include "base/util.h"
#include "schema/go_json.h"

/* ---- namespaces ---- */

/* Places are of the list, and of its elements in writes to /finalize. */
static void check_finalizers(struct checker *checker, const struct json_node *finalizers,
                             bool is_indexed) {
        struct at spec = at_root("spec"), list = at_member(&spec, "finalizers");

        for (size_t i = 0; i < node_count(finalizers); i++) {
                struct slice name = node_get_slice(node_at(finalizers, i));
                struct at element = at_index(&list, i);
                const struct at *place = is_indexed ? &element : &list;

                check_label_key(checker, place, NULL, name);
                if (finalizer_lacks_domain(name))
                        report_text(checker, place, NULL, name,
                                    "name is neither a standard finalizer name nor is it fully "
                                    "qualified");
        }
}

static void check_namespace_phase(struct checker *checker, const struct json_node *object) {
        bool is_ending = node_get(node_get(object, "metadata"), "deletionTimestamp");
        struct slice phase = node_get_text(node_get(object, "status"), "phase");
        struct at status = at_root("status");

        if (!slice_is(phase, is_ending ? "Terminating" : "Active"))
                report_text(checker, &status, "Phase", phase,
                            is_ending ? "may only be 'Terminating' if `deletionTimestamp` is not "
                                        "empty"
                                      : "may only be 'Active' if `deletionTimestamp` is empty");
}

VALIDATE_HOOK(namespace_validate) {
        struct checker checker = { .errors = errors, .context = context };

        (void)old;
        if (operation == KIND_UPDATE_STATUS)
                check_namespace_phase(&checker, object);
        else
                check_finalizers(&checker, node_get(node_get(object, "spec"), "finalizers"),
                                 slice_is(context->subresource, "finalize"));
}

/* ---- configuration ---- */

#define CONFIG_BYTES_MAX ((size_t)1 << 20)

static size_t check_config_keys(struct checker *checker, const struct json_node *object,
                                const char *member) {
        struct node_iter iter = node_iter(node_get(object, member));
        struct at at = at_root(member);
        struct json_node *value;
        struct slice key;
        size_t size = 0;

        while (node_next(&iter, &key, &value)) {
                const char *problem = config_key_problems(key);
                struct at place = at_key(&at, key);

                if (problem)
                        report_text(checker, &place, NULL, key, problem);
                size += node_get_slice(value).len;
        }
        return size;
}

/* is_made: the first of the members is there even if it is empty; of the others, upstream tells an
 * empty map from none. */
static void check_frozen(struct checker *checker, const struct json_node *object,
                         const struct json *old, const char *const *members, bool is_made) {
        if (!json_get_bool(old, "immutable", false))
                return;
        struct at at = at_root("immutable");
        if (!node_is_true(node_get(object, "immutable")))
                report(checker, FIELD_FORBIDDEN, &at, NULL, NULL,
                       "field is immutable when `immutable` is set");
        for (size_t i = 0; members[i]; i++) {
                at = at_root(members[i]);
                bool is_emptied_now = !(is_made && i == 0) && !json_get(old, members[i]) &&
                                      is_emptied(checker, &at);
                if (is_emptied_now || !is_same_member(object, old, members[i]))
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
        check_frozen(&checker, object, old, frozen, true);
        size_t size = check_config_keys(&checker, object, "data");
        while (node_next(&iter, &key, NULL))
                if (node_find(node_get(object, "data"), key)) {
                        struct at place = at_key(&data, key);

                        report(&checker, FIELD_INVALID, &place, NULL, quoted(&checker, key),
                               "duplicate of key present in binaryData");
                }
        size += check_config_keys(&checker, object, "binaryData") / 4 * 3;
        if (size > CONFIG_BYTES_MAX)
                report(&checker, FIELD_TOO_LONG, &none, NULL, NULL,
                       "may not be more than 1048576 bytes");
}

/* Keys that a secret of a certain type cannot do without. */
struct secret_key {
        const char *type, *key;
        bool is_json, must_hold;
};
static const struct secret_key secret_keys[] = {
        { "kubernetes.io/dockercfg", ".dockercfg", true, false },
        { "kubernetes.io/dockerconfigjson", ".dockerconfigjson", true, false },
        { "kubernetes.io/ssh-auth", "ssh-privatekey", false, true },
        { "kubernetes.io/tls", "tls.crt", false, false },
        { "kubernetes.io/tls", "tls.key", false, false },
};

/* One of the two is enough. */
static void check_basic_auth(struct checker *checker, const struct at *at,
                             const struct json_node *data) {
        static const char *const keys[] = { "username", "password" };

        if (node_get(data, keys[0]) || node_get(data, keys[1]))
                return;
        for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
                struct at place = at_key(at, slice_of(keys[i]));

                report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
        }
}

/* What Go's decoder says of what is to be an object; NULL: it is one. */
static const char *json_object_problem(struct checker *checker, struct slice text) {
        struct json_doc *doc = NULL;
        struct err err = { 0 };

        if (go_json_parse(text, &doc, &err) < 0)
                return message_of(checker, "%s", err.text);
        const struct json *value = json_doc_root(doc);
        enum json_type type = json_type(value);
        const char *problem = type == JSON_OBJECT || type == JSON_NULL
                                      ? NULL
                                      : message_of(checker,
                                                   "json: cannot unmarshal %s into Go value of "
                                                   "type map[string]interface {}",
                                                   json_go_name(type));
        json_doc_free(doc);
        return problem;
}

static void check_secret_json(struct checker *checker, const struct at *at, struct slice encoded) {
        struct buf text = { 0 };

        if (base64_decode(encoded, BASE64_STANDARD, &text)) {
                const char *problem = json_object_problem(checker, buf_view(&text));

                if (problem)
                        report(checker, FIELD_INVALID, at, NULL, "\"<secret contents redacted>\"",
                               problem);
        }
        buf_release(&text);
}

VALIDATE_HOOK(secret_validate) {
        static const char *const frozen[] = { "data", NULL };
        struct checker checker = { .errors = errors, .context = context };
        struct slice type = node_get_text(object, "type");
        struct at data = at_root("data");

        if (operation != KIND_CREATE) {
                struct at place = at_root("type");

                if (!slice_eq(type, json_get_text(old, "type")))
                        report_text(&checker, &place, NULL, type, "field is immutable");
                check_frozen(&checker, object, old, frozen, false);
        }
        check_config_keys(&checker, object, "data");
        if (slice_is(type, "kubernetes.io/basic-auth"))
                check_basic_auth(&checker, &data, node_get(object, "data"));
        for (size_t i = 0; i < ARRAY_LEN(secret_keys); i++) {
                struct at place = at_key(&data, slice_of(secret_keys[i].key));
                const struct json_node *value =
                        node_get(node_get(object, "data"), secret_keys[i].key);

                if (!slice_is(type, secret_keys[i].type))
                        continue;
                if (!value || (secret_keys[i].must_hold && node_get_slice(value).len == 0))
                        report(&checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
                else if (secret_keys[i].is_json)
                        check_secret_json(&checker, &place, node_get_slice(value));
        }
}
