/* Connections for reviews: each by its kubeconfig, else as the daemon or its pod. */
#include "cmd/page_guard.h"

#include "base/log.h"
#include "base/util.h"
#include "client/http_transport.h"
#include "client/kubeconfig.h"
#include "run/page_access.h"
#include <stdlib.h>

#define LOOKUP_PATH "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"

struct page_guard {
        const struct page_guard_options *options;
        struct loop *loop;
        struct http_transport *authentication, *authorization; /* NULL = none of its own */
        struct transport asks_who, asks_what;                  /* ops NULL = nobody is asked */
        struct page_access *access;
        struct api_request *lookup;
        void (*failed)(void *context, const struct err *err);
        void *context;
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
                LOG(LOG_WARN, "NobodyReviewsTokens",
                    log_text("missing", "authentication-kubeconfig"));
        if (connect_reviews(guard, options->authorization_kubeconfig, own, &guard->authorization,
                            &guard->asks_what, err) < 0)
                return err->code;
        if (!guard->asks_what.ops)
                LOG(LOG_WARN, "NobodyReviewsAccess",
                    log_text("missing", "authorization-kubeconfig"));
        return 0;
}

int page_guard_new(const struct page_guard_options *options, const struct transport *own,
                   struct loop *loop, struct page_guard **ret_guard, struct err *err) {
        struct page_guard *guard = xcalloc(1, sizeof(*guard));

        guard->options = options;
        guard->loop = loop;
        if (connect_both(guard, own, err) < 0) {
                page_guard_free(guard);
                return err->code;
        }
        guard->access = page_access_new(
                &(struct page_access_config){ .loop = loop,
                                              .authentication = guard->asks_who,
                                              .authorization = guard->asks_what,
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
        if (guard->lookup)
                transport_cancel(&guard->asks_who, guard->lookup);
        page_access_free(guard->access);
        http_transport_free(guard->authentication);
        http_transport_free(guard->authorization);
        free(guard);
}

struct page_access *page_guard_access(const struct page_guard *guard) {
        return guard->access;
}

static void on_looked_up(void *context, const struct api_reply *reply) {
        struct page_guard *guard = context;
        struct err err = { 0 };

        guard->lookup = NULL;
        if (reply->status == 200)
                return;
        err_set(&err, reply->error.code ? reply->error.code : BERTH_ERR_UNAVAILABLE,
                "cannot read the cluster's configuration of authentication: %s", reply->error.text);
        guard->failed(guard->context, &err);
}

void page_guard_look_up(struct page_guard *guard,
                        void (*failed)(void *context, const struct err *err), void *context) {
        if (guard->options->skips_lookup || guard->options->tolerates_failure ||
            !guard->asks_who.ops)
                return;
        guard->failed = failed;
        guard->context = context;
        guard->lookup = transport_call(
                &guard->asks_who,
                &(struct api_call){ .method = API_GET, .path = SLICE_LITERAL(LOOKUP_PATH) },
                on_looked_up, guard);
}
