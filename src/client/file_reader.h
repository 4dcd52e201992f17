/* Files that a running process reads again, together and beside the loop: where a file does not
 * answer, the loop goes on with what it read last. */
#pragma once

#include "base/err.h"
#include "port/loop.h"
#include <stdbool.h>
#include <stddef.h>

#define FILE_READER_MAX 3

struct file_content {
        char *text; /* NUL-terminated; NULL = not asked for, or not read */
        size_t size;
        struct err err; /* why it was not read */
};
void file_content_wipe(struct file_content *text); /* frees it and leaves no trace of it */

struct file_reader_config {
        const char *paths[FILE_READER_MAX]; /* copied; NULL = none */
        /* From the loop, at the end of each read; what is taken out of texts is the caller's. */
        void (*read)(void *context, struct file_content texts[FILE_READER_MAX]);
        /* From the loop, when a file has not answered in time; read still follows. May be NULL. */
        void (*late)(void *context);
        void *context;
};

struct file_reader;
struct file_reader *file_reader_new(const struct file_reader_config *config, struct loop *loop);
void file_reader_free(struct file_reader *reader); /* accepts NULL */
/* Begins a read unless one is under way. */
void file_reader_start(struct file_reader *reader);
bool file_reader_is_reading(const struct file_reader *reader);
/* The read under way has taken too long. */
bool file_reader_is_late(const struct file_reader *reader);
