/* What others have under way on the cluster, for the ledger of slots: Evictions with responders at
 * work, migrations of KubeVirt, and, for a process without a model, virtual machines' pods.  Kinds
 * that are not served, or may not be read, are left out, with a line in the log. */
#pragma once

#include "evict/slot_ledger.h"
#include "port/loop.h"
#include "port/transport.h"

struct slot_watch;

struct slot_watch_config { /* all borrowed */
        struct transport *transport;
        struct loop *loop;
        struct slot_ledger *ledger;
        bool follows_pods, for_all;
        void (*changed)(void *context); /* also once it is ready */
        void *context;
};
/* Begins at once. */
struct slot_watch *slot_watch_new(const struct slot_watch_config *config);
/* What was seen is taken back.  Accepts NULL; not from a callback of it. */
void slot_watch_free(struct slot_watch *watch);
/* Everything was listed once, or cannot be. */
bool slot_watch_is_ready(const struct slot_watch *watch);
/* Some other program than berth reconciles the native kinds. */
bool slot_watch_is_foreign(const struct slot_watch *watch);
