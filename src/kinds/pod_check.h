/* What the parts of the validation of pods share: volumes, environment, containers, security. */
#pragma once

#include "base/map.h"
#include "kinds/rules.h"

/* Volumes under way, and those that containers may use. */
struct volume_check {
        struct checker *checker;
        struct slice pod_name; /* empty when it is not known */
        struct slice name;     /* of the volume being looked at */
        bool is_pod;           /* not a template */
        struct map *usable;    /* by name: the volumes that are right */
};
void check_volumes(struct volume_check *check, const struct at *at,
                   const struct json_node *volumes);
void check_projected(struct volume_check *check, const struct at *at,
                     const struct json_node *source);

/* Paths of files, in volumes, mounts and profiles. */
RULE(rule_no_backsteps);    /* without ".." */
RULE(rule_path_below);      /* relative, too */
RULE(rule_path_unreserved); /* nor beginning with ".." */
RULE(rule_mode);            /* permission bits */
RULE(rule_key_path);        /* an item of a source: key, path, mode */

/* A field of the pod, or a resource of a container, as a value. */
void check_field_reference(struct checker *checker, const struct at *at,
                           const struct json_node *reference, const char *const *fields);
void check_resource_reference(struct checker *checker, const struct at *at,
                              const struct json_node *reference, bool needs_container);
void check_downward_file(struct checker *checker, const struct at *at,
                         const struct json_node *file);
void check_env(struct checker *checker, const struct at *at, const struct json_node *variables);
void check_env_from(struct checker *checker, const struct at *at, const struct json_node *sources);

/* Templates may carry images with stray spaces, pods may not. */
void check_image_space(struct checker *checker, const struct at *at,
                       const struct json_node *container);

/* Claims of devices that the containers of a pod may name. */
struct pod_claims {
        const struct json_node *list;
        struct text_set names;
};

/* What all containers of a pod are checked against. */
struct container_check {
        struct checker *checker;
        const struct json_node *spec;
        const struct map *volumes; /* usable ones, by name */
        const struct pod_claims *claims;
        bool has_host_users;
        struct text_set regular, init, ephemeral; /* names so far */
};
void check_containers(struct container_check *check, const struct at *at);
void check_mounts(struct container_check *check, const struct at *at,
                  const struct json_node *container);
void check_devices(struct container_check *check, const struct at *at,
                   const struct json_node *container);
void check_probes(struct container_check *check, const struct at *at,
                  const struct json_node *container);

/* Resources of a container or, with is_pod, of a pod. claims: NULL = not looked at. */
void check_resources(struct checker *checker, const struct at *at,
                     const struct json_node *resources, const struct pod_claims *claims,
                     bool is_pod);
void check_pod_resources(struct checker *checker, const struct at *at, const struct json_node *spec,
                         const struct pod_claims *claims);

/* Profiles that annotations name. */
void check_profile_annotations(struct checker *checker, const struct at *at,
                               const struct json_node *pod);
void check_pod_security(struct checker *checker, const struct at *at,
                        const struct json_node *context, const struct json_node *spec);
void check_container_security(struct checker *checker, const struct at *at,
                              const struct json_node *context, bool has_host_users);
/* What depends on the operating system and the use of the host. */
void check_pod_system(struct checker *checker, const struct at *at, const struct json_node *spec);
void check_host_process(struct checker *checker, const struct at *at, const struct json_node *spec);

/* On a pod that shows what a kubelet runs of its own accord. */
#define MIRROR_ANNOTATION "kubernetes.io/config.mirror"
/* Annotations that mean something for a pod. */
void check_pod_annotations(struct checker *checker, const struct at *at,
                           const struct json_node *pod);
/* Fields of AppArmor and seccomp against annotations of them, of a new pod or a template. at: of
 * its spec. */
void check_old_profiles(struct checker *checker, const struct at *at, const struct json_node *pod);
/* Some of them may not change; then all of them once more, as kube-apiserver. */
void check_pod_annotation_updates(struct checker *checker, const struct json_node *pod,
                                  const struct json *old);

/* Calls visit for every container of a pod, with its place. */
void each_container(const struct at *at, const struct json_node *spec,
                    void (*visit)(void *context, const struct at *at,
                                  const struct json_node *container),
                    void *context);
