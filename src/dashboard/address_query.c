/* Parameters of an address. */
#include "dashboard/address_query.h"

#include "base/arena.h"
#include "base/url.h"

bool address_text(struct slice query, const char *name, struct buf *out) {
        struct slice pair, key;

        while (slice_split(&query, '&', &pair)) {
                if (!slice_split(&pair, '=', &key) || !slice_is(key, name))
                        continue;
                return url_unescape(pair, true, out);
        }
        return false;
}

size_t address_number(struct slice query, const char *name, size_t fallback, size_t max) {
        CLEANUP(buf_release) struct buf text = { 0 };
        uint64_t number;

        if (!address_text(query, name, &text) || !slice_to_u64(buf_view(&text), &number))
                return fallback;
        return number < max ? (size_t)number : max;
}
