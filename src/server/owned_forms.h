/* Sets of fields that new objects own, by the form of the object: what pods of one workload have in
 * common, their keys, the elements of their lists and which values are nothing, is all that such a
 * set follows from. Keeps the sets of the last forms that came twice. */
#pragma once

#include "api/json.h"
#include "base/buf.h"

#define OWNED_FORMS 32
#define OWNED_FORM_MAX 8192 /* bytes; larger ones are not kept */

struct kind_info;
struct owned_form {
        const struct kind_info *kind;
        uint64_t hash; /* of the form seen last; it may be another than the kept one */
        char *text;    /* NULL = none is kept */
        size_t size;
        struct json_tree *tree; /* its root is the set */
};
struct owned_forms {
        struct owned_form items[OWNED_FORMS];
        struct buf text; /* form of the object that was looked for last */
};

/* The set of an object of this kind and form, or NULL. */
const struct json_node *owned_forms_find(struct owned_forms *forms, const struct kind_info *kind,
                                         const struct json_node *object);
/* The set of what was looked for last and not found; a copy is kept. */
void owned_forms_add(struct owned_forms *forms, const struct kind_info *kind,
                     const struct json_node *set);
void owned_forms_release(struct owned_forms *forms);
