/* What the workload controllers share: which pods are theirs, pods made from a template, the
 * bookkeeping of status and conditions. */
#pragma once

#include "api/selector.h"
#include "control/control_priv.h"
#include "control/object_write.h"

/* ---- objects ---- */

struct slice object_uid(const struct json *object);
struct slice object_name(const struct json *object);
struct slice object_namespace(const struct json *object);
struct slice object_annotation(const struct json *object, const char *key);
int64_t object_generation(const struct json *object);
bool object_is_deleted(const struct json *object);                        /* being deleted */
struct wall_time object_time(const struct json *object, const char *key); /* unset when absent */
struct wall_time object_created(const struct json *object);
const struct json *object_condition(const struct json *object, const char *type);
bool object_condition_is(const struct json *object, const char *type, const char *status);
/* The owner reference with controller: true; NULL when there is none. */
const struct json *object_controller(const struct json *object);

/* ---- hearing ---- */

/* Queues the workload of this kind that controls the changed pod (or did before), and, for a pod
 * without controller, those that might adopt it. */
void pod_owner_observe(struct controller_run *run, struct change *change, int resource,
                       const char *kind);
/* Queues the object itself when it is of this resource, and the one of this kind that controls the
 * changed object. */
void owner_observe(struct controller_run *run, struct change *change, const char *kind);

/* ---- pods ---- */

struct pod_list {
        struct object_entry **items;
        size_t count;
};
/* The pods that the workload controls, in order of creation; adopts pods that match and have no
 * controller, lets go of those that match no longer. */
int pod_owner_claim(struct controller_run *run, int resource, const struct json *workload,
                    struct arena *arena, struct pod_list *ret_pods, struct err *err);
bool pod_entry_is_active(const struct object_entry *entry); /* neither over nor being deleted */
/* Ready for long enough. Else *due (a running minimum, may be unset) is lowered to the time when it
 * will be. */
bool pod_entry_is_available(const struct object_entry *entry, int64_t min_ready_s,
                            struct wall_time now, struct wall_time *due);

/* An owner reference with controller and blockOwnerDeletion appended to metadata. */
void put_controller(struct controller_run *run, struct json_tree *tree, struct json_node *metadata,
                    int resource, const struct json *owner);
/* A pod as the template says, controlled by owner: generateName from the owner's name. The caller
 * may change it before it is created. */
struct json_node *pod_from_template(struct controller_run *run, struct json_tree *tree,
                                    int resource, const struct json *owner,
                                    const struct json *template);
/* Creates it, with an event about the owner either way. */
int pod_owner_create(struct controller_run *run, int resource, const struct json *owner,
                     const struct json_node *pod, struct err *err);
int pod_owner_delete(struct controller_run *run, int resource, const struct json *owner,
                     const struct object_entry *pod, struct err *err);

/* ---- status ---- */

#define TEMPLATE_HASH_SIZE 16
/* Ten characters that are the same for equal templates. collision counts names already taken. */
void template_hash(const struct json *template, int64_t collision, char *buffer);

/* Sets a count; a zero that is not there yet stays away, as the API leaves it out. */
void status_count(struct json_tree *tree, struct json_node *status, const char *key, int64_t value);
struct status_condition {
        const char *type;
        bool is_true, is_unknown;
        const char *reason, *message;
        bool has_update_time; /* lastUpdateTime, of deployments */
        bool has_probe_time;  /* lastProbeTime, of jobs */
};
void status_condition_put(struct json_tree *tree, struct json_node *status,
                          const struct status_condition *condition, struct wall_time now);
bool status_condition_remove(struct json_node *status, const char *type);
void status_time(struct json_tree *tree, struct json_node *status, const char *key,
                 struct wall_time time);
/* A copy of the object's status to work on. */
struct json_node *status_begin(struct json_tree *tree, const struct json *object);
/* Writes it if it differs from what the object has. */
int status_write_back(struct controller_run *run, int resource, const struct json *object,
                      struct json_tree *tree, struct json_node *status, struct err *err);
/* An int or a percentage of total, rounded up or down; absent yields otherwise. */
int64_t int_or_percent(const struct json *value, int64_t total, bool rounds_up, int64_t otherwise);
