/* Serves the documents about the API: paths, content negotiation, entity tags. */
#include "server/documents_priv.h"

#include "base/util.h"
#include "kinds/release.h"
#include <stdio.h>

#define JSON_TYPE "application/json"
#define AGGREGATED_TYPE "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
#define AGGREGATED_BETA_TYPE                                                                       \
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
#define PROTO_TYPE_PREFIX "application/com.github.proto-openapi.spec.v2"

/* ---- negotiation ---- */

enum offer { OFFER_NONE, OFFER_JSON, OFFER_AGGREGATED, OFFER_AGGREGATED_BETA };

struct accept_clause {
        struct slice media, group, version, as;
};

static struct accept_clause clause_parse(struct slice text) {
        struct accept_clause clause = { 0 };
        struct slice part, name;

        if (!slice_split(&text, ';', &part))
                return clause;
        clause.media = slice_trim(part);
        while (slice_split(&text, ';', &part)) {
                struct slice value = part;

                slice_split(&value, '=', &name);
                name = slice_trim(name);
                value = slice_trim(value);
                if (slice_is(name, "g"))
                        clause.group = value;
                else if (slice_is(name, "v"))
                        clause.version = value;
                else if (slice_is(name, "as"))
                        clause.as = value;
        }
        return clause;
}

static enum offer aggregated_offer(struct slice version) {
        if (slice_is(version, "v2") && release_has(kind_minor(), RELEASE_DISCOVERY_V2))
                return OFFER_AGGREGATED;
        if (slice_is(version, "v2beta1") && release_has(kind_minor(), RELEASE_DISCOVERY_V2_BETA1))
                return OFFER_AGGREGATED_BETA;
        return OFFER_NONE;
}

static enum offer clause_offer(const struct accept_clause *clause, bool can_aggregate) {
        bool is_json = slice_is(clause->media, JSON_TYPE);

        if (clause->as.len)
                return is_json && can_aggregate && slice_is(clause->as, "APIGroupDiscoveryList") &&
                                       slice_is(clause->group, "apidiscovery.k8s.io")
                               ? aggregated_offer(clause->version)
                               : OFFER_NONE;
        return is_json || slice_is(clause->media, "*/*") ? OFFER_JSON : OFFER_NONE;
}

/* The first clause that can be served; nothing asked for means JSON. */
static enum offer documents_negotiate(struct slice accept, bool can_aggregate) {
        struct slice text;

        if (slice_trim(accept).len == 0)
                return OFFER_JSON;
        while (slice_split(&accept, ',', &text)) {
                struct accept_clause clause = clause_parse(text);
                enum offer offer = clause_offer(&clause, can_aggregate);

                if (offer != OFFER_NONE)
                        return offer;
        }
        return OFFER_NONE;
}

/* ---- answers ---- */

static void set_type(struct api_document *document, const char *type) {
        snprintf(document->content_type, sizeof(document->content_type), "%s", type);
}

static void not_found(struct api_document *document) {
        document->status = 404;
        set_type(document, "text/plain; charset=utf-8");
        buf_text(&document->body, "404 page not found\n");
}

/* A version that a known group does not have. */
static void unknown_version(struct api_document *document) {
        document->status = 404;
        buf_text(
                &document->body,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                "\"message\":\"the server could not find the requested resource\","
                "\"reason\":\"NotFound\",\"details\":{},\"code\":404}\n");
}

static void not_acceptable(struct api_document *document) {
        document->status = 406;
        set_type(document, JSON_TYPE);
        buf_text(
                &document->body,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                "\"message\":\"only the following media types are accepted: application/json\","
                "\"reason\":\"NotAcceptable\",\"details\":{},\"code\":406}\n");
}

/* Cached documents carry a tag; a client that has this one gets no body. */
static void documents_tag(struct api_document *document, struct slice if_none_match) {
        snprintf(document->etag, sizeof(document->etag), "\"%016llX\"",
                 (unsigned long long)slice_hash(buf_view(&document->body)));
        document->varies = true;
        document->is_public = true;
        if (slice_eq(if_none_match, slice_of(document->etag))) {
                document->status = 304;
                buf_clear(&document->body);
        }
}

static void serve_root(bool is_core, struct slice accept, struct slice if_none_match,
                       struct slice address, struct api_document *document) {
        enum offer offer = documents_negotiate(accept, true);

        if (offer == OFFER_NONE) {
                not_acceptable(document);
                return;
        }
        CLEANUP(catalogue_release) struct api_catalogue catalogue;
        catalogue_init(&catalogue);
        if (offer != OFFER_JSON) {
                bool is_beta = offer == OFFER_AGGREGATED_BETA;

                set_type(document, is_beta ? AGGREGATED_BETA_TYPE : AGGREGATED_TYPE);
                aggregated_write(&catalogue, is_core, is_beta ? "v2beta1" : "v2", &document->body);
                documents_tag(document, if_none_match);
                return;
        }
        if (is_core)
                api_versions_write(address, &document->body);
        else
                group_list_write(&catalogue, &document->body);
        document->varies = true;
}

/* "GROUP" or "GROUP/VERSION" behind /apis/. */
static void serve_group(struct slice rest, struct api_document *document) {
        CLEANUP(catalogue_release) struct api_catalogue catalogue;
        struct slice version = rest, name;
        bool has_version = rest.len && memchr(rest.ptr, '/', rest.len);

        catalogue_init(&catalogue);
        slice_split(&version, '/', &name);
        const struct catalogue_group *group = catalogue_group(&catalogue, name);
        if (!group || !*group->name)
                not_found(document);
        else if (!has_version)
                group_write(group, &document->body);
        else if (!resource_list_write(&catalogue, name, version, &document->body))
                unknown_version(document);
}

static void serve_core(struct api_document *document) {
        CLEANUP(catalogue_release) struct api_catalogue catalogue;

        catalogue_init(&catalogue);
        resource_list_write(&catalogue, SLICE_EMPTY, SLICE_LITERAL("v1"), &document->body);
}

static void serve_openapi_index(struct slice if_none_match, struct api_document *document) {
        CLEANUP(catalogue_release) struct api_catalogue catalogue;

        catalogue_init(&catalogue);
        set_type(document, "text/plain; charset=utf-8");
        openapi_index_write(&catalogue, &document->body);
        documents_tag(document, if_none_match);
}

/* "api/v1" or "apis/GROUP/VERSION" behind /openapi/v3/. */
static void serve_openapi_v3(struct slice rest, struct slice if_none_match,
                             struct api_document *document) {
        struct slice group = SLICE_EMPTY, head;

        if (slice_is(rest, "api/v1")) {
                rest = SLICE_LITERAL("v1");
        } else {
                slice_split(&rest, '/', &head);
                if (!slice_is(head, "apis") || !slice_split(&rest, '/', &group) || group.len == 0)
                        group = rest = SLICE_EMPTY;
        }
        if (rest.len && openapi_v3_write(group, rest, &document->body))
                documents_tag(document, if_none_match);
        else
                not_found(document);
}

/* The binary form goes by two names; clients ask for it with or without JSON behind. */
static bool wants_proto(struct slice accept) {
        struct slice first;

        return slice_split(&accept, ',', &first) &&
               slice_has_prefix(slice_trim(first), SLICE_LITERAL(PROTO_TYPE_PREFIX));
}

static void serve_openapi_v2(struct slice accept, struct slice if_none_match,
                             struct api_document *document) {
        if (wants_proto(accept)) {
                set_type(document, PROTO_TYPE_PREFIX ".v1.0+protobuf");
                openapi_v2_proto_write(&document->body);
        } else if (documents_negotiate(accept, false) == OFFER_NONE) {
                not_acceptable(document);
                return;
        } else {
                openapi_v2_write(&document->body);
        }
        documents_tag(document, if_none_match);
}

static bool serve_openapi(struct slice path, struct slice accept, struct slice if_none_match,
                          struct api_document *document) {
        struct slice below = SLICE_LITERAL("/openapi/v3/");

        if (slice_is(path, "/openapi/v3")) {
                serve_openapi_index(if_none_match, document);
        } else if (slice_has_prefix(path, below)) {
                serve_openapi_v3(slice_make(path.ptr + below.len, path.len - below.len),
                                 if_none_match, document);
                if (document->status == 404)
                        buf_clear(&document->body); /* upstream says no more there */
        } else if (slice_is(path, "/openapi/v2")) {
                serve_openapi_v2(accept, if_none_match, document);
        } else {
                return false;
        }
        return true;
}

bool document_serve(struct slice path, struct slice query, struct slice accept,
                    struct slice if_none_match, struct slice address,
                    struct api_document *document) {
        struct slice groups = SLICE_LITERAL("/apis/");

        (void)query; /* the hash of OpenAPI documents needs no checking */
        document->status = 200;
        set_type(document, JSON_TYPE);
        if (path.len > 1 && path.ptr[path.len - 1] == '/')
                path.len--;
        if (slice_is(path, "/api") || slice_is(path, "/apis"))
                serve_root(slice_is(path, "/api"), accept, if_none_match, address, document);
        else if (slice_is(path, "/api/v1"))
                serve_core(document);
        else if (slice_has_prefix(path, groups) && path.len > groups.len)
                serve_group(slice_make(path.ptr + groups.len, path.len - groups.len), document);
        else
                return serve_openapi(path, accept, if_none_match, document);
        return true;
}
