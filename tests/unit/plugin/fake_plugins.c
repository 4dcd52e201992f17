/* Scheduler plugins that do as they are told and write down when they are asked. */
#include "fake_plugins.h"

#include "base/buf.h"
#include "base/util.h"
#include <stdio.h>

struct fake fakes[FAKE_COUNT];
unsigned fake_open;
static char asked[1024];

void fakes_reset(void) {
        memset(fakes, 0, sizeof(fakes));
        asked[0] = '\0';
}

const char *fakes_asked(void) {
        return asked;
}

static const struct fake *note(const void *state, const char *point) {
        const struct fake *fake = state;
        size_t length = strlen(asked);
        snprintf(asked + length, sizeof(asked) - length, "%s%c.%s", length > 0 ? " " : "",
                 (char)('A' + (fake - fakes)), point);
        return fake;
}

static enum verdict_code say(const struct fake *fake, enum verdict_code code,
                             struct verdict *verdict) {
        if (code != VERDICT_OK && code != VERDICT_SKIP && fake->reason)
                verdict_no(verdict, code, slice_of(fake->reason));
        return code;
}

/* ---- the points ---- */

static enum verdict_code fake_pre_enqueue(const struct sched_cycle *cycle, const void *state,
                                          struct verdict *verdict) {
        const struct fake *fake = note(state, "preEnqueue");
        (void)cycle;
        return say(fake, fake->pre_enqueue, verdict);
}

static enum verdict_code fake_pre_filter(const struct sched_cycle *cycle, const void *state,
                                         void **ret_pod_state, const struct bitset **ret_only,
                                         struct verdict *verdict) {
        const struct fake *fake = note(state, "preFilter");
        *ret_pod_state = (void *)state;
        if (fake->only) {
                struct bitset *only = ARENA_NEW(cycle->scratch, struct bitset);
                *only = bitset_in_arena(cycle->scratch, FAKE_NODES);
                for (size_t i = 0; i < FAKE_NODES; i++)
                        if (fake->only >> i & 1)
                                bitset_add(only, i);
                *ret_only = only;
        }
        return say(fake, fake->pre_filter, verdict);
}

static void fake_explain(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                         struct node_id node, struct verdict *verdict) {
        const struct fake *fake = note(state, "explain");
        (void)cycle;
        (void)pod_state;
        if (fake->refused >> node.index & 1)
                verdict_no(verdict, fake->refusal, slice_of(fake->reason));
}

static void fake_filter(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                        struct bitset *nodes) {
        const struct fake *fake = note(state, "filter");
        (void)cycle;
        (void)pod_state;
        for (size_t i = 0; i < FAKE_NODES; i++)
                if (fake->refused >> i & 1)
                        bitset_remove(nodes, i);
}

static enum verdict_code fake_post_filter(struct sched_attempt *attempt, const void *state,
                                          struct verdict *verdict) {
        const struct fake *fake = note(state, "postFilter");
        (void)attempt;
        return say(fake, fake->post_filter, verdict);
}

static enum verdict_code fake_pre_score(const struct sched_cycle *cycle, const void *state,
                                        struct node_batch feasible, void **ret_pod_state,
                                        struct verdict *verdict) {
        const struct fake *fake = note(state, "preScore");
        (void)cycle;
        (void)feasible;
        *ret_pod_state = (void *)state;
        return say(fake, fake->pre_score, verdict);
}

static void fake_score(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                       struct node_batch batch, int64_t *ret_scores) {
        const struct fake *fake = note(state, "score");
        (void)cycle;
        (void)pod_state;
        for (size_t i = 0; i < batch.count; i++)
                ret_scores[i] = fake->scores[batch.nodes[i].index];
}

static void fake_normalize(const struct sched_cycle *cycle, const void *state,
                           const void *pod_state, struct node_batch feasible, int64_t *scores) {
        const struct fake *fake = note(state, "normalize");
        (void)cycle;
        (void)pod_state;
        for (size_t i = 0; i < feasible.count && fake->scale; i++)
                scores[i] *= fake->scale;
}

static void fake_reserve(const struct sched_cycle *cycle, const void *state, const void *pod_state,
                         struct node_id node, const struct reservation *reservation) {
        note(state, "reserve");
        (void)cycle;
        (void)pod_state;
        (void)node;
        (void)reservation;
}

static enum verdict_code fake_pre_bind(const struct sched_cycle *cycle, const void *state,
                                       struct node_id node, int64_t waited_ns,
                                       struct verdict *verdict) {
        const struct fake *fake = note(state, "preBind");
        (void)cycle;
        (void)node;
        (void)waited_ns;
        return say(fake, fake->pre_bind, verdict);
}

static bool fake_is_before(int32_t a_priority, int64_t a_queued_ns, int32_t b_priority,
                           int64_t b_queued_ns) {
        return a_priority > b_priority || a_queued_ns < b_queued_ns;
}

/* ---- instances ---- */

static int make(size_t index, void **ret_state, struct err *err) {
        if (fakes[index].init_fails)
                return err_set(err, BERTH_ERR_INVALID, "told to");
        fake_open++;
        *ret_state = &fakes[index];
        return 0;
}

#define FAKE_INIT(letter, index)                                                                   \
        static int init_##letter(const struct plugin_env *env, const void *args, void **ret_state, \
                                 struct err *err) {                                                \
                (void)env;                                                                         \
                (void)args;                                                                        \
                return make(index, ret_state, err);                                                \
        }
FAKE_INIT(a, 0)
FAKE_INIT(b, 1)
FAKE_INIT(c, 2)

static void fake_fini(void *state) {
        if (state)
                fake_open--;
}

static const struct sched_points all_points = { .pre_enqueue = fake_pre_enqueue,
                                                .pre_filter = fake_pre_filter,
                                                .explain = fake_explain,
                                                .filter = fake_filter,
                                                .post_filter = fake_post_filter,
                                                .pre_score = fake_pre_score,
                                                .score = fake_score,
                                                .normalize = fake_normalize,
                                                .reserve = fake_reserve,
                                                .pre_bind = fake_pre_bind };
/* B has no filter of its own, and no NormalizeScore. */
static const struct sched_points few_points = { .pre_enqueue = fake_pre_enqueue,
                                                .pre_filter = fake_pre_filter,
                                                .explain = fake_explain,
                                                .post_filter = fake_post_filter,
                                                .pre_score = fake_pre_score,
                                                .score = fake_score,
                                                .reserve = fake_reserve,
                                                .pre_bind = fake_pre_bind };

struct limit_args {
        struct args_head head;
        int64_t limit, floor;
};

static const struct field limit_fields[] = {
        ARGS_HEAD_FIELDS,
        { .name = "limit",
          .type = FIELD_I64,
          .offset = offsetof(struct limit_args, limit),
          .presence = FIELD_NO_PRESENCE,
          .help = "A number." },
        { .name = "floor",
          .type = FIELD_I64,
          .offset = offsetof(struct limit_args, floor),
          .presence = FIELD_NO_PRESENCE,
          .help = "One that is not above it." },
        FIELD_END,
};

static void check_limit(struct field_reader *reader, const struct json *value, const void *args) {
        const struct limit_args *given = args;
        if (given->floor > given->limit)
                field_problem(reader, value, "floor", "above the limit");
}

static const struct plugin fake_a = {
        .name = "A", .init = init_a, .fini = fake_fini, .sched = &all_points, .wakes_on = 1
};
static const struct plugin fake_b = {
        .name = "B", .init = init_b, .fini = fake_fini, .sched = &few_points, .wakes_on = 2
};
static const struct plugin fake_c = { .name = "C",
                                      .args = limit_fields,
                                      .args_size = sizeof(struct limit_args),
                                      .check = check_limit,
                                      .init = init_c,
                                      .fini = fake_fini,
                                      .sched = &all_points };
static const struct plugin fake_sort = {
        .name = "Sort", .sched = &(const struct sched_points){ .is_before = fake_is_before }
};
static const struct plugin fake_bind = {
        .name = "Bind", .sched = &(const struct sched_points){ .declared_points = 1u << POINT_BIND }
};
static const struct plugin fake_elsewhere = { .name = "Elsewhere" }; /* of another family */

const struct plugin *const fake_registry[] = { &fake_a,    &fake_b,         &fake_c, &fake_sort,
                                               &fake_bind, &fake_elsewhere, NULL };
