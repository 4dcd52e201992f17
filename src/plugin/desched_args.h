/* Arguments that several descheduler plugins share, and their compiled form for one pass. */
#pragma once

#include "api/selector.h"
#include "config/field_table.h"
#include "plugin/desched_points.h"

/* A metav1.LabelSelector in configuration; null counts as absent. */
struct selector_arg {
        bool is_given;
        struct selector selector;
};
/* FIELD_CUSTOM decoder of a struct selector_arg. */
void selector_arg_decode(struct field_reader *reader, const struct json *value, void *member);

struct namespaces_arg {
        struct text_list include, exclude;
};
extern const struct field namespaces_arg_fields[];
/* check for the member: only one of the lists may be set. */
void namespaces_arg_check(struct field_reader *reader, const struct json *value,
                          const void *member);

/* Rows of the two arguments that most strategies begin with; place says where the member is, and
 * where its presence. */
#define NAMESPACES_FIELD(place)                                                                    \
        {                                                                                          \
                .name = "namespaces", .type = FIELD_STRUCT, .offset = place,                       \
                .fields = namespaces_arg_fields, .check = namespaces_arg_check,                    \
                .help = "Where to look."                                                           \
        }
#define LABELS_FIELD(place)                                                                        \
        {                                                                                          \
                .name = "labelSelector", .type = FIELD_CUSTOM, .offset = place,                    \
                .decode = selector_arg_decode, .help = "Which pods to look at."                    \
        }

/* The env a plugin's arguments are read for; parity narrows what is accepted to upstream's. */
static inline bool args_want_parity(const struct field_reader *reader) {
        const struct plugin_env *env = reader->context;
        return env && env->is_parity;
}

/* Names looked up once per pass: comparing ids instead of texts. */
struct name_set {
        size_t count;
        struct str_id *ids; /* names no object uses are left out */
};
struct name_set name_set_make(const struct cluster *cluster, const struct text_list *names,
                              struct arena *arena);
bool name_set_has(const struct name_set *set, struct str_id name);

/* Which pods concern a plugin: namespaces and labels. */
struct pod_scope {
        bool has_include;
        struct name_set include, exclude;
        const struct selector *labels; /* NULL = all */
};
struct pod_scope pod_scope_make(struct desched_run *run, const struct namespaces_arg *namespaces,
                                const struct selector_arg *labels);
bool pod_scope_has(const struct desched_run *run, const struct pod_scope *scope,
                   const struct pod_row *pod);
bool pod_scope_has_kind(const struct desched_run *run, const struct pod_scope *scope,
                        const struct pod_kind *kind);

/* Time since then, in nanoseconds or whole seconds; false when it is unset or still to come. */
bool age_nanoseconds(struct wall_time since, struct wall_time now, int64_t *ret_ns);
bool age_seconds(struct wall_time since, struct wall_time now, int64_t *ret_seconds);
/* Whether that many whole seconds have passed; when not yet, the run notes when they will have.
 */
bool is_old_enough(struct desched_run *run, struct wall_time since, int64_t seconds);
/* Whether any owner's kind is in the set. */
bool pod_has_owner_kind(const struct pod_row *pod, const struct name_set *kinds);
bool owners_have_kind(const struct owner_row *owners, size_t count, const struct name_set *kinds);
