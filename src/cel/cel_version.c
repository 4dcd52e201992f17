/* Semantic versions (semver.org) as Kubernetes takes them: three numbers, labels of a pre-release
 * and of a build. */
#include "cel/cel_version.h"

#include <string.h>

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

bool cel_version_cut(struct slice *text, char mark, struct slice *ret_behind) {
        const char *at = text->len ? memchr(text->ptr, mark, text->len) : NULL;

        if (!at)
                return false;
        *ret_behind = slice_make(at + 1, text->len - (size_t)(at - text->ptr) - 1);
        text->len = (size_t)(at - text->ptr);
        return true;
}

static const char *numbers_problem(struct slice text, struct cel_version *ret_version) {
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

const char *cel_version_problem(struct slice text, struct cel_version *ret_version) {
        struct slice build = SLICE_EMPTY;
        const char *problem = NULL;

        *ret_version = (struct cel_version){ 0 };
        if (text.len == 0)
                return "Version string empty";
        if (cel_version_cut(&text, '+', &build))
                problem = labels_problem(build, false);
        if (!problem && cel_version_cut(&text, '-', &ret_version->release))
                problem = labels_problem(ret_version->release, true);
        return problem ? problem : numbers_problem(text, ret_version);
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
                slice_split(&a, '.', &left);
                slice_split(&b, '.', &right);
                int order = order_of_labels(left, right);
                if (order != 0)
                        return order < 0 ? -1 : 1;
        }
        return (a.len > 0) - (b.len > 0);
}

int cel_version_order(struct slice a, struct slice b) {
        struct cel_version left, right;

        (void)cel_version_problem(a, &left);
        (void)cel_version_problem(b, &right);
        for (size_t i = 0; i < 3; i++) {
                int order = order_of_numbers(left.numbers[i], right.numbers[i]);

                if (order != 0)
                        return order;
        }
        return order_of_releases(left.release, right.release);
}
