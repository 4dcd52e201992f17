/* Reads EvictionPolicy objects, and says what of them cannot be. */
#include "evict/eviction_policy.h"

#include "base/util.h"
#include "config/http_url.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BYTES 2048
#define DURATION_MAX_NS (365LL * 24 * 3600 * NS_PER_S)

static const char *const kind_names[STAGE_KIND_COUNT] = {
        [STAGE_HTTP] = "http",   [STAGE_EXEC] = "exec",     [STAGE_WAIT] = "wait",
        [STAGE_EVICT] = "evict", [STAGE_DELETE] = "delete",
};
static const char *const failure_names[STAGE_FAILURE_COUNT] = {
        [STAGE_FAILS_TO_ROLLBACK] = "Rollback",
        [STAGE_FAILS_TO_CONTINUE] = "Continue",
        [STAGE_FAILS_TO_DECLINE] = "Decline",
        [STAGE_FAILS_TO_HOLD] = "Hold",
};
static const char *const reserve_names[RESERVE_COUNT] = {
        [RESERVE_BEST_EFFORT] = "BestEffort",
        [RESERVE_NONE] = "None",
        [RESERVE_REQUIRED] = "Required",
};

static const char *const other_clients_names[OTHER_CLIENTS_COUNT] = {
        [OTHER_CLIENTS_WAIT] = "Wait",
        [OTHER_CLIENTS_PASS] = "Pass",
};

const char *stage_kind_name(enum stage_kind kind) {
        return kind_names[kind];
}

/* ---- fields ---- */

static int eviction_policy_refuse(struct err *err, const char *path, const char *text) {
        err_set(err, BERTH_ERR_INVALID, "%s", text);
        err_path_prepend(err, path);
        return BERTH_ERR_INVALID;
}

static struct slice eviction_policy_keep(struct arena *arena, const struct json *object,
                                         const char *key) {
        return arena_slice(arena, json_get_text(object, key));
}

/* Index of the text among the names; the first one when it is absent; -1 when it is none. */
static int eviction_policy_choose(const struct json *object, const char *key,
                                  const char *const *names, size_t count) {
        struct slice text = json_get_text(object, key);

        if (!json_get(object, key))
                return 0;
        for (size_t i = 0; i < count; i++)
                if (slice_is(text, names[i]))
                        return (int)i;
        return -1;
}

static int read_duration(const struct json *object, const char *key, int64_t *ret_ns,
                         struct err *err) {
        struct slice text = json_get_text(object, key);
        int64_t ns;

        if (!json_get(object, key))
                return 0;
        if (!duration_parse(text, &ns) || ns <= 0 || ns > DURATION_MAX_NS)
                return eviction_policy_refuse(err, key, "expected a duration such as 5m");
        *ret_ns = ns;
        return 0;
}

/* Without TLS only to this machine. */
static int check_url(struct slice url, struct err *err) {
        static const char *const plain[] = { "http://127.0.0.1", "http://localhost",
                                             "http://[::1]" };

        if (url.len == 0 || http_url_problem(url))
                return eviction_policy_refuse(err, "url", "expected a URL");
        if (slice_has_prefix(url, SLICE_LITERAL("https://")))
                return 0;
        for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
                size_t size = strlen(plain[i]);

                if (slice_has_prefix(url, slice_of(plain[i])) &&
                    (url.len == size || url.ptr[size] == ':' || url.ptr[size] == '/'))
                        return 0;
        }
        return eviction_policy_refuse(err, "url", "expected https, or http to this machine");
}

static int read_http(const struct json *object, struct arena *arena, struct eviction_hook *ret_hook,
                     struct err *err) {
        struct eviction_hook hook = { .url = eviction_policy_keep(arena, object, "url"),
                                      .secret =
                                              eviction_policy_keep(arena, object, "tokenSecret") };

        if (check_url(hook.url, err) < 0) {
                err_path_prepend(err, "http");
                return BERTH_ERR_INVALID;
        }
        *ret_hook = hook;
        return 0;
}

static int read_exec(const struct json *object, struct arena *arena, struct eviction_hook *ret_hook,
                     struct err *err) {
        struct slice command = eviction_policy_keep(arena, object, "command");

        if (command.len == 0 || command.ptr[0] == '.' || memchr(command.ptr, '/', command.len))
                return eviction_policy_refuse(err, "exec.command",
                                              "expected a file name of the hook directory");
        *ret_hook = (struct eviction_hook){ .is_exec = true, .command = command };
        return 0;
}

static int read_wait(const struct json *object, struct arena *arena, struct eviction_wait *ret_wait,
                     struct err *err) {
        const struct json *ready = json_get(object, "ready"), *label = json_get(object, "label");
        struct eviction_wait wait = { .counts_ready = ready,
                                      .ready_count = json_get(ready, "count")
                                                             ? json_get_i64(ready, "count", -1)
                                                             : 1,
                                      .label_key = eviction_policy_keep(arena, label, "key"),
                                      .label_value = eviction_policy_keep(arena, label, "value"),
                                      .url = eviction_policy_keep(arena, object, "url") };

        if (ready && selector_decode(json_get(ready, "selector"), arena, &wait.ready, err) < 0)
                return BERTH_ERR_INVALID;
        if (wait.ready_count < 0)
                return eviction_policy_refuse(err, "wait.ready.count",
                                              "expected a number that is not negative");
        if (wait.url.len && check_url(wait.url, err) < 0)
                return BERTH_ERR_INVALID;
        if (!ready && !wait.label_key.len && !wait.url.len)
                return eviction_policy_refuse(err, "wait", "expected ready, label or url");
        *ret_wait = wait;
        return 0;
}

/* ---- stages ---- */

static int read_hook(const struct json *object, struct arena *arena, struct eviction_hook *ret_hook,
                     struct err *err) {
        if (json_get(object, "exec"))
                return read_exec(json_get(object, "exec"), arena, ret_hook, err);
        return read_http(json_get(object, "http"), arena, ret_hook, err);
}

/* What a stage of its kind does. */
static int read_work(const struct json *object, struct arena *arena, struct eviction_stage *stage,
                     struct err *err) {
        switch (stage->kind) {
        case STAGE_HTTP:
                return read_http(json_get(object, "http"), arena, &stage->hook, err);
        case STAGE_EXEC:
                return read_exec(json_get(object, "exec"), arena, &stage->hook, err);
        case STAGE_WAIT:
                return read_wait(json_get(object, "wait"), arena, &stage->wait, err);
        case STAGE_EVICT:
        case STAGE_DELETE:
        case STAGE_KIND_COUNT:
                break;
        }
        return 0;
}

static int read_stage(const struct json *object, struct arena *arena,
                      struct eviction_stage *ret_stage, struct err *err) {
        struct eviction_stage stage = { .name = eviction_policy_keep(arena, object, "name"),
                                        .timeout_ns = EVICTION_STAGE_TIMEOUT_NS };
        int kind = eviction_policy_choose(object, "kind", kind_names, STAGE_KIND_COUNT);
        int failure =
                eviction_policy_choose(object, "onFailure", failure_names, STAGE_FAILURE_COUNT);
        int64_t retries = json_get(object, "retries") ? json_get_i64(object, "retries", -1) : 3;

        if (stage.name.len == 0 || label_value_problem(stage.name))
                return eviction_policy_refuse(err, "name", "expected a short name");
        if (!json_get(object, "kind") || kind < 0)
                return eviction_policy_refuse(err, "kind",
                                              "expected http, exec, wait, evict or delete");
        if (failure < 0)
                return eviction_policy_refuse(err, "onFailure",
                                              "expected Continue, Rollback, Decline or Hold");
        if (retries < 0 || retries > EVICTION_STAGE_RETRIES_MAX)
                return eviction_policy_refuse(err, "retries",
                                              "expected a number between 0 and 100");
        stage.kind = (enum stage_kind)kind;
        stage.on_failure = (enum stage_failure)failure;
        stage.retries = (uint32_t)retries;
        if (read_duration(object, "timeout", &stage.timeout_ns, err) < 0 ||
            read_work(object, arena, &stage, err) < 0)
                return BERTH_ERR_INVALID;
        *ret_stage = stage;
        return 0;
}

static int find_stage(const struct eviction_policy *policy, struct slice name) {
        for (size_t i = 0; i < policy->stage_count; i++)
                if (slice_eq(policy->stages[i].name, name))
                        return (int)i;
        return -1;
}

static int in_list(struct err *err, const char *list, size_t index) {
        char path[32];

        snprintf(path, sizeof(path), "%s[%zu]", list, index);
        err_path_prepend(err, path);
        return BERTH_ERR_INVALID;
}

static int read_stages(const struct json *list, struct eviction_policy *policy, struct err *err) {
        struct json_iter iter = json_iter(list);
        const struct json *item;

        if (json_count(list) == 0 || json_count(list) > EVICTION_STAGES_MAX)
                return eviction_policy_refuse(err, "stages", "expected one to eight stages");
        while (json_next(&iter, NULL, &item)) {
                struct eviction_stage *stage = &policy->stages[policy->stage_count];

                if (read_stage(item, &policy->arena, stage, err) < 0)
                        return in_list(err, "stages", policy->stage_count);
                if (find_stage(policy, stage->name) >= 0) {
                        eviction_policy_refuse(err, "name", "comes twice");
                        return in_list(err, "stages", policy->stage_count);
                }
                policy->stage_count++;
        }
        return 0;
}

static int read_rollbacks(const struct json *list, struct eviction_policy *policy,
                          struct err *err) {
        struct json_iter iter = json_iter(list);
        const struct json *item;
        size_t index = 0;

        for (; json_next(&iter, NULL, &item); index++) {
                int at = find_stage(policy, json_get_text(item, "stage"));

                if (at < 0) {
                        eviction_policy_refuse(err, "stage", "is no stage of this policy");
                        return in_list(err, "rollback", index);
                }
                if (read_hook(item, &policy->arena, &policy->stages[at].rollback, err) < 0)
                        return in_list(err, "rollback", index);
                policy->stages[at].has_rollback = true;
        }
        return 0;
}

/* ---- policy ---- */

static bool has_precedence(const struct json *spec) {
        const struct json *precedence = json_get(spec, "precedence");
        int64_t number;

        return !precedence || json_as_i64(precedence, &number);
}

static int read_spec(const struct json *spec, struct eviction_policy *policy, struct err *err) {
        static const char *const ends[] = { "Withdraw", "Delete" };
        int end = eviction_policy_choose(spec, "onRequestDeadline", ends, ARRAY_LEN(ends));
        int reserve = eviction_policy_choose(spec, "reserve", reserve_names, RESERVE_COUNT);
        int others = eviction_policy_choose(spec, "otherClients", other_clients_names,
                                            OTHER_CLIENTS_COUNT);

        if (json_type(json_get(spec, "selector")) != JSON_OBJECT)
                return eviction_policy_refuse(err, "selector", "required");
        if (selector_decode(json_get(spec, "selector"), &policy->arena, &policy->selector, err) < 0)
                return BERTH_ERR_INVALID;
        if (end < 0)
                return eviction_policy_refuse(err, "onRequestDeadline",
                                              "expected Withdraw or Delete");
        if (reserve < 0)
                return eviction_policy_refuse(err, "reserve",
                                              "expected None, BestEffort or Required");
        if (others < 0)
                return eviction_policy_refuse(err, "otherClients", "expected Wait or Pass");
        if (!has_precedence(spec))
                return eviction_policy_refuse(err, "precedence", "expected a whole number");
        policy->other_clients = (enum eviction_other_clients)others;
        policy->deletes_at_deadline = end == 1;
        policy->reserve = (enum eviction_reserve)reserve;
        policy->precedence = json_get_i64(spec, "precedence", 0);
        if (read_duration(spec, "deadline", &policy->deadline_ns, err) < 0 ||
            read_stages(json_get(spec, "stages"), policy, err) < 0)
                return BERTH_ERR_INVALID;
        return read_rollbacks(json_get(spec, "rollback"), policy, err);
}

/* What its status says of it: the condition Accepted, and of which generation. */
static void read_status(const struct json *status, struct eviction_policy *policy) {
        struct json_iter iter = json_iter(json_get(status, "conditions"));
        const struct json *item;

        while (json_next(&iter, NULL, &item)) {
                if (!slice_is(json_get_text(item, "type"), EVICTION_POLICY_ACCEPTED))
                        continue;
                policy->reported_generation = json_get_i64(item, "observedGeneration", 0);
                policy->is_reported_readable = slice_is(json_get_text(item, "status"), "True");
        }
}

/* Metadata, and a copy of the spec: selectors point into what they were read from. */
static struct eviction_policy *eviction_policy_new(const struct json *object) {
        struct eviction_policy *policy = xcalloc(1, sizeof(*policy));
        const struct json *meta = json_get(object, "metadata");
        struct buf text = { 0 };

        arena_init(&policy->arena, ARENA_BYTES);
        json_write(json_get(object, "spec"), &text);
        if (json_parse(arena_slice(&policy->arena, buf_view(&text)), &policy->doc, NULL) < 0)
                policy->doc = NULL;
        buf_release(&text);
        policy->ns = eviction_policy_keep(&policy->arena, meta, "namespace");
        policy->name = eviction_policy_keep(&policy->arena, meta, "name");
        policy->uid = eviction_policy_keep(&policy->arena, meta, "uid");
        policy->generation = json_get_i64(meta, "generation", 0);
        read_status(json_get(object, "status"), policy);
        return policy;
}

int eviction_policy_decode(const struct json *object, struct eviction_policy **ret_policy,
                           struct err *err) {
        struct eviction_policy *policy = eviction_policy_new(object);
        int code = read_spec(policy->doc ? json_doc_root(policy->doc) : NULL, policy, err);

        if (code < 0) {
                err_path_prepend(err, "spec");
                eviction_policy_free(policy);
                return code;
        }
        *ret_policy = policy;
        return 0;
}

struct eviction_policy *eviction_policy_unreadable(const struct json *object,
                                                   const struct err *err) {
        struct eviction_policy *policy = eviction_policy_new(object);
        const struct json *spec = policy->doc ? json_doc_root(policy->doc) : NULL;
        const struct json *selector = json_get(spec, "selector");
        int others = eviction_policy_choose(spec, "otherClients", other_clients_names,
                                            OTHER_CLIENTS_COUNT);

        struct err ignored = { 0 };

        policy->is_unreadable = true;
        policy->selects_all =
                json_type(selector) != JSON_OBJECT ||
                selector_decode(selector, &policy->arena, &policy->selector, &ignored) < 0;
        policy->other_clients =
                others < 0 ? OTHER_CLIENTS_WAIT : (enum eviction_other_clients)others;
        policy->precedence = has_precedence(spec) ? json_get_i64(spec, "precedence", 0) : INT64_MAX;
        policy->problem = slice_of(arena_printf(&policy->arena, "%s%s%s", err->path,
                                                err->path[0] ? ": " : "", err->text));
        return policy;
}

bool eviction_policy_selects(const struct eviction_policy *policy, struct label_list labels) {
        return policy->selects_all || selector_matches(&policy->selector, labels);
}

void eviction_policy_free(struct eviction_policy *policy) {
        if (!policy)
                return;
        json_doc_free(policy->doc);
        arena_release(&policy->arena);
        free(policy);
}

bool eviction_policy_is_before(const struct eviction_policy *a, const struct eviction_policy *b) {
        if (a->precedence != b->precedence)
                return a->precedence > b->precedence;
        return slice_compare(a->name, b->name) < 0;
}
