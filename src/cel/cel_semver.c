/* Functions of semantic versions. Values are stored as valid text. */
#include "cel/cel_function.h"
#include "cel/cel_version.h"

#include "base/util.h"
#include "cel/go_semver.h"

/* ---- tolerance ---- */

/* A number without its leading zeros; one zero stays or comes in front of what is no digit. Single
 * characters are left alone. */
static struct slice without_zeros(struct cel_run *run, struct slice part) {
        size_t zeros = 0;

        if (part.len < 2)
                return part;
        while (zeros < part.len && part.ptr[zeros] == '0')
                zeros++;
        struct slice rest = slice_make(part.ptr + zeros, part.len - zeros);
        if (rest.len && *rest.ptr >= '0' && *rest.ptr <= '9')
                return rest;
        return arena_join(run->arena, 2, (struct slice[]){ SLICE_LITERAL("0"), rest });
}

static bool has_labels(struct slice part) {
        for (size_t i = 0; i < part.len; i++) {
                if (part.ptr[i] == '+' || part.ptr[i] == '-')
                        return true;
        }
        return false;
}

/* Drops a v in front and leading zeros, adds numbers that are missing; text in the arena. */
static const char *cel_semver_normalise(struct cel_run *run, struct slice text,
                                        struct slice *ret_text) {
        struct slice parts[3] = { SLICE_LITERAL("0"), SLICE_LITERAL("0"), SLICE_LITERAL("0") };
        struct slice behind;
        size_t count = 0;

        if (text.len && text.ptr[0] == 'v')
                text = slice_make(text.ptr + 1, text.len - 1);
        while (count < 2 && cel_version_cut(&text, '.', &behind)) {
                parts[count++] = without_zeros(run, text);
                text = behind;
        }
        parts[count++] = without_zeros(run, text);
        if (count < 3 && has_labels(parts[count - 1]))
                return "short version cannot contain PreRelease/Build meta data";
        *ret_text = arena_join(run->arena, 5,
                               (struct slice[]){ parts[0], SLICE_LITERAL("."), parts[1],
                                                 SLICE_LITERAL("."), parts[2] });
        return NULL;
}

/* args[1], where it is: whether to be tolerant. */
static const char *take_version(struct cel_run *run, const struct cel_value *args, bool has_choice,
                                struct slice *ret_text) {
        const char *problem = NULL;

        *ret_text = args[0].as.text;
        if (has_choice && args[1].as.boolean)
                problem = cel_semver_normalise(run, args[0].as.text, ret_text);
        return problem ? problem : go_semver_problem(run->arena, *ret_text);
}

static struct cel_value semver_value(struct cel_run *run, const struct cel_value *args,
                                     bool has_choice) {
        struct slice text;
        const char *problem = take_version(run, args, has_choice, &text);

        return problem ? cel_text(CEL_ERROR, slice_of(problem)) : cel_text(CEL_SEMVER, text);
}

/* ---- functions ---- */

FUNCTION(semver_of) {
        return semver_value(run, args, false);
}

FUNCTION(semver_of_tolerant) {
        return semver_value(run, args, true);
}

FUNCTION(semver_is) {
        struct slice text;

        return cel_bool(!take_version(run, args, false, &text));
}

FUNCTION(semver_is_tolerant) {
        struct slice text;

        return cel_bool(!take_version(run, args, true, &text));
}

static struct cel_value number_at(const struct cel_value *args, size_t index) {
        struct cel_version version;

        cel_version_read(args[0].as.text, &version);
        return cel_int((int64_t)version.numbers[index]);
}

FUNCTION(semver_major) {
        (void)run;
        return number_at(args, 0);
}

FUNCTION(semver_minor) {
        (void)run;
        return number_at(args, 1);
}

FUNCTION(semver_patch) {
        (void)run;
        return number_at(args, 2);
}

static int order_of(const struct cel_value *args) {
        return cel_version_order(args[0].as.text, args[1].as.text);
}

FUNCTION(semver_is_less) {
        (void)run;
        return cel_bool(order_of(args) < 0);
}

FUNCTION(semver_is_greater) {
        (void)run;
        return cel_bool(order_of(args) > 0);
}

FUNCTION(semver_order) {
        (void)run;
        return cel_int(order_of(args));
}

static const struct cel_function rows[] = {
        { "semver", false, CEL_SEMVER, semver_of, 1, { CEL_STRING } },
        { "semver", false, CEL_SEMVER, semver_of_tolerant, 2, { CEL_STRING, CEL_BOOL } },
        { "isSemver", false, CEL_BOOL, semver_is, 1, { CEL_STRING } },
        { "isSemver", false, CEL_BOOL, semver_is_tolerant, 2, { CEL_STRING, CEL_BOOL } },
        { "major", true, CEL_INT, semver_major, 1, { CEL_SEMVER } },
        { "minor", true, CEL_INT, semver_minor, 1, { CEL_SEMVER } },
        { "patch", true, CEL_INT, semver_patch, 1, { CEL_SEMVER } },
        { "isLessThan", true, CEL_BOOL, semver_is_less, 2, { CEL_SEMVER, CEL_SEMVER } },
        { "isGreaterThan", true, CEL_BOOL, semver_is_greater, 2, { CEL_SEMVER, CEL_SEMVER } },
        { "compareTo", true, CEL_INT, semver_order, 2, { CEL_SEMVER, CEL_SEMVER } },
};
const struct cel_function_set cel_semver_functions = { rows, ARRAY_LEN(rows) };
