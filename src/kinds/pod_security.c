/* Pod Security: labels of namespaces, and what they say about pods and what makes pods. */
#include "kinds/pod_security.h"

#include "api/json.h"
#include "base/go_quote.h"
#include "base/util.h"
#include "kinds/admit.h"
#include "kinds/pod_security_checks.h"
#include <stdio.h>
#include <stdlib.h>

#define LABEL_PREFIX "pod-security.kubernetes.io/"
#define PODS_MAX 3000 /* of a namespace, that a new level is checked against */

struct security_mode {
        enum security_level level;
        unsigned minor;
        struct slice version; /* as written: v1.30, latest */
};
enum security_modes { MODE_ENFORCE, MODE_AUDIT, MODE_WARN, MODE_COUNT };
static const char *const mode_names[] = { "enforce", "audit", "warn" };
static const char *const level_names[] = { "privileged", "baseline", "restricted" };

/* ---- labels ---- */

/* The labels of a namespace, whether it is stored or being written. */
struct security_labels {
        const struct json_node *node;
        const struct json *json;
};

static bool label_find(const struct security_labels *labels, const char *mode, const char *suffix,
                       struct slice *ret_value) {
        char key[64];

        snprintf(key, sizeof(key), LABEL_PREFIX "%s%s", mode, suffix);
        if (labels->node) {
                *ret_value = node_get_text(labels->node, key);
                return node_get(labels->node, key);
        }
        *ret_value = json_get_text(labels->json, key);
        return json_get(labels->json, key);
}

/* Whether a namespace has a policy of its own; most have none. */
static bool has_mode(const struct json *labels) {
        struct json_iter iter = json_iter(labels);
        struct slice key;

        while (json_next(&iter, &key, NULL))
                if (slice_has_prefix(key, SLICE_LITERAL(LABEL_PREFIX)))
                        return true;
        return false;
}

static bool read_level(struct slice text, enum security_level *ret_level) {
        for (size_t i = 0; i < ARRAY_LEN(level_names); i++)
                if (slice_is(text, level_names[i])) {
                        *ret_level = (enum security_level)i;
                        return true;
                }
        return false;
}

static bool read_version(struct slice text, unsigned *ret_minor) {
        int64_t minor = 0;

        *ret_minor = SECURITY_LATEST;
        if (slice_is(text, "latest"))
                return true;
        if (!slice_has_prefix(text, SLICE_LITERAL("v1.")) || text.len > 8 || text.len < 4 ||
            (text.len > 4 && text.ptr[3] == '0') || text.ptr[3] < '0' || text.ptr[3] > '9' ||
            !slice_to_i64(slice_make(text.ptr + 3, text.len - 3), &minor))
                return false;
        *ret_minor = (unsigned)minor;
        return true;
}

static void report_label(struct field_errors *errors, const char *mode, const char *suffix,
                         struct slice value, const char *text) {
        struct buf path = { 0 }, quoted = { 0 };

        buf_printf(&path, "metadata.labels[" LABEL_PREFIX "%s%s]", mode, suffix);
        go_quote_write(value, &quoted);
        field_error_add(errors, FIELD_INVALID, path.data, quoted.data, text);
        buf_release(&path);
        buf_release(&quoted);
}

/* What cannot be read is restricted when it is enforced, and nothing otherwise. errors may be NULL.
 * True when there was a level that could be read. */
static bool read_mode(const struct security_labels *labels, enum security_modes mode,
                      struct security_mode *ret_mode, struct field_errors *errors) {
        const char *name = mode_names[mode];
        struct slice text;
        bool has_level = label_find(labels, name, "", &text);
        bool is_read = has_level && read_level(text, &ret_mode->level);

        if (has_level && !is_read) {
                ret_mode->level = mode == MODE_ENFORCE ? SECURITY_RESTRICTED : SECURITY_PRIVILEGED;
                if (errors)
                        report_label(errors, name, "", text,
                                     "must be one of privileged, baseline, restricted");
        }
        if (!label_find(labels, name, "-version", &text))
                return is_read;
        if (read_version(text, &ret_mode->minor))
                ret_mode->version = text;
        else if (errors)
                report_label(errors, name, "-version", text, "must be \"latest\" or \"v1.x\"");
        return is_read;
}

static void read_policy(const struct security_labels *labels, struct security_mode *policy,
                        struct field_errors *errors) {
        bool has_enforce = false;
        struct slice text;

        for (size_t i = 0; i < MODE_COUNT; i++) {
                policy[i] = (struct security_mode){ .minor = SECURITY_LATEST,
                                                    .version = SLICE_LITERAL("latest") };
                bool is_read = read_mode(labels, (enum security_modes)i, &policy[i], errors);
                if (i == MODE_ENFORCE)
                        has_enforce = is_read;
        }
        /* What is refused in pods is warned about in what makes them. */
        if (label_find(labels, "warn", "", &text) || !has_enforce ||
            policy[MODE_ENFORCE].level <= policy[MODE_WARN].level)
                return;
        policy[MODE_WARN].level = policy[MODE_ENFORCE].level;
        if (!label_find(labels, "warn", "-version", &text)) {
                policy[MODE_WARN].minor = policy[MODE_ENFORCE].minor;
                policy[MODE_WARN].version = policy[MODE_ENFORCE].version;
        }
}

static bool namespace_policy(struct kind_context *context, struct slice ns,
                             struct security_mode *policy) {
        const struct json *object =
                ns.len && context->lookup
                        ? context->lookup(context->engine, "", "namespaces", SLICE_EMPTY, ns)
                        : NULL;
        const struct security_labels labels = { .json = json_get(json_get(object, "metadata"),
                                                                 "labels") };

        if (!has_mode(labels.json))
                return false;
        read_policy(&labels, policy, NULL);
        return true;
}

/* ---- pods ---- */

static bool pod_violates(struct kind_context *context, const struct security_mode *mode,
                         const struct json_node *metadata, const struct json_node *spec,
                         struct buf *out) {
        const struct security_pod pod = {
                .metadata = metadata, .spec = spec, .arena = context->scratch, .minor = mode->minor
        };

        if (mode->level == SECURITY_PRIVILEGED)
                return false;
        buf_printf(out, "violate PodSecurity \"%s:" SLICE_FMT "\": ", level_names[mode->level],
                   SLICE_ARG(mode->version));
        return security_violations(&pod, mode->level, true, out);
}

static void warn_about(struct kind_context *context, const struct security_mode *mode,
                       const struct json_node *metadata, const struct json_node *spec) {
        struct buf text = { 0 };

        buf_text(&text, "would ");
        if (pod_violates(context, mode, metadata, spec, &text) && context->warn)
                context->warn(context->engine, text.data);
        buf_release(&text);
}

static bool is_same_image(const struct json_node *list, const struct json *old) {
        if (node_count(list) != json_count(old))
                return false;
        for (size_t i = 0; i < node_count(list); i++)
                if (!slice_eq(node_get_text(node_at(list, i), "image"),
                              json_get_text(json_at(old, i), "image")))
                        return false;
        return true;
}

/* Only other images make a pod another one. */
static bool is_judged_again(const struct json_node *spec, const struct json *old) {
        static const char *const lists[] = { "containers", "initContainers",
                                             "ephemeralContainers" };

        for (size_t i = 0; i < ARRAY_LEN(lists); i++)
                if (!is_same_image(node_get(spec, lists[i]), json_get(old, lists[i])))
                        return true;
        return false;
}

static int judge_pod(struct kind_context *context, const struct json_node *pod,
                     const struct json *old, struct err *err) {
        const struct json_node *metadata = node_get(pod, "metadata"), *spec = node_get(pod, "spec");
        struct security_mode policy[MODE_COUNT];
        struct buf text = { 0 };
        int code = 0;

        if ((old && !is_judged_again(spec, json_get(old, "spec"))) ||
            !namespace_policy(context, node_get_text(metadata, "namespace"), policy))
                return 0;
        if (pod_violates(context, &policy[MODE_ENFORCE], metadata, spec, &text))
                code = admit_forbid(context, pod, err, "violates%s", text.data + strlen("violate"));
        buf_release(&text);
        if (code == 0)
                warn_about(context, &policy[MODE_WARN], metadata, spec);
        return code;
}

/* ---- what makes pods ---- */

static const struct json_node *pod_template_of(const struct kind_info *kind,
                                               const struct json_node *object) {
        static const char *const makers[] = {
                "deployments", "daemonsets", "statefulsets",
                "replicasets", "jobs",       "replicationcontrollers"
        };
        const struct json_node *spec = node_get(object, "spec");

        if (strcmp(kind->plural, "podtemplates") == 0)
                return node_get(object, "template");
        if (strcmp(kind->plural, "cronjobs") == 0)
                return node_get(node_get(node_get(spec, "jobTemplate"), "spec"), "template");
        for (size_t i = 0; i < ARRAY_LEN(makers); i++)
                if (strcmp(kind->plural, makers[i]) == 0)
                        return node_get(spec, "template");
        return NULL;
}

/* ---- namespaces ---- */

/* Reasons why pods of a namespace violate a level: the first by name, and how many. */
struct present_reason {
        char *text, *pod;
        size_t count;
};
struct present_reasons {
        struct kind_context *context;
        const struct security_mode *mode;
        struct present_reason *items;
        size_t count, cap, seen;
};

static void reason_add(struct present_reasons *reasons, struct slice text, struct slice pod) {
        struct arena *arena = reasons->context->scratch;

        for (size_t i = 0; i < reasons->count; i++) {
                struct present_reason *reason = &reasons->items[i];

                if (!slice_is(text, reason->text))
                        continue;
                if (slice_compare(pod, slice_of(reason->pod)) < 0)
                        reason->pod = arena_string(arena, pod);
                reason->count++;
                return;
        }
        reasons->items = arena_grow(arena, reasons->items, reasons->count, &reasons->cap,
                                    sizeof(*reasons->items));
        reasons->items[reasons->count++] =
                (struct present_reason){ arena_string(arena, text), arena_string(arena, pod), 1 };
}

static bool visit_pod(void *context, const struct json *object) {
        struct present_reasons *reasons = context;

        if (reasons->seen++ >= PODS_MAX)
                return true;
        struct json_tree *tree = json_tree_new();
        struct json_node *pod = node_import(tree, object);
        const struct security_pod judged = { .metadata = node_get(pod, "metadata"),
                                             .spec = node_get(pod, "spec"),
                                             .arena = reasons->context->scratch,
                                             .minor = reasons->mode->minor };
        struct buf text = { 0 };

        if (security_violations(&judged, reasons->mode->level, false, &text))
                reason_add(reasons, buf_view(&text), node_get_text(judged.metadata, "name"));
        buf_release(&text);
        json_tree_free(tree);
        return true;
}

static int compare_texts(const void *a, const void *b) {
        return strcmp(*(char *const *)a, *(char *const *)b);
}

static void warn_about_present(struct kind_context *context, struct slice ns,
                               const struct security_mode *mode) {
        struct present_reasons reasons = { .context = context, .mode = mode };

        if (!context->each || !context->warn)
                return;
        context->each(context->engine, "", "pods", ns, visit_pod, &reasons);
        if (reasons.seen > PODS_MAX)
                context->warn(context->engine,
                              arena_printf(context->scratch,
                                           "new PodSecurity enforce level only checked against "
                                           "the first %d of %zu existing pods",
                                           PODS_MAX, reasons.seen));
        if (reasons.count == 0)
                return;
        context->warn(
                context->engine,
                arena_printf(context->scratch,
                             "existing pods in namespace \"" SLICE_FMT
                             "\" violate the new PodSecurity enforce level \"%s:" SLICE_FMT "\"",
                             SLICE_ARG(ns), level_names[mode->level], SLICE_ARG(mode->version)));
        char **lines = ARENA_ARRAY(context->scratch, char *, reasons.count);
        for (size_t i = 0; i < reasons.count; i++) {
                const struct present_reason *reason = &reasons.items[i];
                const char *others = "";

                if (reason->count == 2)
                        others = " (and 1 other pod)";
                if (reason->count > 2)
                        others = arena_printf(context->scratch, " (and %zu other pods)",
                                              reason->count - 1);
                lines[i] = arena_printf(context->scratch, "%s%s: %s", reason->pod, others,
                                        reason->text);
        }
        qsort(lines, reasons.count, sizeof(*lines), compare_texts);
        for (size_t i = 0; i < reasons.count; i++)
                context->warn(context->engine, lines[i]);
}

static bool is_as_before(const struct json_node *labels, const struct json *before) {
        const struct security_labels now = { .node = labels }, then = { .json = before };

        for (size_t i = 0; i < MODE_COUNT; i++) {
                static const char *const suffixes[] = { "", "-version" };

                for (size_t j = 0; j < ARRAY_LEN(suffixes); j++) {
                        struct slice a = SLICE_EMPTY, b = SLICE_EMPTY;

                        if ((labels && label_find(&now, mode_names[i], suffixes[j], &a)) !=
                                    label_find(&then, mode_names[i], suffixes[j], &b) ||
                            !slice_eq(a, b))
                                return false;
                }
        }
        return true;
}

static void judge_namespace(struct kind_context *context, const struct json_node *object,
                            const struct json *old, struct field_errors *errors) {
        const struct json_node *metadata = node_get(object, "metadata");
        const struct json_node *written = node_get(metadata, "labels");
        const struct json *before = json_get(json_get(old, "metadata"), "labels");
        struct security_mode policy[MODE_COUNT], old_policy[MODE_COUNT];
        const struct security_labels labels = { .node = written }, old_labels = { .json = before };

        if (!written || (old && is_as_before(written, before)))
                return;
        read_policy(&labels, policy, errors);
        if (!old || errors->count)
                return;
        read_policy(&old_labels, old_policy, NULL);
        const struct security_mode *now = &policy[MODE_ENFORCE], *then = &old_policy[MODE_ENFORCE];
        if (now->level == SECURITY_PRIVILEGED ||
            (now->minor == then->minor && now->level <= then->level))
                return;
        warn_about_present(context, node_get_text(metadata, "name"), now);
}

int pod_security_judge(struct kind_context *context, enum kind_operation operation,
                       const struct json_node *object, const struct json *old,
                       struct field_errors *errors, struct err *err) {
        const struct kind_info *kind = context->kind;
        bool is_part = context->subresource.len > 0;
        bool is_core = kind->group[0] == '\0';
        struct security_mode policy[MODE_COUNT];

        if (operation == KIND_UPDATE_STATUS)
                return 0;
        if (is_core && strcmp(kind->plural, "pods") == 0)
                return judge_pod(context, object, old, err);
        if (is_part)
                return 0;
        if (is_core && strcmp(kind->plural, "namespaces") == 0) {
                judge_namespace(context, object, old, errors);
                return 0;
        }
        const struct json_node *template = pod_template_of(kind, object);
        struct slice ns = node_get_text(node_get(object, "metadata"), "namespace");
        if (template && namespace_policy(context, ns, policy))
                warn_about(context, &policy[MODE_WARN], node_get(template, "metadata"),
                           node_get(template, "spec"));
        return 0;
}
