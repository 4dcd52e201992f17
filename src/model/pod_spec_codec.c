/* Canonical bytes of pod specs: one function per struct of api/object.h. */
#include "model/pod_spec_codec.h"

static void text_item(struct content_codec *codec, void *item) {
        codec_text(codec, item);
}

static void label_item(struct content_codec *codec, void *item) {
        struct label *label = item;
        codec_text(codec, &label->key);
        codec_text(codec, &label->value);
}

static void amount_item(struct content_codec *codec, void *item) {
        struct resource_amount *amount = item;
        codec_text(codec, &amount->name);
        CODEC_VALUE(codec, amount->amount);
}

static void pod_spec_codec_amounts(struct content_codec *codec, struct resource_list *list) {
        CODEC_LIST(codec, list->items, list->count, amount_item);
}

/* ---- selectors and terms ---- */

static void requirement_item(struct content_codec *codec, void *item) {
        struct selector_requirement *requirement = item;
        codec_text(codec, &requirement->key);
        CODEC_VALUE(codec, requirement->op);
        CODEC_VALUE(codec, requirement->is_equals);
        CODEC_VALUE(codec, requirement->is_double_equals);
        CODEC_VALUE(codec, requirement->number);
        CODEC_LIST(codec, requirement->values, requirement->value_count, text_item);
}

static void pod_spec_codec_selector(struct content_codec *codec, struct selector *selector) {
        CODEC_VALUE(codec, selector->matches_nothing);
        CODEC_LIST(codec, selector->requirements, selector->count, requirement_item);
}

static void node_requirement_item(struct content_codec *codec, void *item) {
        struct node_requirement *requirement = item;
        codec_text(codec, &requirement->key);
        CODEC_VALUE(codec, requirement->op);
        CODEC_VALUE(codec, requirement->is_invalid);
        CODEC_VALUE(codec, requirement->number);
        CODEC_LIST(codec, requirement->values, requirement->value_count, text_item);
}

static void node_term_item(struct content_codec *codec, void *item) {
        struct node_term *term = item;
        CODEC_LIST(codec, term->expressions, term->expression_count, node_requirement_item);
        CODEC_LIST(codec, term->fields, term->field_count, node_requirement_item);
}

static void preferred_item(struct content_codec *codec, void *item) {
        struct preferred_node_term *preferred = item;
        CODEC_VALUE(codec, preferred->weight);
        node_term_item(codec, &preferred->term);
}

static void pod_term_item(struct content_codec *codec, void *item) {
        struct pod_affinity_term *term = item;
        CODEC_VALUE(codec, term->has_selector);
        CODEC_VALUE(codec, term->has_namespace_selector);
        CODEC_VALUE(codec, term->selector_is_invalid);
        CODEC_VALUE(codec, term->weight);
        pod_spec_codec_selector(codec, &term->selector);
        pod_spec_codec_selector(codec, &term->namespace_selector);
        CODEC_LIST(codec, term->namespaces, term->namespace_count, text_item);
        codec_text(codec, &term->topology_key);
}

static void pod_terms(struct content_codec *codec, struct pod_affinity_terms *terms) {
        CODEC_LIST(codec, terms->required, terms->required_count, pod_term_item);
        CODEC_LIST(codec, terms->preferred, terms->preferred_count, pod_term_item);
}

static void pod_spec_codec_affinity(struct content_codec *codec, struct affinity *affinity) {
        CODEC_VALUE(codec, affinity->has_required_node_terms);
        CODEC_LIST(codec, affinity->preferred_node, affinity->preferred_node_count, preferred_item);
        pod_terms(codec, &affinity->pod);
        pod_terms(codec, &affinity->pod_anti);
}

void required_terms_codec(struct content_codec *codec, struct affinity *affinity) {
        CODEC_LIST(codec, affinity->required_node, affinity->required_node_count, node_term_item);
}

static void toleration_item(struct content_codec *codec, void *item) {
        struct toleration *toleration = item;
        codec_text(codec, &toleration->key);
        codec_text(codec, &toleration->value);
        CODEC_VALUE(codec, toleration->op);
        CODEC_VALUE(codec, toleration->effect);
        CODEC_VALUE(codec, toleration->has_seconds);
        CODEC_VALUE(codec, toleration->seconds);
}

static void spread_item(struct content_codec *codec, void *item) {
        struct spread_constraint *spread = item;
        CODEC_VALUE(codec, spread->max_skew);
        CODEC_VALUE(codec, spread->min_domains);
        codec_text(codec, &spread->topology_key);
        CODEC_VALUE(codec, spread->is_hard);
        CODEC_VALUE(codec, spread->has_selector);
        CODEC_VALUE(codec, spread->selector_is_invalid);
        pod_spec_codec_selector(codec, &spread->selector);
        CODEC_VALUE(codec, spread->honor_affinity);
        CODEC_VALUE(codec, spread->honor_taints);
        CODEC_LIST(codec, spread->match_label_keys, spread->match_label_key_count, text_item);
}

void taint_codec(struct content_codec *codec, void *item) {
        struct taint *taint = item;
        codec_text(codec, &taint->key);
        codec_text(codec, &taint->value);
        CODEC_VALUE(codec, taint->effect);
}

/* ---- containers and volumes ---- */

static void port_item(struct content_codec *codec, void *item) {
        struct container_port *port = item;
        codec_text(codec, &port->host_ip);
        codec_text(codec, &port->protocol);
        CODEC_VALUE(codec, port->container_port);
        CODEC_VALUE(codec, port->host_port);
}

static void container_item(struct content_codec *codec, void *item) {
        struct container *container = item;
        codec_text(codec, &container->name);
        codec_text(codec, &container->image);
        pod_spec_codec_amounts(codec, &container->requests);
        pod_spec_codec_amounts(codec, &container->limits);
        CODEC_LIST(codec, container->ports, container->port_count, port_item);
        CODEC_LIST(codec, container->claims, container->claim_count, text_item);
        CODEC_VALUE(codec, container->is_sidecar);
        CODEC_VALUE(codec, container->restarts_all);
        CODEC_VALUE(codec, container->has_actual);
        pod_spec_codec_amounts(codec, &container->actual);
        pod_spec_codec_amounts(codec, &container->allocated);
}

static void volume_item(struct content_codec *codec, void *item) {
        struct volume *volume = item;
        codec_text(codec, &volume->name);
        CODEC_VALUE(codec, volume->kind);
        codec_text(codec, &volume->claim_name);
}

static void claim_item(struct content_codec *codec, void *item) {
        struct pod_resource_claim *claim = item;
        codec_text(codec, &claim->name);
        codec_text(codec, &claim->claim_name);
        codec_text(codec, &claim->template_name);
}

static void pod_spec(struct content_codec *codec, struct pod_spec *spec) {
        codec_text(codec, &spec->scheduler_name);
        codec_text(codec, &spec->priority_class_name);
        codec_text(codec, &spec->service_account);
        CODEC_VALUE(codec, spec->has_priority);
        CODEC_VALUE(codec, spec->priority);
        CODEC_VALUE(codec, spec->never_preempts);
        CODEC_VALUE(codec, spec->uses_host_network);
        CODEC_VALUE(codec, spec->has_own_users);
        CODEC_VALUE(codec, spec->restart_policy);
        CODEC_VALUE(codec, spec->termination_grace_s);
        CODEC_VALUE(codec, spec->active_deadline_s);
        CODEC_LIST(codec, spec->node_selector.items, spec->node_selector.count, label_item);
        pod_spec_codec_affinity(codec, &spec->affinity);
        CODEC_LIST(codec, spec->tolerations, spec->toleration_count, toleration_item);
        CODEC_LIST(codec, spec->spread, spec->spread_count, spread_item);
        CODEC_LIST(codec, spec->containers, spec->container_count, container_item);
        CODEC_LIST(codec, spec->init, spec->init_count, container_item);
        CODEC_LIST(codec, spec->ephemeral, spec->ephemeral_count, container_item);
        CODEC_LIST(codec, spec->volumes, spec->volume_count, volume_item);
        CODEC_LIST(codec, spec->gates, spec->gate_count, text_item);
        pod_spec_codec_amounts(codec, &spec->overhead);
        pod_spec_codec_amounts(codec, &spec->pod_requests);
        pod_spec_codec_amounts(codec, &spec->pod_limits);
        CODEC_VALUE(codec, spec->has_pod_resources);
        codec_text(codec, &spec->scheduling_group);
        CODEC_LIST(codec, spec->claims, spec->claim_count, claim_item);
        CODEC_VALUE(codec, spec->is_resize_infeasible);
        CODEC_VALUE(codec, spec->has_pod_actual);
        pod_spec_codec_amounts(codec, &spec->pod_actual);
        pod_spec_codec_amounts(codec, &spec->pod_allocated);
        pod_spec_codec_amounts(codec, &spec->device_requests);
}

void class_content_codec(struct content_codec *codec, struct class_content *content) {
        pod_spec(codec, &content->spec);
        CODEC_LIST(codec, content->sources, content->source_count, text_item);
}
