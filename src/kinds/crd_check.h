/* What the files that judge CustomResourceDefinitions share. */
#pragma once

#include "kinds/check.h"

/* Which parts all versions have alike: they count as the definition's own. */
struct crd_parts {
        bool schema, subresources, columns, selectable;
        const struct json *old; /* versions before an update; NULL = none */
};

struct crd_parts crd_common_parts(const struct json_node *versions);
const struct json_node *crd_schema(const struct json_node *version);
/* list: words between commas. */
bool is_crd_word(struct slice text, const char *list);
void check_crd_version_name(struct checker *checker, const struct at *at, const char *member,
                            struct slice name);
void check_crd_versions(struct checker *checker, const struct at *spec_at,
                        const struct json_node *versions, const struct crd_parts *common);
void check_crd_common(struct checker *checker, const struct at *at, const struct json_node *version,
                      const struct crd_parts *common);
void check_crd_schemas(struct checker *checker, const struct at *spec_at,
                       const struct json_node *versions, const struct crd_parts *common);
/* at: of the schema, which has to be structural. False when a default does not fit. */
bool check_crd_defaults(struct checker *checker, const struct at *at, const struct json *schema);
void check_crd_stored(struct checker *checker, const struct json_node *versions);
