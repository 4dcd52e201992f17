/* Reading workload objects, and writing their status. */
#include "base/util.h"
#include "control/pod_owner.h"

/* ---- objects ---- */

struct slice object_uid(const struct json *object) {
        return json_get_text(json_get(object, "metadata"), "uid");
}

struct slice object_name(const struct json *object) {
        return json_get_text(json_get(object, "metadata"), "name");
}

struct slice object_namespace(const struct json *object) {
        return json_get_text(json_get(object, "metadata"), "namespace");
}

struct slice object_annotation(const struct json *object, const char *key) {
        return json_get_text(json_get(json_get(object, "metadata"), "annotations"), key);
}

int64_t object_generation(const struct json *object) {
        return json_get_i64(json_get(object, "metadata"), "generation", 0);
}

bool object_is_deleted(const struct json *object) {
        return json_get(json_get(object, "metadata"), "deletionTimestamp");
}

struct wall_time object_time(const struct json *object, const char *key) {
        struct wall_time time;

        return wall_time_parse(json_get_text(object, key), &time) ? time : WALL_TIME_UNSET;
}

struct wall_time object_created(const struct json *object) {
        return object_time(json_get(object, "metadata"), "creationTimestamp");
}

const struct json *object_condition(const struct json *object, const char *type) {
        struct json_iter iter = json_iter(json_get(json_get(object, "status"), "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition)) {
                if (slice_is(json_get_text(condition, "type"), type))
                        return condition;
        }
        return NULL;
}

bool object_condition_is(const struct json *object, const char *type, const char *status) {
        return slice_is(json_get_text(object_condition(object, type), "status"), status);
}

const struct json *object_controller(const struct json *object) {
        struct json_iter iter =
                json_iter(json_get(json_get(object, "metadata"), "ownerReferences"));
        const struct json *reference;

        while (json_next(&iter, NULL, &reference)) {
                if (json_get_bool(reference, "controller", false))
                        return reference;
        }
        return NULL;
}

/* ---- templates ---- */

void template_hash(const struct json *template, int64_t collision, char *buffer) {
        static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
        struct buf text = { 0 };

        json_write(template, &text);
        uint64_t hash = hash_bytes(text.data, text.len, (uint64_t)collision);
        buf_release(&text);
        for (int i = 0; i < 10; i++) {
                buffer[i] = alphabet[hash % (sizeof(alphabet) - 1)];
                hash /= sizeof(alphabet) - 1;
        }
        buffer[10] = '\0';
}

/* ---- status ---- */

void status_count(struct json_tree *tree, struct json_node *status, const char *key,
                  int64_t value) {
        if (value || node_get(status, key))
                node_put_i64(tree, status, key, value);
}

void status_time(struct json_tree *tree, struct json_node *status, const char *key,
                 struct wall_time time) {
        char text[WALL_TIME_TEXT_MAX];

        wall_time_format(time, text);
        node_put_string(tree, status, key, text);
}

static struct json_node *find_condition(const struct json_node *status, const char *type,
                                        size_t *ret_index) {
        struct node_iter iter = node_iter(node_get(status, "conditions"));
        struct json_node *condition;

        for (*ret_index = 0; node_next(&iter, NULL, &condition); (*ret_index)++) {
                if (slice_is(node_get_text(condition, "type"), type))
                        return condition;
        }
        return NULL;
}

static const char *status_word(const struct status_condition *condition) {
        if (condition->is_unknown)
                return "Unknown";
        return condition->is_true ? "True" : "False";
}

static bool is_said(const struct json_node *old, const struct status_condition *condition) {
        return old && slice_is(node_get_text(old, "status"), status_word(condition)) &&
               slice_is(node_get_text(old, "reason"), condition->reason) &&
               slice_is(node_get_text(old, "message"), condition->message);
}

void status_condition_put(struct json_tree *tree, struct json_node *status,
                          const struct status_condition *condition, struct wall_time now) {
        struct json_node *conditions = node_need_array(tree, status, "conditions");
        struct json_node *fresh = node_object(tree), *old;
        const char *word = status_word(condition);
        size_t index;

        old = find_condition(status, condition->type, &index);
        if (is_said(old, condition))
                return;
        node_put_string(tree, fresh, "type", condition->type);
        node_put_string(tree, fresh, "status", word);
        if (condition->has_probe_time)
                status_time(tree, fresh, "lastProbeTime", now);
        if (condition->has_update_time)
                status_time(tree, fresh, "lastUpdateTime", now);
        struct slice since = node_get_text(old, "lastTransitionTime");
        if (old && slice_is(node_get_text(old, "status"), word) && since.len)
                node_put_text(tree, fresh, "lastTransitionTime", since);
        else
                status_time(tree, fresh, "lastTransitionTime", now);
        node_put_string(tree, fresh, "reason", condition->reason);
        node_put_string(tree, fresh, "message", condition->message);
        if (old)
                node_replace_at(conditions, index, fresh);
        else
                node_append(conditions, fresh);
}

bool status_condition_remove(struct json_node *status, const char *type) {
        size_t index;

        if (!find_condition(status, type, &index))
                return false;
        node_remove_at(node_get(status, "conditions"), index);
        return true;
}

struct json_node *status_begin(struct json_tree *tree, const struct json *object) {
        const struct json *status = json_get(object, "status");

        return status ? node_import(tree, status) : node_object(tree);
}

int status_write_back(struct controller_run *run, int resource, const struct json *object,
                      struct json_tree *tree, struct json_node *status, struct err *err) {
        struct object_target target = { .resource = resource,
                                        .ns = object_namespace(object),
                                        .name = object_name(object) };

        if (node_equal(status, status_begin(tree, object)))
                return 0;
        return object_merge_status(run, &target, tree, status, err);
}

int64_t int_or_percent(const struct json *value, int64_t total, bool rounds_up, int64_t otherwise) {
        struct slice text = json_text(value);
        int64_t number;

        if (json_as_i64(value, &number))
                return number;
        if (text.len < 2 || text.ptr[text.len - 1] != '%' ||
            !slice_to_i64(slice_make(text.ptr, text.len - 1), &number))
                return otherwise;
        return (number * total + (rounds_up ? 99 : 0)) / 100;
}
