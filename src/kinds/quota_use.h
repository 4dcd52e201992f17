/* How much an object takes of what a ResourceQuota limits. */
#pragma once

#include "api/json.h"
#include "kinds/kind.h"

/* One limited resource of one quota. */
struct limited {
        struct slice key, hard;
        int64_t wanted_milli;
        int64_t used_milli; /* as the quota's status says */
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
/* Whether objects of a kind take of a resource at all. */
bool quota_is_used_by(const struct kind_info *kind, struct slice key);
bool quota_is_core_kind(const struct kind_info *kind, const char *plural);
/* Scopes are about pods: a quota that has some is about nothing else. */
bool quota_has_scopes(const struct json *quota_spec);
/* The scope of pods that look at other namespaces, where a quota has it. */
bool quota_abroad_scope_is_met(const struct json *quota_spec, const struct json *pod);
