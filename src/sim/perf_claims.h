/* Claims of devices in the virtual API: made from templates for pods, changed as the scheduler
 * writes, and given back with the pod. */
#pragma once

#include "sim/perf_world.h"

/* A template comes, for the pods of its namespace. */
void perf_claims_put_template(struct perf_world *world, const struct json_node *object);
/* A claim comes; it gets a uid and a version. */
int perf_claims_put(struct perf_world *world, struct json_tree *tree, struct json_node *object,
                    struct err *err);
/* Makes the claims that a new pod wants from templates, and says so in its status. */
int perf_claims_make(struct perf_world *world, struct json_tree *tree, struct perf_pod *pod,
                     struct err *err);
/* The pod is gone: what was made for it goes, too. */
void perf_claims_release(struct perf_world *world, struct perf_pod *pod);
/* Takes the consumers from a claim, which stays allocated. */
int perf_claims_keep(struct perf_world *world, struct slice ns, struct slice name, struct err *err);
/* What the scheduler writes of a claim; *ret_answer: the claim as it is then, in the arena. */
int perf_claims_write(struct perf_world *world, const struct action *action, struct arena *arena,
                      struct slice *ret_answer, struct err *err);
