/* What a controller at work uses: reading the store, and looking at a key again at a later time. */
#include "control/control_priv.h"

#include "base/util.h"
#include <stdlib.h>

void run_add_at(struct controller_run *run, struct slice ns, struct slice name,
                struct wall_time due) {
        int64_t delay_ns = due.ns - control_now(run->control).ns;

        work_queue_add_at(run->queue, ns, name,
                          (struct mono_time){ loop_mono(run->control->loop).ns +
                                              (delay_ns > 0 ? delay_ns : 0) });
}

const struct json *control_read(const struct control *control, int resource, struct slice ns,
                                struct slice name, struct json_doc **ret_doc) {
        const struct store_object *object =
                resource < 0 ? NULL : store_get(control->store, resource, ns, name);

        if (!object || json_parse(store_object_body(object), ret_doc, NULL) < 0)
                return NULL;
        return json_doc_root(*ret_doc);
}

const struct json *entry_read(const struct object_entry *entry, struct json_doc **ret_doc) {
        if (json_parse(store_object_body(entry->object), ret_doc, NULL) < 0)
                return NULL;
        return json_doc_root(*ret_doc);
}

void control_each(const struct control *control, int resource, struct slice ns,
                  bool (*visit)(void *context, const struct store_object *object), void *context) {
        struct store_range range = { .resource = resource, .ns = ns };
        const struct store_object **objects = NULL, *object;
        struct store_cursor *cursor = NULL;
        size_t count = 0, cap = 0;
        bool is_going = true;

        if (resource < 0 || store_cursor_open(control->store, &range, &cursor, NULL) < 0)
                return;
        while ((object = store_cursor_next(cursor))) {
                if (count == cap) {
                        cap = cap ? cap * 2 : 64;
                        objects = xreallocarray(objects, cap, sizeof(objects[0]));
                }
                objects[count++] = store_object_ref(object);
        }
        store_cursor_close(cursor);
        for (size_t i = 0; i < count; i++) {
                is_going = is_going && visit(context, objects[i]);
                store_object_unref(objects[i]);
        }
        free(objects);
}
