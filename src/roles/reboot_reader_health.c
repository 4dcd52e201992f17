/* Whether a node is well after its reboot: its pods, a program, a page, the budgets. */
#include "roles/reboot_reader_priv.h"

#include <stdio.h>
#include <string.h>

static void check_health(struct reboot_reader *reader);

static void health_checked(struct reboot_reader *reader, const char *problem) {
        if (problem[0]) {
                reboot_agent_saw_health(reader->agent, slice_of(problem));
                reader_finish(reader);
                return;
        }
        reader->health++;
        check_health(reader);
}

static bool pod_is_well(const struct json *pod) {
        struct slice phase = json_get_text(json_get(pod, "status"), "phase");
        struct json_iter iter = json_iter(json_get(json_get(pod, "status"), "conditions"));
        const struct json *condition;

        if (slice_is(phase, "Succeeded") || slice_is(phase, "Failed") ||
            json_get(json_get(pod, "metadata"), "deletionTimestamp"))
                return true;
        while (json_next(&iter, NULL, &condition))
                if (slice_is(json_get_text(condition, "type"), "Ready"))
                        return slice_is(json_get_text(condition, "status"), "True");
        return false;
}

static bool budget_is_well(const struct json *budget) {
        const struct json *status = json_get(budget, "status");

        return json_get_i64(status, "currentHealthy", 0) >=
               json_get_i64(status, "desiredHealthy", 0);
}

/* Names the first object of the list that is not well. */
static void judge_list(struct reboot_reader *reader, const struct api_reply *reply,
                       bool (*is_well)(const struct json *object), const char *what) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        CLEANUP(buf_release) struct buf text = { 0 };
        const struct json *object, *meta;

        if (reader_reply_document(reply, &doc) < 0) {
                buf_printf(&text, "%ss cannot be listed: ", what);
                reader_print_failure(reply, "", &text);
                health_checked(reader, text.data);
                return;
        }
        struct json_iter iter = json_iter(json_get(json_doc_root(doc), "items"));
        while (text.len == 0 && json_next(&iter, NULL, &object)) {
                if (is_well(object))
                        continue;
                meta = json_get(object, "metadata");
                buf_printf(&text, "%s " SLICE_FMT "/" SLICE_FMT " is not well", what,
                           SLICE_ARG(json_get_text(meta, "namespace")),
                           SLICE_ARG(json_get_text(meta, "name")));
        }
        health_checked(reader, text.len ? text.data : "");
}

static void on_health_pods(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;

        reader->request = NULL;
        judge_list(reader, reply, pod_is_well, "pod");
}

static void on_health_budgets(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;

        reader->request = NULL;
        judge_list(reader, reply, budget_is_well, "budget");
}

static void on_health_command(void *context, enum host_command_end end, int code) {
        struct reboot_reader *reader = context;
        char text[80] = "";

        reader->command = NULL;
        if (end == HOST_COMMAND_TIMED_OUT)
                snprintf(text, sizeof(text), "the health command does not end in time");
        else if (end == HOST_COMMAND_NOT_FOUND || code != 0)
                snprintf(text, sizeof(text), "the health command does not succeed: exit code %d",
                         code);
        health_checked(reader, text);
}

static void on_health_url(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        CLEANUP(buf_release) struct buf text = { 0 };

        reader->request = NULL;
        if (reply->status < 200 || reply->status >= 300) {
                buf_text(&text, "the health page does not answer with success: ");
                reader_print_failure(reply, "", &text);
        }
        health_checked(reader, text.len ? text.data : "");
}

static const char *url_path(const char *url) {
        const char *host = strstr(url, "://"), *path = host ? strchr(host + 3, '/') : NULL;

        return path ? path : "/";
}

static bool wants_check(const struct reboot_reader *reader) {
        const struct reboot_role_config *config = reader->config;

        switch (reader->health) {
        case HEALTH_PODS:
                return config->health_pods && !reader->is_uncordoned;
        case HEALTH_COMMAND:
                return config->health_command && !reader->is_uncordoned;
        case HEALTH_URL:
                return reader->probe && !reader->is_uncordoned;
        case HEALTH_BUDGETS:
                return config->health_budgets && reader->is_uncordoned;
        case HEALTH_DONE:
                break;
        }
        return true;
}

static void check_health(struct reboot_reader *reader) {
        while (!wants_check(reader))
                reader->health++;
        switch (reader->health) {
        case HEALTH_PODS:
                reader_list_own_pods(reader, on_health_pods);
                return;
        case HEALTH_COMMAND:
                reader->command = host_command_start(
                        runtime_loop(reader->runtime), reader->config->health_command,
                        reader->config->health_timeout_ns, on_health_command, reader);
                return;
        case HEALTH_URL:
                reader_call(reader, &reader->probe_carrier,
                            &(struct reader_call){ API_GET,
                                                   slice_of(url_path(reader->config->health_url)),
                                                   SLICE_EMPTY, on_health_url,
                                                   reader->config->health_timeout_ns });
                return;
        case HEALTH_BUDGETS:
                reader_get(reader, "/apis/policy/v1/poddisruptionbudgets", on_health_budgets);
                return;
        case HEALTH_DONE:
                break;
        }
        reboot_agent_saw_health(reader->agent, SLICE_EMPTY);
        reader_finish(reader);
}

void reader_ask_health(struct reboot_reader *reader, bool is_uncordoned) {
        reader->health = HEALTH_PODS;
        reader->is_uncordoned = is_uncordoned;
        check_health(reader);
}
