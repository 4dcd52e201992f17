/* Asks the extenders of a scheduler over HTTP: builds their requests, with whole pods and nodes
 * where they want them, and hands the answers back as outcomes of actions. */
#pragma once

#include "api/arrival.h"
#include "base/err.h"
#include "model/action.h"
#include "model/event.h"
#include "port/loop.h"
#include "sched/extender.h"

struct extender_caller;
struct json;
struct scheduler_configuration;

struct extender_caller_config {
        const struct scheduler_configuration *configuration; /* must outlive the caller */
        struct loop *loop;
        void (*answered)(void *context, const struct action_result *result); /* from the loop */
        void *context;
};
/* Fails on certificates or addresses that cannot be used. */
int extender_caller_new(const struct extender_caller_config *config,
                        struct extender_caller **ret_caller, struct err *err);
void extender_caller_free(struct extender_caller *caller); /* accepts NULL */
/* One per extender of the configuration, owned by the caller. */
const struct extender *extender_caller_list(const struct extender_caller *caller);
/* Stores what requests contain: pods that wait, and nodes if an extender wants whole objects. */
void extender_caller_arriving(struct extender_caller *caller, enum object_kind kind,
                              enum change_kind change, struct arrival *arrival);
void extender_caller_ask(struct extender_caller *caller, const struct action *action);
