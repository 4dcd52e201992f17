/* How much an object takes of what a ResourceQuota limits. */
#pragma once

#include "api/json.h"
#include "kinds/kind.h"

/* One limited resource of one quota. */
struct limited {
        struct slice key, hard;
        struct slice used; /* as the quota's status says */
        int64_t wanted_milli, used_milli;
};

/* The resources of a quota that an object takes of. limited: the caller's. */
struct quota_use {
        const struct kind_info *kind;
        const struct json *spec; /* of the quota */
        struct limited *limited;
        size_t count;
};

/* Adds what the object wants of each limited resource. */
void quota_use_add(struct quota_use *use, const struct json *object);
/* Takes off what it took already; nothing of a quota that was not about it. */
void quota_use_take_off(struct quota_use *use, const struct json *old);
/* Name of the resource of pods that a key sums up, among their limits or their requests; false when
 * it is none. */
bool quota_summed_resource(struct slice key, struct slice *ret_name, bool *ret_is_limit);
/* Whether objects of a kind take of a resource at all. */
bool quota_is_used_by(const struct kind_info *kind, struct slice key);
bool quota_is_core_kind(const struct kind_info *kind, const char *plural);
/* Whether the scopes of a quota hold an object that is no pod. */
bool quota_covers_object(const struct kind_info *kind, const struct json *quota_spec,
                         const struct json *object);
/* The scope of pods that look at other namespaces, where a quota has it. */
bool quota_abroad_scope_is_met(const struct json *quota_spec, const struct json *pod);
