/* What is wrong with a semantic version: its numbers in their order, then the labels. */
#include "cel/go_semver.h"

#include "base/go_number.h"
#include "base/go_quote.h"
#include "cel/cel_version.h"

static bool has_zero(struct slice number) {
        return number.len > 1 && *number.ptr == '0';
}

static bool has_digits_alone(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                if (text.ptr[i] < '0' || text.ptr[i] > '9')
                        return false;
        }
        return true;
}

static bool has_label_characters_alone(struct slice text) {
        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '-'))
                        return false;
        }
        return true;
}

static const char *value_problem(struct arena *arena, struct slice digits) {
        uint64_t value;

        return slice_to_u64(digits, &value) ? NULL : go_number_problem(arena, "ParseUint", digits);
}

static const char *number_problem(struct arena *arena, size_t index, struct slice part) {
        static const char *const nouns[] = { "major", "minor", "patch" };
        static const char *const heads[] = { "Major", "Minor", "Patch" };

        if (!has_digits_alone(part))
                return arena_printf(arena, "Invalid character(s) found in %s number %s",
                                    nouns[index], go_quoted(arena, part));
        if (has_zero(part))
                return arena_printf(arena, "%s number must not contain leading zeroes %s",
                                    heads[index], go_quoted(arena, part));
        return value_problem(arena, part);
}

/* ---- labels ---- */

static const char *release_problem(struct arena *arena, struct slice label) {
        if (label.len == 0)
                return "Prerelease is empty";
        if (!has_label_characters_alone(label))
                return arena_printf(arena, "Invalid character(s) found in prerelease %s",
                                    go_quoted(arena, label));
        if (!has_digits_alone(label))
                return NULL;
        if (has_zero(label))
                return arena_printf(arena,
                                    "Numeric PreRelease version must not contain leading zeroes %s",
                                    go_quoted(arena, label));
        return value_problem(arena, label);
}

static const char *build_problem(struct arena *arena, struct slice label) {
        if (label.len == 0)
                return "Build meta data is empty";
        return has_label_characters_alone(label)
                       ? NULL
                       : arena_printf(arena, "Invalid character(s) found in build meta data %s",
                                      go_quoted(arena, label));
}

static const char *labels_problem(struct arena *arena, struct slice labels,
                                  const char *(*label_problem)(struct arena *, struct slice)) {
        const char *problem = NULL;
        struct slice label;

        while (!problem && slice_split(&labels, '.', &label))
                problem = label_problem(arena, label);
        return problem;
}

const char *go_semver_problem(struct arena *arena, struct slice text) {
        struct slice minor, patch, release = SLICE_EMPTY, build = SLICE_EMPTY;

        if (text.len == 0)
                return "Version string empty";
        if (!cel_version_cut(&text, '.', &minor) || !cel_version_cut(&minor, '.', &patch))
                return "No Major.Minor.Patch elements found";
        const char *problem = number_problem(arena, 0, text);
        if (!problem)
                problem = number_problem(arena, 1, minor);
        (void)cel_version_cut(&patch, '+', &build);
        (void)cel_version_cut(&patch, '-', &release);
        if (!problem)
                problem = number_problem(arena, 2, patch);
        if (!problem)
                problem = labels_problem(arena, release, release_problem);
        return problem ? problem : labels_problem(arena, build, build_problem);
}
