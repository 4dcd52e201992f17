/* Content negotiation: which representation of the answer the client wants. */
#include "server/api_accept.h"

#include "server/api_context.h"
#include "server/api_failure.h"
#include "server/api_query.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLAUSES_MAX 16

/* One of the forms that the client takes. */
struct clause {
        struct slice type;
        struct slice as, group, version, stream;
        bool has_target; /* as, g or v: another form of the object */
        double quality;
};

/* Of "name=value"; neither without a value nor with a second "=". */
static bool parameter_parse(struct slice text, struct slice *ret_name, struct slice *ret_value) {
        struct slice name = SLICE_EMPTY;

        slice_split(&text, '=', &name);
        *ret_name = slice_trim(name);
        *ret_value = slice_trim(text);
        return text.len && !slice_contains(text, SLICE_LITERAL("="));
}

static double quality_parse(struct slice text) {
        char copy[32];

        snprintf(copy, sizeof(copy), SLICE_FMT, SLICE_ARG(text));
        return strtod(copy, NULL);
}

static struct clause clause_parse(struct slice text) {
        struct clause clause = { .quality = 1 };
        struct slice parameter, key, value;

        slice_split(&text, ';', &clause.type);
        clause.type = slice_trim(clause.type);
        while (slice_split(&text, ';', &parameter)) {
                if (!parameter_parse(parameter, &key, &value))
                        continue;
                if (slice_is(key, "q"))
                        clause.quality = quality_parse(value);
                else if (slice_is(key, "as"))
                        clause.as = value;
                else if (slice_is(key, "g"))
                        clause.group = value;
                else if (slice_is(key, "v"))
                        clause.version = value;
                else if (slice_is(key, "stream"))
                        clause.stream = value;
        }
        clause.has_target = clause.as.len || clause.group.len || clause.version.len;
        return clause;
}

static bool is_wild(const struct clause *clause) {
        return slice_is(clause->type, "*/*") || slice_is(clause->type, "*");
}

static bool is_before(const struct clause *a, const struct clause *b) {
        bool has_wild_part = slice_has_suffix(b->type, SLICE_LITERAL("/*"));

        return a->quality > b->quality || (!is_wild(a) && is_wild(b)) ||
               (!is_wild(a) && !slice_has_suffix(a->type, SLICE_LITERAL("/*")) && has_wild_part);
}

/* What is liked better comes first, then what says more; otherwise as they are written. */
static size_t clauses_parse(struct slice rest, struct clause *clauses) {
        struct slice text;
        size_t count = 0;

        while (count < CLAUSES_MAX && slice_split(&rest, ',', &text)) {
                struct clause clause = clause_parse(slice_trim(text));
                size_t at = count++;

                for (; at > 0 && is_before(&clause, &clauses[at - 1]); at--)
                        clauses[at] = clauses[at - 1];
                clauses[at] = clause;
        }
        return count;
}

/* The statuses of these have no Table upstream. */
static bool has_table(const struct api_context *context) {
        static const char *const plurals[] = { "apiservices", "customresourcedefinitions",
                                               "resourceclaims" };
        bool is_status = slice_is(context->route.subresource, "status");

        for (size_t i = 0; is_status && i < ARRAY_LEN(plurals); i++) {
                if (strcmp(context->resource->kind->plural, plurals[i]) == 0)
                        return false;
        }
        return true;
}

static bool target_form(struct api_context *context, const struct clause *clause) {
        bool is_list = slice_is(clause->as, "PartialObjectMetadataList");

        context->table.is_beta = slice_is(clause->version, "v1beta1");
        context->has_partial_list_form = is_list;
        if (!slice_is(clause->group, "meta.k8s.io") ||
            !(context->table.is_beta || slice_is(clause->version, "v1")))
                return false;
        if (is_list || slice_is(clause->as, "PartialObjectMetadata"))
                context->form = FORM_PARTIAL;
        else if (slice_is(clause->as, "Table") && has_table(context))
                context->form = FORM_TABLE;
        return context->form != FORM_OBJECT;
}

static bool clause_serves(struct api_context *context, const struct clause *clause) {
        bool is_yaml = slice_is(clause->type, "application/yaml");
        bool is_json = slice_is(clause->type, "application/json") || is_wild(clause) ||
                       slice_is(clause->type, "application/*");

        if (!is_yaml && !is_json)
                return false;
        if (clause->stream.len && (is_yaml || !slice_is(clause->stream, "watch")))
                return false;
        context->form = FORM_OBJECT;
        context->table.is_yaml = is_yaml; /* JSON is YAML */
        return !clause->has_target || target_form(context, clause);
}

static int fail_partial(struct api_context *context, bool is_list) {
        const struct kind_info *kind = context->resource->kind;
        const char *group = *kind->group && strcmp(kind->kind, "Event") != 0 ? kind->group : "core";
        const char *name = kind->prune ? "Unstructured" : kind->kind;

        group = kind->prune ? "unstructured" : group;
        if (!is_list && is_custom(context->resource))
                return fail_plain(context, 500, NULL, "content is not a list");
        return fail_plain(context, 406, "NotAcceptable",
                          "you requested PartialObjectMetadata%s, but the requested object is %s "
                          "(*%.*s.%s%s)",
                          is_list ? "" : "List", is_list ? "a list" : "not a list",
                          (int)strcspn(group, "."), group, name, is_list ? "List" : "");
}

static int include_option(struct api_context *context) {
        struct slice include = query_text(&context->query, "includeObject");

        if (include.len == 0 || slice_is(include, "Metadata"))
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

int accept_check(struct api_context *context, enum answer answer) {
        if (context->form == FORM_TABLE)
                return include_option(context);
        if (context->form != FORM_PARTIAL || answer == ANSWER_STATUS ||
            context->has_partial_list_form == (answer == ANSWER_LIST))
                return 0;
        return fail_partial(context, answer == ANSWER_LIST);
}

/* Before parameters of the types are looked at, one of the types must be known. */
static bool is_known_type(struct slice accept) {
        struct slice text;

        while (slice_split(&accept, ',', &text)) {
                struct slice type = SLICE_EMPTY;

                slice_split(&text, ';', &type);
                type = slice_trim(type);
                if (slice_is(type, "*/*") || slice_is(type, "application/json") ||
                    slice_is(type, "application/yaml"))
                        return true;
        }
        return false;
}

/* Lists of what can be watched: one path serves both. */
static bool may_stream(const struct api_context *context) {
        return context->resource && (context->resource->kind->verbs & VERB_WATCH) &&
               (slice_is(slice_of(context->route.verb), "list") ||
                slice_is(slice_of(context->route.verb), "watch"));
}

int accept_negotiate(struct api_context *context) {
        struct clause clauses[CLAUSES_MAX];
        size_t count = clauses_parse(context->request->accept, clauses);

        if (slice_trim(context->request->accept).len == 0)
                return 0;
        if (!is_known_type(context->request->accept)) {
                fail_plain(context, 406, "NotAcceptable",
                           "406: Not Acceptable\n\nAvailable representations: application/json, "
                           "application/yaml, application/vnd.kubernetes.protobuf%s",
                           may_stream(context) ? ", application/json;stream=watch, "
                                                 "application/vnd.kubernetes.protobuf;stream=watch"
                                               : "");
                context->failure.has_details = true;
                return API_FAILED;
        }
        for (size_t i = 0; i < count; i++) {
                if (clause_serves(context, &clauses[i]))
                        return 0;
        }
        context->form = FORM_OBJECT;
        return fail_plain(context, 406, "NotAcceptable",
                          "only the following media types are accepted: application/json, "
                          "application/yaml, application/vnd.kubernetes.protobuf");
}
