/* Rules about addresses and networks. */
#pragma once

#include "base/ip_text.h"
#include "kinds/rules.h"

/* Each reports what is wrong; true when nothing is. Strict: no leading zeros, no IPv4 address
 * mapped into IPv6. Canonical: strict, and as Go prints it. */
bool check_ip_strict(struct checker *checker, const struct at *at, struct slice text,
                     struct ip_address *ret_address); /* ret_address may be NULL */
bool check_ip_canonical(struct checker *checker, const struct at *at, struct slice text);
bool check_cidr_strict(struct checker *checker, const struct at *at, struct slice text,
                       struct ip_network *ret_network);
bool check_cidr_canonical(struct checker *checker, const struct at *at, struct slice text,
                          struct ip_network *ret_network);
/* No address of this host, of a link, or of nothing. */
void check_endpoint_ip(struct checker *checker, const struct at *at, struct slice text);
