/* Parts of cluster_check beyond the rows. */
#pragma once

#include "model/cluster_priv.h"

/* Counts of everything interned, recounted from those who hold it. */
int check_counts(const struct cluster *cluster, struct err *err);
/* Inverted index, taint sets and images against the nodes. */
int check_node_labels(const struct cluster *cluster, struct err *err);
/* Counts of a table of interned things: array of `cap` counters. */
struct held_counts {
        uint32_t *classes, *label_sets, *taint_sets, *owner_lists, *container_lists;
        struct bitset strings; /* those that are referenced */
};
/* What the cold tables hold. */
void cold_tables_count(const struct cluster *cluster, struct held_counts *counts);
