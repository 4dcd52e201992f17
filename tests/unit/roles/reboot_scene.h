/* A cluster in virtual time with agents as the program runs them, above the whole API server: every
 * call is written down, and some are answered by a script instead. */
#pragma once

#include "base/buf.h"
#include "roles/reboot_role.h"
#include "server/api_server.h"
#include <stdbool.h>

#define SCENE_AGENTS 2
#define SCENE_RULES 8
#define SCENE_PODS "/api/v1/namespaces/default/pods"
#define SCENE_LOCK "/apis/apps/v1/namespaces/kube-system/daemonsets/kured"

struct control;
struct local_transport;
struct runtime;
struct virtual_loop;

/* Answers the next `times` calls that match after letting `skip` of them through. */
struct scene_rule {
        const char *method, *path; /* part of the path; with $ its end */
        int status, times, skip;
        const char *body; /* NULL = a Status without text */
};

struct scene;
struct scene_agent {
        struct scene *scene;
        struct reboot_config config;
        struct reboot_role_config role_config;
        struct reboot_host host;
        char name[16], sentinel[128], boot_id[16];
        struct runtime *runtime; /* NULL = not running */
        struct reboot_role *role;
        unsigned reboots;
};

struct scene {
        struct virtual_loop *time;
        struct loop *loop;
        struct api_server *server;
        struct control *control;
        struct local_transport *local;
        struct scene_rule rules[SCENE_RULES];
        struct scene_agent agents[SCENE_AGENTS]; /* of nodes n0 and n1 */
        struct buf calls; /* a line each: seconds, method, path, status, body of the request */
        int reboot_code;
        bool has_model; /* the agents' processes have one, as beside other roles */
        char folder[64];
        int64_t began_ns;
};

/* Two nodes, the DaemonSet kured without a lock. */
struct scene *scene_new(void);
/* All calls of agents are made as this user. */
struct scene *scene_new_as(const struct api_user *user);
void scene_free(struct scene *scene);
void scene_start(struct scene *scene, size_t agent);
void scene_kill(struct scene *scene, size_t agent);
/* The host comes up again: another boot, with or without a need. */
void scene_boot(struct scene *scene, size_t agent);
void scene_run(struct scene *scene, int64_t seconds);
void scene_require(struct scene *scene, size_t agent, bool is_required);
/* As administrator; the status.  ret_body may be NULL. */
int scene_ask(struct scene *scene, const char *method, const char *path, const char *body,
              struct buf *ret_body);
/* A running pod on n0. */
void scene_add_pod(struct scene *scene, const char *name, const char *labels, const char *owner);
/* Of agents: writes down, and answers by script. */
struct transport scene_transport(struct scene *scene);
void scene_script(struct scene *scene, const struct scene_rule *rule);

/* Over the calls of agents; method "" = any. */
unsigned scene_count(const struct scene *scene, const char *method, const char *path);
bool scene_has(const struct scene *scene, const char *text);
/* The parts occur in the calls, in this order; NULL-ended. */
void scene_expect_order(const struct scene *scene, const char *const *parts);

/* Whether the object contains the text. */
bool scene_object_has(struct scene *scene, const char *path, const char *text);
struct slice scene_metrics(struct scene *scene, size_t agent, struct buf *text);
