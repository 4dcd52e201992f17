/* Content negotiation: which representation of the answer the client wants. */
#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_query.h"
#include "server/api_request.h"

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

static bool clause_serves(struct api_context *context, const struct clause *clause) {
        bool is_meta = slice_is(clause->group, "meta.k8s.io");

        if (!slice_is(clause->type, "application/json") && !slice_is(clause->type, "*/*"))
                return false;
        context->form = FORM_OBJECT;
        if (clause->as.len == 0)
                return true;
        if (slice_is(clause->as, "Table") && is_meta &&
            (slice_is(clause->version, "v1") || slice_is(clause->version, "v1beta1"))) {
                context->form = FORM_TABLE;
                return true;
        }
        if ((slice_is(clause->as, "PartialObjectMetadata") ||
             slice_is(clause->as, "PartialObjectMetadataList")) &&
            is_meta && slice_is(clause->version, "v1")) {
                bool is_list = slice_is(clause->as, "PartialObjectMetadataList");

                /* The list form fits collections only, the single form everything else. */
                if (is_list != (slice_is(slice_of(context->route.verb), "list") ||
                                slice_is(slice_of(context->route.verb), "deletecollection")))
                        return false;
                context->form = FORM_PARTIAL;
                return true;
        }
        return false;
}

static int include_option(struct api_context *context) {
        struct slice include = query_text(&context->query, "includeObject");

        if (context->form != FORM_TABLE || include.len == 0 || slice_is(include, "Metadata"))
                return 0;
        if (slice_is(include, "None"))
                context->include = INCLUDE_NONE;
        else if (slice_is(include, "Object"))
                context->include = INCLUDE_OBJECT;
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
                        return include_option(context);
        }
        context->form = FORM_OBJECT;
        return fail_plain(context, 406, "NotAcceptable",
                          "only the following media types are accepted: application/json, "
                          "application/yaml, application/vnd.kubernetes.protobuf");
}
