/* Shared arguments of descheduler plugins. */
#include "plugin/desched_args.h"

#include "base/name_hint.h"
#include <stdio.h>

/* ---- label selectors ---- */

/* Unknown members and wrong types name their path; the rest is the selector decoder's business. */
static bool is_member(struct slice key, const char *const *names) {
        for (; *names; names++)
                if (slice_is(key, *names))
                        return true;
        return false;
}

/* "unknown field; did you mean ...?" */
static void refuse_member(struct field_reader *reader, const struct json *value, const char *path,
                          struct slice key, const char *const *names) {
        struct name_hint hint = name_hint_start(key);
        for (; *names; names++)
                name_hint_try(&hint, *names);
        field_problem(reader, value, path, "unknown field%s%s%s",
                      hint.best ? "; did you mean \"" : "", hint.best ? hint.best : "",
                      hint.best ? "\"?" : "");
}

static bool check_members(struct field_reader *reader, const struct json *object,
                          const char *prefix, const char *const *names) {
        bool is_good = true;
        struct json_iter iter = json_iter(object);
        struct slice key;
        const struct json *value;
        while (json_next(&iter, &key, &value)) {
                if (is_member(key, names))
                        continue;
                char suffix[128];
                snprintf(suffix, sizeof(suffix), "%s" SLICE_FMT, prefix, SLICE_ARG(key));
                refuse_member(reader, value, suffix, key, names);
                is_good = false;
        }
        return is_good;
}

static bool check_selector_members(struct field_reader *reader, const struct json *value) {
        static const char *const members[] = { "matchLabels", "matchExpressions", NULL };
        static const char *const terms[] = { "key", "operator", "values", NULL };
        bool is_good = check_members(reader, value, "", members);
        const struct json *list = json_get(value, "matchExpressions");
        if (json_type(list) != JSON_ARRAY)
                return is_good;
        struct json_iter iter = json_iter(list);
        const struct json *item;
        for (size_t i = 0; json_next(&iter, NULL, &item); i++) {
                char prefix[48];
                snprintf(prefix, sizeof(prefix), "matchExpressions[%zu].", i);
                is_good &= check_members(reader, item, prefix, terms);
        }
        return is_good;
}

void selector_arg_decode(struct field_reader *reader, const struct json *value, void *member) {
        struct selector_arg *arg = member;
        *arg = (struct selector_arg){ 0 };
        if (!value || json_type(value) == JSON_NULL)
                return;
        if (json_type(value) != JSON_OBJECT) {
                field_problem(reader, value, NULL, "expected a label selector, found %s",
                              json_type_name(json_type(value)));
                return;
        }
        if (!check_selector_members(reader, value))
                return;
        struct err err = { 0 };
        if (selector_decode(value, reader->arena, &arg->selector, &err) < 0) {
                field_problem(reader, value, err.path[0] ? err.path : NULL, "%s", err.text);
                return;
        }
        arg->is_given = true;
}

/* ---- namespaces ---- */

const struct field namespaces_arg_fields[] = {
        { .name = "include",
          .type = FIELD_TEXTS,
          .offset = offsetof(struct namespaces_arg, include),
          .presence = FIELD_NO_PRESENCE,
          .help = "Only pods of these namespaces." },
        { .name = "exclude",
          .type = FIELD_TEXTS,
          .offset = offsetof(struct namespaces_arg, exclude),
          .presence = FIELD_NO_PRESENCE,
          .help = "No pods of these namespaces." },
        FIELD_END,
};

void namespaces_arg_check(struct field_reader *reader, const struct json *value,
                          const void *member) {
        const struct namespaces_arg *namespaces = member;
        if (namespaces->include.count > 0 && namespaces->exclude.count > 0)
                field_problem(reader, value, NULL, "only one of include and exclude can be set");
}

/* ---- compiled for a pass ---- */

struct name_set name_set_make(const struct cluster *cluster, const struct text_list *names,
                              struct arena *arena) {
        struct name_set set = { .ids = ARENA_ARRAY(arena, struct str_id, names->count) };
        for (size_t i = 0; i < names->count; i++) {
                bool is_found;
                struct str_id id = cluster_str(cluster, names->items[i], &is_found);
                if (is_found || names->items[i].len == 0)
                        set.ids[set.count++] = id;
        }
        return set;
}

bool name_set_has(const struct name_set *set, struct str_id name) {
        for (size_t i = 0; i < set->count; i++)
                if (str_id_eq(set->ids[i], name))
                        return true;
        return false;
}

struct pod_scope pod_scope_make(struct desched_run *run, const struct namespaces_arg *namespaces,
                                const struct selector_arg *labels) {
        const struct cluster *cluster = desched_run_cluster(run);
        struct arena *scratch = desched_run_scratch(run);
        return (struct pod_scope){
                .has_include = namespaces->include.count > 0,
                .include = name_set_make(cluster, &namespaces->include, scratch),
                .exclude = name_set_make(cluster, &namespaces->exclude, scratch),
                .labels = labels && labels->is_given ? &labels->selector : NULL,
        };
}

static bool scope_has(const struct desched_run *run, const struct pod_scope *scope,
                      struct str_id ns, struct label_set_id labels) {
        if (scope->has_include && !name_set_has(&scope->include, ns))
                return false;
        if (name_set_has(&scope->exclude, ns))
                return false;
        return !scope->labels ||
               cluster_labels_match(desched_run_cluster(run), scope->labels, labels);
}

bool pod_scope_has(const struct desched_run *run, const struct pod_scope *scope,
                   const struct pod_row *pod) {
        return scope_has(run, scope, pod->ns, pod->labels);
}

bool pod_scope_has_kind(const struct desched_run *run, const struct pod_scope *scope,
                        const struct pod_kind *kind) {
        return scope_has(run, scope, kind->ns, kind->labels);
}

bool age_nanoseconds(struct wall_time since, struct wall_time now, int64_t *ret_ns) {
        if (!wall_time_is_set(since) || since.ns > now.ns)
                return false;
        if (__builtin_sub_overflow(now.ns, since.ns, ret_ns))
                *ret_ns = INT64_MAX;
        return true;
}

bool age_seconds(struct wall_time since, struct wall_time now, int64_t *ret_seconds) {
        int64_t age_ns;
        if (!age_nanoseconds(since, now, &age_ns))
                return false;
        *ret_seconds = age_ns / NS_PER_S;
        return true;
}

bool is_old_enough(struct desched_run *run, struct wall_time since, int64_t seconds) {
        struct wall_time due;
        int64_t wait_ns;
        if (!wall_time_is_set(since) || since.ns > desched_run_now(run).ns ||
            __builtin_mul_overflow(seconds, NS_PER_S, &wait_ns) ||
            __builtin_add_overflow(since.ns, wait_ns, &due.ns))
                return false;
        if (due.ns <= desched_run_now(run).ns)
                return true;
        desched_run_note_due(run, due);
        return false;
}

bool owners_have_kind(const struct owner_row *owners, size_t count, const struct name_set *kinds) {
        for (size_t i = 0; i < count; i++)
                if (name_set_has(kinds, owners[i].kind))
                        return true;
        return false;
}

bool pod_has_owner_kind(const struct pod_row *pod, const struct name_set *kinds) {
        return owners_have_kind(pod->owners, pod->owner_count, kinds);
}
