/* Label selectors, exact: the query-string syntax (k8s.io/apimachinery/pkg/labels), LabelSelector
 * objects, and the node selector operators Gt and Lt. A parsed selector is compiled once and
 * matched against string label sets; the model matches interned ones (model/label_match.h). */
#pragma once

#include "api/json.h"
#include "base/arena.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum selector_op {
        SELECTOR_IN,     /* also = and == (is_equals) */
        SELECTOR_NOT_IN, /* also != ; true when the key is absent */
        SELECTOR_EXISTS,
        SELECTOR_NOT_EXISTS,
        SELECTOR_GT, /* integer comparison; label must be there and parse */
        SELECTOR_LT,
};

struct selector_requirement {
        struct slice key;
        enum selector_op op;
        bool is_equals;        /* written with = == or != : matters for printing only */
        bool is_double_equals; /* written with == */
        size_t value_count;
        struct slice *values; /* sorted, unique */
        int64_t number;       /* SELECTOR_GT, SELECTOR_LT */
};

struct selector {
        bool matches_nothing;                      /* from a null LabelSelector */
        size_t count;                              /* 0 and !matches_nothing: matches everything */
        struct selector_requirement *requirements; /* sorted by key as upstream prints them */
};

struct label {
        struct slice key, value;
};
struct label_list { /* any order, unique keys */
        size_t count;
        struct label *items;
};

/* "a=b,c in (d,e)". Error: BERTH_ERR_BAD_REQUEST, upstream's text ("unable to parse requirement:
 * ..."). */
int selector_parse(struct slice text, struct arena *arena, struct selector *ret_selector,
                   struct err *err);
/* LabelSelector object; NULL or JSON null matches nothing, {} everything. Error: BERTH_ERR_INVALID
 * with the path. */
int selector_decode(const struct json *value, struct arena *arena, struct selector *ret_selector,
                    struct err *err);
bool selector_matches(const struct selector *selector, struct label_list labels);
bool selector_requirement_matches(const struct selector_requirement *requirement, bool has_key,
                                  struct slice value);
bool selector_is_empty(const struct selector *selector);               /* matches everything */
bool selector_print(const struct selector *selector, struct buf *out); /* canonical text */
struct label_list label_list_decode(const struct json *object,
                                    struct arena *arena); /* a string map such as metadata.labels */
struct slice label_list_get(struct label_list labels, const char *key, bool *ret_found);

/* Syntax of qualified names and label values (k8s.io/apimachinery/pkg/util/validation). NULL when
 * valid, else the message. */
const char *label_key_problem(struct slice key);
const char *label_value_problem(struct slice value);

/* Field selectors: "a=b,c!=d". Keys are paths such as spec.nodeName; the meaning is the caller's.
 */
struct field_term {
        struct slice key, value;
        bool is_not_equal;
};
struct field_selector {
        size_t count;
        struct field_term *terms;
};
int field_selector_parse(struct slice text, struct arena *arena,
                         struct field_selector *ret_selector, struct err *err);
