/* What a server keeps for as long as it lives, besides the engine: for the few steps that need it.
 */
#pragma once

#include "server/api_context.h"
#include "server/api_work.h"
#include "server/token_set.h"

struct api_server {
        struct api_engine engine;
        bool owns_store;
        struct token_set tokens;
        struct account_key *account_key; /* made when it is first needed, if none was given */
        struct watch *watches;           /* open ones, doubly linked */
        struct custom_resources *customs;
        struct event_retention *retention;
        struct webhook_caller webhooks;      /* call is NULL when there are none */
        struct api_eviction_judge evictions; /* waits is NULL when there is none */
        void (*in_between)(void *context);   /* other writers of budgets; NULL = none */
        void *in_between_context;
        struct api_work work;
};
