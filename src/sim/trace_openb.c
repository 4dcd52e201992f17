/* Reads the openb CSV tables: checks every row, then writes each as a Kubernetes object. */
#include "sim/trace_openb.h"

#include "base/arena.h"
#include "base/util.h"

enum column { /* both tables; absent ones stay empty */
              COLUMN_NAME,
              COLUMN_CPU,
              COLUMN_MEMORY,
              COLUMN_GPU_COUNT,
              COLUMN_GPU_MILLI,
              COLUMN_MODEL, /* node: model; pod: gpu_spec */
              COLUMN_QOS,
              COLUMN_CREATED,
              COLUMN_COUNT
};

struct column_rule {
        const char *title[2]; /* per table; NULL = not in that table */
        bool is_number;
        bool is_name;
};
static const struct column_rule column_rules[COLUMN_COUNT] = {
        [COLUMN_NAME] = { { "sn", "name" }, .is_name = true },
        [COLUMN_CPU] = { { "cpu_milli", "cpu_milli" }, .is_number = true },
        [COLUMN_MEMORY] = { { "memory_mib", "memory_mib" }, .is_number = true },
        [COLUMN_GPU_COUNT] = { { "gpu", "num_gpu" }, .is_number = true },
        [COLUMN_GPU_MILLI] = { { NULL, "gpu_milli" }, .is_number = true },
        [COLUMN_MODEL] = { { "model", "gpu_spec" } },
        [COLUMN_QOS] = { { NULL, "qos" } },
        [COLUMN_CREATED] = { { NULL, "creation_time" }, .is_number = true },
};

#define COLUMNS_MAX 64
#define AMOUNT_MAX ((int64_t)1 << 40) /* any amount in a row */

struct trace_openb_row {
        struct slice text[COLUMN_COUNT];
        int64_t number[COLUMN_COUNT];
};

struct trace_reader {
        enum trace_table table;
        struct slice rest;
        const char *file;
        unsigned line;
        size_t column_count;
        int meaning[COLUMNS_MAX]; /* enum column of each field, -1 = ignored */
        struct err *err;
};

static int row_problem(struct trace_reader *reader, const char *title, const char *expected,
                       struct slice found) {
        err_set(reader->err, BERTH_ERR_INVALID, "expected %s, found \"" SLICE_FMT "\"", expected,
                SLICE_ARG(found));
        err_path_prepend(reader->err, title);
        err_position(reader->err, reader->file, reader->line, 0);
        return BERTH_ERR_INVALID;
}

static bool next_line(struct trace_reader *reader, struct slice *ret_line) {
        while (slice_split(&reader->rest, '\n', ret_line)) {
                reader->line++;
                *ret_line = slice_trim(*ret_line);
                if (ret_line->len)
                        return true;
        }
        return false;
}

static int meaning_of(enum trace_table table, struct slice title) {
        for (int c = 0; c < COLUMN_COUNT; c++)
                if (column_rules[c].title[table] && slice_is(title, column_rules[c].title[table]))
                        return c;
        return -1;
}

static int read_header(struct trace_reader *reader) {
        bool has[COLUMN_COUNT] = { false };
        struct slice line = SLICE_EMPTY, title;

        if (!next_line(reader, &line))
                return row_problem(reader, "header", "a line of column names", SLICE_EMPTY);
        for (struct slice rest = line; slice_split(&rest, ',', &title);) {
                int meaning = meaning_of(reader->table, slice_trim(title));

                if (reader->column_count == COLUMNS_MAX)
                        return row_problem(reader, "header", "at most 64 columns", title);
                reader->meaning[reader->column_count++] = meaning;
                if (meaning >= 0)
                        has[meaning] = true;
        }
        for (int c = 0; c < COLUMN_COUNT; c++)
                if (column_rules[c].title[reader->table] && !has[c])
                        return row_problem(reader, column_rules[c].title[reader->table],
                                           "a column of this name in the header", line);
        return 0;
}

static bool is_name(struct slice text) {
        if (text.len == 0 || text.len > 253 || text.ptr[0] == '-' || text.ptr[text.len - 1] == '-')
                return false;
        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'))
                        return false;
        }
        return true;
}

static bool is_label_text(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || c == '.' || c == '|'))
                        return false;
        }
        return text.len <= 512;
}

static int read_field(struct trace_reader *reader, enum column column, struct slice text,
                      struct trace_openb_row *row) {
        const struct column_rule *rule = &column_rules[column];
        const char *title = rule->title[reader->table];

        row->text[column] = text;
        if (rule->is_number && (!slice_to_i64(text, &row->number[column]) ||
                                row->number[column] < 0 || row->number[column] > AMOUNT_MAX))
                return row_problem(reader, title, "a whole number from 0", text);
        if (rule->is_name && !is_name(text))
                return row_problem(reader, title, "a DNS name in lower case", text);
        if (!rule->is_number && !rule->is_name && !is_label_text(text))
                return row_problem(reader, title, "letters, digits, - _ . and |", text);
        return 0;
}

static int read_row(struct trace_reader *reader, struct slice line,
                    struct trace_openb_row *ret_row) {
        struct slice text;
        size_t at = 0;

        *ret_row = (struct trace_openb_row){ 0 };
        for (struct slice rest = line; slice_split(&rest, ',', &text); at++) {
                if (at >= reader->column_count)
                        return row_problem(reader, "row", "no more fields than the header has",
                                           line);
                if (reader->meaning[at] >= 0 && read_field(reader, (enum column)reader->meaning[at],
                                                           slice_trim(text), ret_row) < 0)
                        return BERTH_ERR_INVALID;
        }
        if (at < reader->column_count)
                return row_problem(reader, "row", "as many fields as the header has", line);
        return 0;
}

static void write_node(const struct trace_openb_row *row, struct buf *out) {
        const struct slice model = row->text[COLUMN_MODEL];

        buf_printf(out,
                   "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" SLICE_FMT
                   "\",\"labels\":{\"kubernetes.io/hostname\":\"" SLICE_FMT "\"",
                   SLICE_ARG(row->text[COLUMN_NAME]), SLICE_ARG(row->text[COLUMN_NAME]));
        if (model.len)
                buf_printf(out, ",\"" TRACE_GPU_LABEL "\":\"" SLICE_FMT "\"", SLICE_ARG(model));
        buf_text(out, "}},\"status\":{");
        for (int i = 0; i < 2; i++) {
                buf_printf(out, "%s:{\"cpu\":\"%lldm\",\"memory\":\"%lldMi\",\"pods\":\"%d\"",
                           i ? ",\"capacity\"" : "\"allocatable\"",
                           (long long)row->number[COLUMN_CPU],
                           (long long)row->number[COLUMN_MEMORY], TRACE_NODE_PODS_MAX);
                if (row->number[COLUMN_GPU_COUNT])
                        buf_printf(out, ",\"" TRACE_GPU_RESOURCE "\":\"%lld\"",
                                   (long long)row->number[COLUMN_GPU_COUNT] * 1000);
                buf_char(out, '}');
        }
        buf_text(out, ",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}");
}

static void write_models(struct slice models, struct buf *out) {
        struct slice model;
        bool is_first = true;

        buf_text(out, ",\"affinity\":{\"nodeAffinity\":{"
                      "\"requiredDuringSchedulingIgnoredDuringExecution\":{"
                      "\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"" TRACE_GPU_LABEL
                      "\",\"operator\":\"In\",\"values\":[");
        while (slice_split(&models, '|', &model)) {
                buf_printf(out, "%s\"" SLICE_FMT "\"", is_first ? "" : ",", SLICE_ARG(model));
                is_first = false;
        }
        buf_text(out, "]}]}]}}}");
}

static void write_amounts(const struct trace_openb_row *row, int64_t gpu, struct buf *out) {
        buf_printf(out, "{\"cpu\":\"%lldm\",\"memory\":\"%lldMi\"",
                   (long long)row->number[COLUMN_CPU], (long long)row->number[COLUMN_MEMORY]);
        if (gpu)
                buf_printf(out, ",\"" TRACE_GPU_RESOURCE "\":\"%lld\"", (long long)gpu);
        buf_char(out, '}');
}

static void write_pod(const struct trace_openb_row *row, struct buf *out) {
        int64_t gpu = row->number[COLUMN_GPU_COUNT] * row->number[COLUMN_GPU_MILLI];

        buf_printf(out,
                   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" SLICE_FMT
                   "\",\"namespace\":\"default\",\"labels\":{\"trace.berth.dev/qos\":\"" SLICE_FMT
                   "\"}},\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":"
                   "\"trace.berth.dev/openb\",\"resources\":{\"requests\":",
                   SLICE_ARG(row->text[COLUMN_NAME]), SLICE_ARG(row->text[COLUMN_QOS]));
        write_amounts(row, gpu, out);
        if (gpu) /* extended resources need equal limits */
                buf_printf(out, ",\"limits\":{\"" TRACE_GPU_RESOURCE "\":\"%lld\"}",
                           (long long)gpu);
        buf_text(out, "}}]");
        if (row->text[COLUMN_MODEL].len)
                write_models(row->text[COLUMN_MODEL], out);
        buf_text(out, "}}");
}

static int check_all(struct trace_reader reader) {
        struct slice line;
        struct trace_openb_row row;

        while (next_line(&reader, &line)) {
                if (reader.line > TRACE_ROWS_MAX)
                        return row_problem(&reader, "row", "at most 10,000,000 rows", SLICE_EMPTY);
                if (read_row(&reader, line, &row) < 0)
                        return BERTH_ERR_INVALID;
        }
        return 0;
}

int trace_openb_read(enum trace_table table, struct slice text, const char *file,
                     int (*visit)(void *context, struct slice name, struct slice object,
                                  struct err *err),
                     void *context, struct err *err) {
        struct trace_reader reader = { .table = table, .rest = text, .file = file, .err = err };
        CLEANUP(buf_release) struct buf object = { 0 };
        struct slice line;
        struct trace_openb_row row;
        int code = read_header(&reader);

        if (code == 0)
                code = check_all(reader);
        while (code == 0 && next_line(&reader, &line)) {
                code = read_row(&reader, line, &row);
                if (code < 0)
                        break;
                buf_clear(&object);
                if (table == TRACE_NODES)
                        write_node(&row, &object);
                else
                        write_pod(&row, &object);
                code = visit(context, row.text[COLUMN_NAME], buf_view(&object), err);
        }
        return code;
}
