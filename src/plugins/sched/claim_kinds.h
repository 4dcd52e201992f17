/* What is known of the nodes for claims that ask for the same: pods of one template ask about each
 * node again and again, where only the node that the last pod got has other devices than before. */
#pragma once

#include "plugin/count_cache.h"
#include "plugins/sched/device_claims.h"

struct claim_kinds;
struct claim_kind;
struct claim_kinds *claim_kinds_new(void);
void claim_kinds_free(struct claim_kinds *kinds); /* accepts NULL */
/* Gives the claims what is known for those that are wanted, brought up to date. */
void claim_kinds_find(struct claim_kinds *kinds, const struct sched_cycle *cycle,
                      struct device_claims *claims);
/* Whether there is a kind, and it was not given to other claims since. */
bool claim_kind_lasts(const struct device_claims *claims);
/* As long as it lasts: a number that other kinds hardly have, whatever became of them meanwhile;
 * and the news of what nodes are worth, with another epoch when all of it was forgotten. */
uint64_t claim_kind_hash(const struct device_claims *claims);
const struct count_entry *claim_kind_news(const struct device_claims *claims);
/* As long as it lasts: takes nodes away where the claims cannot be allocated. */
void claim_kind_narrow(const struct sched_cycle *cycle, const struct device_claims *claims,
                       struct bitset *nodes);
/* As device_claims_on, but a node that is known is not searched again. */
enum device_outcome claim_kinds_outcome(const struct sched_cycle *cycle,
                                        const struct device_claims *claims,
                                        const struct resource_claim *extra, struct node_id node);
/* 8 less the index of each choice, made or allocated; 0 where the claims cannot be allocated. */
int64_t claim_kinds_score(const struct sched_cycle *cycle, const struct device_claims *claims,
                          const struct resource_claim *extra, struct node_id node);
