/* A change of the store and its lazily parsed documents. */
#include "control/change.h"

static const struct json *change_parsed(struct json_doc **doc, const struct store_object *object) {
        if (!object)
                return NULL;
        if (!*doc && json_parse(store_object_body(object), doc, NULL) < 0)
                return NULL;
        return json_doc_root(*doc);
}

const struct json *change_object(struct change *change) {
        return change_parsed(&change->now, change->event->object);
}

const struct json *change_previous(struct change *change) {
        return change_parsed(&change->before, change->event->previous);
}

void change_release(struct change *change) {
        json_doc_free(change->now);
        json_doc_free(change->before);
        change->now = change->before = NULL;
}

bool object_mentions(const struct store_object *object, const char *text) {
        struct slice body = store_object_body(object);

        return memmem(body.ptr, body.len, text, strlen(text));
}
