/* Takes paths of pods apart. */
#include "loop/pod_path.h"

#include "base/util.h"

bool pod_path_read(struct slice path, struct pod_path *ret_path) {
        static const char *const words[] = { "", "api", "v1", "namespaces", NULL, "pods", NULL };
        struct slice part;

        for (size_t i = 0; i < ARRAY_LEN(words); i++) {
                if (!slice_split(&path, '/', &part) || (words[i] && !slice_is(part, words[i])))
                        return false;
                if (i == 4)
                        ret_path->ns = part;
                else if (i == 6)
                        ret_path->name = part;
        }
        ret_path->rest = path;
        return true;
}
