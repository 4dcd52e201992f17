/* The reconciler's state of the pod that a client wants to evict. */
#include "base/util.h"
#include "evict/client_eviction.h"
#include "evict/eviction_progress.h"
#include "evict/eviction_stages.h"

static bool is_newer(const struct eviction_entry *a, const struct eviction_entry *b) {
        const struct eviction_object *left = &a->eviction->object, *right = &b->eviction->object;

        if (left->created.ns != right->created.ns)
                return left->created.ns > right->created.ns;
        return slice_compare(left->name, right->name) > 0;
}

/* The one under way, else the one that began last. */
static const struct eviction *eviction_of(const struct eviction_target *target) {
        const struct eviction_entry *found = eviction_active_entry(target);

        for (size_t i = 0; i < target->entry_count && !(found && !eviction_entry_is_over(found));
             i++)
                if (!found || is_newer(target->entries[i], found))
                        found = target->entries[i];
        return found ? found->eviction : NULL;
}

static const struct eviction_request *request_of(const struct eviction_target *target,
                                                 struct slice name) {
        int at = eviction_find_request(target, target->ns, name);

        return at >= 0 ? target->requests[at] : NULL;
}

/* The policy whose stages the Eviction is in: another one may be the best by now. */
static const struct eviction_policy *leading_policy(const struct eviction_reconciler *reconciler,
                                                    const struct eviction *eviction) {
        int index = eviction_find_responder(&eviction->status, SLICE_LITERAL(EVICTION_STAGER));
        struct stages_state state;
        char key[EVICTION_KEY_MAX];

        if (index < 0 || !stages_state_parse(eviction->status.responders[index].message, &state))
                return NULL;
        return map_get(reconciler->policies,
                       eviction_key(eviction->object.ns, slice_of(state.policy), key));
}

struct client_eviction_verdict client_eviction_decide(const struct eviction_reconciler *reconciler,
                                                      const struct eviction_pod *pod,
                                                      const struct client_eviction *call,
                                                      struct wall_time now) {
        struct client_eviction_facts facts = { .pod = pod, .now = now };
        const struct eviction_target *target = pod ? map_get(reconciler->targets, pod->uid) : NULL;
        char name[CLIENT_EVICTION_NAME_MAX];

        if (pod)
                facts.policy = eviction_policy_for(reconciler, pod);
        if (target) {
                client_eviction_request_name(call->user, pod->uid, name);
                facts.request = request_of(target, slice_of(name));
                facts.eviction = eviction_of(target);
        }
        if (facts.eviction)
                facts.leading = leading_policy(reconciler, facts.eviction);
        return client_eviction_judge(call, &facts);
}
