/* Names as DNS takes them, which most names in Kubernetes have to be. */
#pragma once

#include "base/slice.h"
#include <stdbool.h>

#define DNS_LABEL_MAX 63 /* bytes; how long a name is, is for the caller to look at */
#define DNS_SUBDOMAIN_MAX 253

/* What is wrong with the form of a name, in upstream's words; NULL = nothing. */
const char *dns_label_problem(struct slice name);     /* RFC 1123 */
const char *dns_subdomain_problem(struct slice name); /* labels of it between dots */
const char *dns_1035_label_problem(struct slice name);
/* The same with the length looked at; two complaints are joined by "; ", the length first. */
const char *dns_label_problems(struct slice name);
const char *dns_subdomain_problems(struct slice name);
const char *dns_1035_label_problems(struct slice name);
