/* The list of findings, and how it is shown. */
#include "cmd/config_findings.h"

#include "base/util.h"
#include "config/field_table.h"
#include <stdlib.h>
#include <string.h>

#define FINDING_BYTES (ERR_TEXT_MAX + 2 * ERR_PATH_MAX + 64)

void config_findings_release(struct config_findings *findings) {
        free(findings->items);
        *findings = (struct config_findings){ 0 };
}

void config_findings_add(struct config_findings *findings, const struct err *err, bool is_warning) {
        if (findings->count == findings->cap) {
                findings->cap = findings->cap ? 2 * findings->cap : 16;
                findings->items =
                        xreallocarray(findings->items, findings->cap, sizeof(*findings->items));
        }
        findings->items[findings->count++] = (struct config_finding){ *err, is_warning };
        findings->mistake_count += is_warning ? 0 : 1;
}

static void take_list(struct config_findings *findings, const struct err *items, size_t count,
                      const char *prefix, bool is_warning) {
        for (size_t i = 0; i < count && i < CONFIG_PROBLEMS_MAX; i++) {
                struct err err = items[i];

                if (*prefix)
                        err_path_prepend(&err, prefix);
                config_findings_add(findings, &err, is_warning);
        }
}

void config_findings_take(struct config_findings *findings, const struct config_problems *problems,
                          const char *prefix) {
        take_list(findings, problems->items, problems->count, prefix, false);
        take_list(findings, problems->warnings, problems->warning_count, prefix, true);
        if (problems->count <= CONFIG_PROBLEMS_MAX)
                return;
        struct err err = { 0 };
        err_set(&err, BERTH_ERR_INVALID, "%zu more problems",
                problems->count - CONFIG_PROBLEMS_MAX);
        memcpy(err.file, problems->items[0].file, sizeof(err.file));
        config_findings_add(findings, &err, false);
}

static bool finding_is_before(const struct err *a, const struct err *b) {
        if (!a->line || !b->line || strcmp(a->file, b->file) != 0)
                return false;
        return a->line < b->line || (a->line == b->line && a->column < b->column);
}

void config_findings_sort(struct config_findings *findings, size_t from) {
        for (size_t i = from + 1; i < findings->count; i++) {
                struct config_finding finding = findings->items[i];
                size_t at = i;

                for (; at > from && finding_is_before(&finding.err, &findings->items[at - 1].err);
                     at--)
                        findings->items[at] = findings->items[at - 1];
                findings->items[at] = finding;
        }
}

void config_findings_print(const struct config_findings *findings, struct buf *out) {
        char line[FINDING_BYTES];

        for (size_t i = 0; i < findings->count; i++) {
                struct err err = findings->items[i].err;

                if (findings->items[i].is_warning)
                        err_wrap(&err, "warning");
                err_format(&err, line, sizeof(line));
                buf_printf(out, "%s\n", line);
        }
}

struct json_node *config_findings_value(const struct config_findings *findings,
                                        struct json_tree *tree) {
        struct json_node *list = node_array(tree);

        for (size_t i = 0; i < findings->count; i++) {
                const struct config_finding *finding = &findings->items[i];
                struct json_node *node = node_object(tree);

                node_put_string(tree, node, "severity", finding->is_warning ? "warning" : "error");
                node_put_string(tree, node, "file", finding->err.file);
                node_put_i64(tree, node, "line", finding->err.line);
                node_put_i64(tree, node, "column", finding->err.column);
                node_put_string(tree, node, "path", finding->err.path);
                node_put_string(tree, node, "message", finding->err.text);
                node_append(list, node);
        }
        return list;
}
