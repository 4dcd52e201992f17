/* How warnings are written, and those about addresses. */
#pragma once

#include "api/json.h"
#include "base/slice.h"

/* Where warnings go. */
struct warn_sink {
        void (*emit)(void *context, const char *text);
        void *context;
};

void warn_text(const struct warn_sink *sink, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
/* Of pods, and of the templates of pods. */
struct warner {
        struct warn_sink sink;
        const char *prefix; /* path of what holds the spec: "", "spec.template." */
};

/* A warning about a place in the pod; the format begins with its path in a pod. */
void warn_in_pod(const struct warner *warner, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
/* Whether an amount of bytes has thousandths; what overflows counts as whole, as upstream. */
bool is_fraction_of_bytes(struct slice amount);
/* Of storage in the list "requests" or "limits" of resources; path is what stands before their
 * name. */
void warn_fraction_of_bytes(const struct warn_sink *sink, const char *path, const char *list,
                            struct slice amount);
/* An address in a form that not every program reads; path is its place. */
void warn_address(const struct warn_sink *sink, const char *path, struct slice text);
void warn_addresses(const struct warn_sink *sink, const char *path, const struct json_node *list);
/* The same of addresses in a member of each element: path[i].member, or path[i] without one. */
void warn_member_addresses(const struct warn_sink *sink, const char *path,
                           const struct json_node *list, const char *member,
                           const char *shown_member);
/* A range of addresses. */
void warn_network(const struct warn_sink *sink, const char *path, struct slice text);
void warn_network_at(const struct warn_sink *sink, const char *list, size_t index,
                     struct slice text);
