/* Reads a question, plans, and writes the plan in the form that was asked for. */
#include "cmd/dashboard_planner.h"

#include "ask/eviction_plan.h"
#include "ask/snapshot_input.h"
#include "base/util.h"
#include "cmd/output.h"
#include "cmd/plan_commands.h"
#include "cmd/plan_page.h"
#include "cmd/plan_print.h"
#include "cmd/report_file.h"
#include "config/descheduler_policy.h"
#include "config/document.h"
#include "config/scheduler_configuration.h"
#include "dashboard/dashboard.h"
#include "roles/role_config.h"
#include <stdlib.h>

#define DRAINED_MAX 10000

struct dashboard_planner {
        struct dashboard_planner_config config;
};

/* One question: the process's own configuration with what the question changes of it. */
struct dashboard_question {
        const struct dashboard_planner *planner;
        struct snapshot *snapshot;
        struct arena arena;
        struct role_config asked;
        bool has_policy, has_scheduler; /* of the question; what it has not is borrowed */
        struct slice *drained;
        size_t drained_count;
        bool shows_spared;
        uint32_t seen; /* members of the question, as bits */
        struct wall_time now;
        struct eviction_plan plan;
        size_t problem_count;
        struct buf problems; /* items of a JSON list */
};

/* ---- problems ---- */

static void add_problem(struct dashboard_question *question, const char *member,
                        const struct err *err) {
        struct buf *out = &question->problems;

        buf_printf(out, "%s{\"in\":\"%s\",\"line\":%u,\"column\":%u,\"path\":",
                   question->problem_count++ ? "," : "", member, err->line, err->column);
        buf_json_string(out, slice_of(err->path));
        buf_text(out, ",\"text\":");
        buf_json_string(out, slice_of(err->text));
        buf_char(out, '}');
}

static void add_problems(struct dashboard_question *question, const char *member,
                         const struct config_problems *problems) {
        for (size_t i = 0; i < problems->count && i < CONFIG_PROBLEMS_MAX; i++)
                add_problem(question, member, &problems->items[i]);
}

/* ---- what a question may change ---- */

/* NULL: it is no YAML, which was noted. */
static struct document *read_text(struct dashboard_question *question, const char *member,
                                  struct slice text) {
        struct document *document;
        struct err err = { 0 };

        if (document_read(text, member, &document, &err) == 0)
                return document;
        add_problem(question, member, &err);
        return NULL;
}

typedef void take_document(struct role_config *config, struct document *document,
                           struct config_problems *problems);

static bool take_text(struct dashboard_question *question, const char *member, struct slice text,
                      take_document *take) {
        struct document *document = read_text(question, member, text);

        if (!document)
                return false;
        struct config_problems *problems = config_problems_new();
        take(&question->asked, document, problems);
        add_problems(question, member, problems);
        bool is_good = problems->count == 0;
        config_problems_free(problems);
        return is_good;
}

/* An empty text is none: the process's own does not count either. */
static void read_policy(struct dashboard_question *question, const struct json *value) {
        struct slice text = slice_trim(json_text(value));

        question->has_policy = true;
        if (text.len)
                take_text(question, "policy", json_text(value), role_config_check_policy);
}

/* Profiles are built over the model at once: their mistakes are found before anything is planned.
 * Extenders are other programs, which a question does not call. */
static void read_scheduler(struct dashboard_question *question, const struct json *value) {
        struct slice text = slice_trim(json_text(value));
        struct snapshot *snapshot = question->snapshot;
        struct err err = { 0 };

        if (!text.len)
                return;
        question->has_scheduler = true;
        if (!take_text(question, "config", json_text(value), role_config_check_scheduler))
                return;
        if (question->asked.configuration->extenders.count)
                err_set(&err, BERTH_ERR_INVALID, "extenders are not asked here: leave them out");
        else
                role_config_build(&question->asked, snapshot->cluster, snapshot->object_cache,
                                  &err);
        if (err.code)
                add_problem(question, "config", &err);
}

static bool is_named(const struct dashboard_question *question, struct slice name) {
        for (size_t i = 0; i < question->drained_count; i++)
                if (slice_eq(question->drained[i], name))
                        return true;
        return false;
}

static void read_drained(struct dashboard_question *question, const struct json *value) {
        const struct cluster *cluster = question->snapshot->cluster;
        struct json_iter iter = json_iter(value);
        const struct json *entry;
        struct err err = { 0 };

        if (json_count(value) > DRAINED_MAX) {
                err_set(&err, BERTH_ERR_INVALID, "expected at most %d nodes", DRAINED_MAX);
                add_problem(question, "drain", &err);
                return;
        }
        question->drained = ARENA_ARRAY(&question->arena, struct slice, json_count(value));
        while (json_next(&iter, NULL, &entry)) {
                struct slice name = json_text(entry);
                struct node_id node = cluster_find_node(cluster, name);

                if (node_id_is_none(node)) {
                        err_set(&err, BERTH_ERR_INVALID, "there is no node \"" SLICE_FMT "\"",
                                SLICE_ARG(name));
                        add_problem(question, "drain", &err);
                } else if (!is_named(question, name)) {
                        question->drained[question->drained_count++] = name;
                }
        }
}

static void read_spared(struct dashboard_question *question, const struct json *value) {
        question->shows_spared = json_is_true(value);
}

static void read_now(struct dashboard_question *question, const struct json *value) {
        struct err err = { 0 };

        if (wall_time_parse(json_text(value), &question->now))
                return;
        err_set(&err, BERTH_ERR_INVALID, "expected a time such as 2026-01-31T12:00:00Z");
        add_problem(question, "now", &err);
}

/* A row for each kind of change; the page's form has one for each, too. */
static const struct question_member {
        const char *name;
        enum json_type type;
        void (*read)(struct dashboard_question *question, const struct json *value);
} members[] = {
        { "policy", JSON_STRING, read_policy }, { "config", JSON_STRING, read_scheduler },
        { "drain", JSON_ARRAY, read_drained },  { "spared", JSON_BOOL, read_spared },
        { "now", JSON_STRING, read_now },
};

static const struct question_member *member_find(struct slice name) {
        for (size_t i = 0; i < ARRAY_LEN(members); i++)
                if (slice_is(name, members[i].name))
                        return &members[i];
        return NULL;
}

static void read_member(struct dashboard_question *question, struct slice key,
                        const struct json *value) {
        const struct question_member *member = member_find(key);
        struct err err = { 0 };

        if (!member)
                err_set(&err, BERTH_ERR_INVALID, "nothing is known of \"" SLICE_FMT "\"",
                        SLICE_ARG(key));
        else if (question->seen & 1U << (member - members))
                err_set(&err, BERTH_ERR_INVALID, "is there twice");
        else if (json_type(value) != member->type)
                err_set(&err, BERTH_ERR_INVALID, "expected another type, found %s",
                        json_type_name(json_type(value)));
        if (err.code) {
                add_problem(question, member ? member->name : "question", &err);
                return;
        }
        question->seen |= 1U << (member - members);
        member->read(question, value);
}

static void read_question(struct dashboard_question *question, const struct json *root) {
        const struct role_config *own = question->planner->config.own;
        struct json_iter iter = json_iter(root);
        const struct json *value;
        struct err err = { 0 };
        struct slice key;

        question->asked.is_parity = own->is_parity;
        question->asked.gates = own->gates;
        if (json_type(root) != JSON_OBJECT)
                err_set(&err, BERTH_ERR_INVALID, "expected an object, found %s",
                        json_type_name(json_type(root)));
        while (!err.code && json_next(&iter, &key, &value))
                read_member(question, key, value);
        if (!question->has_policy)
                question->asked.policy = own->policy;
        if (!question->has_scheduler)
                question->asked.profiles = own->profiles;
        if (!err.code && !question->problem_count && !question->asked.policy &&
            !question->drained_count)
                err_set(&err, BERTH_ERR_INVALID, "expected a policy, or nodes to take away");
        if (err.code)
                add_problem(question, "question", &err);
}

/* ---- the answer ---- */

static bool make_plan(struct dashboard_question *question) {
        const struct plan_request request = { .config = &question->asked,
                                              .drained = question->drained,
                                              .drained_count = question->drained_count,
                                              .now = question->now };
        struct err err = { 0 };

        if (eviction_plan_make(&question->plan, question->snapshot, &request, &err) < 0) {
                add_problem(question, "question", &err);
                return false;
        }
        eviction_plan_place(&question->plan, question->snapshot);
        return true;
}

static void write_loads(const struct eviction_plan *plan, struct buf *out) {
        for (size_t i = 0; i < plan->load_count; i++) {
                buf_printf(out, "%s[%u", i ? "," : "", plan->loads[i].node.index);
                for (size_t r = 0; r < plan->resource_count; r++)
                        buf_printf(out, ",%lld", (long long)plan->loads[i].requested[r]);
                buf_char(out, ']');
        }
}

static void write_json(struct dashboard_question *question, struct buf *out) {
        const struct plan_view view = { question->shows_spared, &question->arena };
        struct json_tree *tree = json_tree_new();

        buf_text(out, "\"loads\":[");
        write_loads(&question->plan, out);
        buf_text(out, "],\"plan\":");
        node_write(plan_value(&question->plan, &view, tree), out);
        json_tree_free(tree);
}

static void write_page(struct dashboard_question *question, struct buf *out) {
        struct report_facts facts;

        report_facts_init(&facts, &question->arena, question->now);
        report_facts_add(&facts, "Cluster", slice_of(question->planner->config.source));
        plan_page_write(&question->plan, &facts, out);
}

static void write_berth(struct dashboard_question *question, struct buf *out) {
        plan_write_commands(&question->plan, PLAN_COMMANDS_BERTH, out);
}

static void write_kubectl(struct dashboard_question *question, struct buf *out) {
        plan_write_commands(&question->plan, PLAN_COMMANDS_KUBECTL, out);
}

static const struct answer_form {
        const char *name, *type;
        void (*write)(struct dashboard_question *question, struct buf *out);
} forms[] = {
        { "", "application/json", write_json },
        { "html", "text/html; charset=utf-8", write_page },
        { "berth", "text/x-shellscript; charset=utf-8", write_berth },
        { "kubectl", "text/x-shellscript; charset=utf-8", write_kubectl },
};

static void write_answer(struct dashboard_question *question, struct slice as,
                         struct dashboard_answer *answer) {
        for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
                if (!slice_is(as, forms[i].name))
                        continue;
                answer->type = forms[i].type;
                forms[i].write(question, answer->out);
                return;
        }
        answer->status = 400;
        answer->type = "text/plain; charset=utf-8";
        buf_text(answer->out, "as: expected html, berth or kubectl\n");
}

static void write_problems(const struct dashboard_question *question,
                           struct dashboard_answer *answer) {
        answer->status = 422;
        buf_printf(answer->out, "{\"problems\":[" SLICE_FMT "]}\n",
                   SLICE_ARG(buf_view(&question->problems)));
}

/* What was borrowed goes back first. */
static void release_question(struct dashboard_question *question) {
        eviction_plan_release(&question->plan);
        if (!question->has_policy)
                question->asked.policy = NULL;
        if (!question->has_scheduler)
                question->asked.profiles = (struct sched_profile_list){ 0 };
        role_config_release(&question->asked);
        buf_release(&question->problems);
        arena_release(&question->arena);
}

/* The policy of the process, as a text to begin with. */
static void write_start(const struct dashboard_planner *planner, struct buf *out) {
        const struct role_config *own = planner->config.own;
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_tree *tree = json_tree_new();

        if (own->policy)
                output_value(node_import(tree, document_root(own->policy->document)), OUTPUT_YAML,
                             &text);
        buf_text(out, "\"policy\":");
        buf_json_string(out, buf_view(&text));
        json_tree_free(tree);
}

void dashboard_planner_answer(void *context, struct slice question, struct slice as,
                              struct dashboard_answer *answer) {
        const struct dashboard_planner *planner = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct dashboard_question *asked;
        struct err err = { 0 };

        if (!question.len) {
                write_start(planner, answer->out);
                return;
        }
        asked = xcalloc(1, sizeof(*asked));
        asked->planner = planner;
        asked->now = loop_wall(planner->config.loop);
        arena_init(&asked->arena, 0);
        arena_init(&asked->asked.arena, 0);
        asked->snapshot = planner->config.look(planner->config.context);
        if (json_parse(question, &doc, &err) < 0)
                add_problem(asked, "question", &err);
        else
                read_question(asked, json_doc_root(doc));
        if (!asked->problem_count && make_plan(asked))
                write_answer(asked, as, answer);
        else
                write_problems(asked, answer);
        release_question(asked);
        free(asked);
}

/* ---- life ---- */

struct dashboard_planner *dashboard_planner_new(const struct dashboard_planner_config *config) {
        struct dashboard_planner *planner = xcalloc(1, sizeof(*planner));

        planner->config = *config;
        return planner;
}

void dashboard_planner_free(struct dashboard_planner *planner) {
        free(planner);
}
