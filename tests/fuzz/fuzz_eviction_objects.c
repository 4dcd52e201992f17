/* Objects of the EvictionRequest API, policies of stages, answers of hooks, the notes that outlive
 * a process and the audit trail: what is refused has an error, and what is kept can be read again.
 */
#include "evict/audit_chain.h"
#include "evict/eviction_history.h"
#include "evict/eviction_policy.h"
#include "evict/eviction_request.h"
#include "evict/eviction_stages.h"
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct wall_time now = { 1767225600LL * NS_PER_S };

static void read_eviction(const struct json *object) {
        struct eviction *eviction = NULL;
        struct json_doc *doc = NULL;
        struct err err = { 0 };
        struct buf out = { 0 };

        if (eviction_decode(object, &eviction, &err) < 0) {
                assert(err.code < 0 && err.text[0] && !eviction);
                return;
        }
        eviction_status_check(NULL, &eviction->status, now, false, NULL);
        eviction_status_write(&eviction->status, &out);
        if (json_parse(buf_view(&out), &doc, NULL) < 0)
                __builtin_trap();
        json_doc_free(doc);
        buf_release(&out);
        eviction_free(eviction);
}

static void read_request(const struct json *object) {
        struct eviction_request *request = NULL;
        struct err err = { 0 };

        if (eviction_request_decode(object, &request, &err) < 0) {
                assert(err.code < 0 && err.text[0] && !request);
                return;
        }
        eviction_request_check(request, NULL);
        eviction_request_free(request);
}

static void read_policy(const struct json *object) {
        struct eviction_policy *policy = NULL;
        struct err err = { 0 };

        if (eviction_policy_decode(object, &policy, &err) < 0) {
                assert(err.code < 0 && err.text[0] && !policy);
                return;
        }
        assert(policy->stage_count <= EVICTION_STAGES_MAX);
        assert(!eviction_policy_is_before(policy, policy));
        eviction_policy_free(policy);
}

static void read_history(const struct json *object) {
        struct eviction_history *history = eviction_history_new(), *again = eviction_history_new();
        struct buf once = { 0 }, twice = { 0 };
        struct json_doc *doc = NULL;

        eviction_history_read(history, object);
        eviction_history_write(history, &once);
        if (json_parse(buf_view(&once), &doc, NULL) < 0)
                __builtin_trap();
        eviction_history_read(again, json_doc_root(doc));
        eviction_history_write(again, &twice);
        assert(slice_eq(buf_view(&once), buf_view(&twice)));
        json_doc_free(doc);
        buf_release(&once);
        buf_release(&twice);
        eviction_history_free(history);
        eviction_history_free(again);
}

static void observe_hook(const struct json *object, struct slice text) {
        struct eviction_effect_result result = {
                .http = 200, .retry_after_s = -1, .object = object, .text = text
        };

        for (int poll = 0; poll < 2; poll++) {
                assert(eviction_hook_answer(&result, poll).verdict <= HOOK_UNKNOWN);
                result.is_exec = true;
                result.exit_code = poll;
                eviction_hook_answer(&result, poll);
        }
}

static void read_texts(struct slice text) {
        struct eviction_responder responders[EVICTION_RESPONDERS_MAX];
        struct audit_chain chain = { 0 };
        struct stages_state state;
        struct err err = { 0 };
        size_t count;

        if (eviction_responders_parse(text, responders, &count, &err) == 0)
                assert(count > 0 && count <= EVICTION_RESPONDERS_MAX);
        else
                assert(err.text[0]);
        eviction_requester_problem(text);
        stages_state_parse(text, &state);
        audit_chain_verify(&chain, text, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice text = slice_make((const char *)data, size);
        struct json_doc *doc = NULL;
        const struct json *root;

        read_texts(text);
        if (json_parse(text, &doc, NULL) < 0) {
                observe_hook(NULL, text);
                return 0;
        }
        root = json_doc_root(doc);
        read_eviction(root);
        read_request(root);
        read_policy(root);
        read_history(root);
        observe_hook(root, SLICE_EMPTY);
        json_doc_free(doc);
        return 0;
}
