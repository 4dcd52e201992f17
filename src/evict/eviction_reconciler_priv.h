/* Inside the eviction reconciler: what is kept per target and per Eviction. */
#pragma once

#include "base/map.h"
#include "evict/eviction_reconciler.h"

struct kept_pod { /* one allocation with its texts */
        struct eviction_pod pod;
};

/* How long a responder has been silent, by our own monotonic clock. */
struct eviction_pulse {
        struct wall_time beat; /* the stored value that was seen */
        struct mono_time at;   /* since when */
        bool is_set;
};

struct eviction_slot {
        struct eviction *eviction;
        struct eviction_pulse pulse;
        int pulse_of;               /* index of the responder it is about */
        struct mono_time failed_at; /* when its final failure was first seen */
        bool has_failed_at;
        /* The evictor's. */
        bool is_asking, has_try, has_news, has_beat;
        uint32_t attempts;
        struct mono_time next_try, next_beat;
        char news[512]; /* message to report, when has_news */
};

struct eviction_target {
        char *uid;
        struct slice ns, name; /* of the pod; owned */
        struct eviction_request **requests;
        size_t request_count, request_cap;
        struct eviction_slot **slots;
        size_t slot_count, slot_cap;
        size_t open;   /* effects under way */
        size_t writes; /* those that must be answered before the next decision */
        bool is_dirty; /* something changed since the last look */
        bool is_read;  /* the pod was found absent by a read or a deletion we saw */
        bool is_reading;
        bool has_due;
        struct mono_time due; /* next look by time alone */
        bool has_gone;
        struct mono_time gone_at; /* since when the pod is gone or finished */
        struct mono_time hold;    /* no writes before: the last one failed */
        uint32_t failures;
        struct mono_time next_create; /* an Eviction that vanishes is not made again at once */
        uint32_t creates;             /* since one was seen with a status */
        char *pod_name;
};

struct open_effect {
        enum eviction_effect_kind kind;
        struct eviction_target *target;
        char eviction_uid[64]; /* EVICTION_EVICT_POD */
};

struct eviction_reconciler {
        struct eviction_reconciler_config config;
        struct map *targets;     /* pod uid -> eviction_target */
        struct map *requests;    /* ns/name -> eviction_target */
        struct map *evictions;   /* ns/name -> eviction_target */
        struct map *pods;        /* ns/name -> kept_pod */
        struct map *pod_targets; /* ns/name of a pod -> count of targets as a number */
        struct map_u64 *open;    /* id -> open_effect */
        uint64_t last_id;
        struct wall_time first_wall; /* pair of clocks at the first step */
        struct mono_time first_mono;
        bool has_first;
        struct eviction_reconciler_stats stats;
};

/* What one look at a target works with. */
struct eviction_look {
        struct eviction_reconciler *reconciler;
        struct eviction_target *target;
        const struct eviction_pod *pod; /* of the name, whatever its uid; NULL = absent */
        bool is_alive;                  /* the pod of this uid exists */
        bool is_gone, is_finished;      /* for sure */
        bool is_wanted;                 /* some live request asks for it */
        struct eviction_now now;
        struct eviction_effects *out;
};

/* Lets the target be looked at again no later than at due. */
void eviction_target_wake(struct eviction_target *target, struct mono_time due);
/* Adds an effect of the target and waits for its outcome; kinds that have one. */
struct eviction_effect *eviction_effect_add(struct eviction_look *look,
                                            enum eviction_effect_kind kind,
                                            const struct eviction_object *object,
                                            struct slice body);
/* One line for the trail; record is completed with the target. */
void eviction_audit(struct eviction_look *look, struct audit_record record);
/* now, as it can be stored (microseconds). */
struct wall_time eviction_stamp(struct wall_time now);
/* {"metadata":{"resourceVersion":...},"status": */
void eviction_patch_open(const struct eviction_object *object, struct buf *out);
struct slice eviction_text_keep(struct eviction_effects *out, struct buf *text);

/* ---- eviction_progress.c: the controller's part ---- */
/* Everything the controller does about a target now; at most one write per object. */
void eviction_progress(struct eviction_look *look);

/* ---- eviction_evictor.c: the imperative responder ---- */
void eviction_evictor_act(struct eviction_look *look, struct eviction_slot *slot);
void eviction_evictor_result(struct eviction_slot *slot,
                             const struct eviction_effect_result *result, struct eviction_now now);
