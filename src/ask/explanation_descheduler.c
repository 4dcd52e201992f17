/* What the descheduler would do to the pod of an explanation. */
#include "ask/explanation_priv.h"

#include "ask/eviction_plan.h"
#include "desched/descheduler.h"

static void put_evictions(struct telling *telling, struct json_node *object) {
        const struct eviction_plan *plan = telling->request->plan;
        struct json_node *list = node_array(telling->tree);
        bool is_evicted = false;

        for (size_t i = 0; i < plan->eviction_count; i++) {
                const struct planned_eviction *eviction = &plan->evictions[i];

                if (eviction->pod.index != telling->request->pod.index)
                        continue;
                struct json_node *entry = node_object(telling->tree);
                node_put_text(telling->tree, entry, "profile", eviction->profile);
                node_put_text(telling->tree, entry, "plugin", eviction->plugin);
                if (eviction->reason.len)
                        node_put_text(telling->tree, entry, "reason", eviction->reason);
                node_put_string(telling->tree, entry, "outcome",
                                evict_outcome_text(eviction->outcome));
                node_append(list, entry);
                is_evicted |= eviction->outcome == EVICT_DONE;
        }
        node_put_bool(telling->tree, object, "evicts", is_evicted);
        node_put(telling->tree, object, "rules", list);
}

static void put_spared(struct telling *telling, struct json_node *object) {
        const struct eviction_plan *plan = telling->request->plan;
        struct json_node *list = node_array(telling->tree);

        for (size_t i = 0; i < plan->spared_count; i++) {
                const struct spared_pod *spared = &plan->spared[i];

                if (spared->pod.index != telling->request->pod.index)
                        continue;
                struct json_node *entry = node_object(telling->tree);
                node_put_text(telling->tree, entry, "profile", spared->profile);
                node_put_text(telling->tree, entry, "plugin", spared->plugin);
                node_put_text(telling->tree, entry, "reasons", spared->reasons);
                node_append(list, entry);
        }
        node_put(telling->tree, object, "spared", list);
}

/* Whatever rules say: what the profiles' filters hold against an eviction. */
static void put_filters(struct telling *telling, struct json_node *object) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_node *list = node_array(telling->tree);
        struct slice line;

        descheduler_explain(telling->request->plan->descheduler, telling->request->now,
                            telling->request->pod, &text);
        struct slice rest = buf_view(&text);
        while (slice_split(&rest, '\n', &line))
                if (line.len)
                        node_append(list, node_text(telling->tree, line));
        node_put(telling->tree, object, "filters", list);
}

void telling_put_descheduler(struct telling *telling) {
        if (!telling->request->plan || node_id_is_none(telling->home))
                return;
        struct json_node *object = node_object(telling->tree);
        put_evictions(telling, object);
        put_spared(telling, object);
        put_filters(telling, object);
        node_put(telling->tree, telling->out, "descheduler", object);
}
