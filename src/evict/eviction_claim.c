/* Whose name it is: clients.berth.dev/USER is the user's own, others as they are configured. */
#include "evict/eviction_claim.h"

#include "evict/client_eviction.h"

bool eviction_requester_user_parse(struct slice text, struct eviction_requester_user *ret_row) {
        struct slice rest = text, requester;

        if (!slice_split(&rest, '=', &requester) || requester.len == 0 || rest.len == 0)
                return false;
        *ret_row = (struct eviction_requester_user){ requester, rest };
        return true;
}

/* Taken over by whoever asks: created, or asked for again. */
static bool is_asking(const struct eviction_claim *claim) {
        return claim->is_new ||
               (slice_is(claim->intent, "Eviction") && !slice_eq(claim->intent, claim->old_intent));
}

static bool is_name_of(const struct eviction_claim *claim,
                       const struct eviction_requester_user *rows, size_t count) {
        char own[CLIENT_EVICTION_REQUESTER_MAX];
        bool is_listed = false;

        for (size_t i = 0; i < count; i++) {
                if (!slice_eq(rows[i].requester, claim->requester))
                        continue;
                if (slice_eq(rows[i].user, claim->user))
                        return true;
                is_listed = true;
        }
        if (is_listed || !client_eviction_is_requester(claim->requester))
                return !is_listed;
        client_eviction_requester(claim->user, own);
        return slice_is(claim->requester, own);
}

int eviction_claim_check(const struct eviction_claim *claim,
                         const struct eviction_requester_user *rows, size_t count,
                         struct err *err) {
        if (claim->is_privileged || !is_asking(claim) || is_name_of(claim, rows, count))
                return 0;
        return err_set(err, BERTH_ERR_FORBIDDEN,
                       "spec.requester: user \"" SLICE_FMT
                       "\" may not ask for evictions as \"" SLICE_FMT
                       "\", which is the name of another",
                       SLICE_ARG(claim->user), SLICE_ARG(claim->requester));
}

struct slice eviction_claim_user(const struct eviction_claim *claim) {
        bool is_written = claim->is_new || !slice_eq(claim->intent, claim->old_intent);

        return is_written ? claim->user : claim->old_user;
}
