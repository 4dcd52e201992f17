/* What the descheduler would do to the pod of an explanation. */
#include "ask/explanation_priv.h"

#include "ask/eviction_plan.h"
#include "desched/descheduler.h"

static void put_evictions(struct explainer *explainer, struct json_node *object) {
        const struct eviction_plan *plan = explainer->request->plan;
        struct json_node *list = node_array(explainer->tree);
        bool is_evicted = false;

        for (size_t i = 0; i < plan->eviction_count; i++) {
                const struct planned_eviction *eviction = &plan->evictions[i];

                if (eviction->pod.index != explainer->request->pod.index)
                        continue;
                struct json_node *entry = node_object(explainer->tree);
                node_put_text(explainer->tree, entry, "profile", eviction->profile);
                node_put_text(explainer->tree, entry, "plugin", eviction->plugin);
                if (eviction->reason.len)
                        node_put_text(explainer->tree, entry, "reason", eviction->reason);
                node_put_text(explainer->tree, entry, "outcome",
                              planned_eviction_outcome_text(eviction));
                node_append(list, entry);
                is_evicted |= eviction->outcome == EVICT_DONE;
        }
        node_put_bool(explainer->tree, object, "evicts", is_evicted);
        node_put(explainer->tree, object, "rules", list);
}

static void put_spared(struct explainer *explainer, struct json_node *object) {
        const struct eviction_plan *plan = explainer->request->plan;
        struct json_node *list = node_array(explainer->tree);

        for (size_t i = 0; i < plan->spared_count; i++) {
                const struct spared_pod *spared = &plan->spared[i];

                if (spared->pod.index != explainer->request->pod.index)
                        continue;
                struct json_node *entry = node_object(explainer->tree);
                node_put_text(explainer->tree, entry, "profile", spared->profile);
                node_put_text(explainer->tree, entry, "plugin", spared->plugin);
                node_put_text(explainer->tree, entry, "reasons", spared->reasons);
                node_append(list, entry);
        }
        node_put(explainer->tree, object, "spared", list);
}

/* Rules that looked at no pod at all. */
static void put_idle(struct explainer *explainer, struct json_node *object) {
        const struct desched_report *report = explainer->request->plan->report;
        struct json_node *list = node_array(explainer->tree);

        for (size_t i = 0; i < report->rule_count; i++) {
                if (!report->rules[i].idle.len)
                        continue;
                struct json_node *entry = node_object(explainer->tree);
                node_put_text(explainer->tree, entry, "profile", report->rules[i].profile);
                node_put_text(explainer->tree, entry, "plugin", report->rules[i].plugin);
                node_put_text(explainer->tree, entry, "reason", report->rules[i].idle);
                node_append(list, entry);
        }
        node_put(explainer->tree, object, "idle", list);
}

/* Whatever rules say: what the profiles' filters hold against an eviction. */
static void put_filters(struct explainer *explainer, struct json_node *object) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_node *list = node_array(explainer->tree);
        struct slice line;

        descheduler_explain(explainer->request->plan->descheduler, explainer->request->now,
                            explainer->request->pod, &text);
        struct slice rest = buf_view(&text);
        while (slice_split(&rest, '\n', &line))
                if (line.len)
                        node_append(list, node_text(explainer->tree, line));
        node_put(explainer->tree, object, "filters", list);
}

void explainer_put_descheduler(struct explainer *explainer) {
        if (!explainer->request->plan || node_id_is_none(explainer->home))
                return;
        struct json_node *object = node_object(explainer->tree);
        put_evictions(explainer, object);
        put_spared(explainer, object);
        put_filters(explainer, object);
        put_idle(explainer, object);
        node_put(explainer->tree, explainer->out, "descheduler", object);
}
