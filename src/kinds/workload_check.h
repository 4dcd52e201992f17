/* What validations of workloads share: selectors, templates, jobs. */
#pragma once

#include "kinds/pod_check.h"

void check_pod_template(struct checker *checker, const struct at *at,
                        const struct json_node *template);
/* The member "template" of an object. */
void check_template(struct checker *checker, const struct at *at, const struct json_node *owner);
/* Whether a selector can be understood; absent ones can. */
bool is_valid_selector(const struct json_node *selector);
/* An absent selector matches nothing. */
bool matches_labels(const struct json_node *selector, const struct json_node *labels);
void check_template_match(struct checker *checker, const struct at *at,
                          const struct json_node *spec, const struct json_node *selector);
/* Labels, annotations, and what annotations mean, of a template. Their places lack "metadata", as
 * upstream's. */
void check_template_names(struct checker *checker, const struct at *at,
                          const struct json_node *template);
bool is_empty_selector(const struct json_node *selector); /* there, and for everything */
/* Pods of these workloads run without end. */
void check_endless(struct checker *checker, const struct at *at, const struct json_node *spec,
                   const char *kind);
/* The member "selector", which must be there and not be empty. */
void check_selector(struct checker *checker, const struct at *at, const struct json_node *spec,
                    const char *kind);
void check_selected_template(struct checker *checker, const struct at *at,
                             const struct json_node *spec, const char *kind);
void check_selector_immutable(struct checker *checker, enum kind_operation operation,
                              const struct at *at, const struct json_node *spec,
                              const struct json *old);

void check_job_spec(struct checker *checker, const struct at *at, const struct json_node *spec);
void check_job_status(struct checker *checker, const struct json_node *job, const struct json *old);
/* "1,3-5": increasing indexes below a number; NULL when right, with how many there are. */
const char *indexes_problem(struct arena *arena, struct slice text, int64_t completions,
                            int64_t *ret_total);

/* "Too many" */
void check_at_most(struct checker *checker, const struct at *at, size_t count, size_t max);
/* Member of another object in place of the own one; removed when the other has none. */
void take_node(struct json_tree *tree, struct json_node *object, const struct json_node *other,
               const char *member);
/* Whether a condition of this type is True. */
bool has_condition(const struct json_node *status, const char *type);
