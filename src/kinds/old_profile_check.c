/* Annotations of AppArmor and seccomp and the fields that took their place have to say the same. */
#include "kinds/old_profiles.h"
#include "kinds/pod_check.h"

#include "base/arena.h"
#include "base/util.h"
#include <string.h>

struct old_profile {
        const char *prefix; /* of the annotation of a container */
        const char *member; /* of securityContext */
        const char *name;   /* in messages */
        const char *docker; /* another text for the default; NULL = none */
};

static const struct old_profile seccomp = { SECCOMP_CONTAINER, "seccompProfile", "seccomp",
                                            "docker/default" };
static const struct old_profile app_armor_profile = { APP_ARMOR, "appArmorProfile", "apparmor",
                                                      NULL };

static const struct json_node *profile_of(const struct json_node *holder,
                                          const struct old_profile *old) {
        return node_get(node_get(holder, "securityContext"), old->member);
}

static bool is_default(const struct old_profile *old, struct slice text) {
        return slice_is(text, "runtime/default") || (old->docker && slice_is(text, old->docker));
}

/* The member that says another thing than the annotation; NULL = none. */
static const char *other_member(const struct old_profile *old, const struct json_node *profile,
                                struct slice text) {
        struct slice type = node_get_text(profile, "type");
        const struct json_node *local = node_get(profile, "localhostProfile");

        if (slice_is(type, "Unconfined"))
                return slice_is(text, "unconfined") ? NULL : "type";
        if (slice_is(type, "RuntimeDefault"))
                return is_default(old, text) ? NULL : "type";
        if (!slice_is(type, "Localhost"))
                return NULL;
        if (!slice_has_prefix(text, SLICE_LITERAL(LOCAL_PROFILE)))
                return "type";
        struct slice rest =
                slice_make(text.ptr + strlen(LOCAL_PROFILE), text.len - strlen(LOCAL_PROFILE));
        return local && slice_eq(node_get_slice(local), rest) ? NULL : "localhostProfile";
}

/* at: of the pod's spec, or of a container. */
static void check_match(struct checker *checker, const struct at *at, const struct old_profile *old,
                        const struct json_node *profile, const struct json_node *annotation) {
        struct at security = at_member(at, "securityContext");
        struct at place = at_member(&security, old->member);
        const char *member = profile && annotation
                                     ? other_member(old, profile, node_get_slice(annotation))
                                     : NULL;

        if (member)
                report(checker, FIELD_FORBIDDEN, &place, member, NULL,
                       message_of(checker, "%s %s in annotation and field must match", old->name,
                                  strcmp(member, "type") == 0 ? "type" : "profile"));
}

/* of_pod: the profile of containers that have none. */
static void check_profiles_of(struct checker *checker, const struct at *at,
                              const struct json_node *pod, const struct old_profile *old,
                              const struct json_node *of_pod) {
        static const char *const lists[] = { "initContainers", "containers",
                                             "ephemeralContainers" };
        const struct json_node *annotations = node_get(node_get(pod, "metadata"), "annotations");

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct at list = at_member(at, lists[i]);
                struct node_iter iter = node_iter(node_get(node_get(pod, "spec"), lists[i]));
                struct json_node *container;

                for (size_t j = 0; node_next(&iter, NULL, &container); j++) {
                        const struct json_node *own = profile_of(container, old);
                        struct slice name = node_get_text(container, "name");
                        struct at place = at_index(&list, j);

                        check_match(
                                checker, &place, old, own ? own : of_pod,
                                node_get(annotations, message_of(checker, "%s" SLICE_FMT,
                                                                 old->prefix, SLICE_ARG(name))));
                }
        }
}

void check_old_profiles(struct checker *checker, const struct at *at, const struct json_node *pod) {
        const struct json_node *spec = node_get(pod, "spec");
        const struct json_node *annotations = node_get(node_get(pod, "metadata"), "annotations");

        if (!annotations)
                return;
        check_match(checker, at, &seccomp, profile_of(spec, &seccomp),
                    node_get(annotations, SECCOMP_POD));
        check_profiles_of(checker, at, pod, &seccomp, NULL);
        if (!slice_is(node_get_text(node_get(spec, "os"), "name"), "windows"))
                check_profiles_of(checker, at, pod, &app_armor_profile,
                                  profile_of(spec, &app_armor_profile));
}
