/* Reads a Status in either form. */
#include "client/status_body.h"

#include "api/status.h"
#include "base/arena.h"
#include "schema/protobuf.h"

static bool status_value_to_err(const struct json *value, struct err *err) {
        struct status_info info;

        if (status_decode(value, &info, NULL) < 0)
                return false;
        status_to_err(&info, err);
        return true;
}

bool status_body_to_err(struct slice body, struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

        if (!protobuf_is_envelope(body))
                return json_parse(body, &doc, NULL) == 0 &&
                       status_value_to_err(json_doc_root(doc), err);
        struct json_builder *builder = json_builder_new();
        bool is_status = protobuf_build_envelope(builder, body, NULL) == 0 &&
                         status_value_to_err(json_builder_root(builder), err);
        json_builder_free(builder);
        return is_status;
}
