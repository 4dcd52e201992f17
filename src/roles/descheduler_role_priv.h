/* What the files of the descheduler's role share; nothing outside them includes it. */
#pragma once

#include "base/buf.h"
#include "desched/descheduler.h"
#include "loop/event_loop.h"
#include "plugin/desched_run.h"
#include "roles/descheduler_role.h"

struct evict_record;

/* Of a role that makes one pass. */
struct descheduler_once {
        struct loop_timer deadline, rights;
        bool is_late;                                             /* the deadline passed */
        size_t withdrawn;                                         /* open when it did */
        uint64_t evicted, by_request, began, gone, would, stayed; /* ends of evictions */
        struct buf why;                                           /* some stayed */
};

struct descheduler_role {
        struct runtime *runtime;
        struct descheduler_role_config config;
        struct descheduler *descheduler;
        struct evict_requester *requester;
        struct descheduler_metrics *metrics;   /* NULL = not counted */
        struct placement_simulator *simulator; /* NULL = not asked where pods would go */
        struct eviction_forecast *forecast;    /* NULL = evictions cost nothing */
        struct usage_feed *feed;               /* NULL = nothing is measured */
        struct job_watch *jobs;                /* NULL = Jobs do not matter */
        struct desched_jobs known_jobs;
        struct tracer *tracer; /* NULL = no traces */
        int64_t rule_start_ns;
        struct loop_timer pass_timer, react_timer;
        struct scheduler_search *search; /* NULL = not under way */
        size_t found_count;              /* configurations of schedulers */
        struct api_request *probe; /* whether pods can be evicted here; NULL = not under way */
        uint64_t seen;             /* generation up to which changes were looked at */
        uint32_t changes;          /* CLUSTER_*, of interest and not reacted to yet */
        struct descheduler_once once;
        uint64_t reactions;
        uint64_t passes, logged;               /* logged: the last record that was */
        unsigned unlogged;                     /* evictions asked for since records were logged */
        bool is_started, is_finished, is_late; /* late: a pass waits for the evictions of one */
};

/* descheduler_once.c: arms what limits a single pass. */
void descheduler_once_start(struct descheduler_role *role);
void descheduler_once_release(struct descheduler_role *role);
/* descheduler_once.c: counts how an eviction ended, for the summary. */
void descheduler_once_note(struct descheduler_once *once, const struct evict_record *record);
/* descheduler_once.c: ends the role; err NULL: its pass is over. */
void descheduler_once_finish(struct descheduler_role *role, const struct err *err);
/* descheduler_once.c: ends the role when its single pass is over. */
void descheduler_once_check(struct descheduler_role *role);

/* descheduler_log.c: one line per eviction that ended since the last call, in a dry run as well. */
void descheduler_log_evictions(struct descheduler_role *role);

/* descheduler_log.c: one line per pass, the plugins that failed, and why nothing was evicted. */
void descheduler_log_pass(const struct desched_report *report, struct wall_time now);

/* descheduler_log.c: what keeps whole rules from moving anything, as log, metric and event. */
void descheduler_report_rules(struct descheduler_role *role, const struct desched_report *report);
