/* One pass over the kinds; groups and versions are found by name. */
#include "server/api_catalogue.h"

#include "base/buf.h"
#include "kinds/kind.h"
#include "kinds/release.h"

static struct slice version_key(struct slice group, struct slice version, struct buf *key) {
        buf_clear(key);
        buf_slice(key, group);
        buf_char(key, '/');
        buf_slice(key, version);
        return buf_view(key);
}

static struct catalogue_group *group_need(struct api_catalogue *catalogue, const char *name) {
        struct catalogue_group *group = map_get(catalogue->by_name, slice_of(name));

        if (group)
                return group;
        group = ARENA_NEW(&catalogue->arena, struct catalogue_group);
        group->name = name;
        if (catalogue->last)
                catalogue->last->next = group;
        else
                catalogue->first = group;
        catalogue->last = group;
        map_put(catalogue->by_name, slice_of(name), group);
        return group;
}

static struct catalogue_version *version_need(struct api_catalogue *catalogue,
                                              const struct kind_info *kind, struct buf *key) {
        struct slice name = version_key(slice_of(kind->group), slice_of(kind->version), key);
        struct catalogue_version *version = map_get(catalogue->by_name, name);
        if (version)
                return version;
        version = ARENA_NEW(&catalogue->arena, struct catalogue_version);
        version->name = kind->version;
        map_put(catalogue->by_name, name, version);
        struct catalogue_group *group = group_need(catalogue, kind->group);
        if (group->last)
                group->last->next = version;
        else
                group->first = version;
        group->last = version;
        return version;
}

void catalogue_init(struct api_catalogue *catalogue) {
        size_t count = kind_count();
        struct buf key = { 0 };

        *catalogue = (struct api_catalogue){ .by_name = map_new() };
        arena_init(&catalogue->arena, 8192);
        for (size_t i = 0; i < count; i++) {
                if (!release_has_kind(kind_minor(), kind_gates(), kind_at(i)))
                        continue;
                struct catalogue_kind *item = ARENA_NEW(&catalogue->arena, struct catalogue_kind);
                struct catalogue_version *version = version_need(catalogue, kind_at(i), &key);

                item->kind = kind_at(i);
                if (version->last)
                        version->last->next = item;
                else
                        version->first = item;
                version->last = item;
        }
        buf_release(&key);
}

void catalogue_release(struct api_catalogue *catalogue) {
        map_free(catalogue->by_name);
        arena_release(&catalogue->arena);
}

const struct catalogue_group *catalogue_group(const struct api_catalogue *catalogue,
                                              struct slice group) {
        /* A name with a slash is a version's. */
        return slice_contains(group, SLICE_LITERAL("/")) ? NULL
                                                         : map_get(catalogue->by_name, group);
}

const struct catalogue_version *catalogue_version(const struct api_catalogue *catalogue,
                                                  struct slice group, struct slice version) {
        struct buf key = { 0 };
        const struct catalogue_version *found =
                map_get(catalogue->by_name, version_key(group, version, &key));

        buf_release(&key);
        return found;
}
