/* What is made of annotations that were AppArmor and seccomp profiles. */
#include "kinds/old_profiles.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include <string.h>

#define LOCAL_MAX 4095

static const char app_armor_text[] =
        "deprecated since v1.30; use the \"appArmorProfile\" field instead";
static const char seccomp_text[] =
        "non-functional in v1.27+; use the \"seccompProfile\" field instead";

struct app_armor {
        const char *type; /* NULL = no profile */
        struct slice local;
};

static struct app_armor app_armor_parse(struct slice text) {
        struct app_armor profile = { 0 };

        if (slice_is(text, "unconfined")) {
                profile.type = "Unconfined";
        } else if (slice_is(text, "runtime/default")) {
                profile.type = "RuntimeDefault";
        } else if (slice_has_prefix(text, SLICE_LITERAL(LOCAL_PROFILE)) &&
                   text.len > strlen(LOCAL_PROFILE)) {
                profile.type = "Localhost";
                profile.local = slice_make(text.ptr + strlen(LOCAL_PROFILE),
                                           text.len - strlen(LOCAL_PROFILE));
        }
        return profile;
}

static bool is_valid(const struct app_armor *profile) {
        return profile->type && slice_trim(profile->local).len == profile->local.len &&
               profile->local.len <= LOCAL_MAX;
}

static bool is_same(const struct app_armor *profile, const struct json_node *field) {
        return field && profile->type && slice_is(node_get_text(field, "type"), profile->type) &&
               slice_eq(node_get_text(field, "localhostProfile"), profile->local);
}

static const struct json_node *security_field(const struct json_node *holder, const char *member) {
        return node_get(node_get(holder, "securityContext"), member);
}

/* The annotation of one container; its key is in *ret_key, which the caller releases. */
static const struct json_node *annotation_find(const struct json_node *pod, const char *prefix,
                                               const struct json_node *container,
                                               struct buf *ret_key) {
        const struct json_node *annotations = node_get(node_get(pod, "metadata"), "annotations");

        buf_text(ret_key, prefix);
        if (container)
                buf_slice(ret_key, node_get_text(container, "name"));
        return node_find(annotations, buf_view(ret_key));
}

static void field_put(struct json_tree *tree, struct json_node *container,
                      const struct app_armor *profile) {
        struct json_node *security = node_need_object(tree, container, "securityContext");
        struct json_node *field = node_need_object(tree, security, "appArmorProfile");

        node_put_string(tree, field, "type", profile->type);
        if (profile->local.len)
                node_put_text(tree, field, "localhostProfile", profile->local);
}

static void container_adopt(struct kind_context *context, struct json_tree *tree,
                            const struct json_node *pod, struct json_node *container) {
        CLEANUP(buf_release) struct buf key = { 0 };
        CLEANUP(buf_release) struct buf text = { 0 };
        const struct json_node *annotation = annotation_find(pod, APP_ARMOR, container, &key);

        if (!annotation || security_field(container, "appArmorProfile"))
                return;
        struct app_armor profile = app_armor_parse(node_get_slice(annotation));
        if (is_valid(&profile)) {
                if (is_same(&profile, security_field(node_get(pod, "spec"), "appArmorProfile")))
                        return;
                field_put(tree, container, &profile);
        }
        buf_printf(&text, "metadata.annotations[%s]: %s", key.data, app_armor_text);
        if (context->warn)
                context->warn(context->engine, text.data);
}

void app_armor_adopt(struct kind_context *context, struct json_tree *tree, struct json_node *pod) {
        static const char *const lists[] = { "initContainers", "containers",
                                             "ephemeralContainers" };
        struct json_node *spec = node_get(pod, "spec");

        if (!node_get(node_get(pod, "metadata"), "annotations") ||
            slice_is(node_get_text(node_get(spec, "os"), "name"), "windows"))
                return;
        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct json_node *containers = node_get(spec, lists[i]);

                for (size_t j = 0; j < node_count(containers); j++)
                        container_adopt(context, tree, pod, node_at(containers, j));
        }
}

void old_profiles_warn(const struct json_node *pod, const struct json_node *container,
                       bool is_template,
                       void (*say)(const void *warner, struct slice key, const char *what),
                       const void *warner) {
        const struct json_node *spec = node_get(pod, "spec");
        const struct json_node *holder = container ? container : spec;
        CLEANUP(buf_release) struct buf seccomp = { 0 };
        CLEANUP(buf_release) struct buf app_armor = { 0 };
        const struct json_node *annotation = annotation_find(
                pod, container ? SECCOMP_CONTAINER : SECCOMP_POD, container, &seccomp);

        if (annotation && !security_field(holder, "seccompProfile"))
                say(warner, buf_view(&seccomp), seccomp_text);
        if (!container || !is_template || security_field(container, "appArmorProfile"))
                return;
        annotation = annotation_find(pod, APP_ARMOR, container, &app_armor);
        if (!annotation)
                return;
        struct app_armor profile = app_armor_parse(node_get_slice(annotation));
        if (!is_same(&profile, security_field(spec, "appArmorProfile")))
                say(warner, buf_view(&app_armor), app_armor_text);
}
