/* Memory and order of writes: lists of them, and a slot per object. */
#include "client/write_queue_priv.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

/* ---- lists ---- */

static void list_append(struct write_list *list, struct pending_write *write) {
        write->next = NULL;
        write->previous = list->last;
        if (list->last)
                list->last->next = write;
        else
                list->first = write;
        list->last = write;
        list->count++;
}

void write_list_remove(struct write_list *list, struct pending_write *write) {
        if (write->previous)
                write->previous->next = write->next;
        else
                list->first = write->next;
        if (write->next)
                write->next->previous = write->previous;
        else
                list->last = write->previous;
        write->next = write->previous = NULL;
        list->count--;
}

/* ---- writes and slots ---- */

void write_add_waiter(struct pending_write *write, const struct write_request *asked) {
        struct waiter **link = &write->waiters;

        if (!asked->done)
                return;
        while (*link)
                link = &(*link)->next;
        *link = xcalloc(1, sizeof(**link));
        **link = (struct waiter){ .done = asked->done, .context = asked->context };
}

static void on_wait_over(void *context);

struct pending_write *write_new(struct write_queue *queue, const struct write_request *asked) {
        struct pending_write *write = xcalloc(1, sizeof(*write));

        write->queue = queue;
        write->lane = asked->lane;
        write->method = asked->method;
        write->path = slice_dup(asked->path);
        write->content_type = slice_dup(asked->content_type);
        buf_slice(&write->body, asked->body);
        write->is_repeatable = asked->is_repeatable;
        write->is_once = asked->is_once;
        write->reports_busy = asked->reports_busy;
        write->keeps_bytes = asked->keeps_bytes;
        write->is_patient = asked->is_patient;
        write->comes_back = asked->comes_back;
        write->merge = asked->merge;
        write->is_no_op = asked->is_no_op;
        write->no_op_context = asked->context;
        write->backoff = (struct backoff){ .min_ns = WRITE_BACKOFF_MIN_NS,
                                           .max_ns = WRITE_BACKOFF_MAX_NS,
                                           .jitter = 0.5 };
        write->wait = (struct loop_timer){ .fired = on_wait_over, .context = write };
        write_add_waiter(write, asked);
        return write;
}

void write_free(struct pending_write *write) {
        while (write->waiters) {
                struct waiter *waiter = write->waiters;

                write->waiters = waiter->next;
                free(waiter);
        }
        free(write->path);
        free(write->content_type);
        buf_release(&write->body);
        free(write);
}

void write_queue_wake(struct write_queue *queue, int64_t delay_ns) {
        loop_timer_arm(queue->loop, &queue->work, delay_ns);
}

static void make_ready(struct pending_write *write) {
        write->state = WRITE_READY;
        list_append(&write->queue->lanes[write->lane], write);
        write_queue_wake(write->queue, 0);
}

static void on_wait_over(void *context) {
        make_ready(context);
}

static void write_entry_key(const struct write_request *asked, struct buf *out) {
        const struct slice parts[] = { asked->kind, asked->namespace_name, asked->name,
                                       asked->uid };

        for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
                buf_slice(out, parts[i]);
                buf_char(out, '/');
        }
}

struct write_entry *write_entry_of(struct write_queue *queue, const struct write_request *asked) {
        CLEANUP(buf_release) struct buf key = { 0 };
        struct write_entry *entry;

        if (asked->name.len) {
                write_entry_key(asked, &key);
                entry = map_get(queue->entries, buf_view(&key));
                if (entry)
                        return entry;
        }
        entry = xcalloc(1, sizeof(*entry));
        entry->next = queue->all;
        if (entry->next)
                entry->next->previous = entry;
        queue->all = entry;
        if (asked->name.len) {
                entry->key = slice_dup(buf_view(&key));
                map_put(queue->entries, buf_view(&key), entry);
        }
        return entry;
}

void write_entry_append(struct write_entry *entry, struct pending_write *write) {
        write->entry = entry;
        if (entry->last)
                entry->last->behind = write;
        else
                entry->first = write;
        entry->last = write;
        write->queue->count++;
        write->queue->event_count += write->lane == WRITE_EVENT;
        if (entry->first == write)
                make_ready(write);
        else
                write->state = WRITE_HELD;
}

void write_entry_free(struct write_queue *queue, struct write_entry *entry) {
        if (entry->previous)
                entry->previous->next = entry->next;
        else
                queue->all = entry->next;
        if (entry->next)
                entry->next->previous = entry->previous;
        if (entry->key)
                map_remove(queue->entries, slice_of(entry->key));
        free(entry->key);
        free(entry);
}

void write_entry_remove(struct pending_write *write, bool keeps_entry) {
        struct write_queue *queue = write->queue;
        struct write_entry *entry = write->entry;
        struct pending_write *before = NULL;

        for (struct pending_write *at = entry->first; at != write; at = at->behind)
                before = at;
        if (before)
                before->behind = write->behind;
        else
                entry->first = write->behind;
        if (entry->last == write)
                entry->last = before;
        if (write->state == WRITE_READY)
                write_list_remove(&queue->lanes[write->lane], write);
        loop_timer_disarm(queue->loop, &write->wait);
        write->entry = NULL;
        write->behind = NULL;
        queue->count--;
        queue->event_count -= write->lane == WRITE_EVENT;
        if (entry->first && entry->first->state == WRITE_HELD)
                make_ready(entry->first);
        if (!entry->first && !keeps_entry)
                write_entry_free(queue, entry);
}

void write_report_later(struct pending_write *write, enum write_outcome outcome) {
        write->state = WRITE_OVER;
        write->outcome = outcome;
        list_append(&write->queue->over, write);
        write_queue_wake(write->queue, 0);
}

void write_report(struct pending_write *write, const struct write_result *result) {
        while (write->waiters) {
                struct waiter *waiter = write->waiters;

                write->waiters = waiter->next;
                waiter->done(waiter->context, result);
                free(waiter);
        }
        write_free(write);
}
