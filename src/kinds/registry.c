/* The registry of resources: the groups' rows strung together, with look-up by path and by kind. */
#include "base/buf.h"
#include "kinds/kinds.h"
#include "kinds/release.h"
#include <stdio.h>

/* Discovery lists groups in this order, the core group apart. */
static const struct kind_group *const groups[] = {
        &kind_group_core,           &kind_group_apiregistration,
        &kind_group_apps,           &kind_group_events,
        &kind_group_authentication, &kind_group_authorization,
        &kind_group_autoscaling,    &kind_group_batch,
        &kind_group_certificates,   &kind_group_networking,
        &kind_group_policy,         &kind_group_rbac,
        &kind_group_storage,        &kind_group_admissionregistration,
        &kind_group_apiextensions,  &kind_group_scheduling,
        &kind_group_coordination,   &kind_group_node,
        &kind_group_discovery,      &kind_group_resource,
        &kind_group_flowcontrol,
};

/* Kinds of one server's custom resources, while it describes itself. */
static const struct kind_info *const *more;
static size_t more_count;
static unsigned described_minor, described_gates;

void kind_extend(const struct kind_info *const *kinds, size_t count, unsigned minor,
                 unsigned gates) {
        more = kinds;
        more_count = count;
        described_minor = minor;
        described_gates = gates;
}

unsigned kind_minor(void) {
        return described_minor ? described_minor : RELEASE_DEFAULT;
}

unsigned kind_gates(void) {
        return described_gates;
}

size_t kind_count(void) {
        size_t count = more_count;
        for (size_t i = 0; i < ARRAY_LEN(groups); i++)
                count += groups[i]->count;
        return count;
}

const struct kind_info *kind_at(size_t index) {
        for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
                if (index < groups[i]->count)
                        return &groups[i]->rows[index];
                index -= groups[i]->count;
        }
        return index < more_count ? more[index] : NULL;
}

static const struct kind_info *group_find(const struct kind_group *group, struct slice version,
                                          struct slice plural) {
        for (size_t i = 0; i < group->count; i++) {
                const struct kind_info *kind = &group->rows[i];
                if (slice_is(plural, kind->plural) && slice_is(version, kind->version))
                        return kind;
        }
        return NULL;
}

const struct kind_info *kind_find(struct slice group, struct slice version, struct slice plural) {
        for (size_t i = 0; i < ARRAY_LEN(groups); i++)
                if (slice_is(group, groups[i]->rows[0].group))
                        return group_find(groups[i], version, plural);
        return NULL;
}

const struct kind_info *kind_find_by_kind(struct slice api_version, struct slice kind) {
        struct slice rest = api_version, group = SLICE_EMPTY, version = api_version;
        if (api_version.len && memchr(api_version.ptr, '/', api_version.len)) {
                slice_split(&rest, '/', &group);
                version = rest;
        }
        for (size_t i = 0; i < kind_count(); i++) {
                const struct kind_info *row = kind_at(i);
                if (slice_is(kind, row->kind) && slice_is(group, row->group) &&
                    slice_is(version, row->version))
                        return row;
        }
        return NULL;
}

struct slice kind_api_version(const struct kind_info *kind, char *buffer) {
        int length = kind->group[0] ? snprintf(buffer, KIND_API_VERSION_MAX, "%s/%s", kind->group,
                                               kind->version)
                                    : snprintf(buffer, KIND_API_VERSION_MAX, "%s", kind->version);
        if (length >= KIND_API_VERSION_MAX) /* names that no definition is accepted with */
                length = KIND_API_VERSION_MAX - 1;
        return slice_make(buffer, (size_t)length);
}
