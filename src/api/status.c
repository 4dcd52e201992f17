/* Kubernetes Status objects. */
#include "api/status.h"

/* ---- writing ---- */

static void put_nonempty(struct json_tree *tree, struct json_node *object, const char *key,
                         struct slice text) {
        if (text.len > 0)
                node_put_text(tree, object, key, text);
}

static struct json_node *make_causes(struct json_tree *tree, const struct status_details *details) {
        struct json_node *list = node_array(tree);
        for (size_t i = 0; i < details->cause_count; i++) {
                const struct status_cause *cause = &details->causes[i];
                struct json_node *entry = node_object(tree);
                put_nonempty(tree, entry, "reason", cause->reason);
                put_nonempty(tree, entry, "message", cause->message);
                put_nonempty(tree, entry, "field", cause->field);
                node_append(list, entry);
        }
        return list;
}

static struct json_node *make_details(struct json_tree *tree,
                                      const struct status_details *details) {
        struct json_node *object = node_object(tree);
        put_nonempty(tree, object, "name", details->name);
        put_nonempty(tree, object, "group", details->group);
        put_nonempty(tree, object, "kind", details->kind);
        put_nonempty(tree, object, "uid", details->uid);
        if (details->cause_count > 0)
                node_put(tree, object, "causes", make_causes(tree, details));
        if (details->retry_after_s > 0)
                node_put_i64(tree, object, "retryAfterSeconds", details->retry_after_s);
        return object;
}

static struct json_node *make_status(struct json_tree *tree, const char *outcome) {
        struct json_node *status = node_object(tree);
        node_put_string(tree, status, "kind", "Status");
        node_put_string(tree, status, "apiVersion", "v1");
        node_put(tree, status, "metadata", node_object(tree));
        node_put_string(tree, status, "status", outcome);
        return status;
}

bool status_write(const struct err *err, const struct status_details *details, struct buf *out) {
        int code = err_http_status(err->code);
        const char *reason = err_reason(err->code);
        if (details && details->code != 0)
                code = details->code;
        if (details && details->reason)
                reason = details->reason;
        struct json_tree *tree = json_tree_new();
        struct json_node *status = make_status(tree, "Failure");
        node_put_string(tree, status, "message", err->text);
        put_nonempty(tree, status, "reason", slice_of(reason));
        if (details)
                node_put(tree, status, "details", make_details(tree, details));
        node_put_i64(tree, status, "code", code);
        bool ok = node_write(status, out);
        json_tree_free(tree);
        return ok;
}

bool status_write_success(const struct status_details *details, struct buf *out) {
        struct json_tree *tree = json_tree_new();
        struct json_node *status = make_status(tree, "Success");
        if (details)
                node_put(tree, status, "details", make_details(tree, details));
        if (details && details->code != 0)
                node_put_i64(tree, status, "code", details->code);
        bool ok = node_write(status, out);
        json_tree_free(tree);
        return ok;
}

/* ---- reading ---- */

static struct status_cause read_cause(const struct json *cause) {
        return (struct status_cause){
                .reason = json_get_text(cause, "reason"),
                .message = json_get_text(cause, "message"),
                .field = json_get_text(cause, "field"),
        };
}

int status_decode(const struct json *value, struct status_info *ret_info, struct err *err) {
        if (!slice_is(json_get_text(value, "kind"), "Status"))
                return err_set(err, BERTH_ERR_BAD_REQUEST, "not a Status object");
        const struct json *details = json_get(value, "details");
        const struct json *causes = json_get(details, "causes");
        int64_t code = json_get_i64(value, "code", 0);
        int64_t retry = json_get_i64(details, "retryAfterSeconds", 0);
        *ret_info = (struct status_info){
                .is_success = slice_is(json_get_text(value, "status"), "Success"),
                .code = code >= 100 && code <= 999 ? (int)code : 0,
                .reason = json_get_text(value, "reason"),
                .message = json_get_text(value, "message"),
                .name = json_get_text(details, "name"),
                .group = json_get_text(details, "group"),
                .kind = json_get_text(details, "kind"),
                .uid = json_get_text(details, "uid"),
                .retry_after_s = retry > 0 ? retry : 0,
                .cause_count = json_type(causes) == JSON_ARRAY ? json_count(causes) : 0,
                .cause = read_cause(json_at(causes, 0)),
        };
        return 0;
}

int status_code_to_err(int http_status) {
        for (int code = -1; code >= -BERTH_ERR_COUNT; code--) {
                /* Of several codes with one HTTP status the general one is wanted. */
                bool is_special = code == BERTH_ERR_EXISTS;
                if (!is_special && err_http_status(code) == http_status)
                        return code;
        }
        if (http_status == 408)
                return BERTH_ERR_TIMEOUT;
        return http_status >= 400 && http_status < 500 ? BERTH_ERR_BAD_REQUEST : BERTH_ERR_INTERNAL;
}

static int reason_to_err(struct slice reason) {
        for (int code = -1; code >= -BERTH_ERR_COUNT; code--) {
                if (slice_is(reason, err_reason(code)))
                        return code;
        }
        return slice_is(reason, "Gone") ? BERTH_ERR_EXPIRED : 0;
}

int status_to_err(const struct status_info *info, struct err *err) {
        int code = reason_to_err(info->reason);
        if (code == 0)
                code = status_code_to_err(info->code);
        if (info->message.len > 0)
                return err_set(err, code, SLICE_FMT, SLICE_ARG(info->message));
        return err_set(err, code, "the server answered with status %d", info->code);
}
