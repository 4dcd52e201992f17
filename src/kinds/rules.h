/* Validation as tables: what the members of an object have to be, one row each, in the order in
 * which upstream looks at them. A row names a check and its limits; what depends on several members
 * is a check of the object itself. */
#pragma once

#include "kinds/check.h"

struct rule;
/* Looks at a value that is there; at is its place. */
#define RULE(name)                                                                                 \
        void name(struct checker *checker, const struct at *at, const struct json_node *value,     \
                  const struct rule *rule)
#define OWN_RULE(name) static RULE(name) /* of one file */

struct rule {
        const char *member; /* NULL: the object itself */
        void (*check)(struct checker *checker, const struct at *at, const struct json_node *value,
                      const struct rule *rule);
        unsigned flags;     /* enum rule_flags */
        const char *text;   /* detail of "Required value" */
        const void *data;   /* of the check: choices, rules, ... */
        int64_t low, high;  /* of the check */
        size_t max;         /* elements of a list or map at most; 0 = any number */
        const char *unique; /* RULE_UNIQUE: the member that tells elements apart; NULL = all */
};

enum rule_flags {
        RULE_REQUIRED = 1,       /* absent, null and empty are "Required value" */
        RULE_EACH = 2,           /* the check is for each element of a list, or value of a map */
        RULE_UNIQUE = 4,         /* elements differ; the second of two is "Duplicate value" */
        RULE_UNIQUE_MEMBER = 8,  /* the same, reported at the member */
        RULE_ALWAYS = 16,        /* the check sees empty and absent values, too */
        RULE_UNIQUE_FIRST = 32,  /* duplicates come before the element's own problems */
        RULE_UNIQUE_WHOLE = 128, /* RULE_UNIQUE, all of them before the elements' own problems, as
                                    the whole element */
        RULE_PRESENT = 64,       /* a pointer upstream: an empty text is there, and looked at */
};

#define RULES_END                                                                                  \
        { .member = NULL, .check = NULL }

void check_rules(struct checker *checker, const struct at *at, const struct json_node *object,
                 const struct rule *rules);
/* Hook of a kind that is described by its rules alone. */
void check_object(struct kind_context *context, const struct json_node *object,
                  struct field_errors *errors, const struct rule *rules);

void report_too_many(struct checker *checker, const struct at *at, size_t count, size_t max);

RULE(rule_object); /* data: the rules of its members */
RULE(rule_choice); /* data: NULL-ended texts; sorted as upstream shows them */
RULE(rule_form);   /* low: enum text_form */
RULE(rule_range);  /* low to high; text after "Invalid value" when given, else upstream's usual */
RULE(rule_port);   /* number */
RULE(rule_port_or_name);
RULE(rule_not_negative);
RULE(rule_positive);
RULE(rule_length); /* high: bytes at most */
RULE(rule_label_selector);
RULE(rule_labels);
RULE(rule_present); /* nothing but RULE_REQUIRED */
RULE(rule_quantity_not_negative);
RULE(rule_driver_name); /* of CSI and devices: 63 bytes, a subdomain once in lower case */

RULE(rule_node_selector);
RULE(rule_conditions);        /* of a status; high: so many at most, 0 = any number */
RULE(rule_interface_address); /* ADDRESS/BITS in canonical form */

/* Metadata inside a spec; allowed: NULL-ended members, of labels and annotations. */
void check_template_metadata(struct checker *checker, const struct at *at,
                             const struct json_node *metadata, const char *const *allowed);

/* Where a webhook is called: a URL or a service. */
void check_webhook_client(struct checker *checker, const struct at *at,
                          const struct json_node *config);

/* Members that may not change, one row each. */
struct frozen {
        const char *member;
        enum field_error_kind kind; /* FIELD_INVALID or FIELD_FORBIDDEN */
        const char *text;           /* NULL: "field is immutable" */
        const char *shown_as;       /* another name in the path; NULL = the member's */
        const char *zero;           /* shown for one that is absent; NULL = null */
};
void check_frozen_members(struct checker *checker, const struct at *at,
                          const struct json_node *object, const struct json *old,
                          const struct frozen *frozen, size_t count);
