/* Host ports: a port is the triple of address, protocol and number; 0.0.0.0 meets every address. */
#pragma once

#include "model/cluster.h"

bool ports_conflict(const struct class_port *a, struct str_id ip, struct str_id protocol,
                    int32_t port, struct str_id any_ip);
/* A port the class wants is taken on the node. */
bool ports_taken(const struct cluster *cluster, const struct pod_class *class, struct node_id node);
void ports_narrow(const struct cluster *cluster, const struct pod_class *class,
                  struct bitset *nodes);
/* The two classes want a common port (as seen on one node). */
bool ports_clash(const struct cluster *cluster, const struct pod_class *a,
                 const struct pod_class *b);
