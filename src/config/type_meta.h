/* apiVersion and kind of configuration files. Private to this room. */
#pragma once

#include "config/field_table.h"

struct type_meta_rule {
        const char *api_version, *kind;
        bool kind_is_optional;
};

/* True when root is a mapping of the right apiVersion and kind; else one problem is added. */
bool type_meta_check(const struct document *document, const struct json *root,
                     const struct type_meta_rule *rule, struct config_problems *problems);
