/* Keys (namespace, name) that a controller has to look at: each at most once, in order of arrival,
 * now or at a later time, and again with growing pauses while looking at them fails. */
#pragma once

#include "base/slice.h"
#include "base/time.h"
#include <stdbool.h>
#include <stddef.h>

#define WORK_RETRY_FIRST_NS (50 * NS_PER_MS) /* pause after the first failure; doubles */
#define WORK_RETRY_MAX_NS (30 * NS_PER_S)

struct work_queue;
struct work_item;

/* wake runs whenever a key becomes ready, or is to become ready earlier than any other. */
struct work_queue *work_queue_new(void (*wake)(void *context), void *context);
void work_queue_free(struct work_queue *queue); /* accepts NULL */

/* A key that has failed more than WORK_HASTY_RETRIES times in a row waits out its pause. */
#define WORK_HASTY_RETRIES 5
void work_queue_add(struct work_queue *queue, struct slice ns, struct slice name);
/* Of several times for one key the earliest counts. */
void work_queue_add_at(struct work_queue *queue, struct slice ns, struct slice name,
                       struct mono_time due);
/* Drops the later time of a key; a key that is ready stays. */
void work_queue_cancel(struct work_queue *queue, struct slice ns, struct slice name);

/* Makes keys ready whose time has come. */
void work_queue_advance(struct work_queue *queue, struct mono_time now);
/* The oldest ready key, NULL when there is none; work_queue_done must follow. */
struct work_item *work_queue_take(struct work_queue *queue);
struct slice work_item_ns(const struct work_item *item);
struct slice work_item_name(const struct work_item *item);
void work_queue_done(struct work_queue *queue, struct work_item *item, bool is_failed,
                     struct mono_time now);

size_t work_queue_ready(const struct work_queue *queue);
size_t work_queue_delayed(const struct work_queue *queue);
/* When the next key becomes ready; INT64_MAX when none waits. */
struct mono_time work_queue_next(const struct work_queue *queue);
