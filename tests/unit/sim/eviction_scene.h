/* A small simulated cluster without faults, on which acceptance cases of evictions are played. */
#pragma once

#include "evict/eviction_request.h"
#include "sim/sim_faults.h"
#include "sim/sim_world.h"
#include <stdbool.h>
#include <stdint.h>

#define GROUP "/apis/lifecycle.berth.dev/v1alpha1/namespaces/default"
#define PODS "/api/v1/namespaces/default/pods"
#define MINUTE_NS (60 * NS_PER_S)
#define MOVER "mover.example.com/move"
#define PATH_BYTES 512
#define EVICTION_1 GROUP "/evictions/pod-1-p"
#define EVICTION_2 GROUP "/evictions/pod-2-p"
#define POD PODS "/p"
#define WITH_MOVER                                                                                 \
        ",\"annotations\":{\"lifecycle.berth.dev/eviction-responders\":\"" MOVER "=10000\"}"
#define ANNA "anna.example.com/one"
#define BERT "bert.example.com/two"

#define STAGE(name, more)                                                                          \
        "{\"name\":\"" name "\",\"kind\":\"http\",\"http\":{\"url\":\"https://h\"}" more "}"
#define POLICY(stages, more)                                                                       \
        "{\"apiVersion\":\"lifecycle.berth.dev/v1alpha1\",\"kind\":\"EvictionPolicy\","            \
        "\"metadata\":{\"name\":\"m\"},\"spec\":{\"selector\":{\"matchLabels\":{\"app\":\"p\"}},"  \
        "\"stages\":[" stages "],\"rollback\":[{\"stage\":\"prepare\",\"http\":{\"url\":"          \
        "\"https://h\"}},{\"stage\":\"copy\",\"http\":{\"url\":\"https://h\"}}]" more "}}"

struct scene {
        struct sim_world *world;
        const char *stage, *answer; /* what hooks of this stage answer; others: Done */
        unsigned runs, polls, cancels, rollbacks, in_progress_left;
        unsigned strange_polls; /* of another id than the last run's */
        char run_id[128];
        char order[400]; /* "run prepare, run move, ..." */
};

/* One node, the role running. */
void open_scene(struct scene *scene);
/* The same with slots: evictions wait for one. */
void open_scene_with(struct scene *scene, const struct sim_world_config *config);
/* Fails when something was violated. */
void close_scene(struct scene *scene);
/* A test whose *state is an open scene. */
int set_up_scene(void **state);
int tear_down_scene(void **state);
#define SCENE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_scene, tear_down_scene)
/* What hooks of the stage answer; "InProgress" so many times, then Done. */
void hooks_answer(struct scene *scene, const char *stage, const char *answer,
                  unsigned in_progress_left);
void wait_s(struct scene *scene, int64_t seconds);
int ask(struct scene *scene, const char *method, const char *path, const char *body);
/* Whether the object is there and its text has this part. */
bool has(struct scene *scene, const char *path, const char *part);
#define assert_has(scene, path, part)                                                              \
        do {                                                                                       \
                if (!has(scene, path, part))                                                       \
                        fail_msg("%s has no %s", path, part);                                      \
        } while (0)

void uid_of(struct scene *scene, const char *pod, char uid[64]);
/* Further members of metadata and of spec, each beginning with a comma; waits until it runs. */
void make_pod(struct scene *scene, const char *name, const char *meta, const char *spec);
int make_request_of(struct scene *scene, const char *name, const char *requester, const char *uid,
                    const char *meta);
/* For pod p as it is now. */
void make_request(struct scene *scene, const char *name, const char *requester);
void set_intent(struct scene *scene, const char *name, const char *intent);
/* From now on the kinds are served as lifecycle.k8s.io, too. */
void serve_native(struct scene *scene);
#define NATIVE "/apis/lifecycle.k8s.io/v1alpha1/namespaces/default"
/* Asks for any pod's eviction, in one of the two groups. */
void want_in(struct scene *scene, const char *group, const char *pod, const char *requester);
/* A budget for pod p that never opens. */
void guard(struct scene *scene);
/* An Eviction as it is stored; eviction_free. */
struct eviction *eviction_at(struct scene *scene, const char *path);
/* Writes a member of a responder's own entry; the status of the answer. */
int report_as(struct scene *scene, const char *eviction, const char *who, const char *name,
              const char *value);
/* Of the mover in pod-1-p. */
int report_mover(struct scene *scene, const char *name, const char *value);
void complete_mover(struct scene *scene);
void beat_mover(struct scene *scene);
/* And the pod it is for. */
void make_policy(struct scene *scene, const char *body);
