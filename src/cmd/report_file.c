/* Facts of reports, and their files. */
#include "cmd/report_file.h"

#include "base/util.h"
#include "client/cluster_access.h"
#include "cmd/snapshot_options.h"
#include "loop/access_search.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

void report_facts_add(struct report_facts *facts, const char *label, struct slice value) {
        if (facts->count < REPORT_FACTS_MAX)
                facts->items[facts->count++] =
                        (struct report_fact){ label, arena_slice(facts->arena, value) };
}

/* 2026-01-31 12:00:00 UTC */
static struct slice time_text(struct arena *arena, struct wall_time now) {
        char text[WALL_TIME_TEXT_MAX];

        if (wall_time_format(now, text) < 20)
                return SLICE_EMPTY;
        return slice_of(arena_printf(arena, "%.10s %.8s UTC", text, text + 11));
}

void report_facts_init(struct report_facts *facts, struct arena *arena, struct wall_time now) {
        *facts = (struct report_facts){ .arena = arena };
        report_facts_add(facts, "Time", time_text(arena, now));
        report_facts_add(facts, "Made by", SLICE_LITERAL("berth " BERTH_VERSION));
}

void report_facts_add_cluster(struct report_facts *facts, const char *kubeconfig,
                              const char *context) {
        struct cluster_access access = { 0 };
        struct err err = { 0 };

        if (access_search(kubeconfig, context, &access, &err) < 0)
                return;
        report_facts_add(facts, "Cluster", slice_of(access.server));
        report_facts_add(facts, "Context", slice_of(access.context_name));
        cluster_access_release(&access);
}

void report_facts_add_snapshot(struct report_facts *facts, const struct snapshot_options *options) {
        CLEANUP(buf_release) struct buf files = { 0 };

        for (size_t i = 0; i < options->objects.count; i++)
                buf_printf(&files, "%s%s", i ? ", " : "", options->objects.items[i]);
        if (files.len)
                report_facts_add(facts, "Cluster", buf_view(&files));
        else
                report_facts_add_cluster(facts, options->kubeconfig, options->context);
        report_facts_add(facts, "Policy",
                         options->policy ? slice_of(options->policy)
                                         : SLICE_LITERAL("among the objects"));
        report_facts_add(facts, "Scheduler", slice_of(options->config));
        report_facts_add(facts, "Decides",
                         options->is_parity ? SLICE_LITERAL("as upstream does (--parity)")
                                            : SLICE_EMPTY);
}

bool report_file_is_page(const char *path) {
        const char *end = strrchr(path, '.');

        return end && (strcasecmp(end, ".html") == 0 || strcasecmp(end, ".htm") == 0);
}

int report_file_write(const char *path, const struct buf *text, struct err *err) {
        CLEANUP(buf_release) struct buf name = { 0 };

        buf_printf(&name, "%s.tmp", path);
        FILE *file = fopen(name.data, "we");
        if (!file)
                return err_set_errno(err, BERTH_ERR_IO, errno, "cannot write the report %s", path);
        bool is_written = fwrite(text->data, 1, text->len, file) == text->len;
        if (fclose(file) != 0 || !is_written || rename(name.data, path) != 0) {
                err_set_errno(err, BERTH_ERR_IO, errno, "cannot write the report %s", path);
                unlink(name.data);
                return BERTH_ERR_IO;
        }
        return 0;
}
