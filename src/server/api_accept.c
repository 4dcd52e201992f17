/* Content negotiation: which representation of the answer the client wants. */
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_query.h"
#include "server/api_request.h"
#include <string.h>

struct clause {
        struct slice type;
        struct slice as, group, version;
        bool has_unknown;
};

static struct clause clause_parse(struct slice text) {
        struct clause clause = { 0 };
        struct slice parameter;

        slice_split(&text, ';', &clause.type);
        clause.type = slice_trim(clause.type);
        while (slice_split(&text, ';', &parameter)) {
                struct slice value = slice_trim(parameter), key = SLICE_EMPTY;

                slice_split(&value, '=', &key);
                if (slice_is(key, "as"))
                        clause.as = value;
                else if (slice_is(key, "g"))
                        clause.group = value;
                else if (slice_is(key, "v"))
                        clause.version = value;
        }
        return clause;
}

/* Whether meta.k8s.io has the version; notes which one it is. */
static bool is_meta(struct api_context *context, const struct clause *clause) {
        context->table.is_beta = slice_is(clause->version, "v1beta1");
        return slice_is(clause->group, "meta.k8s.io") &&
               (context->table.is_beta || slice_is(clause->version, "v1"));
}

static bool answers_list(const struct api_context *context) {
        return slice_is(slice_of(context->route.verb), "list") ||
               slice_is(slice_of(context->route.verb), "deletecollection");
}

static bool clause_serves(struct api_context *context, const struct clause *clause) {
        bool is_yaml = slice_is(clause->type, "application/yaml");

        if (!is_yaml && !slice_is(clause->type, "application/json") &&
            !slice_is(clause->type, "*/*"))
                return false;
        context->form = FORM_OBJECT;
        context->table.is_yaml = is_yaml; /* JSON is YAML */
        if (clause->as.len == 0)
                return true;
        if (!is_meta(context, clause))
                return false;
        if (slice_is(clause->as, "Table"))
                context->form = FORM_TABLE;
        else if (slice_is(clause->as, "PartialObjectMetadata") ||
                 slice_is(clause->as, "PartialObjectMetadataList"))
                context->form = FORM_PARTIAL;
        return context->form != FORM_OBJECT;
}

/* The list form fits collections only, the single form everything else. */
static int check_partial_form(struct api_context *context, const struct clause *clause) {
        bool is_list = slice_is(clause->as, "PartialObjectMetadataList");
        const char *kind = context->resource ? context->resource->kind->kind : "";
        const char *group = context->resource && *context->resource->kind->group
                                    ? context->resource->kind->group
                                    : "core";

        if (context->form != FORM_PARTIAL || is_list == answers_list(context))
                return 0;
        context->form = FORM_OBJECT;
        size_t length = strcspn(group, ".");
        return fail_plain(context, 406, "NotAcceptable",
                          "you requested " SLICE_FMT ", but the requested object is %s "
                          "(*%.*s.%s%s)",
                          SLICE_ARG(clause->as), is_list ? "not a list" : "a list", (int)length,
                          group, kind, is_list ? "" : "List");
}

static int include_option(struct api_context *context) {
        struct slice include = query_text(&context->query, "includeObject");

        if (context->form != FORM_TABLE || include.len == 0 || slice_is(include, "Metadata"))
                return 0;
        if (slice_is(include, "None"))
                context->table.include = INCLUDE_NONE;
        else if (slice_is(include, "Object"))
                context->table.include = INCLUDE_OBJECT;
        else
                return fail_bad_request(
                        context,
                        "Unable to convert to Table as requested: includeObject: Invalid "
                        "value: \"" SLICE_FMT "\": must be 'Metadata', 'Object', 'None', or empty",
                        SLICE_ARG(include));
        return 0;
}

int accept_negotiate(struct api_context *context) {
        struct slice rest = context->request->accept, text;

        if (slice_trim(rest).len == 0)
                return 0;
        while (slice_split(&rest, ',', &text)) {
                struct clause clause = clause_parse(slice_trim(text));

                if (clause_serves(context, &clause))
                        return check_partial_form(context, &clause) < 0 ? API_FAILED
                                                                        : include_option(context);
        }
        context->form = FORM_OBJECT;
        if (slice_contains(context->request->accept, SLICE_LITERAL("as=")))
                return fail_plain(context, 406, "NotAcceptable",
                                  "only the following media types are accepted: application/json, "
                                  "application/yaml, application/vnd.kubernetes.protobuf");
        fail_plain(context, 406, "NotAcceptable",
                   "406: Not Acceptable\n\nAvailable representations: application/json, "
                   "application/yaml, application/vnd.kubernetes.protobuf");
        context->failure.has_details = true;
        return API_FAILED;
}
