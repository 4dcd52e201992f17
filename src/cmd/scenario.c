/* Reads scenarios and runs their steps. */
#include "cmd/scenario.h"

#include "base/util.h"
#include "sandbox/sandbox_import.h"
#include <stdio.h>
#include <stdlib.h>

#define SCENARIO_STEP_MAX_NS (24 * 3600 * NS_PER_S)
#define SETTLE_POLL_NS (100 * NS_PER_MS)

/* ---- reading ---- */

/* Deletions start behind the first row. */
static const struct field change_fields[] = {
        { .name = "patch",
          .type = FIELD_JSON,
          .offset = offsetof(struct scenario_change, patch),
          .presence = FIELD_NO_PRESENCE,
          .flags = FIELD_REQUIRED,
          .help = "JSON merge patch" },
        { .name = "apiVersion",
          .type = FIELD_TEXT,
          .offset = offsetof(struct scenario_change, api_version),
          .presence = FIELD_NO_PRESENCE,
          .flags = FIELD_REQUIRED,
          .help = "of the object" },
        { .name = "kind",
          .type = FIELD_TEXT,
          .offset = offsetof(struct scenario_change, kind),
          .presence = FIELD_NO_PRESENCE,
          .flags = FIELD_REQUIRED,
          .help = "of the object" },
        { .name = "namespace",
          .type = FIELD_TEXT,
          .offset = offsetof(struct scenario_change, ns),
          .presence = FIELD_NO_PRESENCE,
          .help = "of the object; default where the kind has one" },
        { .name = "name",
          .type = FIELD_TEXT,
          .offset = offsetof(struct scenario_change, name),
          .presence = FIELD_NO_PRESENCE,
          .flags = FIELD_REQUIRED,
          .help = "of the object" },
        FIELD_END,
};
static const struct field count_fields[] = {
        { .name = "what",
          .type = FIELD_TEXT,
          .offset = offsetof(struct scenario_count, what),
          .presence = FIELD_NO_PRESENCE,
          .flags = FIELD_REQUIRED,
          .help = "words before the number" },
        { .name = "labels",
          .type = FIELD_TEXT,
          .offset = offsetof(struct scenario_count, labels),
          .presence = FIELD_NO_PRESENCE,
          .help = "label selector; all pods without one" },
        { .name = "node",
          .type = FIELD_TEXT,
          .offset = offsetof(struct scenario_count, node),
          .presence = FIELD_NO_PRESENCE,
          .help = "name of the node they run on; any without one" },
        FIELD_END,
};
static const struct field step_fields[] = {
        { .name = "after",
          .type = FIELD_DURATION,
          .offset = offsetof(struct scenario_step, after_ns),
          .presence = FIELD_NO_PRESENCE,
          .is_bounded = true,
          .max = SCENARIO_STEP_MAX_NS,
          .help = "time since the previous step" },
        { .name = "settled",
          .type = FIELD_BOOL,
          .offset = offsetof(struct scenario_step, when_settled),
          .presence = FIELD_NO_PRESENCE,
          .help = "wait until nothing changes any more" },
        { .name = "say",
          .type = FIELD_TEXT,
          .offset = offsetof(struct scenario_step, say),
          .presence = FIELD_NO_PRESENCE,
          .help = "line for the user" },
        { .name = "create",
          .type = FIELD_JSON,
          .offset = offsetof(struct scenario_step, create),
          .presence = FIELD_NO_PRESENCE,
          .help = "list of objects to create" },
        { .name = "patch",
          .type = FIELD_LIST,
          .offset = offsetof(struct scenario_step, patches),
          .presence = FIELD_NO_PRESENCE,
          .fields = change_fields,
          .item_size = sizeof(struct scenario_change),
          .help = "objects to change" },
        { .name = "delete",
          .type = FIELD_LIST,
          .offset = offsetof(struct scenario_step, deletes),
          .presence = FIELD_NO_PRESENCE,
          .fields = change_fields + 1,
          .item_size = sizeof(struct scenario_change),
          .help = "objects to delete" },
        { .name = "count",
          .type = FIELD_LIST,
          .offset = offsetof(struct scenario_step, counts),
          .presence = FIELD_NO_PRESENCE,
          .fields = count_fields,
          .item_size = sizeof(struct scenario_count),
          .help = "pods to count, before anything changes" },
        FIELD_END,
};
static const struct field metadata_fields[] = {
        { .name = "name",
          .type = FIELD_TEXT,
          .offset = 0,
          .presence = FIELD_NO_PRESENCE,
          .help = "of the scenario" },
        FIELD_END,
};
const struct field scenario_fields[] = {
        { .name = "apiVersion",
          .type = FIELD_TEXT,
          .offset = offsetof(struct scenario, api_version),
          .presence = FIELD_NO_PRESENCE,
          .flags = FIELD_REQUIRED,
          .help = "berth.dev/v1alpha1" },
        { .name = "kind",
          .type = FIELD_TEXT,
          .offset = offsetof(struct scenario, kind),
          .presence = FIELD_NO_PRESENCE,
          .flags = FIELD_REQUIRED,
          .help = "Scenario" },
        { .name = "metadata",
          .type = FIELD_STRUCT,
          .offset = offsetof(struct scenario, name),
          .presence = FIELD_NO_PRESENCE,
          .fields = metadata_fields,
          .help = "name" },
        { .name = "steps",
          .type = FIELD_LIST,
          .offset = offsetof(struct scenario, steps),
          .presence = FIELD_NO_PRESENCE,
          .flags = FIELD_REQUIRED,
          .fields = step_fields,
          .item_size = sizeof(struct scenario_step),
          .help = "what happens, in order" },
        FIELD_END,
};

bool scenario_decode(struct field_reader *reader, const struct json *object,
                     struct scenario *ret_scenario) {
        bool is_good = fields_decode(reader, scenario_fields, object, ret_scenario);
        const struct scenario_step *steps = ret_scenario->steps.items;

        for (size_t i = 0; is_good && i < ret_scenario->steps.count; i++) {
                if (steps[i].create && json_type(steps[i].create) != JSON_ARRAY) {
                        field_problem(reader, steps[i].create, "steps.create",
                                      "expected a list of objects, found %s",
                                      json_type_name(json_type(steps[i].create)));
                        is_good = false;
                }
        }
        return is_good;
}

/* ---- running ---- */

struct scenario_run {
        const struct scenario *scenario;
        struct loop *loop;
        struct sandbox_import *import;
        struct scenario_events events;
        struct loop_timer timer;
        size_t next;
};

static int create_all(struct scenario_run *run, const struct json *objects, struct err *err) {
        struct json_iter iter = json_iter(objects);
        const struct json *object;

        while (json_next(&iter, NULL, &object))
                if (sandbox_import_object(run->import, object, err) < 0)
                        return err->code;
        return 0;
}

static int change_all(struct scenario_run *run, const struct item_list *changes, bool is_delete,
                      struct err *err) {
        const struct scenario_change *items = changes->items;

        for (size_t i = 0; i < changes->count; i++) {
                const struct import_target target = { .api_version = items[i].api_version,
                                                      .kind = items[i].kind,
                                                      .ns = items[i].ns,
                                                      .name = items[i].name };
                int code =
                        is_delete ? sandbox_import_delete(run->import, &target, err)
                                  : sandbox_import_patch(run->import, &target, items[i].patch, err);

                if (code < 0)
                        return code;
        }
        return 0;
}

static int report_counts(struct scenario_run *run, const struct item_list *counts,
                         struct err *err) {
        const struct scenario_count *items = counts->items;

        for (size_t i = 0; i < counts->count; i++) {
                char text[256];
                size_t found = 0;

                if (run->events.count(run->events.context, &items[i], &found, err) < 0)
                        return err->code;
                snprintf(text, sizeof(text), "  " SLICE_FMT ": %zu", SLICE_ARG(items[i].what),
                         found);
                run->events.said(run->events.context, slice_of(text));
        }
        return 0;
}

static int scenario_perform(struct scenario_run *run, const struct scenario_step *step,
                            struct err *err) {
        if (report_counts(run, &step->counts, err) < 0)
                return err_wrap(err, "scenario step %zu", run->next + 1);
        if (step->say.len)
                run->events.said(run->events.context, step->say);
        if (create_all(run, step->create, err) < 0 ||
            change_all(run, &step->patches, false, err) < 0 ||
            change_all(run, &step->deletes, true, err) < 0)
                return err_wrap(err, "scenario step %zu", run->next + 1);
        return 0;
}

static const struct scenario_step *scenario_current(const struct scenario_run *run) {
        const struct scenario_step *steps = run->scenario->steps.items;

        return run->next < run->scenario->steps.count ? &steps[run->next] : NULL;
}

static void arm_next(struct scenario_run *run) {
        const struct scenario_step *step = scenario_current(run);

        if (step)
                loop_timer_arm(run->loop, &run->timer, step->after_ns);
}

static void on_timer(void *context) {
        struct scenario_run *run = context;
        const struct scenario_step *step = scenario_current(run);
        struct err err = { 0 };

        if (step->when_settled && !run->events.is_settled(run->events.context)) {
                loop_timer_arm(run->loop, &run->timer, SETTLE_POLL_NS);
                return;
        }
        if (scenario_perform(run, step, &err) < 0) {
                run->next = run->scenario->steps.count;
                run->events.failed(run->events.context, &err);
                return;
        }
        run->next++;
        arm_next(run);
}

struct scenario_run *scenario_run_new(const struct scenario *scenario, struct loop *loop,
                                      struct sandbox_import *import,
                                      const struct scenario_events *events) {
        struct scenario_run *run = xcalloc(1, sizeof(*run));

        run->scenario = scenario;
        run->loop = loop;
        run->import = import;
        run->events = *events;
        run->timer = (struct loop_timer){ .fired = on_timer, .context = run };
        arm_next(run);
        return run;
}

void scenario_run_free(struct scenario_run *run) {
        if (!run)
                return;
        loop_timer_disarm(run->loop, &run->timer);
        free(run);
}

bool scenario_run_is_over(const struct scenario_run *run) {
        return run->next >= run->scenario->steps.count;
}
