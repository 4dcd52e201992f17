/* berth plan: what the descheduler would do. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "cmd/plan_print.h"
#include "cmd/snapshot_options.h"

#include "run/eviction_plan.h"

struct plan_options {
        struct snapshot_options input;
        const char *fail_on;
        int format;
        bool shows_spared;
};

struct planning {
        const struct plan_options *options;
        struct snapshot_inputs inputs;
        struct eviction_plan plan;
        struct arena *arena;
        bool has_limit;
        uint64_t limit; /* evictions that are still fine */
};

/* "any", or the number of evictions from which on the plan is judged no: N, evictions>N. */
static int read_limit(struct planning *planning, struct err *err) {
        static const char prefix[] = "evictions>";
        const char *text = planning->options->fail_on;
        struct slice number = slice_of(text);

        planning->has_limit = text != NULL;
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

static int print(struct planning *planning, struct err *err) {
        const struct plan_options *options = planning->options;
        const struct plan_view view = { options->shows_spared, planning->arena };
        CLEANUP(buf_release) struct buf out = { 0 };

        if (options->format == OUTPUT_TEXT) {
                plan_print(&planning->plan, &view, &out);
        } else {
                struct json_tree *tree = json_tree_new();

                output_value(plan_value(&planning->plan, &view, tree),
                             (enum output_format)options->format, &out);
                json_tree_free(tree);
        }
        return output_print(&out) ? 0
                                  : err_set(err, BERTH_ERR_IO, "cannot write to standard output");
}

static int make(struct planning *planning, struct err *err) {
        struct snapshot_inputs *inputs = &planning->inputs;

        if (read_limit(planning, err) < 0 ||
            snapshot_inputs_read(inputs, &planning->options->input, NULL, err) < 0)
                return err->code;
        if (!inputs->config.policy)
                return err_set(err, BERTH_ERR_USAGE,
                               "expected --policy FILE, or a DeschedulerPolicy among the objects");
        if (eviction_plan_make(&planning->plan, &inputs->snapshot, &inputs->config, inputs->now,
                               err) < 0)
                return err->code;
        eviction_plan_place(&planning->plan, &inputs->snapshot, &inputs->config.profiles,
                            inputs->now);
        return print(planning, err);
}

static int run(const struct command_call *call) {
        struct planning planning = { .options = call->options, .arena = call->arena };
        struct err err = { 0 };
        int code = make(&planning, &err);
        bool is_judged_no = planning.has_limit && planning.plan.done_count > planning.limit;

        eviction_plan_release(&planning.plan);
        snapshot_inputs_release(&planning.inputs);
        if (code < 0)
                return command_failed("plan", &err);
        return is_judged_no ? EXIT_JUDGED_NO : EXIT_DONE;
}

static const struct option plan_table[] = {
        SNAPSHOT_OPTIONS(struct plan_options, input),
        { .name = "spared",
          .type = OPTION_FLAG,
          .offset = offsetof(struct plan_options, shows_spared),
          .help = "also tell which pods a rule wanted and a filter kept, and why" },
        { .name = "fail-on",
          .type = OPTION_TEXT,
          .offset = offsetof(struct plan_options, fail_on),
          .value_name = "any|N|evictions>N",
          .help = "end with code 3 when there is any eviction, when there are N or more, or more "
                  "than N" },
        OUTPUT_OPTION(struct plan_options, format),
        OPTION_END,
};

const struct command command_plan = {
        .name = "plan",
        .summary = "show what the descheduler would do",
        .synopsis = "",
        .description =
                "Runs one pass of the descheduler over a snapshot of a cluster, with the very code "
                "that acts, budgets and limits included, and shows every eviction with its rule "
                "and "
                "reason, where the pod's like would land by berth's own scheduler and how much "
                "better it scores there, what limits and budgets kept, and a row per rule. Nothing "
                "is changed.\n\n"
                "Usage is measured by the NodeMetrics and PodMetrics among the objects.",
        .options = plan_table,
        .options_size = sizeof(struct plan_options),
        .run = run,
};
