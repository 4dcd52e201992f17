/* Functions of semantic versions (semver.org), as Kubernetes takes them: three numbers, labels of a
 * pre-release and of a build. Values are kept as text that is right. */
#include "cel/cel_priv.h"

#include "base/util.h"
#include <string.h>

struct semver {
        uint64_t numbers[3];
        struct slice release; /* labels between dots; empty = none */
};

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

static bool is_number(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                if (!is_digit(text.ptr[i]))
                        return false;
        }
        return text.len > 0;
}

static bool is_label_char(char c) {
        return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

/* Labels between dots; numbers of a pre-release begin with no zero. */
static const char *labels_problem(struct slice labels, bool is_release) {
        size_t start = 0;

        for (size_t i = 0; i <= labels.len; i++) {
                struct slice label = slice_make(labels.ptr + start, i - start);

                if (i < labels.len && labels.ptr[i] != '.') {
                        if (!is_label_char(labels.ptr[i]))
                                return "Invalid character(s) found in prerelease or build";
                        continue;
                }
                if (label.len == 0)
                        return "Prerelease or build meta data is empty";
                if (is_release && is_number(label) && label.len > 1 && label.ptr[0] == '0')
                        return "Numeric PreRelease version must not contain leading zeroes";
                start = i + 1;
        }
        return NULL;
}

/* Cuts what follows the first such mark off; false when there is none. */
static bool cut_at(struct slice *text, char mark, struct slice *ret_behind) {
        const char *at = text->len ? memchr(text->ptr, mark, text->len) : NULL;

        if (!at)
                return false;
        *ret_behind = slice_make(at + 1, text->len - (size_t)(at - text->ptr) - 1);
        text->len = (size_t)(at - text->ptr);
        return true;
}

static const char *numbers_problem(struct slice text, struct semver *ret_version) {
        struct slice part = SLICE_EMPTY;

        for (size_t i = 0; i < 3; i++) {
                if (i < 2 && !memchr(text.ptr ? text.ptr : "", '.', text.len))
                        return "No Major.Minor.Patch elements found";
                part = text;
                if (i < 2)
                        slice_split(&text, '.', &part);
                if (!is_number(part))
                        return "Invalid character(s) found in major, minor or patch number";
                if (part.len > 1 && part.ptr[0] == '0')
                        return "Major, minor and patch must not contain leading zeroes";
                if (!slice_to_u64(part, &ret_version->numbers[i]))
                        return "value out of range";
        }
        return NULL;
}

static const char *version_problem(struct slice text, struct semver *ret_version) {
        struct slice build = SLICE_EMPTY;
        const char *problem = NULL;

        *ret_version = (struct semver){ 0 };
        if (text.len == 0)
                return "Version string empty";
        if (cut_at(&text, '+', &build))
                problem = labels_problem(build, false);
        if (!problem && cut_at(&text, '-', &ret_version->release))
                problem = labels_problem(ret_version->release, true);
        return problem ? problem : numbers_problem(text, ret_version);
}

/* ---- tolerance ---- */

/* A number without its leading zeros; one zero stays, also where other characters follow. */
static struct slice without_zeros(struct slice part) {
        if (part.len < 2)
                return part;
        while (part.len > 1 && part.ptr[0] == '0' && is_digit(part.ptr[1]))
                part = slice_make(part.ptr + 1, part.len - 1);
        return part;
}

/* Drops a v in front and leading zeros, adds numbers that are missing; text in the arena. */
static const char *cel_semver_normalise(struct cel_run *run, struct slice text,
                                        struct slice *ret_text) {
        struct slice parts[3] = { SLICE_LITERAL("0"), SLICE_LITERAL("0"), SLICE_LITERAL("0") };
        size_t count = 0;

        if (text.len && text.ptr[0] == 'v')
                text = slice_make(text.ptr + 1, text.len - 1);
        while (count < 3) {
                struct slice behind = SLICE_EMPTY;
                bool has_more = count < 2 && cut_at(&text, '.', &behind);

                parts[count++] = without_zeros(text);
                text = behind;
                if (!has_more)
                        break;
        }
        if (count < 3) {
                struct slice last = parts[count - 1];

                for (size_t i = 0; i < last.len; i++) {
                        if (last.ptr[i] == '+' || last.ptr[i] == '-')
                                return "short version cannot contain PreRelease/Build meta data";
                }
        }
        *ret_text = slice_of(arena_printf(run->arena, SLICE_FMT "." SLICE_FMT "." SLICE_FMT,
                                          SLICE_ARG(parts[0]), SLICE_ARG(parts[1]),
                                          SLICE_ARG(parts[2])));
        return NULL;
}

/* args[1], where it is: whether to be tolerant. */
static const char *take_version(struct cel_run *run, const struct cel_value *args, bool has_choice,
                                struct slice *ret_text) {
        const char *problem = NULL;
        struct semver version;

        *ret_text = args[0].as.text;
        if (has_choice && args[1].as.boolean)
                problem = cel_semver_normalise(run, args[0].as.text, ret_text);
        return problem ? problem : version_problem(*ret_text, &version);
}

static struct cel_value semver_value(struct cel_run *run, const struct cel_value *args,
                                     bool has_choice) {
        struct slice text;
        const char *problem = take_version(run, args, has_choice, &text);

        return problem ? cel_error(run, "%s", problem) : cel_text(CEL_SEMVER, text);
}

/* ---- order ---- */

static int order_of_numbers(uint64_t a, uint64_t b) {
        return a < b ? -1 : a > b;
}

/* Numbers go before words, and by their value. */
static int order_of_labels(struct slice a, struct slice b) {
        bool is_left = is_number(a), is_right = is_number(b);

        if (is_left != is_right)
                return is_left ? -1 : 1;
        if (is_left && a.len != b.len) /* without leading zeros */
                return a.len < b.len ? -1 : 1;
        return slice_compare(a, b);
}

/* A version comes behind all its pre-releases. */
static int order_of_releases(struct slice a, struct slice b) {
        struct slice left, right;

        if (a.len == 0 || b.len == 0)
                return (a.len == 0) - (b.len == 0);
        while (a.len && b.len) {
                int order;

                slice_split(&a, '.', &left);
                slice_split(&b, '.', &right);
                order = order_of_labels(left, right);
                if (order != 0)
                        return order < 0 ? -1 : 1;
        }
        return (a.len > 0) - (b.len > 0);
}

int cel_semver_order(struct slice a, struct slice b) {
        struct semver left, right;

        (void)version_problem(a, &left);
        (void)version_problem(b, &right);
        for (size_t i = 0; i < 3; i++) {
                int order = order_of_numbers(left.numbers[i], right.numbers[i]);

                if (order != 0)
                        return order;
        }
        return order_of_releases(left.release, right.release);
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
        struct semver version;

        (void)version_problem(args[0].as.text, &version);
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
        return cel_semver_order(args[0].as.text, args[1].as.text);
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
