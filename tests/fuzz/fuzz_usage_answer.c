/* Measured usage as the metrics API and Prometheus answer: lists, recorded objects, and samples of
 * a query, asked about a node and a pod. */
#include "desched/recorded_usage.h"

#include "config/descheduler_policy.h"
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct desched_usage *source) {
        const struct usage_sample *samples;
        int64_t amount;
        size_t count;

        if (source->node)
                source->node(source->context, SLICE_LITERAL("n1"), SLICE_LITERAL("cpu"), &amount);
        if (source->pod)
                source->pod(source->context, SLICE_LITERAL("default"), SLICE_LITERAL("p1"),
                            SLICE_LITERAL("memory"), &amount);
        if (source->query)
                source->query(source->context, SLICE_LITERAL("q"), &samples, &count, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static int (*const readers[])(const struct json *value,
                                      const struct descheduler_policy *policy,
                                      struct recorded_usage **ret_usage, struct err *err) = {
                recorded_usage_new, recorded_usage_of_list, recorded_usage_of_answer
        };
        static struct descheduler_policy policy;
        struct json_doc *doc = NULL;

        if (json_parse(slice_make((const char *)data, size), &doc, NULL) < 0)
                return 0;
        for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
                struct recorded_usage *usage = NULL;
                struct err err = { 0 };

                if (readers[i](json_doc_root(doc), &policy, &usage, &err) == 0) {
                        recorded_usage_smooth(usage, usage);
                        ask(recorded_usage_source(usage));
                } else {
                        assert(err.code < 0 && err.text[0] && !usage);
                }
                recorded_usage_free(usage);
        }
        json_doc_free(doc);
        return 0;
}
