/* What is allocated for services, and what has to hold before it can be: families of addresses,
 * cluster addresses, ports of nodes. Upstream answers with these errors alone, before it looks at
 * anything else of a service. */
#pragma once

#include "kinds/check.h"

#define SERVICE_RANGE "10.96.0.0/16"
#define SERVICE_RANGE_LAST "10.96.255.255"
#define SERVICE_RANGE_FREE "10.96.0.10" /* the first that is handed out */
#define NODE_PORT_FIRST 30000
#define NODE_PORT_COUNT 2768

/* old: the stored service, or NULL. True when nothing is wrong. */
bool check_service_allocation(struct checker *checker, const struct json_node *service,
                              const struct json *old);
/* The same of ports of nodes alone (service_ports.c). */
void check_service_ports(struct checker *checker, const struct json_node *service,
                         const struct json *old);
/* Whether another service has a cluster address or a port of nodes; empty and 0 = not asked. */
bool service_is_taken(struct checker *checker, const struct json_node *service,
                      struct slice address, int64_t port);
/* Ports of nodes that a service lacks, of 30000 to 32767. */
struct service_need {
        uint64_t start;  /* of the search */
        bool is_new;     /* ports of one number, such as 53 of TCP and of UDP, share one */
        bool has_ports;  /* each port gets one */
        bool has_health; /* healthCheckNodePort is one */
};
void service_take_ports(struct kind_context *context, struct json_tree *tree,
                        struct json_node *spec, const struct service_need *need);
/* Also part of validation as such. */
void check_service_addresses(struct checker *checker, const struct json_node *spec,
                             const struct json *old_spec);

/* ipFamilyPolicy: as given, as it was, or what follows from the rest. */
struct slice service_family_policy(const struct json_node *spec, const struct json *old_spec);
/* A service that prefers two families keeps what it has as long as nobody touches it. */
bool service_keeps_stacks(const struct json_node *spec, const struct json *old_spec);
/* How many of clusterIPs or ipFamilies count: whoever asks for a single stack and leaves them as
 * they were means the first. */
size_t service_stack_count(const struct json_node *spec, const struct json *old_spec,
                           const char *member);

bool is_headless_service(const struct json_node *spec); /* its address is None */
bool is_headless_stored(const struct json *spec);
bool is_six_address(struct slice address);
