/* Keeps the head of an audit chain in a ConfigMap, so that a file whose end was cut off does not
 * pass for whole. */
#pragma once

#include "api/json.h"
#include "evict/audit_chain.h"
#include "port/loop.h"
#include "port/transport.h"

#define AUDIT_ANCHOR_NAMESPACE "kube-system"
#define AUDIT_ANCHOR_NAME "berth-eviction-audit"
#define AUDIT_ANCHOR_PATH                                                                          \
        "/api/v1/namespaces/" AUDIT_ANCHOR_NAMESPACE "/configmaps/" AUDIT_ANCHOR_NAME
#define AUDIT_ANCHOR_NS (2 * NS_PER_S) /* from a line to its anchor */

/* The head of that chain in the ConfigMap; false when it has none. */
bool audit_anchor_find(const struct json *config_map, const struct audit_chain *chain,
                       struct audit_head *ret_head);

struct audit_anchor;
struct audit_anchor_config {
        struct transport *transport;
        struct loop *loop;
        const struct audit_chain *chain; /* what is written; a file's */
        /* The file ended before a line that was anchored. */
        void (*lost)(void *context, const struct audit_head *head);
        void *context;
};
/* Reads first what is anchored of a chain that goes on.  All borrowed. */
struct audit_anchor *audit_anchor_new(const struct audit_anchor_config *config);
void audit_anchor_free(struct audit_anchor *anchor); /* accepts NULL */
/* A line was appended. */
void audit_anchor_changed(struct audit_anchor *anchor); /* accepts NULL */
