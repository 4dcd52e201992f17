/* One job at a time, whatever is asked for meanwhile. */
#include "client/file_reader.h"

#include "base/slice.h"
#include "base/util.h"
#include "client/text_file.h"
#include "port/thread_job.h"
#include <stdlib.h>
#include <string.h>

/* What the thread has. */
struct reading {
        char *paths[FILE_READER_MAX];
        struct file_content texts[FILE_READER_MAX];
};

struct file_reader {
        struct file_reader_config config;
        char *paths[FILE_READER_MAX];
        struct loop *loop;
        struct thread_job *job; /* NULL = none is under way */
};

void file_content_wipe(struct file_content *text) {
        if (text->text)
                explicit_bzero(text->text, text->size);
        free(text->text);
        *text = (struct file_content){ 0 };
}

static void read_files(void *data) {
        struct reading *reading = data;

        for (size_t i = 0; i < FILE_READER_MAX; i++) {
                struct file_content *text = &reading->texts[i];

                if (reading->paths[i])
                        text_file_read(reading->paths[i], &text->text, &text->size, &text->err);
        }
}

static void reading_release(void *data) {
        struct reading *reading = data;

        for (size_t i = 0; i < FILE_READER_MAX; i++) {
                free(reading->paths[i]);
                file_content_wipe(&reading->texts[i]);
        }
        free(reading);
}

static void on_read_ended(void *context, void *data, bool was_run) {
        struct file_reader *reader = context;
        struct reading *reading = data;

        reader->job = NULL;
        for (size_t i = 0; !was_run && i < FILE_READER_MAX; i++)
                if (reading->paths[i])
                        err_set(&reading->texts[i].err, BERTH_ERR_TOO_MANY,
                                "%s was not read: too many files do not answer", reading->paths[i]);
        reader->config.read(reader->config.context, reading->texts);
}

static void on_read_late(void *context) {
        const struct file_reader *reader = context;

        if (reader->config.late)
                reader->config.late(reader->config.context);
}

struct file_reader *file_reader_new(const struct file_reader_config *config, struct loop *loop) {
        struct file_reader *reader = xcalloc(1, sizeof(*reader));

        reader->config = *config;
        reader->loop = loop;
        for (size_t i = 0; i < FILE_READER_MAX; i++)
                if (config->paths[i])
                        reader->paths[i] = slice_dup(slice_of(config->paths[i]));
        return reader;
}

void file_reader_free(struct file_reader *reader) {
        if (!reader)
                return;
        thread_job_abandon(reader->job);
        for (size_t i = 0; i < FILE_READER_MAX; i++)
                free(reader->paths[i]);
        free(reader);
}

void file_reader_start(struct file_reader *reader) {
        struct thread_job_work work = { .run = read_files,
                                        .ended = on_read_ended,
                                        .late = on_read_late,
                                        .release = reading_release };
        struct reading *reading;

        if (reader->job)
                return;
        reading = xcalloc(1, sizeof(*reading));
        for (size_t i = FILE_READER_MAX; i-- > 0;) {
                if (!reader->paths[i])
                        continue;
                reading->paths[i] = slice_dup(slice_of(reader->paths[i]));
                work.file = reader->paths[i]; /* the first of them is named */
        }
        reader->job = thread_job_start(reader->loop, &work, reading, reader);
}

bool file_reader_is_reading(const struct file_reader *reader) {
        return reader->job;
}

bool file_reader_is_late(const struct file_reader *reader) {
        return reader->job && thread_job_is_late(reader->job);
}
