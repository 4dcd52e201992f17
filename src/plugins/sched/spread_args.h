/* Arguments of PodTopologySpread: which constraints apply to pods that have none. */
#pragma once

#include "plugin/plugin.h"
#include "plugin/sched_profile.h"
#include "rules/spread.h"

#define SPREAD_HOSTNAME_LABEL "kubernetes.io/hostname"

struct spread_args {
        struct args_head head;
        struct item_list constraints; /* struct default_constraint */
        struct slice defaulting;      /* System or List */
};

struct spread_plugin {
        bool is_system; /* the built-in defaults apply */
        bool allows_order;
        size_t default_count;
        struct spread_constraint *defaults; /* owned */
};

extern const struct field spread_arg_fields[];
void spread_args_check(struct field_reader *reader, const struct json *value, const void *given);
int spread_init(const struct plugin_env *env, const void *args, void **ret_state, struct err *err);
void spread_free(void *state); /* accepts NULL */
