/* Recorded cases of the descheduler. */
#include "desched/replay_descheduler.h"
#include "base/util.h"
#include "config/descheduler_policy.h"
#include "desched/descheduler.h"
#include "desched/recorded_usage.h"
#include "model/cluster.h"

/* Stands before the real sink and writes down what it lets through. */
struct recorder {
        struct evict_sink sink;
        struct buf *evictions; /* JSON objects, comma-separated */
};

static void recorder_begin(void *context, const struct evict_pass *pass) {
        struct recorder *recorder = context;
        recorder->sink.begin_pass(recorder->sink.context, pass);
}

static void add_member(struct buf *out, const char *name, struct slice value) {
        buf_printf(out, "%s\"%s\":", out->data[out->len - 1] == '{' ? "" : ",", name);
        buf_json_string(out, value);
}

static enum evict_outcome recorder_ask(void *context, const struct evict_intent *intent) {
        struct recorder *recorder = context;
        enum evict_outcome outcome = recorder->sink.ask(recorder->sink.context, intent);
        if (outcome != EVICT_DONE)
                return outcome;
        struct buf *out = recorder->evictions;
        buf_text(out, out->len > 0 ? ",{" : "{");
        add_member(out, "namespace", intent->pod.ns);
        add_member(out, "name", intent->pod.name);
        add_member(out, "node", intent->node);
        add_member(out, "plugin", intent->plugin);
        add_member(out, "profile", intent->profile);
        if (intent->has_grace)
                buf_printf(out, ",\"gracePeriodSeconds\":%lld", (long long)intent->grace_s);
        buf_char(out, '}');
        return outcome;
}

/* ---- the cluster ---- */

static bool find_kind(struct slice name, enum object_kind *ret_kind) {
        static const struct {
                const char *name;
                enum object_kind kind;
        } kinds[] = {
                { "Node", OBJECT_NODE },
                { "Pod", OBJECT_POD },
                { "Namespace", OBJECT_NAMESPACE },
                { "PodDisruptionBudget", OBJECT_BUDGET },
                { "PriorityClass", OBJECT_PRIORITY_CLASS },
                { "PersistentVolumeClaim", OBJECT_CLAIM },
        };
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
                if (!slice_is(name, kinds[i].name))
                        continue;
                *ret_kind = kinds[i].kind;
                return true;
        }
        return false;
}

static int replay_descheduler_feed(struct cluster *cluster, const struct json *objects,
                                   struct err *err) {
        struct json_iter iter = json_iter(objects);
        const struct json *object;
        for (size_t i = 0; json_next(&iter, NULL, &object); i++) {
                enum object_kind kind;
                if (!find_kind(json_get_text(object, "kind"), &kind))
                        continue;
                int code = cluster_apply(cluster, kind, CHANGE_ADDED, object, err);
                if (code < 0)
                        return err_wrap(err, "objects[%zu]", i);
        }
        return 0;
}

/* ---- one case ---- */

static void policy_text(const struct json *policy, struct buf *text) {
        if (json_type(policy) == JSON_STRING)
                buf_slice(text, json_text(policy));
        else
                json_write(policy, text);
}

struct replay {
        const struct replay_descheduler_config *config;
        const struct cluster *cluster;
        const struct json *objects;
        struct wall_time now;
        struct recorder recorder;
        struct config_problems *problems;
};

static int run_policy(struct replay *replay, const struct descheduler_policy *policy,
                      struct err *err) {
        struct recorded_usage *usage = NULL;
        struct descheduler *descheduler = NULL;
        int code = recorded_usage_new(replay->objects, policy, &usage, err);
        if (code == 0) {
                const struct descheduler_config config = {
                        .cluster = replay->cluster,
                        .policy = policy,
                        .registry = replay->config->registry,
                        .sink = { &replay->recorder, recorder_begin, recorder_ask },
                        .usage = recorded_usage_source(usage),
                        .is_parity = true,
                };
                code = descheduler_new(&config, replay->problems, &descheduler, err);
        }
        if (code == 0)
                descheduler_pass(descheduler, replay->now);
        descheduler_free(descheduler);
        recorded_usage_free(usage);
        return code;
}

/* Runs one pass; code and err say why the policy is refused. */
static int run_case(struct replay *replay, struct slice text, struct err *err) {
        replay->problems = config_problems_new();
        struct descheduler_policy *policy =
                descheduler_policy_read(text, "policy.yaml", true, replay->problems);
        int code = config_problems_to_err(replay->problems, err);
        if (code == 0)
                code = run_policy(replay, policy, err);
        descheduler_policy_free(policy);
        config_problems_free(replay->problems);
        return code;
}

static void write_result(struct slice name, int code, const struct err *err,
                         const struct buf *evictions, struct buf *out) {
        buf_text(out, "{\"name\":");
        buf_json_string(out, name);
        buf_printf(out,
                   ",\"expect\":{\"evictions\":[" SLICE_FMT
                   "],\"order_stable\":true,\"unstable\":false,\"accept\":null,\"error\":",
                   SLICE_ARG(buf_view(evictions)));
        if (code < 0) {
                char text[ERR_TEXT_MAX + 2 * ERR_PATH_MAX + 64];
                err_format(err, text, sizeof(text));
                buf_json_string(out, slice_of(text));
        } else {
                buf_text(out, "null");
        }
        buf_text(out, "}}");
}

int replay_descheduler_case(const struct json *test_case,
                            const struct replay_descheduler_config *config, struct buf *out,
                            struct err *err) {
        struct wall_time now;
        if (!wall_time_parse(json_get_text(test_case, "now"), &now))
                return err_set(err, BERTH_ERR_INVALID, "now: expected a time");
        struct cluster *cluster = cluster_new(
                &(struct cluster_config){ .keeps_finished = true, .keeps_detail = true });
        int code = replay_descheduler_feed(cluster, json_get(test_case, "objects"), err);
        if (code == 0) {
                struct buf evictions = { 0 }, text = { 0 };
                struct err refused = { 0 };
                policy_text(json_get(test_case, "policy"), &text);
                struct replay replay = {
                        .config = config,
                        .cluster = cluster,
                        .objects = json_get(test_case, "objects"),
                        .now = now,
                        .recorder = { config->sink, &evictions },
                };
                int outcome = run_case(&replay, buf_view(&text), &refused);
                write_result(json_get_text(test_case, "name"), outcome, &refused, &evictions, out);
                buf_release(&evictions);
                buf_release(&text);
        }
        cluster_free(cluster);
        return code;
}
