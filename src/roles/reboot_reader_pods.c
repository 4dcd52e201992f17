/* The pods on the node, and all a drain needs: whether their DaemonSets are there, whether the
 * cluster evicts, and its budgets.  What the process's model has is taken from there. */
#include "roles/reboot_reader_priv.h"

#include "base/log.h"
#include "model/event.h"
#include <stdlib.h>
#include <string.h>

static void owner_key(const struct drain_pod *pod, struct buf *key) {
        buf_printf(key, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(pod->ns), SLICE_ARG(pod->daemon_set));
}

static const struct owner_seen *owner_find(const struct reboot_reader *reader, const char *name) {
        for (size_t i = 0; i < reader->owner_count; i++)
                if (strcmp(reader->owners[i].name, name) == 0)
                        return &reader->owners[i];
        return NULL;
}

void reader_forget_owners(struct reboot_reader *reader) {
        while (reader->owner_count > 0)
                free(reader->owners[--reader->owner_count].name);
}

static void pods_failed(struct reboot_reader *reader, int code) {
        reboot_agent_saw_pods(reader->agent, code, NULL);
        reader_finish(reader);
}

static void pods_done(struct reboot_reader *reader, const struct drain_budgets *budgets) {
        reboot_agent_saw_pods(reader->agent, BERTH_OK,
                              &(struct drain_listing){ .pods = &reader->pods,
                                                       .budgets = budgets,
                                                       .lacks_eviction = reader->lacks_eviction,
                                                       .is_copy = reader->pods_are_copy });
        reader_finish(reader);
}

static void on_budgets(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct drain_budgets budgets;
        bool is_read = reader_reply_document(reply, &doc) == BERTH_OK;

        reader->request = NULL;
        if (reply->status == 403 && !reader->budgets_refused)
                LOG(LOG_WARN, "BudgetsNotReadable",
                    log_text("effect", "drains are not checked ahead: no right to list "
                                       "poddisruptionbudgets"));
        reader->budgets_refused = reply->status == 403;
        drain_budgets_decode(json_doc_root(doc), &reader->arena, &budgets);
        pods_done(reader, is_read ? &budgets : NULL);
}

static void read_budgets(struct reboot_reader *reader) {
        const struct cluster *model =
                runtime_complete_model(reader->runtime, 1u << OBJECT_POD | 1u << OBJECT_BUDGET);
        struct drain_budgets budgets;

        if (reader->is_draining || (!model && reader->budgets_refused)) {
                pods_done(reader, NULL);
        } else if (model) {
                drain_budgets_take(model, &reader->pods, &reader->arena, &budgets);
                pods_done(reader, &budgets);
        } else {
                reader_get(reader, "/apis/policy/v1/poddisruptionbudgets", on_budgets);
        }
}

static bool has_eviction(const struct json *resources) {
        struct json_iter iter = json_iter(json_get(resources, "resources"));
        const struct json *resource;

        while (json_next(&iter, NULL, &resource))
                if (slice_is(json_get_text(resource, "name"), "pods/eviction") &&
                    slice_is(json_get_text(resource, "group"), "policy") &&
                    slice_is(json_get_text(resource, "version"), "v1"))
                        return true;
        return false;
}

static void on_resources(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        int code = reader_reply_document(reply, &doc);

        reader->request = NULL;
        if (code < 0) {
                pods_failed(reader, code);
                return;
        }
        reader->knows_eviction = true;
        reader->lacks_eviction = !has_eviction(json_doc_root(doc));
        if (reader->lacks_eviction)
                LOG(LOG_WARN, "NoEvictions",
                    log_text("effect", "pods are deleted, without regard to budgets"));
        read_budgets(reader);
}

static void resolve_owners(struct reboot_reader *reader);

static void on_owner(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        int code = reader_reply_code(reply);

        reader->request = NULL;
        if (code != BERTH_OK && code != BERTH_ERR_NOT_FOUND) {
                pods_failed(reader, code); /* not knowing, nothing may be evicted */
                return;
        }
        reader->owners[reader->owner_count++] = (struct owner_seen){
                .name = reader->asked_owner,
                .state = code == BERTH_OK ? DRAIN_OWNER_THERE : DRAIN_OWNER_GONE,
        };
        reader->asked_owner = NULL;
        resolve_owners(reader);
}

static void read_owner(struct reboot_reader *reader, const struct drain_pod *pod,
                       struct slice key) {
        struct buf path = { 0 };

        free(reader->asked_owner);
        reader->asked_owner = slice_dup(key);
        buf_printf(&path, "/apis/apps/v1/namespaces/" SLICE_FMT "/daemonsets/" SLICE_FMT,
                   SLICE_ARG(pod->ns), SLICE_ARG(pod->daemon_set));
        reader_get(reader, path.data, on_owner);
        buf_release(&path);
}

/* Gives every pod the fate of its DaemonSet; asks for the first one unknown, if any. */
static void resolve_owners(struct reboot_reader *reader) {
        struct buf key = { 0 };

        for (size_t i = 0; i < reader->pods.count; i++) {
                struct drain_pod *pod = &reader->pods.items[i];

                if (pod->daemon_set.len == 0)
                        continue;
                buf_clear(&key);
                owner_key(pod, &key);
                const struct owner_seen *seen = owner_find(reader, key.data);
                if (!seen && reader->owner_count < OWNERS_MAX) {
                        read_owner(reader, pod, buf_view(&key));
                        buf_release(&key);
                        return;
                }
                pod->owner = seen ? seen->state : DRAIN_OWNER_UNKNOWN;
        }
        buf_release(&key);
        if (reader->knows_eviction)
                read_budgets(reader);
        else
                reader_get(reader, "/api/v1", on_resources);
}

static void reboot_reader_pods_begin(struct reboot_reader *reader, bool are_copy) {
        arena_clear(&reader->arena);
        reader->pods = (struct drain_pods){ 0 };
        reader->pods_are_copy = are_copy;
}

static void on_pods(void *context, const struct api_reply *reply) {
        struct reboot_reader *reader = context;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct err err = { 0 };
        int code = reader_reply_document(reply, &doc);

        reader->request = NULL;
        reboot_reader_pods_begin(reader, false);
        if (code == BERTH_OK && reader->is_draining)
                evict_service_saw_node(runtime_evictions(reader->runtime),
                                       reader->config->agent->node, json_doc_root(doc),
                                       loop_mono(runtime_loop(reader->runtime)));
        if (code == BERTH_OK)
                code = drain_pods_decode(json_doc_root(doc), &reader->arena, &reader->pods, &err);
        if (code == BERTH_OK)
                resolve_owners(reader);
        else
                pods_failed(reader, code);
}

void reader_ask_pods(struct reboot_reader *reader, bool is_last_look) {
        const struct cluster *model = runtime_complete_model(reader->runtime, 1u << OBJECT_POD);
        struct reboot_agent_stats stats;

        reboot_agent_stats(reader->agent, &(struct reboot_now){ 0 }, &stats);
        reader->is_draining = stats.phase >= REBOOT_DRAINING;
        if (stats.phase < REBOOT_CLAIMED)
                reader_forget_owners(reader);
        if (!model || is_last_look) {
                reader_list_own_pods(reader, on_pods);
                return;
        }
        reboot_reader_pods_begin(reader, true);
        drain_pods_take(model, reader->config->agent->node, &reader->arena, &reader->pods);
        resolve_owners(reader);
}
