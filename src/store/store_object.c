/* One object as the store holds it: its text behind a count of references. */
#include "store/store_priv.h"

#include "base/util.h"
#include <stdlib.h>

struct store_object *store_object_new(struct store *store, int resource, uint64_t revision,
                                      struct slice ns, struct slice name, struct slice body) {
        struct store_resource *mine = store->resources[resource];
        const struct store_record record = {
                .ns = ns, .name = name, .body = body, .revision = revision
        };
        struct store_packed packed = { NULL, body };

        if (!mine->packer)
                mine->packer = store_packer_new(store->texts);
        if (store_pack(mine->packer, &record, &packed))
                packed.base->refs++;
        struct store_object *object = xmalloc(offsetof(struct store_object, text) + ns.len +
                                              name.len + packed.difference.len + 3);
        char *at = object->text;
        *object = (struct store_object){
                .revision = revision,
                .base = packed.base,
                .refs = 1,
                .body_size = (uint32_t)body.len,
                .stored_size = (uint32_t)packed.difference.len,
                .resource = (uint16_t)resource,
                .ns_size = (uint16_t)ns.len,
                .name_size = (uint16_t)name.len,
        };
        if (ns.len)
                memcpy(at, ns.ptr, ns.len);
        at[ns.len] = '\0';
        at += ns.len + 1;
        memcpy(at, name.ptr, name.len);
        at[name.len] = '\0';
        at += name.len + 1;
        memcpy(at, packed.difference.ptr, packed.difference.len);
        at[packed.difference.len] = '\0';
        return object;
}

const struct store_object *store_object_ref(const struct store_object *object) {
        ((struct store_object *)object)->refs++;
        return object;
}

void store_object_unref(const struct store_object *object) {
        struct store_object *mine = (struct store_object *)object;

        if (!mine || --mine->refs > 0)
                return;
        if (mine->base)
                store_texts_forget(mine->base->texts, mine);
        store_base_unref(mine->base);
        free(mine);
}

size_t store_object_bytes(const struct store_object *object) {
        return offsetof(struct store_object, text) + object->ns_size + object->name_size +
               object->stored_size + 3;
}
