/* Writes log lines as text or JSON, one write per line. */
#include "cmd/log_writer.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/slice.h"
#include "base/time.h"
#include "base/util.h"
#include "cmd/line_writer.h"
#include "cmd/needed_rights.h"
#include <time.h>

#define FLUSH_NS NS_PER_S

static struct log_sink sink;
static bool writes_json;
static const char *rights; /* manifest of the process; NULL = none */
static FILE *log_stream;
static struct line_writer *lines; /* NULL = written at once */

static void write_field(struct buf *line, const struct log_field *field) {
        buf_printf(line, " %s=", field->key);
        if (field->kind == LOG_FIELD_TEXT)
                buf_json_string(line, field->text);
        else if (field->kind == LOG_FIELD_I64)
                buf_printf(line, "%lld", (long long)field->i64);
        else
                buf_printf(line, "%g", field->f64);
}

/* {"level":"info","msg":"Event","time":"...",...} as logrus has them. */
static void write_json(struct buf *line, const char *level, const char *event,
                       const struct log_field *fields, size_t count, const char *manifest) {
        char now[WALL_TIME_TEXT_MAX];
        struct timespec time;

        clock_gettime(CLOCK_REALTIME, &time);
        wall_time_format((struct wall_time){ time.tv_sec * NS_PER_S }, now);
        buf_printf(line, "{\"level\":\"%s\",\"msg\":\"%s\",\"time\":\"%s\"", level, event, now);
        for (size_t i = 0; i < count; i++) {
                buf_printf(line, ",\"%s\":", fields[i].key);
                if (fields[i].kind == LOG_FIELD_TEXT)
                        buf_json_string(line, fields[i].text);
                else if (fields[i].kind == LOG_FIELD_I64)
                        buf_printf(line, "%lld", (long long)fields[i].i64);
                else
                        buf_printf(line, "%g", fields[i].f64);
        }
        if (manifest) {
                buf_text(line, ",\"rights\":");
                buf_json_string(line, slice_of(manifest));
        }
        buf_char(line, '}');
}

/* The manifest that has the right a line misses; NULL = it misses none. */
static const char *rights_of(const struct log_field *fields, size_t count) {
        for (size_t i = 0; rights && i < count; i++)
                if (fields[i].kind == LOG_FIELD_TEXT && needed_rights_miss(fields[i].text))
                        return rights;
        return NULL;
}

static void print_line(struct buf *line, enum log_level level, const char *event,
                       const struct log_field *fields, size_t count) {
        static const char *const names[] = { "error", "warn", "info", "debug" };
        const char *manifest = rights_of(fields, count);

        if (writes_json) {
                write_json(line, names[level], event, fields, count, manifest);
        } else {
                buf_printf(line, "%s %s", names[level], event);
                for (size_t i = 0; i < count; i++)
                        write_field(line, &fields[i]);
                if (manifest)
                        write_field(line, &(struct log_field){ .key = "rights",
                                                               .kind = LOG_FIELD_TEXT,
                                                               .text = slice_of(manifest) });
        }
        buf_char(line, '\n');
}

static void write_line(void *context, enum log_level level, const char *event,
                       const struct log_field *fields, size_t count) {
        CLEANUP(buf_release) struct buf line = { 0 };

        (void)context;
        print_line(&line, level, event, fields, count);
        log_writer_print(buf_view(&line));
}

void log_writer_print(struct slice text) {
        if (lines)
                line_writer_append(lines, text);
        else
                fwrite(text.ptr, 1, text.len, log_stream ? log_stream : stderr);
}

static void tell_dropped_lines(void *context, uint64_t count, struct buf *out) {
        const struct log_field fields[] = { log_i64("lines", (int64_t)count) };

        (void)context;
        print_line(out, LOG_WARN, "LogLinesDropped", fields, ARRAY_LEN(fields));
}

void log_writer_start_thread(void) {
        int fd = log_stream ? fileno(log_stream) : -1;

        if (!lines && fd >= 0) /* a stream in memory has none */
                lines = line_writer_new(&(struct line_writer_config){
                        .fd = fd, .tell_dropped = tell_dropped_lines });
}

void log_writer_flush(void) {
        if (lines)
                line_writer_flush(lines, FLUSH_NS);
}

void log_writer_install(FILE *stream) {
        log_stream = stream;
        sink = (struct log_sink){ .write = write_line, .max_level = LOG_WARN };
        log_install(&sink);
}

void log_writer_set_level(int level) {
        sink.max_level = level < 0 ? LOG_ERROR : level > 3 ? LOG_DEBUG : (enum log_level)level;
        log_install(&sink);
}

void log_writer_set_json(bool is_json) {
        writes_json = is_json;
}

void log_writer_set_rights(const char *manifest) {
        rights = manifest;
}
