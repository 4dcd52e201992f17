/* Names in messages of Pod Security, and what security contexts say. */
#include "kinds/pod_security_priv.h"

#include "base/util.h"
#include <stdlib.h>

void name_add(struct name_list *names, struct slice name) {
        if (names->count < NAMES_MAX)
                names->items[names->count++] = name;
}

void name_add_once(struct name_list *names, struct slice name) {
        for (size_t i = 0; i < names->count; i++)
                if (slice_eq(names->items[i], name))
                        return;
        name_add(names, name);
}

static int compare_names(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

void names_sort(struct name_list *names) {
        if (names->count)
                qsort(names->items, names->count, sizeof(names->items[0]), compare_names);
}

void names_write(const struct name_list *names, const char *quote, struct buf *out) {
        for (size_t i = 0; i < names->count; i++)
                buf_printf(out, "%s%s" SLICE_FMT "%s", i ? ", " : "", quote,
                           SLICE_ARG(names->items[i]), quote);
}

void containers_write(const struct name_list *names, struct buf *out) {
        buf_text(out, names->count == 1 ? "container " : "containers ");
        names_write(names, "\"", out);
}

void setters_write(bool is_pod, const struct name_list *containers, struct buf *out) {
        if (is_pod)
                buf_text(out, containers->count ? "pod and " : "pod");
        if (containers->count)
                containers_write(containers, out);
}

/* ---- the containers of a pod ---- */

const struct json_node *container_next(struct container_iter *iter) {
        static const char *const lists[] = { "initContainers", "containers",
                                             "ephemeralContainers" };

        for (; iter->list < ARRAY_LEN(lists); iter->list++, iter->index = 0) {
                const struct json_node *list = node_get(iter->spec, lists[iter->list]);

                if (iter->index < node_count(list))
                        return node_at(list, iter->index++);
        }
        return NULL;
}

bool is_windows(const struct security_pod *pod) {
        return pod->minor >= 25 && slice_is(name_of(node_get(pod->spec, "os")), "windows");
}

bool has_own_users(const struct security_pod *pod) {
        const struct json_node *flag = node_get(pod->spec, "hostUsers");

        return pod->minor >= 35 && flag && !node_is_true(flag);
}

bool is_one_of(struct slice text, const char *const *words) {
        for (; *words; words++)
                if (slice_is(text, *words))
                        return true;
        return false;
}

const char *const profile_types[] = { "RuntimeDefault", "Localhost", NULL };

/* ---- a text in the security context of the pod and its containers ---- */

void setting_read(const struct security_pod *pod, const char *object, const char *member,
                  const char *const *allowed, struct setting *setting) {
        struct container_iter iter = { .spec = pod->spec };
        const struct json_node *own = node_get(security_of(pod->spec), object), *container;

        if (own) {
                setting->is_pod_good = is_one_of(node_get_text(own, member), allowed);
                setting->is_pod_bad = !setting->is_pod_good;
        }
        if (setting->is_pod_bad)
                name_add_once(&setting->values, node_get_text(own, member));
        while ((container = container_next(&iter))) {
                own = node_get(security_of(container), object);
                if (!own) {
                        name_add(&setting->unset, name_of(container));
                } else if (!is_one_of(node_get_text(own, member), allowed)) {
                        name_add(&setting->bad, name_of(container));
                        name_add_once(&setting->values, node_get_text(own, member));
                }
        }
        names_sort(&setting->values);
}
