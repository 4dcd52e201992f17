/* Host ports: a port is the triple of address, protocol and number; 0.0.0.0 meets every address. */
#pragma once

#include "model/cluster.h"

/* A port the class wants is taken on the node. */
bool ports_taken(const struct cluster *cluster, const struct pod_class *class, struct node_id node);
void ports_narrow(const struct cluster *cluster, const struct pod_class *class,
                  struct bitset *nodes);
/* The two classes want a common port (as seen on one node); any_ip is the id of 0.0.0.0. */
bool ports_clash(const struct pod_class *a, const struct pod_class *b, struct str_id any_ip);
