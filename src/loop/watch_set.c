/* Reflectors by path and selectors, and the rows that share them. */
#include "loop/watch_set.h"

#include "base/log.h"
#include "base/util.h"
#include "client/trouble_log.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct watch_row {
        struct watch_row *next; /* of the same collection */
        struct watched *watched;
        enum watch_trouble trouble;
        bool is_needed, is_removed;
        bool is_late;       /* waits for a list that reports all ... */
        uint64_t late_list; /* ... and began after this one */
        bool owes_news;     /* synced or failed is to be called, soon */
        const struct reflector_events *events;
        void *context;
        const void *owner;
};

struct watched { /* one collection */
        struct watched *next;
        struct watch_set *set;
        char *path, *label_selector, *field_selector;
        struct reflector *reflector;
        struct watch_row *rows; /* in the order they came */
        unsigned explainer;     /* callbacks of rows on the stack */
        bool is_absent;         /* not served, or not for us; until it is listed */
        struct err failure;     /* the last one, until a list succeeds */
        struct trouble_log trouble;
};

struct watch_set {
        struct transport *transport;
        struct loop *loop;
        struct watched *first;  /* in the order they came */
        struct loop_timer soon; /* calls that are due, collections without rows */
};

static void watch_set_soon(struct watch_set *set) {
        if (!loop_timer_is_armed(&set->soon))
                loop_timer_arm(set->loop, &set->soon, 0);
}

/* ---- calls of rows ---- */

static void unlink_removed(struct watched *watched) {
        struct watch_row **at = &watched->rows;

        assert(watched->explainer == 0);
        while (*at) {
                struct watch_row *row = *at;

                if (!row->is_removed) {
                        at = &row->next;
                        continue;
                }
                *at = row->next;
                free(row);
        }
        if (!watched->rows)
                watch_set_soon(watched->set);
}

static void end_explainer(struct watched *watched) {
        if (--watched->explainer == 0)
                unlink_removed(watched);
}

/* The list under way brings a late row all there is. */
static bool is_catching_up(const struct watch_row *row) {
        const struct reflector *reflector = row->watched->reflector;

        return row->is_late && reflector_reports_all(reflector) &&
               reflector_stats(reflector).lists > row->late_list;
}

static void report_to_row(const struct watch_row *row, enum reflector_change change,
                          struct arrival *arrival) {
        if (arrival->pod && row->events->pod_changed)
                row->events->pod_changed(row->context, change, arrival);
        else
                row->events->changed(row->context, change, arrival_value(arrival));
}

static void on_watched_pod_changed(void *context, enum reflector_change change,
                                   struct arrival *arrival) {
        struct watched *watched = context;

        watched->explainer++;
        for (struct watch_row *row = watched->rows; row; row = row->next) {
                enum reflector_change as = change;

                if (row->is_removed || (row->is_late && !is_catching_up(row)) ||
                    (!row->is_late && change == REFLECTOR_SAME))
                        continue;
                if (row->is_late && change != REFLECTOR_DELETED)
                        as = REFLECTOR_ADDED;
                report_to_row(row, as, arrival);
        }
        end_explainer(watched);
}

static void on_watched_changed(void *context, enum reflector_change change,
                               const struct json *object) {
        on_watched_pod_changed(context, change, &(struct arrival){ .value = object });
}

static void on_watched_synced(void *context) {
        struct watched *watched = context;

        watched->is_absent = false;
        watched->failure = (struct err){ 0 };
        watched->explainer++;
        for (struct watch_row *row = watched->rows; row; row = row->next) {
                row->is_late = row->is_late && !is_catching_up(row);
                if (row->is_removed || row->is_late)
                        continue;
                row->owes_news = false;
                if (row->events->synced)
                        row->events->synced(row->context);
        }
        end_explainer(watched);
}

static bool is_worth_a_line(const struct watched *watched, bool is_absence) {
        for (const struct watch_row *row = watched->rows; row; row = row->next)
                if (!row->is_removed && (row->trouble == WATCH_REQUIRED ||
                                         (row->trouble == WATCH_OPTIONAL && !is_absence)))
                        return true;
        return false;
}

static void on_watched_failed(void *context, const struct err *err, int64_t delay_ns) {
        struct watched *watched = context;
        bool is_absence = err->code == BERTH_ERR_NOT_FOUND || err->code == BERTH_ERR_FORBIDDEN;
        int64_t more_before;

        watched->is_absent |= is_absence;
        watched->failure = *err;
        if (is_worth_a_line(watched, is_absence) &&
            trouble_log_fails(&watched->trouble, loop_mono(watched->set->loop), err->text,
                              &more_before))
                LOG(LOG_WARN, "WatchFailed", log_text("resource", watched->path),
                    log_text("error", err->text), log_i64("retry_ms", delay_ns / NS_PER_MS),
                    log_i64("more_before", more_before));
        watched->explainer++;
        for (struct watch_row *row = watched->rows; row; row = row->next) {
                row->owes_news = false;
                if (!row->is_removed && row->events->failed)
                        row->events->failed(row->context, err, delay_ns);
        }
        end_explainer(watched);
}

static void on_watched_works(void *context) {
        struct watched *watched = context;
        int64_t failures;

        if (trouble_log_works(&watched->trouble, &failures))
                LOG(LOG_WARN, "WatchWorks", log_text("resource", watched->path),
                    log_i64("failures", failures));
}

/* Calls a row whose collection is empty or cannot be watched. */
static void report_owed(struct watched *watched) {
        bool is_synced = reflector_is_synced(watched->reflector);

        watched->explainer++;
        for (struct watch_row *row = watched->rows; row; row = row->next) {
                if (row->is_removed || !row->owes_news)
                        continue;
                row->owes_news = false;
                if (is_synced && row->events->synced)
                        row->events->synced(row->context);
                else if (!is_synced && row->events->failed)
                        row->events->failed(row->context, &watched->failure, 0);
        }
        end_explainer(watched);
}

/* ---- collections ---- */

static const struct reflector_events watched_events = { .changed = on_watched_changed,
                                                        .pod_changed = on_watched_pod_changed,
                                                        .synced = on_watched_synced,
                                                        .failed = on_watched_failed,
                                                        .works = on_watched_works };

static const char *text_of(const char *text) {
        return text ? text : "";
}

static struct watched *watched_find(struct watch_set *set, const struct watch_request *request) {
        struct watched *watched = set->first;

        while (watched && (strcmp(watched->path, request->path) != 0 ||
                           strcmp(watched->label_selector, text_of(request->label_selector)) != 0 ||
                           strcmp(watched->field_selector, text_of(request->field_selector)) != 0))
                watched = watched->next;
        return watched;
}

static struct watched *watched_new(struct watch_set *set, const struct watch_request *request) {
        struct watched *watched = xcalloc(1, sizeof(*watched)), **last = &set->first;

        watched->set = set;
        watched->path = slice_dup(slice_of(request->path));
        watched->label_selector = slice_dup(slice_of(request->label_selector));
        watched->field_selector = slice_dup(slice_of(request->field_selector));
        while (*last)
                last = &(*last)->next;
        *last = watched;
        watched->reflector =
                reflector_new(&(struct reflector_config){ .path = watched->path,
                                                          .label_selector = request->label_selector,
                                                          .field_selector = request->field_selector,
                                                          .seed = request->seed,
                                                          .leaves_unread = request->leaves_unread,
                                                          .takes_cached = request->takes_cached,
                                                          .is_large = request->is_large },
                              set->transport, set->loop, &watched_events, watched);
        return watched;
}

static void watched_free(struct watched *watched) {
        assert(watched->explainer == 0);
        reflector_free(watched->reflector);
        while (watched->rows) {
                struct watch_row *row = watched->rows;

                watched->rows = row->next;
                free(row);
        }
        free(watched->path);
        free(watched->label_selector);
        free(watched->field_selector);
        trouble_log_release(&watched->trouble);
        free(watched);
}

static void on_soon(void *context) {
        struct watch_set *set = context;

        for (struct watched **at = &set->first; *at;) {
                struct watched *watched = *at;

                report_owed(watched);
                if (watched->rows) {
                        at = &watched->next;
                        continue;
                }
                *at = watched->next;
                watched_free(watched);
        }
}

/* ---- set and rows ---- */

struct watch_set *watch_set_new(struct transport *transport, struct loop *loop) {
        struct watch_set *set = xcalloc(1, sizeof(*set));

        set->transport = transport;
        set->loop = loop;
        set->soon = (struct loop_timer){ .fired = on_soon, .context = set };
        return set;
}

void watch_set_free(struct watch_set *set) {
        if (!set)
                return;
        while (set->first) {
                struct watched *watched = set->first;

                set->first = watched->next;
                watched_free(watched);
        }
        loop_timer_disarm(set->loop, &set->soon);
        free(set);
}

struct watch_row *watch_set_add(struct watch_set *set, const struct watch_request *request) {
        struct watch_row *row = xcalloc(1, sizeof(*row)), **last;
        struct watched *watched = watched_find(set, request);

        assert(request->path && request->events && request->events->changed);
        if (!watched)
                watched = watched_new(set, request);
        if (!request->leaves_unread)
                reflector_read_all(watched->reflector);
        row->watched = watched;
        row->trouble = request->trouble;
        row->is_needed = request->is_needed;
        row->events = request->events;
        row->context = request->context;
        row->owner = request->owner;
        /* A row that got nothing yet has nothing to catch up with. */
        row->is_late = reflector_count(watched->reflector) > 0;
        row->late_list = reflector_stats(watched->reflector).lists;
        row->owes_news =
                !row->is_late && (reflector_is_synced(watched->reflector) || watched->failure.code);
        for (last = &watched->rows; *last;)
                last = &(*last)->next;
        *last = row;
        if (row->is_late)
                reflector_list_again(watched->reflector);
        if (row->owes_news)
                watch_set_soon(set);
        return row;
}

void watch_set_remove(struct watch_set *set, struct watch_row *row) {
        struct watched *watched;

        if (!row)
                return;
        watched = row->watched;
        assert(watched->set == set && !row->is_removed);
        row->is_removed = true;
        if (watched->explainer == 0)
                unlink_removed(watched);
}

bool watch_row_is_synced(const struct watch_row *row) {
        return !row->is_late && reflector_is_synced(row->watched->reflector);
}

bool watch_row_is_ready(const struct watch_row *row) {
        return watch_row_is_synced(row) ||
               (row->trouble != WATCH_REQUIRED && row->watched->is_absent);
}

bool watch_set_is_synced(const struct watch_set *set, const void *owner) {
        for (const struct watched *watched = set->first; watched; watched = watched->next)
                for (const struct watch_row *row = watched->rows; row; row = row->next)
                        if (row->is_needed && !row->is_removed && row->owner == owner &&
                            !watch_row_is_ready(row))
                                return false;
        return true;
}

bool watch_set_object_version(const struct watch_set *set, const char *path,
                              const struct object_identity *identity,
                              struct object_version *ret_version) {
        for (const struct watched *watched = set->first; watched; watched = watched->next)
                if (strcmp(watched->path, path) == 0 &&
                    reflector_object_version(watched->reflector, identity, ret_version))
                        return true;
        return false;
}

/* That a right is missing says more than that something did not answer. */
const struct err *watch_set_trouble(const struct watch_set *set, const void *owner,
                                    const char **ret_path) {
        const struct watched *found = NULL;

        for (const struct watched *watched = set->first; watched; watched = watched->next)
                for (const struct watch_row *row = watched->rows; row; row = row->next)
                        if (row->is_needed && !row->is_removed && row->owner == owner &&
                            !watch_row_is_ready(row) && watched->failure.code &&
                            (!found || watched->failure.code == BERTH_ERR_FORBIDDEN))
                                found = watched;
        if (!found)
                return NULL;
        *ret_path = found->path;
        return &found->failure;
}

size_t watch_set_count(const struct watch_set *set) {
        size_t count = 0;

        for (const struct watched *watched = set->first; watched; watched = watched->next)
                count += watched->rows ? 1 : 0;
        return count;
}
