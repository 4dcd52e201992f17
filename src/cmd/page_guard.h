/* Builds the access check of a daemon's pages from its options: connections for the reviews. */
#pragma once

#include "base/err.h"
#include "port/loop.h"
#include "port/transport.h"
#include <stdbool.h>
#include <stdint.h>

struct page_access;
struct page_guard;

struct page_guard_options {
        bool is_on;
        /* Reviews without a kubeconfig of their own go through the daemon's connection; otherwise
         * by the pod's service account; without one there are none. */
        bool uses_own;
        const char *authentication_kubeconfig, *authorization_kubeconfig, *open_paths;
        bool skips_lookup, tolerates_failure;
        /* Whose certificates and headers count: see struct page_identity_config. */
        const char *client_ca_path, *proxy_ca_path, *allowed_names;
        const char *user_headers, *uid_headers, *group_headers, *extra_prefixes;
        int64_t token_ttl_ns, allowed_ttl_ns, denied_ttl_ns;
};

/* The options must outlive it. failed runs, from the loop, when the cluster's configuration of
 * authentication has to be there and cannot be read. */
int page_guard_new(const struct page_guard_options *options, const struct transport *own,
                   struct loop *loop, struct page_guard **ret_guard, struct err *err);
void page_guard_free(struct page_guard *guard); /* accepts NULL */
struct page_access *page_guard_access(const struct page_guard *guard);
void page_guard_look_up(struct page_guard *guard,
                        void (*failed)(void *context, const struct err *err), void *context);
