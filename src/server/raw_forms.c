/* Members that upstream keeps as the bytes that were sent. */
#include "server/raw_forms.h"

#include "base/map.h"
#include "base/util.h"
#include "schema/object_compare.h"
#include "server/api_context.h"
#include "server/api_object.h"

/* The oldest of more is forgotten: then its values are compared. */
#define RAW_FORMS_MAX 4096

/* Where raw members are, as steps; "*" is each element of a list. */
static const struct raw_place {
        const char *group, *plural, *steps[7];
} raw_places[] = {
        { "apps", "controllerrevisions", { "data" } },
        { "resource.k8s.io", "deviceclasses", { "spec", "config", "*", "opaque", "parameters" } },
        { "resource.k8s.io",
          "resourceclaims",
          { "spec", "devices", "config", "*", "opaque", "parameters" } },
        { "resource.k8s.io",
          "resourceclaimtemplates",
          { "spec", "spec", "devices", "config", "*", "opaque", "parameters" } },
};

static const struct raw_place *find_raw_place(const struct api_write *write) {
        const struct kind_info *kind = write->resource->kind;

        for (size_t i = 0; write->subresource.len == 0 && i < ARRAY_LEN(raw_places); i++)
                if (strcmp(raw_places[i].plural, kind->plural) == 0 &&
                    strcmp(raw_places[i].group, kind->group) == 0)
                        return &raw_places[i];
        return NULL;
}

/* ---- texts ---- */

static void skip_blanks(struct slice *text) {
        while (text->len && strchr(" \t\r\n", text->ptr[0]))
                *text = slice_make(text->ptr + 1, text->len - 1);
}

/* Takes one value off the beginning of a text that is known to be JSON. */
static struct slice take_value(struct slice *text) {
        size_t depth = 0, at = 0;
        bool is_text = false;

        skip_blanks(text);
        for (; at < text->len; at++) {
                char c = text->ptr[at];

                if (is_text && c == '\\')
                        at++;
                else if (c == '"')
                        is_text = !is_text;
                if (is_text)
                        continue;
                if (depth == 0 && strchr(",]}: \t\r\n", c))
                        break;
                depth += c == '{' || c == '[';
                depth -= c == '}' || c == ']';
                if (depth == 0 && strchr("}]\"", c)) {
                        at++;
                        break;
                }
        }
        at = at < text->len ? at : text->len;
        struct slice value = slice_make(text->ptr, at);
        *text = slice_make(text->ptr + at, text->len - at);
        return value;
}

static bool take_mark(struct slice *text, char mark) {
        skip_blanks(text);
        if (text->len == 0 || text->ptr[0] != mark)
                return false;
        *text = slice_make(text->ptr + 1, text->len - 1);
        return true;
}

static void texts_at(struct slice text, const char *const *step, const char *const *end,
                     struct buf *out);

static void member_texts_at(struct slice text, const char *const *step, const char *const *end,
                            struct buf *out) {
        struct slice found = SLICE_EMPTY;

        do {
                struct slice key = take_value(&text);

                if (key.len < 2 || !take_mark(&text, ':'))
                        return;
                struct slice value = take_value(&text);
                if (slice_is(slice_make(key.ptr + 1, key.len - 2), *step))
                        found = value; /* the last of several counts */
        } while (take_mark(&text, ','));
        if (found.len)
                texts_at(found, step + 1, end, out);
}

static void texts_at(struct slice text, const char *const *step, const char *const *end,
                     struct buf *out) {
        if (step == end || !*step) {
                for (size_t i = 0; i < text.len; i++) /* ends of lines part the texts */
                        buf_char(out, text.ptr[i] == '\n' ? ' ' : text.ptr[i]);
                buf_char(out, '\n');
                return;
        }
        if (strcmp(*step, "*") != 0) {
                if (take_mark(&text, '{'))
                        member_texts_at(text, step, end, out);
                return;
        }
        for (bool is_first = true; take_mark(&text, is_first ? '[' : ','); is_first = false)
                texts_at(take_value(&text), step + 1, end, out);
}

/* ---- values ---- */

/* RAW_SORTED, which is escaped too, sorts the object's own members. */
enum raw_form { RAW_AS_STORED, RAW_ESCAPED, RAW_SORTED };

/* Go escapes what could be HTML. */
static void write_escaped(struct slice text, struct buf *out) {
        for (size_t i = 0; i < text.len; i++)
                if (strchr("<>&", text.ptr[i]))
                        buf_printf(out, "\\u%04x", (unsigned)text.ptr[i]);
                else
                        buf_char(out, text.ptr[i]);
}

static void value_write(struct json_node *value, enum raw_form form, struct buf *out) {
        CLEANUP(buf_release) struct buf text = { 0 };

        if (form == RAW_SORTED)
                node_sort_all(value);
        node_write(value, &text);
        if (form == RAW_AS_STORED)
                buf_slice(out, buf_view(&text));
        else
                write_escaped(buf_view(&text), out);
        buf_char(out, '\n');
}

static void values_at(struct json_node *value, const char *const *step, const char *const *end,
                      enum raw_form form, struct buf *out) {
        struct node_iter iter = node_iter(value);
        struct json_node *inner;

        if (!value)
                return;
        if (step == end || !*step)
                value_write(value, form, out);
        else if (strcmp(*step, "*") != 0)
                values_at(node_get(value, *step), step + 1, end, form, out);
        else
                while (node_next(&iter, NULL, &inner))
                        values_at(inner, step + 1, end, form, out);
}

/* Whole numbers written as others, such as 1e2, are whole ones when they are read again. */
static void settle_numbers(struct json_tree *tree, struct json_node *value) {
        struct node_iter iter = node_iter(value);
        bool is_list = node_type(value) == JSON_ARRAY;
        struct json_node *inner;
        struct slice key;

        for (size_t i = 0; node_next(&iter, is_list ? NULL : &key, &inner); i++) {
                CLEANUP(buf_release) struct buf text = { 0 };
                int64_t whole;

                settle_numbers(tree, inner);
                if (node_type(inner) != JSON_REAL)
                        continue;
                node_write(inner, &text);
                if (!slice_to_i64(buf_view(&text), &whole))
                        continue;
                if (is_list)
                        node_replace_at(value, i, node_i64(tree, whole));
                else
                        node_set(tree, value, key, node_i64(tree, whole));
        }
}

static void settle_numbers_at(struct json_tree *tree, struct json_node *value,
                              const char *const *step, const char *const *end) {
        struct node_iter iter = node_iter(value);
        struct json_node *inner;

        if (step == end || !*step)
                settle_numbers(tree, value);
        else if (strcmp(*step, "*") != 0)
                settle_numbers_at(tree, node_get(value, *step), step + 1, end);
        else
                while (node_next(&iter, NULL, &inner))
                        settle_numbers_at(tree, inner, step + 1, end);
}

/* ---- forms ---- */

#define STEPS_OF(place) (place)->steps, (place)->steps + ARRAY_LEN((place)->steps)

static uint64_t hash_of_values(const struct raw_place *place, struct json_node *object,
                               enum raw_form form) {
        CLEANUP(buf_release) struct buf text = { 0 };

        values_at(object, STEPS_OF(place), form, &text);
        return slice_hash(buf_view(&text));
}

static uint64_t hash_without_blanks(struct slice text) {
        CLEANUP(buf_release) struct buf bare = { 0 };
        bool is_text = false;

        for (size_t i = 0; i < text.len; i++) {
                is_text ^= text.ptr[i] == '"';
                if (is_text || !strchr(" \t\r", text.ptr[i]))
                        buf_char(&bare, text.ptr[i]);
                if (is_text && text.ptr[i] == '\\' && i + 1 < text.len)
                        buf_char(&bare, text.ptr[++i]);
        }
        return slice_hash(buf_view(&bare));
}

/* Numbers and escapes that are answered in another way than they were sent cannot come back as
 * they were, so that only their values count. */
static uint64_t hash_of_texts(const struct api_write *write, const struct raw_place *place,
                              struct slice body) {
        CLEANUP(buf_release) struct buf text = { 0 };
        uint64_t values = hash_of_values(place, write->object, RAW_AS_STORED);

        texts_at(body, STEPS_OF(place), &text);
        uint64_t bare = hash_without_blanks(buf_view(&text));
        return bare == values || bare == hash_of_values(place, write->object, RAW_ESCAPED)
                       ? slice_hash(buf_view(&text))
                       : values;
}

static bool has_type(const struct api_context *context, const char *wanted) {
        struct slice type = context->request->content_type, head = SLICE_EMPTY;

        slice_split(&type, ';', &head);
        return slice_is(slice_trim(head), wanted);
}

/* Members that a merge takes apart are put together again in order. */
static bool is_merged(struct api_context *context, const struct raw_place *place) {
        const struct json *value = request_json(context, context->request->body);

        for (size_t i = 0; i < ARRAY_LEN(place->steps) && place->steps[i]; i++)
                if (strcmp(place->steps[i], "*") != 0)
                        value = json_type(value) == JSON_ARRAY
                                        ? json_get(json_at(value, 0), place->steps[i])
                                        : json_get(value, place->steps[i]);
        return value && has_type(context, "application/merge-patch+json");
}

/* As the client says it, or what upstream makes of its YAML or patch. */
static uint64_t form_of_request(struct api_context *context, const struct api_write *write,
                                const struct raw_place *place) {
        bool is_patch = strcmp(context->route.verb, "patch") == 0;

        if (has_type(context, "application/strategic-merge-patch+json") || write->is_apply ||
            is_merged(context, place) || (!is_patch && context->is_yaml))
                return hash_of_values(place, write->object, RAW_SORTED);
        if (is_patch || has_type(context, "application/vnd.kubernetes.protobuf"))
                return hash_of_values(place, write->object, RAW_ESCAPED);
        return hash_of_texts(write, place, context->request->body);
}

static struct slice uid_of(const struct api_write *write) {
        return json_get_text(json_get(write->old_json, "metadata"), "uid");
}

static uint64_t form_of_stored(struct api_context *context, const struct api_write *write,
                               const struct raw_place *place) {
        const struct map *hashes = context->engine->raw_forms;
        void *hash = hashes ? map_get(hashes, uid_of(write)) : NULL;

        return hash ? (uint64_t)(uintptr_t)hash
                    : hash_of_values(place, node_import(write->tree, write->old_json),
                                     RAW_AS_STORED);
}

void raw_form_read(struct api_context *context, struct api_write *write) {
        const struct raw_place *place = find_raw_place(write);

        if (!place)
                return;
        settle_numbers_at(write->tree, write->object, STEPS_OF(place));
        write->raw_form = write->is_idle ? form_of_stored(context, write, place)
                                         : form_of_request(context, write, place);
        write->is_raw_changed =
                write->old_json && write->raw_form != form_of_stored(context, write, place);
}

static void forget_oldest(struct map *hashes) {
        size_t at = 0;
        struct slice key;
        void *value;

        if (map_count(hashes) >= RAW_FORMS_MAX && map_next(hashes, &at, &key, &value))
                map_remove(hashes, key);
}

static void remember_form(struct api_context *context, const struct api_write *write) {
        struct map **hashes = &context->engine->raw_forms;
        const struct raw_place *place = find_raw_place(write);
        struct slice uid = node_get_text(node_get(write->object, "metadata"), "uid");

        if (!place || context->is_dry_run)
                return;
        if (!*hashes)
                *hashes = map_new();
        map_remove(*hashes, uid);
        if (write->raw_form == hash_of_values(place, write->object, RAW_AS_STORED))
                return;
        forget_oldest(*hashes);
        map_put(*hashes, uid, (void *)(uintptr_t)write->raw_form);
}

int raw_form_put(struct api_context *context, struct api_write *write, struct slice *ret_body) {
        int r = write_put(context, write, ret_body);

        if (r == 0)
                remember_form(context, write);
        return r;
}

void raw_form_mark(const struct api_write *write, struct json_node *object) {
        const struct raw_place *place = find_raw_place(write);
        struct json_node *value = object;

        for (size_t i = 0;
             place && write->is_raw_changed && i < ARRAY_LEN(place->steps) && place->steps[i];
             i++) {
                if (strcmp(place->steps[i], "*") == 0) {
                        if (node_count(value))
                                node_append(value, node_null(write->tree));
                        return;
                }
                value = node_get(value, place->steps[i]);
        }
}
