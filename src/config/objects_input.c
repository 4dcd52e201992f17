/* Walks documents and lists down to single objects. */
#include "config/objects_input.h"

#include "base/util.h"
#include <stdio.h>

struct objects_input_walk {
        const struct document *document;
        int (*each)(void *context, const struct input_object *object, struct err *err);
        void *context;
        struct err *err;
        unsigned nesting;
};

static int walk_value(struct objects_input_walk *walk, const struct input_object *object);

/* Completes an error about something at or below the object. */
static int objects_input_place(const struct input_object *object, struct err *err, int code) {
        if (!err)
                return code;
        document_locate_path(object->document, object->value, err->path, err);
        err_path_prepend(err, object->path);
        return code;
}

static int objects_input_fail(const struct objects_input_walk *walk,
                              const struct input_object *object, const char *text) {
        err_set(walk->err, BERTH_ERR_INVALID, "%s", text);
        return objects_input_place(object, walk->err, BERTH_ERR_INVALID);
}

static const struct slice list_suffix = SLICE_INIT("List");

static bool is_list(const struct input_object *object) {
        return slice_has_suffix(object->kind, list_suffix) &&
               json_type(json_get(object->value, "items")) == JSON_ARRAY;
}

/* What items of a typed list are when they do not say so; List itself says nothing. */
static struct slice item_kind(const struct input_object *list) {
        return slice_make(list->kind.ptr, list->kind.len - list_suffix.len);
}

static int walk_items(struct objects_input_walk *walk, const struct input_object *list) {
        struct json_iter iter = json_iter(json_get(list->value, "items"));
        struct input_object item = { .document = list->document, .kind = item_kind(list) };
        char path[ERR_PATH_MAX];
        if (walk->nesting == OBJECTS_INPUT_NESTING_MAX)
                return objects_input_fail(walk, list, "lists nested too deep");
        if (item.kind.len > 0)
                item.api_version = list->api_version;
        item.path = path;
        walk->nesting++;
        while (json_next(&iter, NULL, &item.value)) {
                snprintf(path, sizeof(path), "%s%sitems[%zu]", list->path, list->path[0] ? "." : "",
                         iter.index - 1);
                int r = walk_value(walk, &item);
                if (r < 0)
                        return r;
        }
        walk->nesting--;
        return 0;
}

static int walk_object(struct objects_input_walk *walk, const struct input_object *object) {
        struct err ignored = { 0 }, *err = walk->err ? walk->err : &ignored;
        if (is_list(object))
                return walk_items(walk, object);
        int r = walk->each(walk->context, object, err);
        return r < 0 ? objects_input_place(object, err, r) : r;
}

/* The object's own word on a string member, or what its list says; false when it is no string. */
static bool read_name(const struct json *value, const char *key, struct slice *name) {
        const struct json *member = json_get(value, key);
        enum json_type type = json_type(member);
        if (type == JSON_STRING)
                *name = json_text(member);
        return type == JSON_STRING || type == JSON_NULL || type == JSON_NONE;
}

static int walk_value(struct objects_input_walk *walk, const struct input_object *object) {
        struct input_object self = *object;
        char text[128];
        if (json_type(self.value) != JSON_OBJECT) {
                snprintf(text, sizeof(text),
                         "expected a Kubernetes object, found a value of type %s%s",
                         json_type_name(json_type(self.value)),
                         json_type(self.value) == JSON_STRING ? " (kubectl get needs -o yaml)"
                                                              : "");
                return objects_input_fail(walk, object, text);
        }
        if (!read_name(self.value, "apiVersion", &self.api_version))
                return objects_input_fail(walk, object, "apiVersion: expected a string");
        if (!read_name(self.value, "kind", &self.kind))
                return objects_input_fail(walk, object, "kind: expected a string");
        if (self.kind.len == 0)
                return objects_input_fail(walk, object, "kind is missing");
        if (self.api_version.len == 0)
                return objects_input_fail(walk, object, "apiVersion is missing");
        return walk_object(walk, &self);
}

int objects_input_read(struct slice text, const char *file,
                       int (*each)(void *context, const struct input_object *object,
                                   struct err *err),
                       void *context, struct err *err) {
        struct document_list list = { 0 };
        int r = document_list_read(text, file, &list, err);
        if (r < 0)
                return r;
        for (size_t i = 0; i < list.count && r == 0; i++) {
                struct objects_input_walk walk = {
                        .document = list.items[i], .each = each, .context = context, .err = err
                };
                struct input_object object = { .value = document_root(list.items[i]),
                                               .document = list.items[i],
                                               .path = "" };
                r = walk_value(&walk, &object);
        }
        document_list_release(&list);
        return r < 0 ? r : 0;
}
