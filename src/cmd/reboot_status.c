/* Reads every node's record and the lock once, and prints a line per node. */
#include "cmd/reboot_status.h"

#include "api/json.h"
#include "cmd/command.h"
#include "cmd/reboot_options.h"
#include "cmd/reboot_setup.h"
#include "reboot/reboot_fleet.h"
#include "reboot/reboot_lock.h"
#include "reboot/reboot_record.h"
#include <stdio.h>

struct reboot_status {
        const struct reboot_options *options;
        struct daemon *daemon;
        struct runtime *runtime;
        struct json_doc *nodes, *lock;
        struct err failure, lock_failure;
        struct wall_time now;
};

static void on_lock(void *context, const struct api_reply *reply) {
        struct reboot_status *status = context;

        if (reply->status == 200)
                json_parse(reply->body, &status->lock, &status->lock_failure);
        else
                status->lock_failure = reply->error;
        daemon_finish(status->daemon);
}

static void on_nodes(void *context, const struct api_reply *reply) {
        struct reboot_status *status = context;
        const struct reboot_options *options = status->options;
        char path[1024];

        if (reply->status != 200) {
                status->failure = reply->error;
                daemon_finish(status->daemon);
                return;
        }
        json_parse(reply->body, &status->nodes, &status->failure);
        snprintf(path, sizeof(path), "/apis/%s/namespaces/%s/%s/%s",
                 options->lock_object ? "coordination.k8s.io/v1" : "apps/v1", options->ds_namespace,
                 options->lock_object ? "leases" : "daemonsets", options->ds_name);
        status->now = runtime_server_time(status->runtime);
        transport_call(runtime_transport(status->runtime),
                       &(struct api_call){ .method = API_GET, .path = slice_of(path) }, on_lock,
                       status);
}

static int reboot_status_ask(void *context, struct daemon *daemon, struct runtime *runtime,
                             struct err *err) {
        struct reboot_status *status = context;

        (void)err;
        status->daemon = daemon;
        status->runtime = runtime;
        transport_call(
                runtime_transport(runtime),
                &(struct api_call){ .method = API_GET, .path = SLICE_LITERAL("/api/v1/nodes") },
                on_nodes, status);
        return 0;
}

static void print_since(struct wall_time since, struct wall_time now) {
        char text[DURATION_TEXT_MAX] = "-";

        if (wall_time_is_set(since) && now.ns > since.ns)
                duration_format_human(now.ns - since.ns, text);
        printf(" %-8s", text);
}

/* False: there is none to read; status->lock_failure says why. */
static bool read_lock(struct reboot_status *status, struct arena *arena,
                      struct reboot_lock *ret_lock) {
        const struct json *meta = json_get(json_doc_root(status->lock), "metadata");
        const struct json *value =
                json_get(json_get(meta, "annotations"), status->options->lock_annotation);

        *ret_lock = (struct reboot_lock){ 0 };
        return status->lock && reboot_lock_parse(json_text(value), value, arena, ret_lock,
                                                 &status->lock_failure) == 0;
}

static void print_no_lock(const struct reboot_status *status) {
        const struct reboot_options *options = status->options;
        const struct err *failure = &status->lock_failure;

        printf("lock: %s %s/%s ", options->lock_object ? "Lease" : "DaemonSet",
               options->ds_namespace, options->ds_name);
        if (failure->code == BERTH_ERR_NOT_FOUND)
                printf("does not exist: no node will reboot\n");
        else
                printf("cannot be read: %s\n", failure->text);
}

/* "node-1, for 3m" */
static void print_lock(const struct reboot_status *status, const struct reboot_lock *lock) {
        printf("lock: %s", lock->count ? "" : "free");
        for (size_t i = 0; i < lock->count; i++) {
                const struct lock_owner *owner = &lock->owners[i];
                char text[DURATION_TEXT_MAX];

                printf("%s" SLICE_FMT, i ? ", " : "", SLICE_ARG(owner->node));
                if (!wall_time_is_set(owner->created)) {
                        printf(" (by hand)");
                } else if (status->now.ns > owner->created.ns) {
                        duration_format_human(status->now.ns - owner->created.ns, text);
                        printf(" (%s%s)", text,
                               lock_owner_is_expired(owner, status->now) ? ", expired" : "");
                }
        }
        printf("\n");
}

static void print_expected_time(const struct reboot_status *status, struct slice name) {
        int64_t limit = status->options->concurrency;
        int64_t left_ns = fleet_expected_ns(json_doc_root(status->nodes), name,
                                            limit > 1 ? (uint32_t)limit : 1, status->now);
        char text[DURATION_TEXT_MAX] = "-";

        if (left_ns >= 0)
                duration_format_human(left_ns, text);
        printf(" %-8s", text);
}

static void print_node(const struct reboot_status *status, const struct json *node,
                       const struct reboot_lock *lock, struct arena *arena) {
        const struct json *meta = json_get(node, "metadata");
        struct slice name = json_get_text(meta, "name");
        struct reboot_record record;

        reboot_record_parse(json_get_text(json_get(meta, "annotations"), REBOOT_RECORD_ANNOTATION),
                            arena, &record);
        printf("%-24.*s %-10s %-8s %-6s", SLICE_ARG(name), reboot_phase_name(record.phase),
               json_get_bool(json_get(node, "spec"), "unschedulable", false) ? "yes" : "no",
               reboot_lock_find(lock, name) ? "yes" : "no");
        print_since(record.need_since, status->now);
        print_since(record.taint_since, status->now);
        print_expected_time(status, name);
        printf(" %-8u " SLICE_FMT "\n", record.attempt, SLICE_ARG(record.reason));
}

static void print_table(struct reboot_status *status) {
        struct json_iter iter = json_iter(json_get(json_doc_root(status->nodes), "items"));
        CLEANUP(arena_release) struct arena arena;
        struct reboot_lock lock;
        const struct json *node;

        arena_init(&arena, 0);
        if (read_lock(status, &arena, &lock))
                print_lock(status, &lock);
        else
                print_no_lock(status);
        printf("%-24s %-10s %-8s %-6s %-8s %-8s %-8s %-8s %s\n", "NODE", "STATE", "CORDONED",
               "HOLDER", "WANTED", "LEAD", "ETA", "FAILURES", "REASON");
        while (json_next(&iter, NULL, &node))
                print_node(status, node, &lock, &arena);
}

int reboot_status_print(const struct reboot_options *options) {
        struct reboot_status status = { .options = options };
        struct daemon_options daemon = options->daemon;
        struct err err = { 0 };

        daemon.user_agent = "berth-reboot";
        daemon.has_no_model = true;
        daemon.verbosity = 1;
        int code = daemon_run(&daemon,
                              &(struct daemon_role){ .context = &status, .add = reboot_status_ask },
                              1, &err);
        if (code == 0 && status.failure.code) {
                err = status.failure;
                code = err.code;
        }
        if (code == 0)
                print_table(&status);
        json_doc_free(status.nodes);
        json_doc_free(status.lock);
        return code < 0 ? command_failed("reboot", &err) : EXIT_DONE;
}
