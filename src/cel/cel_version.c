/* Semantic versions (semver.org) as Kubernetes takes them: three numbers, labels of a pre-release
 * and of a build. */
#include "cel/cel_version.h"

#include "base/util.h"
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

bool cel_version_cut(struct slice *text, char mark, struct slice *ret_behind) {
        const char *at = text->len ? memchr(text->ptr, mark, text->len) : NULL;

        if (!at)
                return false;
        *ret_behind = slice_make(at + 1, text->len - (size_t)(at - text->ptr) - 1);
        text->len = (size_t)(at - text->ptr);
        return true;
}

void cel_version_read(struct slice text, struct cel_version *ret_version) {
        struct slice build, part;

        *ret_version = (struct cel_version){ 0 };
        (void)cel_version_cut(&text, '+', &build);
        (void)cel_version_cut(&text, '-', &ret_version->release);
        for (size_t i = 0; i < ARRAY_LEN(ret_version->numbers) && slice_split(&text, '.', &part);
             i++)
                (void)slice_to_u64(part, &ret_version->numbers[i]);
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

        cel_version_read(a, &left);
        cel_version_read(b, &right);
        for (size_t i = 0; i < 3; i++) {
                int order = order_of_numbers(left.numbers[i], right.numbers[i]);

                if (order != 0)
                        return order;
        }
        return order_of_releases(left.release, right.release);
}
