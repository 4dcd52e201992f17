/* Reads, judges and writes lock annotations. */
#include "reboot/reboot_lock.h"

#include "api/json.h"
#include <strings.h>

/* Go matches member names without regard to case; an exact one goes first. */
static const struct json *reboot_lock_member(const struct json *object, const char *name) {
        const struct json *exact = json_get(object, name), *value;
        struct json_iter iter = json_iter(object);
        struct slice key;

        if (exact)
                return exact;
        while (json_next(&iter, &key, &value))
                if (key.len == strlen(name) && strncasecmp(key.ptr, name, key.len) == 0)
                        return value;
        return NULL;
}

static bool read_owner(const struct json *object, struct arena *arena,
                       struct lock_owner *ret_owner) {
        const struct json *ttl = reboot_lock_member(object, "TTL"),
                          *created = reboot_lock_member(object, "created");
        const struct json *node = reboot_lock_member(object, "nodeID");

        *ret_owner = (struct lock_owner){
                .node = arena_slice(arena, json_text(node)),
                .was_cordoned = json_is_true(reboot_lock_member(
                        reboot_lock_member(object, "metadata"), "unschedulable")),
                .created = WALL_TIME_UNSET,
        };
        if (node && json_type(node) != JSON_STRING && json_type(node) != JSON_NULL)
                return false;
        if (ttl && json_type(ttl) != JSON_NULL && !json_as_i64(ttl, &ret_owner->ttl_ns))
                return false;
        return !created || json_type(created) == JSON_NULL ||
               wall_time_parse(json_text(created), &ret_owner->created);
}

static bool read_lock(const struct json *root, struct arena *arena, struct reboot_lock *lock) {
        const struct json *list = reboot_lock_member(root, "locks"), *item;
        struct json_iter iter = json_iter(list);

        lock->is_multiple = list || reboot_lock_member(root, "maxOwners");
        if (json_count(list) > LOCK_OWNERS_MAX)
                return false;
        lock->owners = ARENA_ARRAY(arena, struct lock_owner, json_count(list) + 1);
        if (!lock->is_multiple) {
                lock->count = 1;
                return read_owner(root, arena, &lock->owners[0]);
        }
        while (json_next(&iter, NULL, &item)) {
                if (json_type(item) != JSON_OBJECT ||
                    !read_owner(item, arena, &lock->owners[lock->count]))
                        return false;
                lock->count++;
        }
        return true;
}

int reboot_lock_parse(struct slice annotation, bool is_present, struct arena *arena,
                      struct reboot_lock *ret_lock, struct err *err) {
        struct reboot_lock lock = { 0 };
        struct json_doc *doc = NULL;
        bool is_valid = false;

        if (!is_present) {
                *ret_lock = lock;
                return 0;
        }
        if (json_parse(annotation, &doc, NULL) == 0 && json_type(json_doc_root(doc)) == JSON_OBJECT)
                is_valid = read_lock(json_doc_root(doc), arena, &lock);
        json_doc_free(doc);
        if (!is_valid)
                return err_set(err, BERTH_ERR_INVALID,
                               "expected a lock in JSON, found \"" SLICE_FMT "\"",
                               SLICE_ARG(annotation));
        *ret_lock = lock;
        return 0;
}

static void print_owner(const struct lock_owner *owner, struct buf *out) {
        char created[WALL_TIME_TEXT_MAX];

        buf_text(out, "{\"nodeID\":");
        buf_json_string(out, owner->node);
        buf_printf(out, ",\"metadata\":{\"unschedulable\":%s}",
                   owner->was_cordoned ? "true" : "false");
        if (wall_time_is_set(owner->created)) {
                wall_time_format_micro(owner->created, created);
                buf_printf(out, ",\"created\":\"%s\"", created);
        } else {
                buf_text(out, ",\"created\":\"0001-01-01T00:00:00Z\"");
        }
        buf_printf(out, ",\"TTL\":%lld}", (long long)owner->ttl_ns);
}

/* More owners than one need the multiple form even below a lowered limit. */
bool reboot_lock_print(const struct reboot_lock *lock, uint32_t limit, struct buf *out) {
        bool is_multiple = limit > 1 || lock->count > 1;

        if (!is_multiple && lock->count == 0)
                return false;
        if (!is_multiple) {
                print_owner(&lock->owners[0], out);
                return true;
        }
        buf_printf(out, "{\"maxOwners\":%u,\"locks\":[", limit);
        for (size_t i = 0; i < lock->count; i++) {
                buf_text(out, i ? "," : "");
                print_owner(&lock->owners[i], out);
        }
        buf_text(out, "]}");
        return true;
}

bool lock_owner_is_expired(const struct lock_owner *owner, struct wall_time now) {
        if (owner->ttl_ns <= 0 || !wall_time_is_set(owner->created) || now.ns <= owner->created.ns)
                return false;
        return (uint64_t)now.ns - (uint64_t)owner->created.ns >= (uint64_t)owner->ttl_ns;
}

const struct lock_owner *reboot_lock_find(const struct reboot_lock *lock, struct slice node) {
        for (size_t i = 0; i < lock->count; i++)
                if (slice_eq(lock->owners[i].node, node))
                        return &lock->owners[i];
        return NULL;
}

/* A lock written by hand, {"nodeID":"manual"}, is how kured's users stop all reboots. */
static bool is_paused(const struct reboot_lock *lock, struct slice node) {
        return !lock->is_multiple && lock->count == 1 &&
               !wall_time_is_set(lock->owners[0].created) && !slice_eq(lock->owners[0].node, node);
}

bool reboot_lock_take(const struct reboot_lock *lock, const struct lock_claim *claim,
                      struct wall_time now, struct arena *arena, struct reboot_lock *ret_lock) {
        uint32_t limit = claim->limit < 1 ? 1 : claim->limit;
        struct reboot_lock taken = { .is_multiple = limit > 1 };

        if (is_paused(lock, claim->owner.node))
                return false;
        taken.owners = ARENA_ARRAY(arena, struct lock_owner, lock->count + 1);
        for (size_t i = 0; i < lock->count; i++) {
                const struct lock_owner *owner = &lock->owners[i];
                bool is_gone = claim->gone.len > 0 && slice_eq(owner->node, claim->gone) &&
                               wall_time_is_set(owner->created);

                if (!is_gone && !slice_eq(owner->node, claim->owner.node) &&
                    !lock_owner_is_expired(owner, now))
                        taken.owners[taken.count++] = *owner;
        }
        if (taken.count >= limit)
                return false;
        taken.owners[taken.count++] = claim->owner;
        *ret_lock = taken;
        return true;
}

void reboot_lock_drop(const struct reboot_lock *lock, struct slice node, struct arena *arena,
                      struct reboot_lock *ret_lock) {
        struct reboot_lock left = { .is_multiple = lock->is_multiple };

        left.owners = ARENA_ARRAY(arena, struct lock_owner, lock->count + 1);
        for (size_t i = 0; i < lock->count; i++)
                if (!slice_eq(lock->owners[i].node, node))
                        left.owners[left.count++] = lock->owners[i];
        *ret_lock = left;
}

void reboot_lock_holders(const struct reboot_lock *lock, struct slice node, struct wall_time now,
                         struct buf *out) {
        bool is_first = true;

        for (size_t i = 0; i < lock->count; i++) {
                const struct lock_owner *owner = &lock->owners[i];

                if (slice_eq(owner->node, node) || lock_owner_is_expired(owner, now))
                        continue;
                buf_text(out, is_first ? "" : ", ");
                is_first = false;
                buf_slice(out, owner->node);
        }
}
