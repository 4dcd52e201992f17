/* What a request's body is, before it is taken for an object. */
#include "server/request_body.h"

#include "schema/go_json.h"
#include "server/api_failure.h"
#include <string.h>
#include <strings.h>

#define BODY_SHOWN_MAX 30

bool media_is(struct slice content_type, const char *wanted) {
        struct slice head = SLICE_EMPTY;

        slice_split(&content_type, ';', &head);
        head = slice_trim(head);
        return head.len == strlen(wanted) && strncasecmp(head.ptr, wanted, head.len) == 0;
}

/* ---- YAML ---- */

/* Most is JSON anyway. Where an object ends, so does the first document, and with it what is read;
 * empty when there is none. */
static struct slice take_object(struct slice body) {
        struct json_doc *doc = NULL;
        size_t size = 0;

        if (body.len == 0 || body.ptr[0] != '{' || json_parse_prefix(body, &doc, &size, NULL) < 0)
                return SLICE_EMPTY;
        json_doc_free(doc);
        struct slice rest = slice_trim(slice_make(body.ptr + size, body.len - size));
        return rest.len && rest.ptr[0] == ':' ? SLICE_EMPTY /* it is a key */
                                              : slice_make(body.ptr, size);
}

static struct slice json_of_yaml(struct api_context *context, struct slice body) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct json_tree *tree = NULL;
        struct err err = { 0 };

        if (context->engine->read_yaml(body, &tree, &err) < 0) {
                context->yaml_problem = arena_printf(context->arena, "yaml: %s", err.text);
                return body;
        }
        node_write(json_tree_root(tree), &text);
        json_tree_free(tree);
        return arena_slice(context->arena, buf_view(&text));
}

static void body_convert(struct api_context *context) {
        context->converted = *context->request;
        context->request = &context->converted;
}

static void prepare_yaml(struct api_context *context, bool is_patch) {
        struct slice body = slice_trim(context->request->body);

        body_convert(context);
        context->is_yaml = true;
        if (!is_patch)
                context->converted.content_type = SLICE_LITERAL("application/json");
        struct slice object = take_object(body);
        if (body.len == 0 && slice_is(context->request->method, "DELETE"))
                return; /* options may be left out */
        if (body.len == 0)
                context->converted.body = SLICE_LITERAL("null");
        else if (object.len)
                context->converted.body = object;
        else if (context->engine->read_yaml)
                context->converted.body = json_of_yaml(context, body);
}

void body_prepare(struct api_context *context) {
        CLEANUP(buf_release) struct buf mended = { 0 };
        struct slice type = context->request->content_type;
        bool is_patch = media_is(type, "application/apply-patch+yaml");

        context->sent = context->request->body;
        if (is_patch || media_is(type, "application/yaml")) {
                prepare_yaml(context, is_patch);
        } else if (!media_is(type, "application/vnd.kubernetes.protobuf") &&
                   go_json_mend(context->request->body, &mended)) {
                body_convert(context);
                context->converted.body = arena_slice(context->arena, buf_view(&mended));
        }
}

/* ---- what cannot be decoded ---- */

/* The beginning of a body, in hexadecimal digits if it does not begin as an object. */
static void body_summarise(struct slice body, struct buf *out) {
        size_t count = body.len < BODY_SHOWN_MAX ? body.len : BODY_SHOWN_MAX;

        if (body.len == 0)
                buf_text(out, "<empty>");
        else if (body.ptr[0] == '{')
                buf_slice(out, slice_make(body.ptr, count));
        for (size_t i = 0; body.len && body.ptr[0] != '{' && i < count; i++)
                buf_printf(out, "%02x", (unsigned char)body.ptr[i]);
        buf_text(out, count < body.len ? " ..." : "");
}

int fail_body(struct api_context *context, const char *kind, const char *text) {
        CLEANUP(buf_release) struct buf shown = { 0 };

        if (strcmp(kind, "DeleteOptions") == 0) /* of which nothing is expected before */
                return fail_bad_request(context, "%s", text);
        body_summarise(context->sent, &shown);
        return fail_bad_request(context,
                                "the object provided is unrecognized (must be of type %s): %s (%s)",
                                kind, text, shown.data);
}
