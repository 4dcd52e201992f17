/* Judges the samples of the ALERTS metric. */
#include "reboot/blocking_alerts.h"

#include "base/regex.h"
#include <stdlib.h>

#define NAMES_MAX 10

static bool is_nonzero(const struct json *sample) {
        struct slice value = json_text(json_at(json_get(sample, "value"), 1));
        char text[64];

        if (value.len == 0 || value.len >= sizeof(text))
                return true;
        memcpy(text, value.ptr, value.len);
        text[value.len] = '\0';
        return strtod(text, NULL) != 0.0;
}

static bool blocking_alerts_blocks(const struct json *sample, const struct alert_filter *filter,
                                   struct slice *ret_name) {
        const struct json *labels = json_get(sample, "metric");
        struct slice name = json_get_text(labels, "alertname");

        *ret_name = name;
        if (name.len == 0 || !is_nonzero(sample))
                return false;
        if (filter->firing_only && !slice_is(json_get_text(labels, "alertstate"), "firing"))
                return false;
        return !filter->names || regex_matches(filter->names, name) == filter->matches_only;
}

/* An alert with several label sets is named once. */
static bool is_listed(const struct buf *names, struct slice name) {
        struct slice rest = buf_view(names), item;

        while (rest.ptr && slice_split(&rest, ',', &item))
                if (slice_eq(slice_trim(item), name))
                        return true;
        return false;
}

int blocking_alerts_find(const struct json *answer, const struct alert_filter *filter,
                         struct buf *ret_names, struct err *err) {
        const struct json *data = json_get(answer, "data"), *sample;
        struct json_iter iter = json_iter(json_get(data, "result"));
        struct slice name;
        size_t count = 0;

        if (!slice_is(json_get_text(answer, "status"), "success") ||
            !slice_is(json_get_text(data, "resultType"), "vector"))
                return err_set(err, BERTH_ERR_INVALID, "not an answer with a vector");
        while (count < NAMES_MAX && json_next(&iter, NULL, &sample)) {
                if (!blocking_alerts_blocks(sample, filter, &name) || is_listed(ret_names, name))
                        continue;
                buf_text(ret_names, count++ ? ", " : "");
                buf_slice(ret_names, name);
        }
        return 0;
}
