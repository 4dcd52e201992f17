/* What table rows are written with. */
#include "kinds/row.h"

#include "api/selector.h"
#include "base/arena.h"
#include "base/saturate.h"
#include <stdio.h>
#include <stdlib.h>

struct row row_begin(struct kind_context *context, struct buf *out) {
        buf_char(out, '[');
        return (struct row){ .context = context, .out = out };
}

void row_end(struct row *row) {
        buf_char(row->out, ']');
}

static void row_separate(struct row *row) {
        if (row->count++)
                buf_char(row->out, ',');
}

void cell_text(struct row *row, struct slice text) {
        row_separate(row);
        buf_json_string(row->out, text);
}

void cell_string(struct row *row, const char *text) {
        cell_text(row, slice_of(text));
}

void cell_number(struct row *row, int64_t number) {
        row_separate(row);
        buf_printf(row->out, "%lld", (long long)number);
}

void cell_bool(struct row *row, bool value) {
        row_separate(row);
        buf_text(row->out, value ? "true" : "false");
}

void cell_format(struct row *row, const char *format, ...) {
        struct buf text = { 0 };
        va_list args;

        va_start(args, format);
        buf_vprintf(&text, format, args);
        va_end(args);
        cell_text(row, buf_view(&text));
        buf_release(&text);
}

void cell_or(struct row *row, struct slice text, const char *otherwise) {
        cell_text(row, text.len ? text : slice_of(otherwise));
}

void cell_name(struct row *row, const struct json *object) {
        cell_text(row, json_get_text(json_get(object, "metadata"), "name"));
}

const char *since_text(struct kind_context *context, struct slice time, char *buffer) {
        struct wall_time start;

        if (time.len == 0 || !wall_time_parse(time, &start))
                return "<unknown>";
        duration_format_human(difference_saturated(context->now.ns, start.ns), buffer);
        return buffer;
}

void cell_since(struct row *row, struct slice time, const char *otherwise) {
        char buffer[40];

        cell_string(row, time.len ? since_text(row->context, time, buffer) : otherwise);
}

void cell_age(struct row *row, const struct json *object) {
        cell_since(row, json_get_text(json_get(object, "metadata"), "creationTimestamp"),
                   "<unknown>");
}

void cell_join(struct row *row, const struct json *texts, const char *otherwise) {
        struct json_iter iter = json_iter(texts);
        const struct json *text;
        struct buf list = { 0 };

        while (json_next(&iter, NULL, &text))
                buf_printf(&list, "%s" SLICE_FMT, list.len ? "," : "", SLICE_ARG(json_text(text)));
        cell_or(row, buf_view(&list), otherwise);
        buf_release(&list);
}

static int compare_labels(const void *a, const void *b) {
        return slice_compare(((const struct label *)a)->key, ((const struct label *)b)->key);
}

void cell_labels(struct row *row, const struct json *labels) {
        struct label_list list = label_list_decode(labels, row->context->scratch);
        struct buf text = { 0 };

        if (list.count)
                qsort(list.items, list.count, sizeof(list.items[0]), compare_labels);
        for (size_t i = 0; i < list.count; i++)
                buf_printf(&text, "%s" SLICE_FMT "=" SLICE_FMT, i ? "," : "",
                           SLICE_ARG(list.items[i].key), SLICE_ARG(list.items[i].value));
        cell_or(row, buf_view(&text), "<none>");
        buf_release(&text);
}

void cell_label_selector(struct row *row, const struct json *selector) {
        struct selector decoded;
        struct buf text = { 0 };

        if (selector && selector_decode(selector, row->context->scratch, &decoded, NULL) < 0)
                buf_text(&text, "<error>");
        else if (selector)
                selector_print(&decoded, &text);
        cell_or(row, buf_view(&text), "<none>");
        buf_release(&text);
}

void cells_containers(struct row *row, const struct json *pod_spec) {
        struct json_iter iter = json_iter(json_get(pod_spec, "containers"));
        struct buf names = { 0 }, images = { 0 };
        const struct json *container;

        while (json_next(&iter, NULL, &container)) {
                buf_text(&names, names.len ? "," : "");
                buf_slice(&names, json_get_text(container, "name"));
                buf_text(&images, images.len ? "," : "");
                buf_slice(&images, json_get_text(container, "image"));
        }
        cell_text(row, buf_view(&names));
        cell_text(row, buf_view(&images));
        buf_release(&names);
        buf_release(&images);
}

static int compare_texts(const void *left, const void *right) {
        const struct slice *a = left, *b = right;

        return slice_compare(*a, *b);
}

void balancer_print(struct arena *arena, const struct json *status, struct buf *out) {
        const struct json *ways = json_get(json_get(status, "loadBalancer"), "ingress"), *way;
        struct slice *texts = ARENA_ARRAY(arena, struct slice, json_count(ways) + 1);
        struct json_iter iter = json_iter(ways);
        size_t count = 0;

        while (json_next(&iter, NULL, &way)) {
                struct slice text = json_get_text(way, "ip");

                if (text.len == 0)
                        text = json_get_text(way, "hostname");
                if (text.len)
                        texts[count++] = text;
        }
        qsort(texts, count, sizeof(*texts), compare_texts);
        for (size_t i = 0; i < count; i++)
                if (i == 0 || !slice_eq(texts[i], texts[i - 1]))
                        buf_printf(out, "%s" SLICE_FMT, i ? "," : "", SLICE_ARG(texts[i]));
}
