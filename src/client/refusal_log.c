/* Refused writes, each kind of refusal once a minute. */
#include "client/refusal_log.h"

#include "base/arena.h"
#include "base/buf.h"

#include "base/log.h"
#include "base/map.h"
#include "base/util.h"
#include "client/resource_path.h"
#include <stdlib.h>

#define QUIET_NS (60 * NS_PER_S)

struct refusal {
        struct mono_time reported;
        int64_t untold; /* since then */
};

struct refusal_log {
        struct map *refusals; /* by "DELETE pods 403": as many as there are kinds of writes */
};

struct refusal_log *refusal_log_new(void) {
        struct refusal_log *log = xcalloc(1, sizeof(*log));

        log->refusals = map_new();
        return log;
}

void refusal_log_free(struct refusal_log *log) {
        size_t at = 0;
        void *refusal;

        if (!log)
                return;
        while (map_next(log->refusals, &at, NULL, &refusal))
                free(refusal);
        map_free(log->refusals);
        free(log);
}

static bool is_refusal(int status) {
        switch (status) {
        case 404:
        case 409:
        case 410:
        case 429:
                return false;
        default:
                return status >= 400 && status < 500;
        }
}

void refusal_log_note(struct refusal_log *log, struct mono_time now, enum api_method method,
                      const char *path, const struct api_reply *reply) {
        CLEANUP(buf_release) struct buf key = { 0 };

        if (!is_refusal(reply->status))
                return;
        buf_printf(&key, "%s ", api_method_name(method));
        resource_path_name(slice_of(path), &key);
        buf_printf(&key, " %d", reply->status);
        struct refusal *refusal = map_get(log->refusals, buf_view(&key));
        if (refusal && now.ns - refusal->reported.ns < QUIET_NS) {
                refusal->untold++;
                return;
        }
        LOG(LOG_WARN, "WriteRefused", log_text("method", api_method_name(method)),
            log_text("path", path), log_i64("status", reply->status),
            log_text("error", reply->error.text),
            log_i64("more_before", refusal ? refusal->untold : 0));
        if (!refusal) {
                refusal = xcalloc(1, sizeof(*refusal));
                map_put(log->refusals, buf_view(&key), refusal);
        }
        *refusal = (struct refusal){ .reported = now };
}
