/* What the checks of the Pod Security Standards share: names in messages, the containers of a pod,
 * and texts in security contexts. */
#pragma once

#include "kinds/pod_security_checks.h"

/* A row of a level. since: the minor version of the standards that has it first; replaced: the
 * version since which the restricted level has a stricter check in place of it; 0 = never. */
struct security_check {
        unsigned since, replaced;
        /* Why the pod is refused, with details in out; NULL when it is not. */
        const char *(*check)(const struct security_pod *pod, struct buf *out);
};
struct security_checks {
        const struct security_check *rows;
        size_t count;
};
extern const struct security_checks security_baseline, security_restricted;

#define NAMES_MAX 64

/* Texts of a message; those beyond the limit are left out. */
struct name_list {
        struct slice items[NAMES_MAX];
        size_t count;
};
void name_add(struct name_list *names, struct slice name);
void name_add_once(struct name_list *names, struct slice name);
void names_sort(struct name_list *names);
void names_write(const struct name_list *names, const char *quote, struct buf *out);
/* containers "a", "b" */
void containers_write(const struct name_list *names, struct buf *out);
/* pod and containers "a", "b" */
void setters_write(bool is_pod, const struct name_list *containers, struct buf *out);

/* Containers of every kind, those that initialise first. */
struct container_iter {
        const struct json_node *spec;
        size_t list, index;
};
const struct json_node *container_next(struct container_iter *iter); /* NULL at the end */

static inline const struct json_node *security_of(const struct json_node *owner) {
        return node_get(owner, "securityContext");
}
static inline struct slice name_of(const struct json_node *object) {
        return node_get_text(object, "name");
}
bool is_windows(const struct security_pod *pod);
bool is_one_of(struct slice text, const char *const *words); /* words end in NULL */
/* Users of such pods are nobody on the host. */
bool has_own_users(const struct security_pod *pod);

/* A text in the security contexts of the pod and its containers. */
struct setting {
        bool is_pod_bad, is_pod_good;
        struct name_list bad, unset, values;
};
extern const char *const profile_types[]; /* of AppArmor and seccomp that are right; ends in NULL */

/* object: within the security context; allowed: the texts that are right, ends in NULL. */
void setting_read(const struct security_pod *pod, const char *object, const char *member,
                  const char *const *allowed, struct setting *setting);
static inline bool setting_is_bad(const struct setting *setting) {
        return setting->is_pod_bad || setting->bad.count > 0;
}

/* Capabilities that containers add beyond those allowed. */
void added_capabilities(const struct security_pod *pod, const char *const *allowed,
                        struct name_list *ret_containers, struct name_list *ret_names);
void added_write(const struct name_list *containers, const struct name_list *names,
                 struct buf *out);
const char *check_proc_mount(const struct security_pod *pod, struct buf *out);
const char *write_bad_seccomp(const struct setting *setting, struct buf *out);
