/* A Node as the agent sees it, and the one patch that changes it. */
#pragma once

#include "api/json.h"
#include "api/selector.h"
#include "base/buf.h"
#include "reboot/reboot_record.h"
#include <stdbool.h>

struct node_facts {
        struct json_doc *doc; /* owned; NULL = nothing known */
        struct slice version, boot_id;
        bool is_cordoned, is_ready;
        bool has_taint;        /* ours: key and PreferNoSchedule */
        bool has_former_taint; /* ours as well, by the record, under a key no longer configured */
        bool has_in_progress;
        bool is_held, is_ignored, is_forced; /* by annotations, see reboot_record.h */
        struct reboot_record record;
};

/* Takes the document over and decodes what matters; record texts go to the arena. */
void node_facts_take(struct node_facts *facts, struct json_doc *doc, struct slice taint_key,
                     struct arena *arena);
void node_facts_release(struct node_facts *facts);

enum mark_change { MARK_KEEP, MARK_SET, MARK_CLEAR };

struct node_change {
        enum mark_change cordon, taint;
        struct slice taint_key;
        struct label_list labels;
        enum mark_change in_progress; /* annotation of kured */
        bool sets_most_recent, drops_force;
        int64_t took_ns;                    /* annotation REBOOT_TOOK_ANNOTATION; 0 = leave it */
        struct wall_time now;               /* for those annotations */
        const struct reboot_record *record; /* phase IDLE removes it */
};
/* A merge patch that holds for exactly the version in facts. */
void node_change_print(const struct node_facts *facts, const struct node_change *change,
                       struct buf *out);
