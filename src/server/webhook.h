/* Admission webhooks: which of them are to judge a write, what they are asked, what their answers
 * mean. A request that needs an answer it has not got is given up and run again once the answer is
 * there (api_pending.c): up to then it must not have changed anything. */
#pragma once

#include "server/api_decode.h"
#include "server/api_pending.h"
#include "server/api_store.h"

/* What an answer is remembered by, and sent to. */
struct webhook {
        const char *configuration, *name;
        const struct json *row; /* of the configuration */
        bool is_mutating;
};

/* The write as webhooks see it. */
struct webhook_subject {
        struct slice group, version, plural, subresource; /* of the URL */
        const char *type_group, *type_version, *type;     /* of the object */
        struct slice ns, name;
        const char *operation;          /* CREATE, UPDATE, DELETE */
        const struct json_node *object; /* with kind and apiVersion; NULL on DELETE */
        const struct json *old;         /* without; NULL on CREATE */
        const char *options;            /* "CreateOptions" */
        bool is_namespaced, is_dry_run;
        bool has_made_name; /* the name is from the server, and not in the request */
        const struct api_resource *resource; /* that is written */
        /* Another version of it, which is what the one who is asked wants to see; NULL = none. */
        const struct api_resource *matched;
};

/* ---- deciding (webhook.c) ---- */
/* All return 0, or API_FAILED for a refusal and while an answer is missing. */
struct mutation_rounds; /* server/mutating_policy.h */
/* Policies, too. */
int webhooks_mutate(struct api_context *context, struct api_write *write,
                    struct mutation_rounds *rounds);
int webhooks_validate(struct api_context *context, const struct api_write *write);
int webhooks_allow_delete(struct api_context *context, const struct api_resource *resource,
                          const struct store_object *object);
/* An Eviction or Binding posted to a pod, which mutating webhooks may change. */
int webhooks_allow_action(struct api_context *context, struct decoded *decoded,
                          const char *type_group, const char *type);

/* A Scale that is written, as it is before it changes the object. */
int webhooks_mutate_scale(struct api_context *context, struct api_write *scale);
int webhooks_validate_scale(struct api_context *context, const struct api_write *scale);

/* ---- selecting (webhook_match.c) ---- */
/* ret_matched: the version of the resource by which it does, NULL for the one that is written. */
bool webhook_matches(struct api_context *context, const struct json *row,
                     const struct webhook_subject *subject,
                     const struct api_resource **ret_matched);
/* The same for the matchConstraints of a policy, or the matchResources of its binding. */
bool resources_match(struct api_context *context, const struct json *resources,
                     const struct webhook_subject *subject,
                     const struct api_resource **ret_matched);
/* Absent selectors select everything. */
bool labels_selected(struct api_context *context, const struct json *selector,
                     const struct json *metadata);

/* ---- asking (webhook_review.c) ---- */
/* Address and name to expect in the certificate, in the arena; false when there is none. */
bool webhook_address(struct api_context *context, const struct json *row, const char **ret_url,
                     const char **ret_server_name);
/* Members of an AdmissionRequest, each behind a comma: all but the objects, and those. */
void webhook_request_write(struct api_context *context, const struct webhook_subject *subject,
                           struct buf *out);
void webhook_objects_write(const struct webhook_subject *subject, struct buf *out);
/* In place, from one version of a resource to another; what is written is of the first. */
void version_convert(const struct api_resource *from, const struct api_resource *to,
                     struct json_tree *tree, struct json_node *object);
void webhook_review_write(struct api_context *context, const struct webhook *webhook,
                          const struct webhook_subject *subject, struct buf *out);
/* The answer, asked for now if it has not been; NULL while it is under way. */
const struct webhook_answer *webhook_ask(struct api_context *context, const struct webhook *webhook,
                                         const struct webhook_subject *subject);
int64_t webhook_timeout_s(const struct json *row);
