/* Extenders over HTTP (reference scheduler.md 1.6). */
#include "roles/extender_caller.h"

#include "api/json.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/util.h"
#include "client/http_transport.h"
#include "config/scheduler_configuration.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct contact {
        const struct scheduler_extender *settings;
        struct http_transport *http;
        struct transport transport;
        struct slice *resources; /* names of those it manages */
};

struct extender_caller_question {
        struct extender_caller_question *next, *prev;
        struct extender_caller *caller;
        struct api_request *request;
        uint64_t id;
        char *ns, *name, *uid;
};

struct extender_caller {
        struct extender_caller_config config;
        size_t count;
        struct contact *contacts;
        struct extender *extenders;
        bool keeps_nodes, keeps_placed; /* whole: nodes; pods that are on one */
        struct map *pods, *nodes;       /* JSON by namespace/name and by name; owned */
        struct extender_caller_question *open;
};

/* ---- objects ---- */

static void extender_caller_keep(struct map *objects, struct slice key, bool is_there,
                                 struct arrival *arrival) {
        struct buf text = { 0 };

        free(map_remove(objects, key));
        if (!is_there)
                return;
        json_write(arrival_value(arrival), &text);
        map_put(objects, key, buf_take(&text, NULL));
}

static void pod_key(struct slice ns, struct slice name, struct buf *key) {
        buf_slice(key, ns);
        buf_char(key, '/');
        buf_slice(key, name);
}

void extender_caller_arriving(struct extender_caller *caller, enum object_kind kind,
                              enum change_kind change, struct arrival *arrival) {
        struct slice name = arrival_name(arrival);
        bool is_there = change != CHANGE_REMOVED;

        if (kind == OBJECT_NODE && caller->keeps_nodes) {
                extender_caller_keep(caller->nodes, name, is_there, arrival);
        } else if (kind == OBJECT_POD) {
                CLEANUP(buf_release) struct buf key = { 0 };
                struct slice node = arrival_node(arrival);

                pod_key(arrival_namespace(arrival), name, &key);
                extender_caller_keep(caller->pods, buf_view(&key),
                                     is_there && (node.len == 0 || caller->keeps_placed), arrival);
        }
}

/* ---- requests ---- */

static void extender_caller_member(struct buf *out, const char *name, struct slice value) {
        buf_printf(out, "\"%s\":", name);
        buf_json_string(out, value);
}

static void write_nodes(const struct extender_caller *caller, const struct extender_action *ask,
                        struct buf *out) {
        const char *separator = "";

        buf_text(out, "\"Nodes\":{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"metadata\":{},"
                      "\"items\":[");
        for (size_t i = 0; i < ask->node_count; i++) {
                const char *node = map_get(caller->nodes, ask->nodes[i]);

                if (!node)
                        continue;
                buf_printf(out, "%s%s", separator, node);
                separator = ",";
        }
        buf_text(out, "]}");
}

static void write_names(const struct extender_action *ask, struct buf *out) {
        buf_text(out, "\"NodeNames\":[");
        for (size_t i = 0; i < ask->node_count; i++) {
                buf_text(out, i ? "," : "");
                buf_json_string(out, ask->nodes[i]);
        }
        buf_char(out, ']');
}

static const char *pod_of(const struct extender_caller *caller, const struct object_ref *ref) {
        CLEANUP(buf_release) struct buf key = { 0 };

        pod_key(ref->ns, ref->name, &key);
        const char *pod = map_get(caller->pods, buf_view(&key));
        return pod ? pod : "null";
}

static void write_victim(const struct extender_caller *caller, const struct object_ref *ref,
                         bool wants_names, struct buf *out) {
        if (wants_names) {
                buf_char(out, '{');
                extender_caller_member(out, "UID", ref->uid);
                buf_char(out, '}');
        } else {
                buf_text(out, pod_of(caller, ref));
        }
}

/* Who would go, by node; upstream calls the short form "meta". */
static void write_victims(const struct extender_caller *caller, const struct extender_action *ask,
                          bool wants_names, struct buf *out) {
        buf_printf(out, "\"%s\":{", wants_names ? "NodeNameToMetaVictims" : "NodeNameToVictims");
        for (size_t i = 0; i < ask->node_count; i++) {
                const struct extender_victims *victims = &ask->victims[i];

                buf_text(out, i ? "," : "");
                buf_json_string(out, ask->nodes[i]);
                buf_text(out, ":{\"Pods\":[");
                for (size_t p = 0; p < victims->pod_count; p++) {
                        buf_text(out, p ? "," : "");
                        write_victim(caller, &victims->pods[p], wants_names, out);
                }
                buf_printf(out, "],\"NumPDBViolations\":%u}", victims->budget_violations);
        }
        buf_char(out, '}');
}

static void write_args(const struct extender_caller *caller, const struct action *action,
                       bool wants_names, struct buf *out) {
        buf_printf(out, "{\"Pod\":%s,", pod_of(caller, &action->target));
        if (action->ask.verb == EXTENDER_PREEMPT)
                write_victims(caller, &action->ask, wants_names, out);
        else if (wants_names)
                write_names(&action->ask, out);
        else
                write_nodes(caller, &action->ask, out);
        buf_char(out, '}');
}

static void write_bind(const struct action *action, struct buf *out) {
        buf_char(out, '{');
        extender_caller_member(out, "PodName", action->target.name);
        buf_char(out, ',');
        extender_caller_member(out, "PodNamespace", action->target.ns);
        buf_char(out, ',');
        extender_caller_member(out, "PodUID", action->target.uid);
        buf_char(out, ',');
        extender_caller_member(out, "Node", action->ask.nodes[0]);
        buf_char(out, '}');
}

/* ---- calls ---- */

static void free_question(struct extender_caller_question *question) {
        if (question->prev)
                question->prev->next = question->next;
        else
                question->caller->open = question->next;
        if (question->next)
                question->next->prev = question->prev;
        free(question->ns);
        free(question->name);
        free(question->uid);
        free(question);
}

static void on_reply(void *context, const struct api_reply *reply) {
        struct extender_caller_question *question = context;
        struct extender_caller *caller = question->caller;
        struct action_result result = { .id = question->id,
                                        .kind = ACTION_ASK_EXTENDER,
                                        .target = { .kind = SLICE_LITERAL("Pod"),
                                                    .ns = slice_of(question->ns),
                                                    .name = slice_of(question->name),
                                                    .uid = slice_of(question->uid) },
                                        .retry_after_s = -1,
                                        .body = reply->body };
        char text[64];

        if (reply->status != 200) {
                snprintf(text, sizeof(text), "answered with status %d", reply->status);
                result.code = BERTH_ERR_UNAVAILABLE;
                result.text = slice_of(reply->status ? text : reply->error.text);
        }
        caller->config.answered(caller->config.context, &result);
        free_question(question);
}

static struct slice verb_of(const struct scheduler_extender *settings, enum extender_verb verb) {
        switch (verb) {
        case EXTENDER_FILTER:
                return settings->filter_verb;
        case EXTENDER_PRIORITIZE:
                return settings->prioritize_verb;
        case EXTENDER_PREEMPT:
                return settings->preempt_verb;
        case EXTENDER_BIND:
                break;
        }
        return settings->bind_verb;
}

void extender_caller_ask(struct extender_caller *caller, const struct action *action) {
        struct contact *contact = &caller->contacts[action->ask.extender];
        struct extender_caller_question *question = xcalloc(1, sizeof(*question));
        CLEANUP(buf_release) struct buf path = { 0 };
        CLEANUP(buf_release) struct buf body = { 0 };

        *question = (struct extender_caller_question){ .next = caller->open,
                                                       .caller = caller,
                                                       .id = action->id,
                                                       .ns = slice_dup(action->target.ns),
                                                       .name = slice_dup(action->target.name),
                                                       .uid = slice_dup(action->target.uid) };
        if (caller->open)
                caller->open->prev = question;
        caller->open = question;
        buf_printf(&path, "/" SLICE_FMT, SLICE_ARG(verb_of(contact->settings, action->ask.verb)));
        if (action->ask.verb == EXTENDER_BIND)
                write_bind(action, &body);
        else
                write_args(caller, action, contact->settings->is_node_cache_capable, &body);
        question->request = transport_call(&contact->transport,
                                           &(struct api_call){ .method = API_POST,
                                                               .path = buf_view(&path),
                                                               .body = buf_view(&body) },
                                           on_reply, question);
}

/* ---- life ---- */

static char *text_or_null(struct slice text) {
        return text.len ? slice_dup(text) : NULL;
}

static void read_tls_files(const struct extender_tls *tls, struct cluster_access *access) {
        access->ca_pem = text_or_null(tls->ca_data);
        access->certificate_pem = text_or_null(tls->cert_data);
        access->key_pem = text_or_null(tls->key_data);
        access->ca_file = access->ca_pem ? NULL : text_or_null(tls->ca_file);
        access->certificate_file = access->certificate_pem ? NULL : text_or_null(tls->cert_file);
        access->key_file = access->key_pem ? NULL : text_or_null(tls->key_file);
        access->tls_server_name = text_or_null(tls->server_name);
        access->is_insecure = tls->is_insecure;
}

/* With enableHTTPS and no authority to check against, certificates are not checked; without it the
 * system's authorities count, as upstream. */
static int read_tls(const struct scheduler_extender *settings, struct cluster_access *access,
                    struct err *err) {
        if (settings->tls)
                read_tls_files(settings->tls, access);
        if (!access->ca_pem && !access->ca_file)
                access->is_insecure |= settings->uses_https;
        else if (access->is_insecure)
                return err_set(err, BERTH_ERR_INVALID,
                               "tlsConfig: an authority is given, but insecure says not to look "
                               "at it");
        return 0;
}

static int extender_caller_connect(struct extender_caller *caller, size_t index, struct err *err) {
        struct contact *contact = &caller->contacts[index];
        const struct scheduler_extender *settings = contact->settings;
        struct http_transport_config config = { .user_agent = "berth-scheduler",
                                                .timeout_ns = settings->timeout_ns };
        struct slice server = settings->url_prefix;

        while (server.len && server.ptr[server.len - 1] == '/')
                server.len--;
        config.access.server = slice_dup(server);
        if (read_tls(settings, &config.access, err) < 0) {
                cluster_access_release(&config.access);
                return err_wrap(err, "extender " SLICE_FMT, SLICE_ARG(settings->url_prefix));
        }
        if (http_transport_new(&config, caller->config.loop, &contact->http, err) < 0)
                return err_wrap(err, "extender " SLICE_FMT, SLICE_ARG(settings->url_prefix));
        contact->transport = http_transport(contact->http);
        return 0;
}

static void extender_caller_describe(struct extender_caller *caller, size_t index) {
        struct contact *contact = &caller->contacts[index];
        const struct scheduler_extender *settings = contact->settings;
        const struct extender_resource *managed = settings->managed_resources.items;
        size_t count = settings->managed_resources.count;

        contact->resources = xcalloc(count + 1, sizeof(*contact->resources));
        for (size_t i = 0; i < count; i++)
                contact->resources[i] = managed[i].name;
        caller->extenders[index] =
                (struct extender){ .name = settings->url_prefix,
                                   .filters = settings->filter_verb.len > 0,
                                   .prioritizes = settings->prioritize_verb.len > 0,
                                   .binds = settings->bind_verb.len > 0,
                                   .preempts = settings->preempt_verb.len > 0,
                                   .is_ignorable = settings->is_ignorable,
                                   .weight = settings->weight,
                                   .resource_count = count,
                                   .resources = contact->resources };
        caller->keeps_nodes |= !settings->is_node_cache_capable;
        caller->keeps_placed |= settings->preempt_verb.len > 0 && !settings->is_node_cache_capable;
}

int extender_caller_new(const struct extender_caller_config *config,
                        struct extender_caller **ret_caller, struct err *err) {
        const struct item_list *list = &config->configuration->extenders;
        struct extender_caller *caller = xcalloc(1, sizeof(*caller));

        caller->config = *config;
        caller->count = list->count;
        caller->contacts = xcalloc(list->count, sizeof(*caller->contacts));
        caller->extenders = xcalloc(list->count, sizeof(*caller->extenders));
        caller->pods = map_new();
        caller->nodes = map_new();
        for (size_t i = 0; i < list->count; i++) {
                caller->contacts[i].settings = (const struct scheduler_extender *)list->items + i;
                extender_caller_describe(caller, i);
                if (extender_caller_connect(caller, i, err) < 0) {
                        extender_caller_free(caller);
                        return err->code;
                }
        }
        *ret_caller = caller;
        return 0;
}

void extender_caller_free(struct extender_caller *caller) {
        if (!caller)
                return;
        for (size_t i = 0; i < caller->count; i++) {
                http_transport_free(caller->contacts[i].http);
                free(caller->contacts[i].resources);
        }
        while (caller->open)
                free_question(caller->open);
        map_free_values(caller->pods);
        map_free_values(caller->nodes);
        free(caller->contacts);
        free(caller->extenders);
        free(caller);
}

const struct extender *extender_caller_list(const struct extender_caller *caller) {
        return caller->extenders;
}
