/* What a reboot agent is told, one JSON value a line: alerts of Prometheus, pods, budgets, nodes
 * and the lock; text that is no JSON as a lock and as a record. */
#include "reboot/blocking_alerts.h"
#include "reboot/drain.h"
#include "reboot/node_facts.h"
#include "reboot/reboot_fleet.h"
#include "reboot/reboot_lock.h"
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NODE SLICE_LITERAL("n1")
static const struct wall_time now = { 1767225600LL * NS_PER_S };

static void read_lock(struct slice text, struct arena *arena) {
        struct lock_claim claim = { .owner = { .node = NODE, .created = now }, .limit = 2 };
        struct reboot_lock lock, taken, again;
        struct buf out = { 0 };

        if (reboot_lock_parse(text, true, arena, &lock, NULL) < 0)
                return;
        assert(lock.count <= LOCK_OWNERS_MAX);
        if (reboot_lock_take(&lock, &claim, now, arena, &taken)) {
                assert(reboot_lock_find(&taken, NODE));
                if (reboot_lock_print(&taken, 2, &out)) {
                        int code = reboot_lock_parse(buf_view(&out), true, arena, &again, NULL);

                        assert(code == 0 && again.count == taken.count);
                }
                reboot_lock_drop(&taken, NODE, arena, &lock);
                assert(!reboot_lock_find(&lock, NODE));
        }
        buf_release(&out);
}

static void read_record(struct slice text, struct arena *arena) {
        struct reboot_record record;

        reboot_record_parse(text, arena, &record);
}

static void read_lists(const struct json *first, const struct json *second, struct arena *arena) {
        static const struct selector everything;
        struct fleet_rules rules = { true, true, SLICE_LITERAL("wave"), true, 1 };
        struct drain_rules drain = { &everything, 60 };
        struct fleet_answer fleet;
        struct drain_budgets budgets;
        struct drain_deadlock deadlock;
        struct drain_pods pods;
        struct buf names = { 0 };

        blocking_alerts_find(first, &(struct alert_filter){ 0 }, &names, NULL);
        fleet_judge(first, NODE, &rules, arena, &fleet);
        fleet_cap_reason(first, NODE, &rules, arena);
        fleet_waiting_before(first, NODE);
        fleet_expected_ns(first, NODE, 2, now);
        fleet_is_quiet(first, NODE);
        if (drain_pods_decode(first, arena, &pods, NULL) == 0) {
                for (size_t i = 0; i < pods.count; i++)
                        drain_judge(&pods.items[i], &drain, now);
                drain_budgets_decode(second, arena, &budgets);
                drain_impossible(&pods, &drain, &budgets, now, arena, &deadlock);
        }
        buf_release(&names);
}

static void change_node(struct json_doc *doc, struct arena *arena) {
        struct node_facts facts = { 0 };
        struct buf out = { 0 };
        struct json_doc *patch = NULL;
        int code;

        node_facts_take(&facts, doc, SLICE_LITERAL("taint"), arena);
        node_change_print(&facts,
                          &(struct node_change){ .cordon = MARK_SET,
                                                 .taint = MARK_SET,
                                                 .taint_key = SLICE_LITERAL("taint"),
                                                 .now = now,
                                                 .record = &facts.record },
                          &out);
        code = json_parse(buf_view(&out), &patch, NULL);
        assert(code == 0);
        json_doc_free(patch);
        buf_release(&out);
        node_facts_release(&facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice rest = slice_make((const char *)data, size), line = SLICE_EMPTY;
        struct json_doc *first = NULL, *second = NULL;
        struct arena arena;

        arena_init(&arena, 0);
        read_lock(rest, &arena);
        read_record(rest, &arena);
        slice_split(&rest, '\n', &line);
        if (json_parse(line, &first, NULL) == 0) {
                json_parse(rest, &second, NULL);
                read_lists(json_doc_root(first), json_doc_root(second), &arena);
                change_node(first, &arena);
        }
        json_doc_free(second);
        arena_release(&arena);
        return 0;
}
