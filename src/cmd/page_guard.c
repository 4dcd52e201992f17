/* Connections for reviews: each by its kubeconfig, else as the daemon or its pod. */
#include "cmd/page_guard.h"

#include "base/log.h"
#include "base/util.h"
#include "client/http_transport.h"
#include "client/kubeconfig.h"
#include "pages/page_access.h"
#include "pages/page_identity.h"
#include <stdlib.h>

struct page_guard {
        const struct page_guard_options *options;
        struct loop *loop;
        struct http_transport *authentication, *authorization; /* NULL = none of its own */
        struct transport asks_who, asks_what;                  /* ops NULL = not asked */
        struct page_identity *identity;                        /* NULL = no certificate counts */
        struct page_access *access;
};

static int connect_reviews(const struct page_guard *guard, const char *kubeconfig,
                           const struct transport *own, struct http_transport **ret_http,
                           struct transport *ret_transport, struct err *err) {
        struct http_transport_config config = { 0 };
        struct err missing = { 0 };

        if (kubeconfig && *kubeconfig) {
                if (kubeconfig_load(&(struct kubeconfig_source){ .path = kubeconfig },
                                    &config.access, err) < 0)
                        return err->code;
        } else if (guard->options->uses_own) {
                *ret_transport = *own;
                return 0;
        } else if (service_account_load(getenv("KUBERNETES_SERVICE_HOST"),
                                        getenv("KUBERNETES_SERVICE_PORT"), NULL, &config.access,
                                        &missing) < 0) {
                return 0;
        }
        if (http_transport_new(&config, guard->loop, ret_http, err) < 0)
                return err->code;
        *ret_transport = http_transport(*ret_http);
        return 0;
}

static int connect_both(struct page_guard *guard, const struct transport *own, struct err *err) {
        const struct page_guard_options *options = guard->options;

        if (connect_reviews(guard, options->authentication_kubeconfig, own, &guard->authentication,
                            &guard->asks_who, err) < 0)
                return err->code;
        if (!guard->asks_who.ops)
                LOG(LOG_WARN, "TokensNotReviewed",
                    log_text("missing", "authentication-kubeconfig"));
        if (connect_reviews(guard, options->authorization_kubeconfig, own, &guard->authorization,
                            &guard->asks_what, err) < 0)
                return err->code;
        if (!guard->asks_what.ops)
                LOG(LOG_WARN, "AccessNotReviewed", log_text("missing", "authorization-kubeconfig"));
        return 0;
}

static bool is_set(const char *text) {
        return text && *text;
}

/* Certificates count when a file or the cluster says which. */
static int load_authorities(struct page_guard *guard, struct err *err) {
        const struct page_guard_options *options = guard->options;
        bool looks_up = !options->skips_lookup && guard->asks_who.ops;

        if (!looks_up && !is_set(options->client_ca_path) && !is_set(options->proxy_ca_path))
                return 0;
        return page_identity_new(
                &(struct page_identity_config){ .loop = guard->loop,
                                                .client_ca_path = options->client_ca_path,
                                                .proxy_ca_path = options->proxy_ca_path,
                                                .allowed_names = options->allowed_names,
                                                .user_headers = options->user_headers,
                                                .uid_headers = options->uid_headers,
                                                .group_headers = options->group_headers,
                                                .extra_prefixes = options->extra_prefixes },
                &guard->identity, err);
}

int page_guard_new(const struct page_guard_options *options, const struct transport *own,
                   struct loop *loop, struct page_guard **ret_guard, struct err *err) {
        struct page_guard *guard = xcalloc(1, sizeof(*guard));

        guard->options = options;
        guard->loop = loop;
        if (connect_both(guard, own, err) < 0 || load_authorities(guard, err) < 0) {
                page_guard_free(guard);
                return err->code;
        }
        guard->access = page_access_new(
                &(struct page_access_config){ .loop = loop,
                                              .authentication = guard->asks_who,
                                              .authorization = guard->asks_what,
                                              .identity = guard->identity,
                                              .looks_up = !options->skips_lookup,
                                              .open_paths = slice_of(options->open_paths),
                                              .token_ttl_ns = options->token_ttl_ns,
                                              .allowed_ttl_ns = options->allowed_ttl_ns,
                                              .denied_ttl_ns = options->denied_ttl_ns });
        *ret_guard = guard;
        return 0;
}

void page_guard_free(struct page_guard *guard) {
        if (!guard)
                return;
        page_access_free(guard->access);
        page_identity_free(guard->identity);
        http_transport_free(guard->authentication);
        http_transport_free(guard->authorization);
        free(guard);
}

struct page_access *page_guard_access(const struct page_guard *guard) {
        return guard->access;
}

void page_guard_look_up(struct page_guard *guard,
                        void (*failed)(void *context, const struct err *err), void *context) {
        page_access_look_up(guard->access, guard->options->tolerates_failure ? NULL : failed,
                            context);
}
