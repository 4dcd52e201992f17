/* Nodes of the simulated kubelets: registration, conditions, heartbeats, failure. */
#include "base/util.h"
#include "control/kubelet_priv.h"
#include "control/object_write.h"
#include "control/pod_owner.h"
#include "server/api_server.h"
#include <stdio.h>
#include <stdlib.h>

#define MANAGED_ANNOTATION "kubelet.berth.dev/managed"
#define LEASE_NAMESPACE "kube-node-lease"
#define LEASE_DURATION_S 40
#define REBOOT_DEFAULT_NS (30 * NS_PER_S)
#define BEATS_PER_STATUS 30 /* the conditions' heartbeat moves every so many renewals */

const struct json *kubelet_node_annotations(const struct kubelet_node *node) {
        return json_get(json_get(json_doc_root(node->doc), "metadata"), "annotations");
}

/* ---- heartbeats ---- */

static struct object_target lease_of(const struct kubelet *kubelet,
                                     const struct kubelet_node *node) {
        return (struct object_target){ .resource = kubelet->run->control->resource.leases,
                                       .ns = SLICE_LITERAL(LEASE_NAMESPACE),
                                       .name = slice_of(node->name) };
}

static void put_renewal(const struct kubelet *kubelet, struct json_tree *tree,
                        struct json_node *lease) {
        struct json_node *spec = node_need_object(tree, lease, "spec");
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format_micro(control_now(kubelet->run->control), now);
        node_put_string(tree, spec, "renewTime", now);
}

static int create_lease(struct kubelet *kubelet, const struct kubelet_node *node,
                        const struct json *object, struct err *err) {
        struct json_tree *tree = json_tree_new();
        struct json_node *lease = node_object(tree), *owner = node_object(tree);
        struct json_node *metadata = node_need_object(tree, lease, "metadata");
        struct json_node *spec = node_need_object(tree, lease, "spec");

        node_put_string(tree, metadata, "name", node->name);
        node_put_string(tree, metadata, "namespace", LEASE_NAMESPACE);
        node_put_string(tree, owner, "apiVersion", "v1");
        node_put_string(tree, owner, "kind", "Node");
        node_put_string(tree, owner, "name", node->name);
        node_put_text(tree, owner, "uid", json_get_text(json_get(object, "metadata"), "uid"));
        node_append(node_need_array(tree, metadata, "ownerReferences"), owner);
        node_put_string(tree, spec, "holderIdentity", node->name);
        node_put_i64(tree, spec, "leaseDurationSeconds", LEASE_DURATION_S);
        put_renewal(kubelet, tree, lease);
        int r = object_create(kubelet->run, kubelet->run->control->resource.leases,
                              SLICE_LITERAL(LEASE_NAMESPACE), lease, err);
        json_tree_free(tree);
        return r;
}

static void kubelet_node_renew(struct kubelet *kubelet, struct kubelet_node *node) {
        struct object_target target = lease_of(kubelet, node);

        if (node->is_failed || !node->is_registered)
                return;
        struct json_tree *tree = json_tree_new();
        struct json_node *patch = node_object(tree);
        put_renewal(kubelet, tree, patch);
        if (object_merge(kubelet->run, &target, patch, NULL) < 0 ||
            ++node->beats % BEATS_PER_STATUS == 0)
                work_queue_add(kubelet->run->queue, SLICE_EMPTY, slice_of(node->name));
        json_tree_free(tree);
}

static void kubelet_node_beat(void *context) {
        struct kubelet *kubelet = context;
        struct heartbeat_bucket *bucket = &kubelet->buckets[kubelet->next_bucket];

        for (uint32_t i = 0; i < bucket->count; i++)
                kubelet_node_renew(kubelet, bucket->nodes[i]);
        kubelet->next_bucket = (kubelet->next_bucket + 1) % HEARTBEAT_SLOTS;
        kubelet_heartbeat_start(kubelet);
}

void kubelet_heartbeat_start(struct kubelet *kubelet) {
        kubelet->heartbeat.fired = kubelet_node_beat;
        kubelet->heartbeat.context = kubelet;
        if (map_count(kubelet->nodes))
                loop_timer_arm(kubelet->run->control->loop, &kubelet->heartbeat,
                               kubelet->run->control->config.heartbeat_ns / HEARTBEAT_SLOTS);
}

/* ---- nodes ---- */

static struct kubelet_node *node_need(struct kubelet *kubelet, struct slice name) {
        struct kubelet_node *node = map_get(kubelet->nodes, name);
        struct heartbeat_bucket *bucket;

        if (node)
                return node;
        node = xcalloc(1, sizeof(*node));
        node->name = slice_dup(name);
        node->number = kubelet->next_number++;
        node->since = loop_mono(kubelet->run->control->loop);
        node->bucket = node->number % HEARTBEAT_SLOTS;
        snprintf(node->host_ip, sizeof(node->host_ip), "172.%u.%u.%u",
                 16 + (node->number / 64516) % 16, node->number / 254 % 254,
                 1 + node->number % 254);
        bucket = &kubelet->buckets[node->bucket];
        if (bucket->count == bucket->cap) {
                bucket->cap = bucket->cap ? bucket->cap * 2 : 8;
                bucket->nodes = xreallocarray(bucket->nodes, bucket->cap, sizeof(bucket->nodes[0]));
        }
        node->bucket_index = bucket->count;
        bucket->nodes[bucket->count++] = node;
        map_put(kubelet->nodes, name, node);
        if (!loop_timer_is_armed(&kubelet->heartbeat))
                kubelet_heartbeat_start(kubelet);
        return node;
}

void kubelet_node_forget(struct kubelet *kubelet, struct kubelet_node *node) {
        struct heartbeat_bucket *bucket;

        if (!node)
                return;
        bucket = &kubelet->buckets[node->bucket];
        bucket->nodes[node->bucket_index] = bucket->nodes[--bucket->count];
        bucket->nodes[node->bucket_index]->bucket_index = node->bucket_index;
        map_remove(kubelet->nodes, slice_of(node->name));
        json_doc_free(node->doc);
        free(node->name);
        free(node);
}

static bool is_managed(const struct json *object) {
        const struct json *annotations = json_get(json_get(object, "metadata"), "annotations");

        return !slice_is(json_get_text(annotations, MANAGED_ANNOTATION), "false");
}

/* ---- status ---- */

static void put_condition(struct json_tree *tree, struct json_node *conditions,
                          const struct json *object, const char *const *texts, const char *now) {
        struct json_iter iter = json_iter(json_get(json_get(object, "status"), "conditions"));
        struct json_node *condition = node_object(tree);
        const struct json *old, *same = NULL;

        while (json_next(&iter, NULL, &old)) {
                if (slice_is(json_get_text(old, "type"), texts[0]) &&
                    slice_is(json_get_text(old, "status"), texts[1]))
                        same = old;
        }
        node_put_string(tree, condition, "type", texts[0]);
        node_put_string(tree, condition, "status", texts[1]);
        node_put_string(tree, condition, "lastHeartbeatTime", now);
        if (same && json_get_text(same, "lastTransitionTime").len)
                node_put_text(tree, condition, "lastTransitionTime",
                              json_get_text(same, "lastTransitionTime"));
        else
                node_put_string(tree, condition, "lastTransitionTime", now);
        node_put_string(tree, condition, "reason", texts[2]);
        node_put_string(tree, condition, "message", texts[3]);
        node_append(conditions, condition);
}

static bool is_ours(struct slice type, const char *const ours[][4], size_t count) {
        for (size_t i = 0; i < count; i++) {
                if (slice_is(type, ours[i][0]))
                        return true;
        }
        return false;
}

/* Pressure that a test wrote into the status stays; Ready is the kubelet's own. */
static void put_conditions(struct kubelet *kubelet, struct json_tree *tree,
                           struct json_node *status, const struct json *object) {
        static const char *const ours[][4] = {
                { "MemoryPressure", "False", "KubeletHasSufficientMemory",
                  "kubelet has sufficient memory available" },
                { "DiskPressure", "False", "KubeletHasNoDiskPressure",
                  "kubelet has no disk pressure" },
                { "PIDPressure", "False", "KubeletHasSufficientPID",
                  "kubelet has sufficient PID available" },
                { "Ready", "True", "KubeletReady", "kubelet is posting ready status" },
        };
        struct json_iter iter = json_iter(json_get(json_get(object, "status"), "conditions"));
        struct json_node *conditions = node_need_array(tree, status, "conditions");
        const struct json *old;
        bool has_pressure[ARRAY_LEN(ours)] = { false };
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format(control_now(kubelet->run->control), now);
        while (json_next(&iter, NULL, &old)) {
                struct slice type = json_get_text(old, "type");
                bool is_true = slice_is(json_get_text(old, "status"), "True");

                if (is_ours(type, ours, ARRAY_LEN(ours)) && (!is_true || slice_is(type, "Ready")))
                        continue;
                node_append(conditions, node_import(tree, old));
                for (size_t i = 0; i < ARRAY_LEN(ours); i++)
                        has_pressure[i] |= slice_is(type, ours[i][0]);
        }
        for (size_t i = 0; i < ARRAY_LEN(ours); i++) {
                if (!has_pressure[i])
                        put_condition(tree, conditions, object, ours[i], now);
        }
}

static void put_capacity(struct json_tree *tree, struct json_node *status, const struct json *old) {
        static const char *const defaults[][2] = { { "cpu", "8" },
                                                   { "memory", "32Gi" },
                                                   { "ephemeral-storage", "100Gi" },
                                                   { "pods", "110" } };

        if (json_count(json_get(old, "allocatable")))
                return;
        if (json_count(json_get(old, "capacity"))) {
                node_put(tree, status, "allocatable", node_import(tree, json_get(old, "capacity")));
                return;
        }
        struct json_node *capacity = node_need_object(tree, status, "capacity");
        for (size_t i = 0; i < ARRAY_LEN(defaults); i++)
                node_put_string(tree, capacity, defaults[i][0], defaults[i][1]);
        node_put(tree, status, "allocatable", node_clone(tree, capacity));
}

/* release: the version of Kubernetes that the kubelets claim. */
static void put_info(struct json_tree *tree, struct json_node *status, const struct json *old,
                     const struct kubelet_node *node, const char *release) {
        static const char *const facts[][2] = {
                { "architecture", "amd64" },
                { "operatingSystem", "linux" },
                { "osImage", "berth sandbox" },
                { "kernelVersion", "6.1.0-sandbox" },
                { "containerRuntimeVersion", "containerd://2.1.0" },
                { "kubeProxyVersion", "" },
                { "machineID", "" },
                { "systemUUID", "" },
        };
        const struct json *old_info = json_get(old, "nodeInfo");
        struct json_node *info = node_need_object(tree, status, "nodeInfo");

        for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
                struct slice known = json_get_text(old_info, facts[i][0]);

                if (known.len == 0)
                        node_put_string(tree, info, facts[i][0],
                                        slice_is(slice_of(facts[i][0]), "machineID") ? node->name
                                                                                     : facts[i][1]);
        }
        if (json_get_text(old_info, "kubeletVersion").len == 0)
                node_put_string(tree, info, "kubeletVersion", release);
        node_put_string(tree, info, "bootID", node->boot_id);
}

static void put_addresses(struct json_tree *tree, struct json_node *status, const struct json *old,
                          struct kubelet_node *node) {
        struct json_iter iter = json_iter(json_get(old, "addresses"));
        const struct json *address;

        while (json_next(&iter, NULL, &address)) {
                if (slice_is(json_get_text(address, "type"), "InternalIP"))
                        snprintf(node->host_ip, sizeof(node->host_ip), SLICE_FMT,
                                 SLICE_ARG(json_get_text(address, "address")));
        }
        if (json_count(json_get(old, "addresses")))
                return;
        struct json_node *list = node_need_array(tree, status, "addresses");
        struct json_node *element = node_object(tree);
        node_put_string(tree, element, "type", "InternalIP");
        node_put_string(tree, element, "address", node->host_ip);
        node_append(list, element);
        element = node_object(tree);
        node_put_string(tree, element, "type", "Hostname");
        node_put_string(tree, element, "address", node->name);
        node_append(list, element);
}

static int kubelet_node_report(struct kubelet *kubelet, struct kubelet_node *node,
                               const struct json *object, struct err *err) {
        const struct json *old = json_get(object, "status");
        struct object_target target = { .resource = kubelet->run->control->resource.nodes,
                                        .name = slice_of(node->name) };
        struct json_tree *tree = json_tree_new();
        struct json_node *status = node_object(tree);
        char release[24];

        snprintf(release, sizeof(release), "v1.%u.0",
                 api_server_minor(kubelet->run->control->server));
        put_capacity(tree, status, old);
        put_info(tree, status, old, node, release);
        put_addresses(tree, status, old, node);
        put_conditions(kubelet, tree, status, object);
        kubelet->is_writing = true;
        int r = object_merge_status(kubelet->run, &target, tree, status, err);
        json_tree_free(tree);
        return r;
}

/* ---- reboots ---- */

/* The annotation identifies the boot, so that no reboot happens twice. */
static void boot_id_of(const struct kubelet_node *node, struct slice reboot, char *buffer) {
        struct rng rng;

        rng_init(&rng, slice_hash(slice_of(node->name)) * 31 + slice_hash(reboot));
        uuid_format(uuid_random(&rng), buffer);
}

static void go_down(struct kubelet *kubelet, struct kubelet_node *node) {
        struct slice text = lifecycle_annotation(NULL, kubelet_node_annotations(node),
                                                 "reboot-time", SLICE_EMPTY);
        int64_t length_ns;

        if (!duration_parse(text, &length_ns) || length_ns < 0 ||
            length_ns > LIFECYCLE_LENGTH_MAX_NS)
                length_ns = REBOOT_DEFAULT_NS;
        node->down_until.ns = loop_mono(kubelet->run->control->loop).ns + length_ns;
        node->is_down = true;
}

static void come_back(struct kubelet *kubelet, struct kubelet_node *node,
                      const struct json *object) {
        const struct control *control = kubelet->run->control;
        const struct entry_list *pods = object_index_pods_on(control->index, slice_of(node->name));

        node->is_down = false;
        for (struct entry_link *link = pods ? pods->first : NULL; link; link = link->after)
                link->entry->pod->is_lost = true;
        object_warning(kubelet->run, control->resource.nodes, object, "Rebooted",
                       "Node %s has been rebooted, boot id: %s", node->name, node->boot_id);
}

/* A new value of the annotation takes the node down for a while. */
static bool is_rebooting(struct kubelet *kubelet, struct kubelet_node *node,
                         const struct json *object) {
        struct slice known =
                json_get_text(json_get(json_get(object, "status"), "nodeInfo"), "bootID");
        struct slice reboot =
                lifecycle_annotation(NULL, kubelet_node_annotations(node), "reboot", SLICE_EMPTY);

        if (reboot.len || known.len == 0)
                boot_id_of(node, reboot, node->boot_id);
        else if (!node->is_down) /* without annotation, all is well */
                snprintf(node->boot_id, sizeof(node->boot_id), SLICE_FMT, SLICE_ARG(known));
        if (!node->is_down) {
                if (known.len == 0 || slice_is(known, node->boot_id))
                        return false;
                go_down(kubelet, node);
        }
        if (node->down_until.ns <= loop_mono(kubelet->run->control->loop).ns) {
                come_back(kubelet, node, object);
                return false;
        }
        work_queue_add_at(kubelet->run->queue, SLICE_EMPTY, slice_of(node->name), node->down_until);
        return true;
}

/* ---- reconciling ---- */

/* A node fails for good while its annotation says so, or some time after it came. */
static bool is_failing(struct kubelet *kubelet, struct kubelet_node *node) {
        const struct json *annotations = kubelet_node_annotations(node);
        struct slice none = SLICE_EMPTY;
        struct slice after = lifecycle_annotation(NULL, annotations, "fail-after", none);
        struct mono_time due;
        int64_t after_ns;

        if (slice_is(lifecycle_annotation(NULL, annotations, "heartbeat", none), "stop"))
                return true;
        if (!duration_parse(after, &after_ns) || after_ns < 0)
                return false;
        due.ns = node->since.ns + after_ns;
        if (due.ns <= loop_mono(kubelet->run->control->loop).ns)
                return true;
        work_queue_add_at(kubelet->run->queue, SLICE_EMPTY, slice_of(node->name), due);
        return false;
}

/* Makes the kubelet look at all pods of a node. */
static void kubelet_wake_pods(struct kubelet *kubelet, struct slice node) {
        const struct entry_list *pods = object_index_pods_on(kubelet->run->control->index, node);

        for (const struct entry_link *link = pods ? pods->first : NULL; link; link = link->after)
                work_queue_add(kubelet->run->queue, store_object_ns(link->entry->object),
                               store_object_name(link->entry->object));
}

static int kubelet_node_keep(struct kubelet *kubelet, struct kubelet_node *node,
                             const struct json *object, struct err *err) {
        struct object_target lease = lease_of(kubelet, node);
        bool was_away = !node->is_registered || node->is_failed ||
                        object_condition_is(object, "Ready", "Unknown"); /* for others it was */

        node->is_failed = is_failing(kubelet, node) || is_rebooting(kubelet, node, object);
        if (node->is_failed)
                return 0;
        int r = kubelet_node_report(kubelet, node, object, err);
        if (r < 0)
                return r;
        node->is_registered = true;
        if (!store_get(kubelet->run->control->store, lease.resource, lease.ns, lease.name))
                r = create_lease(kubelet, node, object, err);
        else if (was_away)
                kubelet_node_renew(kubelet, node);
        if (was_away)
                kubelet_wake_pods(kubelet, slice_of(node->name));
        return r;
}

int kubelet_node_reconcile(struct kubelet *kubelet, struct slice name, struct err *err) {
        struct control *control = kubelet->run->control;
        const struct store_object *stored =
                store_get(control->store, control->resource.nodes, SLICE_EMPTY, name);
        struct json_doc *doc = NULL;
        const struct json *object =
                control_read(control, control->resource.nodes, SLICE_EMPTY, name, &doc);

        if (!object || !is_managed(object)) {
                kubelet_node_forget(kubelet, map_get(kubelet->nodes, name));
                json_doc_free(doc);
                return 0;
        }
        work_queue_cancel(kubelet->run->queue, SLICE_EMPTY, name); /* what was planned before */
        struct kubelet_node *node = node_need(kubelet, name);
        json_doc_free(node->doc);
        node->doc = object_mentions(stored, LIFECYCLE_PREFIX) ? doc : NULL;
        int r = kubelet_node_keep(kubelet, node, object, err);
        if (node->doc != doc)
                json_doc_free(doc);
        return r;
}
