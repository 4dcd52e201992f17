/* Rows of the process's watches for the eviction service. */
#include "loop/evict_rows.h"

#include "api/json.h"
#include "base/log.h"
#include "base/util.h"
#include "evict/eviction_reconciler.h"
#include "loop/request_kinds.h"
#include "loop/watch_set.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_MAX_BYTES 200
#define SEED_REQUESTS 1
#define SEED_SIGHTS 7

enum { ROW_OWN_REQUESTS, ROW_ALL_REQUESTS, ROW_SIGHTS };
#define ROW_COUNT (ROW_SIGHTS + EVICT_SIGHT_COUNT)

struct evict_row {
        struct evict_rows *rows;
        size_t index;
        struct watch_row *row; /* NULL = not followed */
        bool is_settled;       /* listed, not served, or refused */
        char path[PATH_MAX_BYTES], selector[256];
};

struct evict_rows {
        struct evict_rows_config config;
        struct evict_row items[ROW_COUNT];
        struct request_kinds *kinds;
        bool has_observations;
};

static void evict_rows_changed(struct evict_rows *rows) {
        rows->config.changed(rows->config.context);
}

/* ---- which kinds there are ---- */

static void on_kinds(void *context, enum evict_kinds kinds, const struct err *failure) {
        struct evict_rows *rows = context;

        (void)failure; /* it is logged */
        evict_service_saw_kinds(rows->config.service, kinds, loop_mono(rows->config.loop));
        evict_rows_changed(rows);
}

/* ---- events of rows ---- */

static void evict_rows_settle(struct evict_row *item) {
        struct evict_rows *rows = item->rows;
        bool are_settled = true;

        item->is_settled = true;
        if (item->index == ROW_ALL_REQUESTS)
                evict_service_listed_requests(rows->config.service);
        for (size_t i = ROW_SIGHTS; i < ROW_COUNT; i++)
                are_settled &= !rows->items[i].row || rows->items[i].is_settled;
        if (item->index >= ROW_SIGHTS && are_settled)
                evict_service_listed_observations(rows->config.service);
        evict_rows_changed(rows);
}

static void on_row_changed(void *context, enum reflector_change change, const struct json *object) {
        struct evict_row *item = context;
        const struct evict_rows_config *config = &item->rows->config;
        bool is_removed = change == REFLECTOR_DELETED;

        if (item->index == ROW_OWN_REQUESTS)
                evict_service_saw_request(config->service, object, is_removed,
                                          loop_mono(config->loop),
                                          transport_server_time(config->transport, config->loop));
        else if (item->index == ROW_ALL_REQUESTS)
                evict_service_saw_any_request(config->service, object, is_removed,
                                              loop_mono(config->loop));
        else
                evict_service_saw(config->service,
                                  (enum evict_observation)(item->index - ROW_SIGHTS), object,
                                  is_removed);
        if (item->index == ROW_OWN_REQUESTS || item->is_settled)
                evict_rows_changed(item->rows);
}

static void on_row_synced(void *context) {
        evict_rows_settle(context);
}

static void on_row_failed(void *context, const struct err *err, int64_t delay_ns) {
        struct evict_row *item = context;

        (void)delay_ns;
        if (!item->is_settled && item->index < ROW_SIGHTS && err->code == BERTH_ERR_FORBIDDEN)
                LOG(LOG_INFO, "RequestsNotSeen", log_text("path", item->path),
                    log_text("reason", "no right to list them"));
        else if (!item->is_settled && err->code != BERTH_ERR_NOT_FOUND)
                LOG(LOG_WARN, item->index < ROW_SIGHTS ? "RequestsNotSeen" : "SlotsNotSeen",
                    log_text("path", item->path), log_text("error", err->text));
        evict_rows_settle(item);
}

/* ---- following ---- */

static void evict_rows_follow(struct evict_rows *rows, size_t index, const char *path,
                              const char *selector) {
        static const struct reflector_events events = { .changed = on_row_changed,
                                                        .synced = on_row_synced,
                                                        .failed = on_row_failed };
        struct evict_row *item = &rows->items[index];

        if (item->row && strcmp(item->path, path) == 0 && strcmp(item->selector, selector) == 0)
                return;
        watch_set_remove(rows->config.watches, item->row);
        *item = (struct evict_row){ .rows = rows, .index = index };
        snprintf(item->path, sizeof(item->path), "%s", path);
        snprintf(item->selector, sizeof(item->selector), "%s", selector);
        item->row = watch_set_add(
                rows->config.watches,
                &(struct watch_request){ .path = item->path,
                                         .label_selector = *selector ? item->selector : NULL,
                                         .seed = index < ROW_SIGHTS ? SEED_REQUESTS + index
                                                                    : SEED_SIGHTS,
                                         .trouble = WATCH_QUIET,
                                         .events = &events,
                                         .context = item });
}

static void follow_observations(struct evict_rows *rows, const struct evict_wants *wants) {
        static const struct {
                const char *path, *selector;
        } observations[EVICT_SIGHT_COUNT] = {
                [EVICT_SIGHT_PODS] = { "/api/v1/pods", "kubevirt.io=virt-launcher" },
                [EVICT_SIGHT_OWN] = { "/apis/" EVICTION_GROUP_OWN "/" EVICTION_VERSION "/evictions",
                                      "" },
                [EVICT_SIGHT_NATIVE] = { "/apis/" EVICTION_GROUP_NATIVE "/" EVICTION_VERSION
                                         "/evictions",
                                         "" },
                [EVICT_SIGHT_MIGRATIONS] = { "/apis/kubevirt.io/v1/"
                                             "virtualmachineinstancemigrations",
                                             "" },
        };
        bool wants_any = false;

        for (size_t i = 0; i < EVICT_SIGHT_COUNT; i++) {
                wants_any |= wants->observations[i];
                if (wants->observations[i])
                        evict_rows_follow(rows, ROW_SIGHTS + i, observations[i].path,
                                          observations[i].selector);
        }
        if (rows->has_observations && !wants_any) {
                for (size_t i = ROW_SIGHTS; i < ROW_COUNT; i++) {
                        watch_set_remove(rows->config.watches, rows->items[i].row);
                        rows->items[i].row = NULL;
                }
                evict_service_forget_observations(rows->config.service);
        }
        rows->has_observations = wants_any;
}

void evict_rows_update(struct evict_rows *rows) {
        struct evict_wants wants;
        char path[PATH_MAX_BYTES];

        evict_service_wants(rows->config.service, &wants);
        if (wants.kinds)
                request_kinds_look(rows->kinds);
        snprintf(path, sizeof(path), "/apis/%s/" EVICTION_VERSION "/evictionrequests", wants.group);
        if (wants.own_requests)
                evict_rows_follow(rows, ROW_OWN_REQUESTS, path, wants.selector);
        if (wants.all_requests)
                evict_rows_follow(rows, ROW_ALL_REQUESTS, path, "");
        follow_observations(rows, &wants);
}

struct evict_rows *evict_rows_new(const struct evict_rows_config *config) {
        struct evict_rows *rows = xcalloc(1, sizeof(*rows));

        rows->config = *config;
        rows->kinds = request_kinds_new(
                &(struct request_kinds_config){ .transport = config->transport,
                                                .loop = config->loop,
                                                .patience_ns = EVICT_REQUEST_UNANSWERED_NS,
                                                .found = on_kinds,
                                                .context = rows });
        return rows;
}

void evict_rows_free(struct evict_rows *rows) {
        if (!rows)
                return;
        for (size_t i = 0; i < ROW_COUNT; i++)
                watch_set_remove(rows->config.watches, rows->items[i].row);
        request_kinds_free(rows->kinds);
        free(rows);
}
