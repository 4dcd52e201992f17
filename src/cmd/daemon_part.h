/* A role of a process as its command line describes it: what it needs of the process, and itself.
 * The single commands run one part, `berth run` several. */
#pragma once

#include "base/arena.h"
#include "cmd/daemon.h"

struct descheduler_options;
struct evictions_options;
struct reboot_options;
struct role_config;
struct scheduler_options;

struct daemon_part {
        struct daemon_options daemon; /* of a process with this role alone */
        struct daemon_role role;
        /* By whose profiles the live page explains pods, and whose policy a plan begins with; NULL
         * = it has none. */
        const struct role_config *config;
        /* How the run ended for the role; NULL = as for the process. */
        int (*end)(void *context, struct err *err);
        void (*free)(void *context);
};

/* Read files and check options.  What they return is to be given to daemon_part_release, also when
 * they fail; options and arena must outlive it. */
int scheduler_part_make(const struct scheduler_options *options, struct daemon_part *ret_part,
                        struct err *err);
int descheduler_part_make(const struct descheduler_options *options, struct daemon_part *ret_part,
                          struct err *err);
int evictions_part_make(const struct evictions_options *options, struct daemon_part *ret_part,
                        struct err *err);
int reboot_part_make(const struct reboot_options *options, struct arena *arena,
                     struct daemon_part *ret_part, struct err *err);
void daemon_part_release(struct daemon_part *part);

/* Runs a process with these parts, whose daemon options are the given ones joined with what each
 * part needs. */
int daemon_parts_run(const struct daemon_options *options, const struct daemon_part *parts,
                     size_t count, struct err *err);
/* Adds what the part needs to the options of a process that has other parts already, or none. */
void daemon_part_join(struct daemon_options *into, const struct daemon_part *part, bool is_first);
/* The process of one part alone, to its end. */
int daemon_part_run(const struct daemon_part *part, struct err *err);
