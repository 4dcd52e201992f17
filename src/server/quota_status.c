/* Status writes of quotas at admission: what is used now, until their controller counts again. */
#include "server/quota_status.h"

#include "kinds/admit.h"
#include "server/api_context.h"
#include "server/managed_fields.h"
#include "server/write_stages.h"

struct quota_change {
        const struct quota_change *next;
        struct slice quota, resource, used;
};
struct quota_changes {
        struct arena *arena;
        const struct quota_change *first;
};

/* Nothing is written while quotas are being read. */
static void note_change(void *context, struct slice quota, struct slice resource,
                        struct slice used) {
        struct quota_changes *changes = context;
        struct quota_change *change = ARENA_ARRAY(changes->arena, struct quota_change, 1);

        *change = (struct quota_change){ .next = changes->first,
                                         .quota = arena_slice(changes->arena, quota),
                                         .resource = arena_slice(changes->arena, resource),
                                         .used = arena_slice(changes->arena, used) };
        changes->first = change;
}

/* Those of one quota stand together; *changes moves to the next quota's. */
static int write_changes(struct api_context *context, struct slice ns,
                         const struct quota_change **changes) {
        const struct api_resource *quotas = context->engine->resources.quotas;
        struct slice name = (*changes)->quota, body;
        const struct store_object *object =
                store_get(context->engine->store, quotas->store_resource, ns, name);
        struct api_write write = { 0 };

        if (!object || write_begin(context, quotas, object, &write) < 0)
                return API_FAILED;
        struct json_node *status = node_need_object(write.tree, write.object, "status");
        struct json_node *used = node_need_object(write.tree, status, "used");
        for (; *changes && slice_eq((*changes)->quota, name); *changes = (*changes)->next)
                node_set(write.tree, used, (*changes)->resource,
                         node_text(write.tree, (*changes)->used));
        manage_own_status(context, &write);
        int r = write_put(context, &write, &body);
        write_end(&write);
        return r;
}

int quota_status_charge(struct api_context *context, const struct api_write *write) {
        struct quota_changes changes = { .arena = context->arena };
        int r = 0;

        if (context->is_dry_run || !has_quotas(context, write))
                return 0;
        quota_charge(&context->hooks, write->object, write->old_json, write->ns,
                     &(struct quota_charges){ note_change, &changes });
        const struct quota_change *change = changes.first;
        while (change && r == 0)
                r = write_changes(context, write->ns, &change);
        return r;
}
