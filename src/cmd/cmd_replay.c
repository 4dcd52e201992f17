/* berth replay: recorded cases in, results out. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/progress.h"
#include "cmd/replay_device_objects.h"

#include "api/json.h"
#include "api/replay.h"
#include "base/util.h"
#include "desched/replay_descheduler.h"
#include "devices/replay_device_cel.h"
#include "evict/evict_service.h"
#include "plugins/desched/registry.h"
#include "plugins/sched/registry.h"
#include "roles/extender_files.h"
#include "sched/replay_scheduler.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPLAY_LINE_MAX ((size_t)64 << 20)

static int replay_descheduler(const struct json *input, struct buf *out, struct err *err) {
        struct evict_service *service = evict_service_new(&(struct evict_config){ 0 });
        const struct replay_descheduler_config config = {
                .registry = desched_registry,
                .sink = evict_requester_sink(evict_service_join(
                        service, &(struct evict_requester_config){ .is_parity = true }))
        };
        int code = replay_descheduler_case(input, &config, out, err);

        evict_service_free(service);
        return code;
}

static int replay_scheduler(const struct json *input, struct buf *out, struct err *err) {
        return replay_scheduler_case(sched_registry, input, out, err);
}

static int replay_sequence(const struct json *input, struct buf *out, struct err *err) {
        return replay_sequence_case(sched_registry, input, out, err);
}

static int replay_devices(const struct json *input, struct buf *out, struct err *err) {
        return replay_devices_case(sched_registry, input, out, err);
}

static int replay_device_sequence(const struct json *input, struct buf *out, struct err *err) {
        return replay_device_sequence_case(sched_registry, input, out, err);
}

static int replay_config(const struct json *input, struct buf *out, struct err *err) {
        const struct replay_config config = { .registry = sched_registry,
                                              .check = extender_files_check };

        return replay_config_case(&config, input, out, err);
}

static const struct replay_kind {
        const char *name;
        /* Writes {"name": ..., "expect": {...}} for one case. */
        int (*replay)(const struct json *input, struct buf *out, struct err *err);
} replay_kinds[] = {
        { "scheduler", replay_scheduler },
        { "sequence", replay_sequence },
        { "config-errors", replay_config },
        { "descheduler", replay_descheduler },
        { "policy-errors", replay_descheduler },
        { "quantity", replay_quantity_case },
        { "selectors", replay_selectors_case },
        { "dra-cel", replay_device_cel_case },
        { "dra-validation", replay_device_object_case },
        { "dra", replay_devices },
        { "dra-sequence", replay_device_sequence },
};
static const char *const replay_names[] = { "scheduler",   "sequence",      "config-errors",
                                            "descheduler", "policy-errors", "quantity",
                                            "selectors",   "dra-cel",       "dra-validation",
                                            "dra",         "dra-sequence",  NULL };

static const struct replay_kind *kind_find(const char *name) {
        for (size_t i = 0; i < ARRAY_LEN(replay_kinds); i++)
                if (strcmp(replay_kinds[i].name, name) == 0)
                        return &replay_kinds[i];
        return NULL;
}

static int replay_line(const struct replay_kind *kind, struct slice line, struct buf *out,
                       struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

        if (json_parse(line, &doc, err) < 0)
                return err->code;
        return kind->replay(json_doc_root(doc), out, err);
}

/* One result per non-empty line, written before the next is read. */
static int replay_stream(const struct replay_kind *kind, FILE *stream, const char *name,
                         struct err *err) {
        CLEANUP(progress_end) struct progress progress;
        CLEANUP(cleanup_free) char *line = NULL;
        CLEANUP(buf_release) struct buf out = { 0 };
        size_t cap = 0;
        unsigned number = 0;
        ssize_t len;

        progress_begin(&progress, SLICE_LITERAL("berth replay"), "case");
        progress.is_on &= !isatty(STDOUT_FILENO); /* results are progress enough */
        while ((len = getline(&line, &cap, stream)) >= 0) {
                struct slice text = slice_trim(slice_make(line, (size_t)len));

                number++;
                if (text.len == 0)
                        continue;
                if (text.len > REPLAY_LINE_MAX)
                        return err_set(err, BERTH_ERR_TOO_LARGE,
                                       "%s:%u: line longer than %zu bytes", name, number,
                                       REPLAY_LINE_MAX);
                buf_clear(&out);
                if (replay_line(kind, text, &out, err) < 0) {
                        err_position(err, name, number, err->column);
                        return err->code;
                }
                buf_char(&out, '\n');
                if (fwrite(out.data, 1, out.len, stdout) != out.len)
                        return err_set_errno(err, BERTH_ERR_IO, errno, "standard output");
                progress_set(&progress, number, 0);
        }
        if (ferror(stream))
                return err_set_errno(err, BERTH_ERR_IO, errno, "%s", name);
        return 0;
}

static int replay_file(const struct replay_kind *kind, const char *path, struct err *err) {
        FILE *stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");

        if (!stream)
                return err_set_errno(err, BERTH_ERR_IO, errno, "%s", path);
        int code = replay_stream(kind, stream, path, err);
        if (stream != stdin)
                fclose(stream);
        return code;
}

static int replay_run(const struct command_call *call) {
        const struct replay_kind *kind = kind_find(call->arguments.items[0]);
        struct err err = { 0 };
        int code = 0;

        if (!kind)
                return command_unknown_word("berth replay", replay_names, call->arguments.items[0]);
        if (call->arguments.count == 1)
                code = replay_file(kind, "-", &err);
        for (size_t i = 1; code == 0 && i < call->arguments.count; i++)
                code = replay_file(kind, call->arguments.items[i], &err);
        if (code == 0 && fflush(stdout) != 0)
                code = err_set_errno(&err, BERTH_ERR_IO, errno, "standard output");
        return code < 0 ? command_failed("replay", &err) : EXIT_DONE;
}

const struct command command_replay = {
        .name = "replay",
        .summary = "run recorded cases and print the results",
        .synopsis = "KIND [FILE...]",
        .description = "Reads cases, one JSON object per line, from files or standard "
                       "input, and writes one line per case in the same order: {\"name\": "
                       "..., \"expect\": {...}}. Runs them with --parity; the expect of a "
                       "case is not read.",
        .argument_choices = replay_names,
        .takes_files = true,
        .arguments_min = 1,
        .arguments_max = ARGUMENTS_MAX,
        .run = replay_run,
};
