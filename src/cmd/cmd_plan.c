/* berth plan: what the descheduler would do. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "cmd/plan_compare.h"
#include "cmd/plan_page.h"
#include "cmd/plan_print.h"
#include "cmd/progress.h"
#include "cmd/report_file.h"
#include "cmd/snapshot_options.h"

#include "ask/eviction_plan.h"

struct plan_options {
        struct snapshot_options input;
        const char *fail_on, *compare, *html;
        struct option_texts drained;
        int format;
        bool shows_spared;
};

struct planning {
        const struct plan_options *options;
        struct snapshot_inputs inputs;
        struct eviction_plan plan;
        struct role_config other; /* of --compare */
        struct eviction_plan other_plan;
        struct arena *arena;
        bool has_limit;
        uint64_t limit; /* evictions that are still fine */
};

/* "any", or the number of evictions from which on the plan is judged no: N, evictions>N. */
static int read_limit(struct planning *planning, struct err *err) {
        static const char prefix[] = "evictions>";
        const char *text = planning->options->fail_on;
        struct slice number = slice_of(text);

        planning->has_limit = text;
        if (!text || slice_is(number, "any"))
                return 0;
        if (slice_has_prefix(number, slice_of(prefix))) {
                number.ptr += sizeof(prefix) - 1;
                number.len -= sizeof(prefix) - 1;
                if (slice_to_u64(number, &planning->limit))
                        return 0;
        } else if (slice_to_u64(number, &planning->limit) && planning->limit > 0) {
                planning->limit--;
                return 0;
        }
        return err_set(err, BERTH_ERR_USAGE,
                       "option --fail-on: expected any, a number above 0, or evictions>N, found "
                       "\"%s\"",
                       text);
}

static struct json_node *value_of(struct planning *planning, const struct plan_view *view,
                                  struct json_tree *tree) {
        if (planning->options->compare)
                return plan_compare_value(&planning->plan, &planning->other_plan, tree);
        return plan_value(&planning->plan, view, tree);
}

static void print_text(struct planning *planning, const struct plan_view *view, struct buf *out) {
        if (planning->options->compare)
                plan_compare_print(&planning->plan, &planning->other_plan, planning->arena, out);
        else
                plan_print(&planning->plan, view, out);
}

static int cmd_plan_print(struct planning *planning, struct err *err) {
        const struct plan_options *options = planning->options;
        const struct plan_view view = { options->shows_spared, planning->arena };
        CLEANUP(buf_release) struct buf out = { 0 };

        if (options->format == OUTPUT_TEXT) {
                print_text(planning, &view, &out);
        } else {
                struct json_tree *tree = json_tree_new();

                output_value(value_of(planning, &view, tree), (enum output_format)options->format,
                             &out);
                json_tree_free(tree);
        }
        return output_print(&out) ? 0
                                  : err_set(err, BERTH_ERR_IO, "cannot write to standard output");
}

/* The page is of the plan that is judged: with --compare, the other policy's. */
static int write_page(struct planning *planning, struct err *err) {
        const char *path = planning->options->html;
        const struct eviction_plan *plan =
                planning->options->compare ? &planning->other_plan : &planning->plan;
        struct snapshot_options input = planning->options->input;
        CLEANUP(buf_release) struct buf out = { 0 };
        struct report_facts facts;

        if (!path)
                return 0;
        if (planning->options->compare)
                input.policy = planning->options->compare;
        report_facts_init(&facts, planning->arena, planning->inputs.now);
        report_facts_add_snapshot(&facts, &input);
        plan_page_write(plan, &facts, &out);
        return report_file_write(path, &out, err);
}

static int make_one(struct planning *planning, const struct role_config *config,
                    struct eviction_plan *plan, struct err *err) {
        struct snapshot_inputs *inputs = &planning->inputs;
        struct progress progress;
        const struct option_texts *drained = &planning->options->drained;
        struct slice *nodes = ARENA_ARRAY(planning->arena, struct slice, drained->count);
        const struct plan_request request = { .config = config,
                                              .drained = nodes,
                                              .drained_count = drained->count,
                                              .now = inputs->now };

        for (size_t i = 0; i < drained->count; i++)
                nodes[i] = slice_of(drained->items[i]);
        if (eviction_plan_make(plan, &inputs->snapshot, &request, err) < 0)
                return err->code;
        progress_begin(&progress, SLICE_LITERAL("berth plan: placing evicted pods"), "pod");
        plan->progress = progress_step;
        plan->progress_context = &progress;
        eviction_plan_place(plan, &inputs->snapshot);
        plan->progress = NULL;
        progress_end(&progress);
        return 0;
}

/* The same cluster and scheduler under another policy. */
static int make_other(struct planning *planning, struct err *err) {
        const struct plan_options *options = planning->options;
        struct snapshot *snapshot = &planning->inputs.snapshot;
        struct role_config_sources sources = { .policy_path = options->compare,
                                               .config_path = options->input.config,
                                               .config = snapshot->config,
                                               .gates = ROLE_CONFIG_ASKED,
                                               .is_parity = options->input.is_parity };

        if (!options->compare)
                return 0;
        if (role_config_load(&sources, &planning->other, err) < 0 ||
            role_config_build(&planning->other, snapshot->cluster, snapshot->object_cache, err) < 0)
                return err->code;
        return make_one(planning, &planning->other, &planning->other_plan, err);
}

static int cmd_plan_make(struct planning *planning, struct err *err) {
        struct snapshot_inputs *inputs = &planning->inputs;

        if (read_limit(planning, err) < 0 ||
            snapshot_inputs_read(inputs, &planning->options->input, NULL, err) < 0)
                return err->code;
        if (!inputs->config.policy && !planning->options->drained.count)
                return err_set(err, BERTH_ERR_USAGE,
                               "expected --policy FILE, a DeschedulerPolicy among the objects, or "
                               "--drain NODE");
        if (make_one(planning, &inputs->config, &planning->plan, err) < 0 ||
            make_other(planning, err) < 0 || write_page(planning, err) < 0)
                return err->code;
        return cmd_plan_print(planning, err);
}

static int cmd_plan_run(const struct command_call *call) {
        struct planning planning = { .options = call->options, .arena = call->arena };
        struct err err = { 0 };
        int code = cmd_plan_make(&planning, &err);
        const struct eviction_plan *judged =
                planning.options->compare ? &planning.other_plan : &planning.plan;
        bool is_judged_no = planning.has_limit && judged->done_count > planning.limit;

        eviction_plan_release(&planning.plan);
        eviction_plan_release(&planning.other_plan);
        role_config_release(&planning.other);
        snapshot_inputs_release(&planning.inputs);
        if (code < 0)
                return command_failed("plan", &err);
        return is_judged_no ? EXIT_JUDGED_NO : EXIT_DONE;
}

static const struct option plan_table[] = {
        { .group = snapshot_option_table, .offset = offsetof(struct plan_options, input) },
        { .name = "drain",
          .type = OPTION_TEXTS,
          .offset = offsetof(struct plan_options, drained),
          .value_name = "NODE",
          .names = NAMES_NODES,
          .help = "first take this node away: cordoned, and drained as far as budgets let it; may "
                  "be given again, and needs no policy" },
        { .name = "spared",
          .type = OPTION_FLAG,
          .offset = offsetof(struct plan_options, shows_spared),
          .help = "also show pods that a rule selects and a filter protects, "
                  "and why" },
        { .name = "compare",
          .type = OPTION_TEXT,
          .offset = offsetof(struct plan_options, compare),
          .value_name = "FILE",
          .is_file = true,
          .help = "also plan with this DeschedulerPolicy, and show the "
                  "differences; --fail-on then judges this one" },
        { .name = "html",
          .type = OPTION_TEXT,
          .offset = offsetof(struct plan_options, html),
          .value_name = "FILE",
          .is_file = true,
          .help = "also write the plan to this file, as a page without scripts "
                  "or links" },
        { .name = "fail-on",
          .type = OPTION_TEXT,
          .offset = offsetof(struct plan_options, fail_on),
          .value_name = "any|N|evictions>N",
          .help = "end with code 3 when there is any eviction, when there are N "
                  "or more, or more than N" },
        { .group = output_option_table, .offset = offsetof(struct plan_options, format) },
        { 0 },
};

const struct command command_plan = {
        .name = "plan",
        .summary = "show what a descheduler policy would evict",
        .synopsis = "",
        .description = "Runs one pass of the descheduler on a snapshot of a cluster, with "
                       "budgets and limits, and changes nothing. Prints each eviction with "
                       "its rule and reason, the node where the replacement would land, "
                       "what limits and budgets refused, a row per rule, and the "
                       "utilisation of the nodes before and after.\n\n"
                       "Measured usage comes from the policy's metrics providers; with "
                       "--objects, from the NodeMetrics and PodMetrics among them.",
        .options = plan_table,
        .options_size = sizeof(struct plan_options),
        .run = cmd_plan_run,
};
