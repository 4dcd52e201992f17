/* An allocation as JSON: devices, configuration, node selector. */
#include "devices/device_result.h"

#include "base/util.h"
#include "base/uuid.h"

struct result_writer {
        struct json_tree *tree;
        const struct device_result_request *request;
};

static struct json_node *texts_node(struct json_tree *tree, const struct slice *texts,
                                    size_t count) {
        struct json_node *array = node_array(tree);

        for (size_t i = 0; i < count; i++)
                node_append(array, node_text(tree, texts[i]));
        return array;
}

static void put_texts(struct json_tree *tree, struct json_node *object, const char *key,
                      const struct slice *texts, size_t count) {
        if (count)
                node_put(tree, object, key, texts_node(tree, texts, count));
}

static void put_member(struct json_tree *tree, struct json_node *object, const char *key,
                       struct slice text) {
        if (text.len)
                node_put_text(tree, object, key, text);
}

/* "request", or "request/choice"; a node of its own for each use. */
static struct json_node *request_name(struct json_tree *tree, const struct device_request *request,
                                      const struct device_request *parent) {
        struct buf name = { 0 };

        if (parent)
                buf_printf(&name, SLICE_FMT "/", SLICE_ARG(parent->name));
        buf_slice(&name, request->name);
        struct json_node *node = node_text(tree, buf_view(&name));
        buf_release(&name);
        return node;
}

/* ---- devices ---- */

static struct json_node *tolerations_node(struct json_tree *tree,
                                          const struct device_request *request) {
        struct json_node *array = node_array(tree);

        for (size_t i = 0; i < request->toleration_count; i++) {
                const struct device_toleration *toleration = &request->tolerations[i];
                struct json_node *object = node_object(tree);

                put_member(tree, object, "key", toleration->key);
                put_member(tree, object, "operator", toleration->op);
                put_member(tree, object, "value", toleration->value);
                put_member(tree, object, "effect", toleration->effect);
                if (toleration->has_seconds)
                        node_put_i64(tree, object, "tolerationSeconds", toleration->seconds);
                node_append(array, object);
        }
        return array;
}

static void put_share(const struct result_writer *writer, struct json_node *object,
                      const struct device_pick *pick) {
        struct json_node *consumed = node_object(writer->tree);
        char id[UUID_TEXT_SIZE];

        uuid_format(uuid_random(writer->request->rng), id);
        node_put_string(writer->tree, object, "shareID", id);
        for (size_t i = 0; i < pick->consumed.count; i++)
                node_set(writer->tree, consumed, pick->consumed.items[i].name,
                         node_text(writer->tree, pick->consumed.items[i].value));
        if (pick->consumed.count)
                node_put(writer->tree, object, "consumedCapacity", consumed);
}

static struct json_node *pick_node(const struct result_writer *writer,
                                   const struct device_pick *pick) {
        const struct device *device = pick->device->device;
        struct json_tree *tree = writer->tree;
        struct json_node *object = node_object(tree);

        node_put(tree, object, "request", request_name(tree, pick->request, pick->parent));
        node_put_text(tree, object, "driver", pick->slice->driver);
        node_put_text(tree, object, "pool", pick->slice->pool);
        node_put_text(tree, object, "device", device->name);
        if (pick->request->has_admin_access)
                node_put_bool(tree, object, "adminAccess", true);
        if (pick->request->toleration_count)
                node_put(tree, object, "tolerations", tolerations_node(tree, pick->request));
        if (writer->request->inventory->gates.has_binding_conditions) {
                put_texts(tree, object, "bindingConditions", device->traits->conditions,
                          device->traits->condition_count);
                put_texts(tree, object, "bindingFailureConditions",
                          device->traits->failure_conditions,
                          device->traits->failure_condition_count);
        }
        if (pick->is_share)
                put_share(writer, object, pick);
        return object;
}

/* ---- configuration ---- */

static void add_config(const struct result_writer *writer, struct json_node *array,
                       const char *source, const struct device_config *config,
                       struct json_node *requests) {
        struct json_node *object = node_object(writer->tree);

        node_put_string(writer->tree, object, "source", source);
        if (requests)
                node_put(writer->tree, object, "requests", requests);
        if (config->opaque)
                node_put(writer->tree, object, "opaque", node_import(writer->tree, config->opaque));
        node_append(array, object);
}

/* The request that was allocated: the claim's, or the choice that was made. */
static const struct device_request *chosen_request(const struct result_writer *writer, size_t at,
                                                   const struct device_request **ret_parent) {
        const struct device_request *request = &writer->request->claim->spec.requests[at];

        *ret_parent = request->choice_count ? request : NULL;
        return request->choice_count ? &request->choices[writer->request->allocation->chosen[at]]
                                     : request;
}

/* Each class once, with all requests of it. */
static void add_class_configs(const struct result_writer *writer, struct json_node *array) {
        const struct device_claim_spec *spec = &writer->request->claim->spec;
        const struct device_request *parent;

        for (size_t i = 0; i < spec->request_count; i++) {
                const struct device_request *request = chosen_request(writer, i, &parent);
                const struct device_class *class =
                        device_inventory_class(writer->request->inventory, request->class_name);
                bool is_known = false;

                for (size_t j = 0; !is_known && j < i; j++)
                        is_known = slice_eq(chosen_request(writer, j, &parent)->class_name,
                                            request->class_name);
                for (size_t j = 0; !is_known && class && j < class->config_count; j++) {
                        struct json_node *names = node_array(writer->tree);

                        for (size_t k = i; k < spec->request_count; k++) {
                                const struct device_request *other =
                                        chosen_request(writer, k, &parent);

                                if (slice_eq(other->class_name, request->class_name))
                                        node_append(names,
                                                    request_name(writer->tree, other, parent));
                        }
                        add_config(writer, array, "FromClass", &class->configs[j], names);
                }
        }
}

static bool names_request(const struct device_config *config, const struct device_request *request,
                          const struct device_request *parent) {
        struct slice base = parent ? parent->name : request->name;

        for (size_t i = 0; i < config->request_count; i++) {
                struct slice name = config->requests[i];

                if (slice_eq(name, base))
                        return true;
                if (parent && name.len == base.len + 1 + request->name.len &&
                    name.ptr[base.len] == '/' && slice_has_prefix(name, base) &&
                    slice_has_suffix(name, request->name))
                        return true;
        }
        return false;
}

/* As upstream: once for each request that the entry names. */
static void add_claim_configs(const struct result_writer *writer, struct json_node *array) {
        const struct device_claim_spec *spec = &writer->request->claim->spec;
        const struct device_request *parent;

        for (size_t i = 0; i < spec->config_count; i++) {
                const struct device_config *config = &spec->configs[i];

                if (config->request_count == 0)
                        add_config(writer, array, "FromClaim", config, NULL);
                for (size_t j = 0; j < spec->request_count; j++) {
                        const struct device_request *request = chosen_request(writer, j, &parent);

                        if (names_request(config, request, parent))
                                add_config(writer, array, "FromClaim", config,
                                           texts_node(writer->tree, config->requests,
                                                      config->request_count));
                }
        }
}

/* ---- node selector ---- */

static struct json_node *only_node(const struct result_writer *writer) {
        struct json_tree *tree = writer->tree;
        struct json_node *selector = node_object(tree), *term = node_object(tree);
        struct json_node *field = node_object(tree);

        node_put_string(tree, field, "key", "metadata.name");
        node_put_string(tree, field, "operator", "In");
        put_texts(tree, field, "values", &writer->request->node, 1);
        node_append(node_need_array(tree, term, "matchFields"), field);
        node_append(node_need_array(tree, selector, "nodeSelectorTerms"), term);
        return selector;
}

/* Requirements that are not there yet. */
static void merge_requirements(const struct result_writer *writer, struct json_node *term,
                               const struct json *from, const char *key) {
        struct json_iter iter = json_iter(json_get(from, key));
        const struct json *requirement;

        while (json_next(&iter, NULL, &requirement)) {
                struct json_node *list = node_need_array(writer->tree, term, key);
                struct json_node *copy = node_import(writer->tree, requirement);
                bool is_known = false;

                for (size_t i = 0; !is_known && i < node_count(list); i++)
                        is_known = node_equal(node_at(list, i), copy);
                if (!is_known)
                        node_append(list, copy);
        }
}

/* NULL with err unset: the devices can be used on every node. */
static struct json_node *selector_node(const struct result_writer *writer, struct err *err) {
        const struct device_allocation *allocation = writer->request->allocation;
        struct json_node *selector = node_object(writer->tree), *term = node_object(writer->tree);

        for (size_t i = 0; i < allocation->pick_count; i++) {
                const struct device_pick *pick = &allocation->picks[i];
                const struct device_place *place = pick->slice->has_places
                                                           ? pick->device->device->traits->place
                                                           : pick->slice->place;

                if (place->has_node_name || pick->device->device->traits->binds_to_node)
                        return only_node(writer);
                const struct json *terms = json_get(place->written, "nodeSelectorTerms");
                if (json_count(terms) > 1) {
                        err_set(err, BERTH_ERR_INVALID,
                                "unsupported ResourceSlice.NodeSelector with %zu terms",
                                json_count(terms));
                        return NULL;
                }
                merge_requirements(writer, term, json_at(terms, 0), "matchFields");
                merge_requirements(writer, term, json_at(terms, 0), "matchExpressions");
        }
        if (node_count(term) == 0)
                return NULL;
        node_append(node_need_array(writer->tree, selector, "nodeSelectorTerms"), term);
        return selector;
}

struct json_node *device_result_node(struct json_tree *tree,
                                     const struct device_result_request *request, struct err *err) {
        const struct result_writer writer = { tree, request };
        struct json_node *result = node_object(tree), *devices = node_object(tree);
        struct json_node *results = node_array(tree), *configs = node_array(tree);
        struct err problem = { 0 };
        struct json_node *selector = selector_node(&writer, &problem);

        if (problem.code < 0) {
                err_set(err, problem.code, "create NodeSelector for claim " SLICE_FMT ": %s",
                        SLICE_ARG(request->claim->meta.name), problem.text);
                return NULL;
        }
        for (size_t i = 0; i < request->allocation->pick_count; i++)
                node_append(results, pick_node(&writer, &request->allocation->picks[i]));
        add_class_configs(&writer, configs);
        add_claim_configs(&writer, configs);
        if (node_count(results))
                node_put(tree, devices, "results", results);
        if (node_count(configs))
                node_put(tree, devices, "config", configs);
        node_put(tree, result, "devices", devices);
        if (selector)
                node_put(tree, result, "nodeSelector", selector);
        return result;
}
