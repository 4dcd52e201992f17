/* Grammar of the lifecycle annotations. */
#include "control/lifecycle.h"

#include "base/time.h"
#include "base/util.h"

/* ---- words ---- */

/* Takes the next word; false at the end. */
static bool next_word(struct slice *rest, struct slice *ret_word) {
        size_t size = 0;

        *rest = slice_trim(*rest);
        if (rest->len == 0)
                return false;
        while (size < rest->len && rest->ptr[size] != ' ' && rest->ptr[size] != '\t')
                size++;
        *ret_word = slice_make(rest->ptr, size);
        *rest = slice_make(rest->ptr + size, rest->len - size);
        return true;
}

static int fail_word(struct err *err, const char *expected, struct slice word) {
        if (word.len == 0)
                return err_set(err, BERTH_ERR_INVALID, "expected %s at the end", expected);
        return err_set(err, BERTH_ERR_INVALID, "expected %s, not \"" SLICE_FMT "\"", expected,
                       SLICE_ARG(word));
}

static int parse_length(struct slice word, int64_t *ret_ns, struct err *err) {
        int64_t ns;

        if (!duration_parse(word, &ns))
                return fail_word(err, "a duration such as 3s or 1m30s", word);
        if (ns < 0)
                return err_set(err, BERTH_ERR_INVALID, "the duration " SLICE_FMT " is negative",
                               SLICE_ARG(word));
        if (ns > LIFECYCLE_LENGTH_MAX_NS)
                return err_set(err, BERTH_ERR_INVALID,
                               "the duration " SLICE_FMT " is longer than a year", SLICE_ARG(word));
        *ret_ns = ns;
        return 0;
}

int lifecycle_parse_span(struct slice text, struct lifecycle_span *ret_span, struct err *err) {
        struct slice word = slice_trim(text), rest;
        const char *dots = word.len ? memmem(word.ptr, word.len, "..", 2) : NULL;
        struct lifecycle_span span = { 0 };
        int r;

        if (!dots) {
                r = parse_length(word, &span.least_ns, err);
                if (r == 0)
                        *ret_span = (struct lifecycle_span){ span.least_ns, span.least_ns };
                return r;
        }
        rest = slice_make(dots + 2, word.len - (size_t)(dots - word.ptr) - 2);
        r = parse_length(slice_make(word.ptr, (size_t)(dots - word.ptr)), &span.least_ns, err);
        if (r == 0)
                r = parse_length(rest, &span.most_ns, err);
        if (r == 0 && span.most_ns < span.least_ns)
                r = err_set(err, BERTH_ERR_INVALID, "the range " SLICE_FMT " ends before it begins",
                            SLICE_ARG(word));
        if (r == 0)
                *ret_span = span;
        return r;
}

/* ---- scripts ---- */

static int parse_exit_code(struct slice *rest, int32_t *ret_code, struct err *err) {
        struct slice word = SLICE_EMPTY;
        int64_t code;

        next_word(rest, &word);
        if (!slice_to_i64(word, &code) || code < 0 || code > 255)
                return fail_word(err, "an exit code from 0 to 255", word);
        *ret_code = (int32_t)code;
        return 0;
}

static int parse_times(struct slice word, uint32_t *ret_times, struct err *err) {
        int64_t times;

        if (!slice_to_i64(slice_make(word.ptr + 1, word.len - 1), &times) || times < 1 ||
            times > LIFECYCLE_TIMES_MAX)
                return fail_word(err, "a repetition such as x3", word);
        *ret_times = (uint32_t)times;
        return 0;
}

/* What may follow the length of a run. */
static int parse_end(struct slice word, struct slice *rest, struct lifecycle_step *step,
                     struct err *err) {
        if (slice_is(word, "exit"))
                return parse_exit_code(rest, &step->exit_code, err);
        if (slice_is(word, "oom")) {
                step->exit_code = 137;
                step->reason = SLICE_LITERAL("OOMKilled");
                return 0;
        }
        if (slice_is(word, "reason")) {
                if (!next_word(rest, &step->reason))
                        return fail_word(err, "a reason", SLICE_EMPTY);
                return 0;
        }
        if (word.ptr[0] == 'x' && word.len > 1)
                return parse_times(word, &step->times, err);
        return fail_word(err, "\"exit\", \"oom\", \"reason\" or a repetition such as x3", word);
}

static int parse_step(struct slice text, struct lifecycle_step *ret_step, struct err *err) {
        struct lifecycle_step step = { .times = 1 };
        struct slice rest = text, word = SLICE_EMPTY;
        int r = 0;

        next_word(&rest, &word);
        if (slice_is(word, "then")) {
                word = SLICE_EMPTY;
                next_word(&rest, &word);
        }
        if (slice_is(word, "run"))
                step.length = (struct lifecycle_span){ LIFECYCLE_FOR_EVER, LIFECYCLE_FOR_EVER };
        else if (slice_is(word, "exit") || slice_is(word, "oom"))
                r = parse_end(word, &rest, &step, err);
        else if (word.len && (word.ptr[0] < '0' || word.ptr[0] > '9'))
                r = fail_word(err, "\"run\", \"exit\", \"oom\" or a duration", word);
        else
                r = lifecycle_parse_span(word, &step.length, err);
        while (r == 0 && next_word(&rest, &word)) {
                if (step.length.least_ns == LIFECYCLE_FOR_EVER)
                        return err_set(err, BERTH_ERR_INVALID,
                                       "nothing may follow \"run\", which never ends");
                r = parse_end(word, &rest, &step, err);
        }
        if (r == 0)
                *ret_step = step;
        return r;
}

int lifecycle_parse_script(struct slice text, struct arena *arena,
                           struct lifecycle_script *ret_script, struct err *err) {
        struct lifecycle_step *steps =
                ARENA_ARRAY(arena, struct lifecycle_step, LIFECYCLE_STEPS_MAX);
        struct slice rest = text, part;
        size_t count = 0;

        while (slice_split(&rest, ';', &part)) {
                if (count == LIFECYCLE_STEPS_MAX)
                        return err_set(err, BERTH_ERR_INVALID, "more than %d steps",
                                       LIFECYCLE_STEPS_MAX);
                int r = parse_step(part, &steps[count], err);
                if (r < 0)
                        return r;
                if (count && steps[count - 1].length.least_ns == LIFECYCLE_FOR_EVER)
                        return err_set(err, BERTH_ERR_INVALID,
                                       "nothing may follow \"run\", which never ends");
                count++;
        }
        *ret_script = (struct lifecycle_script){ count, steps };
        return 0;
}

const struct lifecycle_step *lifecycle_script_at(const struct lifecycle_script *script,
                                                 int64_t restarts) {
        for (size_t i = 0; i < script->step_count; i++) {
                if (restarts < script->steps[i].times)
                        return &script->steps[i];
                restarts -= script->steps[i].times;
        }
        return script->step_count ? &script->steps[script->step_count - 1] : NULL;
}

/* ---- readiness ---- */

static int parse_window(struct slice text, struct lifecycle_window *ret_window, struct err *err) {
        struct lifecycle_window window = { .length_ns = LIFECYCLE_FOR_EVER };
        struct slice rest = text, word = SLICE_EMPTY, more;
        int r;

        next_word(&rest, &word);
        if (word.len && word.ptr[0] >= '0' && word.ptr[0] <= '9') {
                r = parse_length(word, &window.length_ns, err);
                if (r < 0)
                        return r;
                word = SLICE_EMPTY;
                next_word(&rest, &word);
        }
        window.is_up = slice_is(word, "up");
        if (!window.is_up && !slice_is(word, "down"))
                return fail_word(err, "\"up\" or \"down\"", word);
        if (next_word(&rest, &more))
                return fail_word(err, "a comma", more);
        *ret_window = window;
        return 0;
}

int lifecycle_parse_readiness(struct slice text, struct arena *arena,
                              struct lifecycle_readiness *ret_readiness, struct err *err) {
        struct lifecycle_readiness readiness = {
                .windows = ARENA_ARRAY(arena, struct lifecycle_window, LIFECYCLE_STEPS_MAX),
        };
        struct slice rest = text, part;
        int64_t total_ns = 0;

        while (slice_split(&rest, ',', &part)) {
                struct lifecycle_window *window = &readiness.windows[readiness.window_count];

                if (readiness.is_repeated || total_ns == LIFECYCLE_FOR_EVER)
                        return fail_word(err, "nothing more", slice_trim(part));
                if (readiness.window_count && slice_is(slice_trim(part), "repeat")) {
                        readiness.is_repeated = true;
                        continue;
                }
                if (readiness.window_count == LIFECYCLE_STEPS_MAX)
                        return err_set(err, BERTH_ERR_INVALID, "more than %d windows",
                                       LIFECYCLE_STEPS_MAX);
                int r = parse_window(part, window, err);
                if (r < 0)
                        return r;
                total_ns = window->length_ns == LIFECYCLE_FOR_EVER ? LIFECYCLE_FOR_EVER
                                                                   : total_ns + window->length_ns;
                readiness.window_count++;
        }
        if (readiness.is_repeated && total_ns == 0)
                return err_set(err, BERTH_ERR_INVALID, "windows without length cannot repeat");
        *ret_readiness = readiness;
        return 0;
}

bool lifecycle_is_ready_at(const struct lifecycle_readiness *readiness, int64_t elapsed_ns,
                           int64_t *ret_next_ns) {
        int64_t end_ns = 0, total_ns = 0;
        bool is_up = true;

        *ret_next_ns = LIFECYCLE_FOR_EVER;
        for (size_t i = 0; readiness->is_repeated && i < readiness->window_count; i++)
                total_ns += readiness->windows[i].length_ns;
        if (total_ns)
                end_ns = elapsed_ns / total_ns * total_ns;
        for (size_t i = 0; i < readiness->window_count; i++) {
                const struct lifecycle_window *window = &readiness->windows[i];
                bool is_last = i + 1 == readiness->window_count && !readiness->is_repeated;

                is_up = window->is_up;
                if (window->length_ns == LIFECYCLE_FOR_EVER || is_last)
                        return is_up;
                end_ns += window->length_ns;
                if (elapsed_ns < end_ns) {
                        *ret_next_ns = end_ns;
                        return is_up;
                }
        }
        return is_up;
}

/* ---- the others ---- */

int lifecycle_parse_waiting(struct slice text, struct lifecycle_waiting *ret_waiting,
                            struct err *err) {
        struct lifecycle_waiting waiting = { .length_ns = LIFECYCLE_FOR_EVER };
        struct slice rest = text, word = SLICE_EMPTY;
        int r = 0;

        if (!next_word(&rest, &waiting.reason))
                return fail_word(err, "a reason", SLICE_EMPTY);
        if (next_word(&rest, &word)) {
                if (!slice_is(word, "for"))
                        return fail_word(err, "\"for\"", word);
                word = SLICE_EMPTY;
                next_word(&rest, &word);
                r = parse_length(word, &waiting.length_ns, err);
                if (r == 0 && next_word(&rest, &word))
                        r = fail_word(err, "nothing more", word);
        }
        if (r == 0)
                *ret_waiting = waiting;
        return r;
}

int lifecycle_parse_shutdown(struct slice text, struct lifecycle_shutdown *ret_shutdown,
                             struct err *err) {
        struct lifecycle_shutdown shutdown = { .exit_code = -1 };
        struct slice rest = text, word = SLICE_EMPTY;
        int r;

        next_word(&rest, &word);
        if (slice_is(word, "never")) {
                shutdown.length = (struct lifecycle_span){ LIFECYCLE_FOR_EVER, LIFECYCLE_FOR_EVER };
                r = 0;
        } else {
                r = lifecycle_parse_span(word, &shutdown.length, err);
        }
        while (r == 0 && next_word(&rest, &word)) {
                if (!slice_is(word, "exit") || shutdown.exit_code >= 0)
                        return fail_word(err, "\"exit\" and its code", word);
                r = parse_exit_code(&rest, &shutdown.exit_code, err);
        }
        if (r == 0)
                *ret_shutdown = shutdown;
        return r;
}

int lifecycle_parse_failure(struct slice text, struct lifecycle_failure *ret_failure,
                            struct err *err) {
        struct lifecycle_failure failure = { .is_planned = true };
        struct slice rest = text, word = SLICE_EMPTY;

        next_word(&rest, &word);
        int r = parse_length(word, &failure.after_ns, err);
        if (r < 0)
                return r;
        if (next_word(&rest, &word)) {
                if (!slice_is(word, "reason"))
                        return fail_word(err, "\"reason\"", word);
                if (!next_word(&rest, &failure.reason))
                        return fail_word(err, "a reason", SLICE_EMPTY);
                failure.message = slice_trim(rest);
        }
        *ret_failure = failure;
        return 0;
}

/* ---- annotations ---- */

static const char *const pod_keys[] = { "start-delay", "run",      "ready", "ready-delay",
                                        "waiting",     "shutdown", "fail" };
static const char *const node_keys[] = { "heartbeat", "fail-after", "reboot", "reboot-time" };

static bool is_key(struct slice key, const char *wanted, struct slice container) {
        size_t size = strlen(LIFECYCLE_PREFIX) + strlen(wanted);

        if (container.len == 0)
                return key.len == size &&
                       !memcmp(key.ptr, LIFECYCLE_PREFIX, size - strlen(wanted)) &&
                       !memcmp(key.ptr + size - strlen(wanted), wanted, strlen(wanted));
        if (key.len != size + 1 + container.len || key.ptr[size] != '.')
                return false;
        return is_key(slice_make(key.ptr, size), wanted, SLICE_EMPTY) &&
               slice_eq(slice_make(key.ptr + size + 1, container.len), container);
}

static struct slice lifecycle_find(const struct json *annotations, const char *key,
                                   struct slice container) {
        struct json_iter iter = json_iter(annotations);
        const struct json *value;
        struct slice name;

        while (json_next(&iter, &name, &value)) {
                if (is_key(name, key, container))
                        return json_text(value);
        }
        return SLICE_EMPTY;
}

struct slice lifecycle_annotation(const struct json *pod_annotations,
                                  const struct json *node_annotations, const char *key,
                                  struct slice container) {
        const struct json *const sources[] = { pod_annotations, node_annotations };

        for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
                struct slice text =
                        container.len ? lifecycle_find(sources[i], key, container) : SLICE_EMPTY;

                if (text.len == 0)
                        text = lifecycle_find(sources[i], key, SLICE_EMPTY);
                if (text.len)
                        return text;
        }
        return SLICE_EMPTY;
}

static bool is_known(struct slice word) {
        struct slice rest = word, head = SLICE_EMPTY;

        slice_split(&rest, '.', &head);
        for (size_t i = 0; i < ARRAY_LEN(pod_keys); i++) {
                if (slice_is(head, pod_keys[i]))
                        return true;
        }
        for (size_t i = 0; i < ARRAY_LEN(node_keys); i++) {
                if (slice_is(word, node_keys[i]))
                        return true;
        }
        return false;
}

struct slice lifecycle_unknown_key(const struct json *annotations) {
        struct slice prefix = SLICE_LITERAL(LIFECYCLE_PREFIX), name;
        struct json_iter iter = json_iter(annotations);

        while (json_next(&iter, &name, NULL)) {
                if (slice_has_prefix(name, prefix) &&
                    !is_known(slice_make(name.ptr + prefix.len, name.len - prefix.len)))
                        return name;
        }
        return SLICE_EMPTY;
}
