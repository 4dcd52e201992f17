/* References to images: [DOMAIN[:PORT]/]PATH[:TAG][@ALGORITHM:DIGEST] */
#include "kinds/image_reference.h"

#include <string.h>

#define NAME_MAX_BYTES 255
#define TAG_MAX 128
#define DIGEST_MIN 32
#define IDENTIFIER_SIZE 64 /* hexadecimal digits of a whole identifier, which is no name */

static bool is_lower_alnum(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alnum(char c) {
        return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* What may stand between letters and digits: a dot, one or two underscores, or dashes. */
static bool is_separator(struct slice text) {
        for (size_t i = 0; i < text.len; i++)
                if (text.ptr[i] != text.ptr[0])
                        return false;
        return text.ptr[0] == '-' || (text.ptr[0] == '.' && text.len == 1) ||
               (text.ptr[0] == '_' && text.len <= 2);
}

static size_t count_alnum(struct slice text, size_t from, bool is_wanted) {
        size_t i = from;

        while (i < text.len && is_lower_alnum(text.ptr[i]) == is_wanted)
                i++;
        return i - from;
}

static bool is_component(struct slice text) {
        if (text.len == 0 || !is_lower_alnum(text.ptr[0]) ||
            !is_lower_alnum(text.ptr[text.len - 1]))
                return false;
        for (size_t i = count_alnum(text, 0, true); i < text.len;) {
                size_t length = count_alnum(text, i, false);

                if (!is_separator(slice_make(text.ptr + i, length)))
                        return false;
                i += length;
                i += count_alnum(text, i, true);
        }
        return true;
}

static bool is_path(struct slice path) {
        struct slice part;

        if (path.len == 0)
                return false;
        while (slice_split(&path, '/', &part))
                if (!is_component(part))
                        return false;
        return true;
}

/* Labels between dots, and a port. */
static bool is_domain(struct slice text) {
        struct slice port = text, host, label;

        if (!slice_split(&port, ':', &host))
                return false;
        for (size_t i = 0; i < port.len; i++)
                if (port.ptr[i] < '0' || port.ptr[i] > '9')
                        return false;
        if (port.ptr && port.len == 0)
                return false;
        while (slice_split(&host, '.', &label)) {
                if (label.len == 0 || !is_alnum(label.ptr[0]) ||
                    !is_alnum(label.ptr[label.len - 1]))
                        return false;
                for (size_t i = 0; i < label.len; i++)
                        if (!is_alnum(label.ptr[i]) && label.ptr[i] != '-')
                                return false;
        }
        return true;
}

static bool has_upper(struct slice text) {
        for (size_t i = 0; i < text.len; i++)
                if (text.ptr[i] >= 'A' && text.ptr[i] <= 'Z')
                        return true;
        return false;
}

static bool is_name(struct slice name) {
        const char *slash = name.len ? memchr(name.ptr, '/', name.len) : NULL;
        struct slice first = slice_make(name.ptr, slash ? (size_t)(slash - name.ptr) : 0);
        bool has_domain = first.len &&
                          (memchr(first.ptr, '.', first.len) || memchr(first.ptr, ':', first.len) ||
                           slice_is(first, "localhost") || has_upper(first));

        size_t path = has_domain ? name.len - first.len - 1 : name.len;

        if (path + (has_domain || slash ? 0 : strlen("library/")) > NAME_MAX_BYTES)
                return false;
        if (!has_domain)
                return is_path(name);
        return is_domain(first) && is_path(slice_make(slash + 1, name.len - first.len - 1));
}

static bool is_tag(struct slice tag) {
        if (tag.len == 0 || tag.len > TAG_MAX || tag.ptr[0] == '.' || tag.ptr[0] == '-')
                return false;
        for (size_t i = 0; i < tag.len; i++)
                if (!is_alnum(tag.ptr[i]) && tag.ptr[i] != '_' && tag.ptr[i] != '.' &&
                    tag.ptr[i] != '-')
                        return false;
        return true;
}

static bool is_digest(struct slice digest) {
        struct slice rest = digest, algorithm;

        if (!slice_split(&rest, ':', &algorithm) || rest.len < DIGEST_MIN || algorithm.len == 0)
                return false;
        for (size_t i = 0; i < rest.len; i++)
                if (!is_hex(rest.ptr[i]))
                        return false;
        return is_alnum(algorithm.ptr[0]) && is_alnum(algorithm.ptr[algorithm.len - 1]);
}

static bool is_identifier(struct slice image) {
        for (size_t i = 0; i < image.len; i++)
                if (!is_hex(image.ptr[i]) || (image.ptr[i] >= 'A' && image.ptr[i] <= 'F'))
                        return false;
        return image.len == IDENTIFIER_SIZE;
}

struct slice image_tag(struct slice image) {
        struct slice digest = image, name = image, tag = SLICE_EMPTY;
        size_t colon;

        if (image.len == 0 || is_identifier(image) || !slice_split(&digest, '@', &name))
                return SLICE_EMPTY;
        if (digest.ptr && !is_digest(digest))
                return SLICE_EMPTY;
        for (colon = name.len; colon > 0 && name.ptr[colon - 1] != ':'; colon--)
                if (name.ptr[colon - 1] == '/')
                        colon = 1;
        if (colon > 0) {
                tag = slice_make(name.ptr + colon, name.len - colon);
                name.len = colon - 1;
                if (!is_tag(tag))
                        return SLICE_EMPTY;
        }
        if (!is_name(name))
                return SLICE_EMPTY;
        return tag.len || digest.ptr ? tag : SLICE_LITERAL("latest");
}
