/* How the containers of a pod must have ended: exit codes per role, reasons, names, one container
 * or all.  Shared by the strategies that look at exit codes.  Only exitCodes is upstream's. */
#pragma once

#include "plugin/desched_args.h"
#include "plugins/desched/container_match.h"

enum container_quantifier { CONTAINERS_ANY, CONTAINERS_ALL };

struct container_query_arg {
        struct exit_code_set codes, init_codes, sidecar_codes;
        struct text_list names;
        int quantifier; /* enum container_quantifier */
        bool with_last, is_across;
};
extern const char *const container_quantifier_names[];
/* check of fields that upstream does not have: unknown under parity. */
void own_field_check(struct field_reader *reader, const struct json *value, const void *member);

#define CONTAINER_QUERY_MEMBER(args_struct, member, part)                                          \
        .offset = offsetof(struct args_struct, member.part), .presence = FIELD_NO_PRESENCE

/* Rows for a member of that name in the arguments of a plugin. */
#define CONTAINER_QUERY_FIELDS(args_struct, member)                                                \
        { .name = "exitCodes",                                                                     \
          .type = FIELD_CUSTOM,                                                                    \
          CONTAINER_QUERY_MEMBER(args_struct, member, codes),                                      \
          .decode = exit_code_set_decode,                                                          \
          .help = "Only pods with a container that ended so: 1, \"2-5\", \">=128\", \"SIGKILL\", " \
                  "\"!0\"." },                                                                     \
                { .name = "initExitCodes",                                                         \
                  .type = FIELD_CUSTOM,                                                            \
                  CONTAINER_QUERY_MEMBER(args_struct, member, init_codes),                         \
                  .decode = exit_code_set_decode,                                                  \
                  .check = own_field_check,                                                        \
                  .help = "The codes that count for init containers, instead of exitCodes." },     \
                { .name = "sidecarExitCodes",                                                      \
                  .type = FIELD_CUSTOM,                                                            \
                  CONTAINER_QUERY_MEMBER(args_struct, member, sidecar_codes),                      \
                  .decode = exit_code_set_decode,                                                  \
                  .check = own_field_check,                                                        \
                  .help = "The codes that count for sidecars, instead of exitCodes." },            \
                { .name = "containerNames",                                                        \
                  .type = FIELD_TEXTS,                                                             \
                  CONTAINER_QUERY_MEMBER(args_struct, member, names),                              \
                  .check = own_field_check,                                                        \
                  .help = "Only these containers count; all when empty." },                        \
                { .name = "exitCodeMatch",                                                         \
                  .type = FIELD_CHOICE,                                                            \
                  CONTAINER_QUERY_MEMBER(args_struct, member, quantifier),                         \
                  .choices = container_quantifier_names,                                           \
                  .check = own_field_check,                                                        \
                  .help = "Whether one container must have ended so, or every one that counts." }, \
                { .name = "includingLastTermination",                                              \
                  .type = FIELD_BOOL,                                                              \
                  CONTAINER_QUERY_MEMBER(args_struct, member, with_last),                          \
                  .check = own_field_check,                                                        \
                  .help = "Look also at how the container ended before its last restart." },       \
        {                                                                                          \
                .name = "reasonAndCodeAcrossContainers", .type = FIELD_BOOL,                       \
                CONTAINER_QUERY_MEMBER(args_struct, member, is_across), .check = own_field_check,  \
                .help = "Let the reason come from another container than the code."                \
        }

/* Compiled for a pass. */
struct container_query {
        const struct container_query_arg *arg;
        unsigned scope; /* enum container_scope, for containers without codes of their own */
        struct name_set names, reasons;
        bool has_names, has_reasons, has_codes;
        bool is_across; /* reason and code are looked for independently */
};
/* reasons may be NULL: none asked for. */
struct container_query container_query_make(struct desched_run *run,
                                            const struct container_query_arg *arg,
                                            const struct text_list *reasons, unsigned scope);
/* Everything asked for holds (nothing asked for: true). */
bool container_query_matches(const struct container_query *query, const struct pod_row *pod);
/* The first container whose end matches, and the code that did; NULL when none has. */
const struct container_row *container_query_find(const struct container_query *query,
                                                 const struct pod_row *pod, int32_t *ret_code);
