/* What the documents about the API are put together with; shared by documents.c, discovery.c and
 * openapi.c. */
#pragma once

#include "kinds/kind.h"
#include "server/api_catalogue.h"
#include "server/documents.h"

/* Verbs of a set as a JSON array, in alphabetical order. */
void verbs_write(unsigned verbs, struct buf *out);

/* A subresource as discovery shows it. */
struct subresource {
        const char *name;
        const char *group,
                *version; /* of its kind where that differs from the parent's; else NULL */
        const char *kind;
        unsigned verbs;
};
#define SUBRESOURCES_MAX 16
/* All of a resource's, sorted by name; returns how many. */
size_t subresources_of(const struct kind_info *kind, struct subresource subresources[]);

/* discovery.c */
void api_versions_write(struct slice address, struct buf *out);                /* /api */
void group_list_write(const struct api_catalogue *catalogue, struct buf *out); /* /apis */
void group_write(const struct catalogue_group *group, struct buf *out);        /* /apis/GROUP */
bool resource_list_write(const struct api_catalogue *catalogue, struct slice group,
                         struct slice version, struct buf *out);
/* version: of apidiscovery.k8s.io. */
void aggregated_write(const struct api_catalogue *catalogue, bool is_core, const char *version,
                      struct buf *out);

/* openapi.c */
void openapi_index_write(const struct api_catalogue *catalogue, struct buf *out); /* /openapi/v3 */
bool openapi_v3_write(struct slice group, struct slice version, struct buf *out);
void openapi_v2_write(struct buf *out);

/* openapi_proto.c */
void openapi_v2_proto_write(struct buf *out);
