/* Traces of descheduling passes, exported through OTLP/HTTP as JSON: a span for the pass, below it
 * one for each rule, below those one for each eviction. */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include "base/time.h"
#include "port/loop.h"
#include <stdbool.h>
#include <stdint.h>

struct tracer;
struct evict_record;

#define TRACER_SPANS_MAX 2048            /* stored until they are sent; more are left out */
#define TRACER_PERIOD_NS (5 * NS_PER_S)  /* between two sendings */
#define TRACER_TIMEOUT_NS (3 * NS_PER_S) /* of one, and at the end */

struct tracer_config {
        const char *endpoint;       /* http(s)://HOST:PORT[/PATH], or HOST:PORT */
        const char *ca_file;        /* NULL = the system's authorities */
        const char *service_name;   /* NULL = descheduler */
        const char *namespace_name; /* NULL or "" = none */
        double sample_rate;         /* of passes: 0 none, 1 all */
        uint64_t seed;
        struct loop *loop;
        void (*sent)(void *context); /* after each sending, whatever came of it; may be NULL */
        void *context;
};

int tracer_new(const struct tracer_config *config, struct tracer **ret_tracer, struct err *err);
void tracer_free(struct tracer *tracer); /* accepts NULL; what was not sent is lost */

/* All of these accept NULL and then do nothing.  Spans of a pass that is not sampled are dropped.
 */
void tracer_begin_pass(struct tracer *tracer);
void tracer_end_pass(struct tracer *tracer, uint32_t evicted);
void tracer_begin_rule(struct tracer *tracer);
struct traced_rule {
        struct slice profile, plugin;
        bool is_balance;
        const char *failure; /* NULL = none */
};
void tracer_end_rule(struct tracer *tracer, const struct traced_rule *rule);
/* Below the rule it came from, if that is of the last pass. */
void tracer_note_eviction(struct tracer *tracer, const struct evict_record *record);
/* Sends what there is now. */
void tracer_flush(struct tracer *tracer);
/* Spans are stored or being sent: not yet the end. */
bool tracer_is_open(const struct tracer *tracer);
/* Spans that were sent and accepted, and those lost. */
void tracer_counts(const struct tracer *tracer, uint64_t *ret_sent, uint64_t *ret_lost);
