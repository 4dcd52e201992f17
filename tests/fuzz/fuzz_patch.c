/* Patches of stored objects: the first byte picks the object and the kind of patch, the rest is the
 * patch. Dry runs, so that every input meets the same objects; whatever is refused or done, the
 * object must stay as it was. */
#include "fuzz_server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
        const char *collection, *path, *body;
} objects[] = {
        { "/api/v1/namespaces/default/pods", "/api/v1/namespaces/default/pods/p?dryRun=All",
          "{\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":\"b\"},\"finalizers\":[\"x.y/z\"]},"
          "\"spec\":{\"containers\":[{\"name\":\"a\",\"image\":\"i\",\"env\":[{\"name\":\"X\","
          "\"value\":\"1\"},{\"name\":\"Y\",\"value\":\"2\"}],\"ports\":[{\"containerPort\":80}]},"
          "{\"name\":\"b\",\"image\":\"i\"}],\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}]}}" },
        { "/apis/apps/v1/namespaces/default/deployments",
          "/apis/apps/v1/namespaces/default/deployments/d?dryRun=All&fieldManager=f&force=true",
          "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
          "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{"
          "\"name\":\"a\",\"image\":\"i\"}]}}}}" },
        { "/api/v1/nodes", "/api/v1/nodes/n?dryRun=All&fieldManager=f",
          "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"taints\":[{\"key\":\"k\",\"effect\":"
          "\"NoSchedule\"}]}}" },
};
static const char *const types[] = { "application/json-patch+json", "application/merge-patch+json",
                                     "application/strategic-merge-patch+json",
                                     "application/apply-patch+yaml" };

static void make_objects(void) {
        static bool is_made;

        for (size_t i = 0; !is_made && i < ARRAY_LEN(objects); i++) {
                int status = fuzz_ask("POST", slice_of(objects[i].collection), "application/json",
                                      slice_of(objects[i].body));

                assert(status == 201);
        }
        is_made = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        size_t choice;

        make_objects();
        if (size < 1)
                return 0;
        choice = data[0] % (ARRAY_LEN(objects) * ARRAY_LEN(types));
        fuzz_ask("PATCH", slice_of(objects[choice / ARRAY_LEN(types)].path),
                 types[choice % ARRAY_LEN(types)], slice_make((const char *)data + 1, size - 1));
        return 0;
}
