/* Decoders of all kinds on one document, and what is computed from a decoded pod. */
#include "api/object.h"
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_pod(const struct json *object, struct arena *arena) {
        struct pod pod;
        struct err err = { 0 };
        int r = pod_decode(object, arena, &pod, &err);
        assert(r == 0 || err.code == r);
        if (r < 0)
                return;
        for (int use_defaults = 0; use_defaults < 2; use_defaults++) {
                struct resource_list list = pod_spec_requests(&pod.spec, use_defaults, arena);
                for (size_t i = 0; i < list.count; i++)
                        assert(list.items[i].amount >= 0);
        }
        pod_spec_qos(&pod.spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct json_doc *doc;
        if (json_parse(slice_make((const char *)data, size), &doc, NULL) < 0)
                return 0;
        const struct json *object = json_doc_root(doc);
        struct arena arena;
        arena_init(&arena, 0);
        check_pod(object, &arena);
        struct node node;
        node_decode(object, &arena, &node, NULL);
        struct disruption_budget budget;
        disruption_budget_decode(object, &arena, &budget, NULL);
        struct priority_class class;
        priority_class_decode(object, &arena, &class, NULL);
        struct claim_object claim;
        claim_decode(object, &arena, &claim, NULL);
        arena_release(&arena);
        json_doc_free(doc);
        return 0;
}
