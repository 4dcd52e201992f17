/* What came and went between the minor versions of Kubernetes. */
#include "kinds/release.h"

#include "base/util.h"
#include "kinds/kind.h"
#include <assert.h>

/* Minor versions from first to last; an answer may have several rows. WatchList was on by default
 * in 1.32, off in 1.33 and on again since. */
static const struct {
        enum release_feature feature;
        unsigned first, last;
} features[] = {
        { RELEASE_WATCH_LIST, 32, 32 },
        { RELEASE_WATCH_LIST, 34, RELEASE_LAST },
        { RELEASE_DISCOVERY_V2, 30, RELEASE_LAST },
        { RELEASE_DISCOVERY_V2_BETA1, RELEASE_FIRST, 32 },
        { RELEASE_POD_GROUPS, 36, 36 },
        { RELEASE_EVICTION_REQUESTS, 36, RELEASE_LAST },
        { RELEASE_NODE_FEATURES, 36, RELEASE_LAST },
};

bool release_has(unsigned minor, enum release_feature feature) {
        for (size_t i = 0; i < ARRAY_LEN(features); i++)
                if (features[i].feature == feature && minor >= features[i].first &&
                    minor <= features[i].last)
                        return true;
        return false;
}

bool release_has_kind(unsigned minor, unsigned gates, const struct kind_info *kind) {
        return minor >= kind->since && (kind->gates & ~gates) == 0;
}

bool release_has_subresource(unsigned minor, const struct kind_info *kind, struct slice name) {
        const char *const *more = kind->more_subresources;

        if (name.len == 0)
                return true;
        if (slice_is(name, "status"))
                return kind->flags & KIND_STATUS;
        if (slice_is(name, "scale"))
                return kind->flags & KIND_SCALE;
        if (kind->later_subresource && slice_is(name, kind->later_subresource) &&
            minor < kind->later_since)
                return false;
        for (size_t i = 0; more && more[i]; i++)
                if (slice_is(name, more[i]))
                        return true;
        return false;
}

bool release_has_generation(unsigned minor, const struct kind_info *kind) {
        return kind->flags & KIND_GENERATION && minor >= kind->generation_since;
}
