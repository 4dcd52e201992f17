/* Finding, filling and reading the blanks of a form. */
#include "store/store_form.h"

#include "base/util.h"
#include "store/store_priv.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define REVISION_SIZE 24
#define VERSION_MAX UINT8_MAX
#define NEW_MAX 12U /* blanks that one body adds to a form that has some: else it has another */

/* A body held against a base, from the front to the back of both. */
struct filling {
        const struct store_base *base;
        struct slice body;
        struct slice name, revision;
        size_t at, base_at;                          /* up to where they are looked at */
        struct store_blank blanks[STORE_BLANKS_MAX]; /* so far, new ones among them */
        size_t count, new_count;
        struct slice values[STORE_BLANKS_MAX]; /* by the blank's id */
};

/* Text of the object's revision. */
static struct slice print_revision(uint64_t revision, char *text) {
        char *end = text + REVISION_SIZE, *at = end;

        do {
                *--at = (char)('0' + revision % 10);
                revision /= 10;
        } while (revision);
        return slice_make(at, (size_t)(end - at));
}

static struct slice base_value(const struct store_base *base, const struct store_blank *blank) {
        return slice_make(base->text + blank->start, (size_t)(blank->end - blank->start));
}

static struct slice expected_value(const struct filling *filling, const struct store_blank *blank) {
        switch (blank->like) {
        case LIKE_NAME:
                return filling->name;
        case LIKE_REVISION:
                return filling->revision;
        case LIKE_BASE:
                return base_value(filling->base, blank);
        default:
                return filling->values[blank->like];
        }
}

/* ---- values in the text ---- */

/* Numbers, true, false and null consist of these. */
static bool is_bare(char byte) {
        return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' ||
               byte == '+' || byte == '.' || byte == 'E';
}

/* Where the string that begins at `at` ends; the end of the text when it does not. */
static size_t string_end(struct slice text, size_t at) {
        for (; at < text.len && text.ptr[at] != '"'; at++) {
                if (text.ptr[at] == '\\')
                        at++;
        }
        return at < text.len ? at : text.len;
}

static size_t bare_end(struct slice text, size_t at) {
        while (at < text.len && is_bare(text.ptr[at]))
                at++;
        return at;
}

/* The string or bare value around a place of the base; `from` is outside of all. */
static bool find_value(struct slice base, size_t from, size_t place,
                       struct store_blank *ret_blank) {
        while (from <= place && from < base.len) {
                bool is_string = base.ptr[from] == '"';
                size_t start = from + is_string;
                size_t end = is_string ? string_end(base, start) : bare_end(base, start);

                if (end >= place && start <= place && (is_string || end > start)) {
                        *ret_blank = (struct store_blank){ .start = (uint16_t)start,
                                                           .end = (uint16_t)end };
                        return end < base.len;
                }
                from = is_string || end == start ? end + 1 : end;
        }
        return false;
}

/* ---- filling ---- */

/* The value of a body that stands in a blank, behind what is looked at. */
static bool take_value(struct filling *filling, const struct store_blank *blank) {
        bool is_string = blank->start > 0 && filling->base->text[blank->start - 1] == '"';
        size_t end = is_string ? string_end(filling->body, filling->at)
                               : bare_end(filling->body, filling->at);

        filling->values[blank->id] = slice_make(filling->body.ptr + filling->at, end - filling->at);
        filling->at = end;
        filling->base_at = blank->end;
        filling->blanks[filling->count++] = *blank;
        return end < filling->body.len;
}

/* What a new blank's value is like, in the body at hand and in the base. */
static uint8_t find_like(const struct filling *filling, const struct store_blank *blank) {
        struct slice value = filling->values[blank->id], mine = base_value(filling->base, blank);

        if (slice_eq(value, filling->name))
                return LIKE_NAME;
        if (slice_eq(value, filling->revision))
                return LIKE_REVISION;
        for (size_t i = 0; i < filling->count; i++) {
                const struct store_blank *other = &filling->blanks[i];

                if (other->id != blank->id && slice_eq(filling->values[other->id], value) &&
                    slice_eq(base_value(filling->base, other), mine))
                        return other->id;
        }
        return LIKE_BASE;
}

/* A blank where the body reads differently from the base, `equal` bytes from here. */
static bool add_blank(struct filling *filling, size_t equal) {
        const struct store_base *base = filling->base;
        struct slice text = slice_make(base->text, base->size);
        /* Behind a string's blank stands its closing quote. */
        bool is_quoted = filling->count > 0 && text.ptr[filling->base_at] == '"';
        struct store_blank blank;

        if (base->form.version == VERSION_MAX ||
            base->form.count + filling->new_count >= STORE_BLANKS_MAX ||
            (base->form.count > 0 && filling->new_count >= NEW_MAX) ||
            !find_value(text, filling->base_at + is_quoted, filling->base_at + equal, &blank))
                return false;
        blank.id = (uint8_t)(base->form.count + filling->new_count);
        blank.born = (uint8_t)(base->form.version + 1);
        filling->at += blank.start - filling->base_at;
        if (!take_value(filling, &blank))
                return false;
        filling->new_count++;
        filling->blanks[filling->count - 1].like = find_like(filling, &blank);
        return true;
}

/* Compares up to a place of the base. */
static bool compare_to(struct filling *filling, size_t end) {
        for (;;) {
                const char *mine = filling->base->text + filling->base_at;
                const char *body = filling->body.ptr + filling->at;
                size_t size = end - filling->base_at, left = filling->body.len - filling->at;
                size_t equal = 0;

                if (size <= left && memcmp(mine, body, size) == 0) {
                        filling->at += size;
                        filling->base_at = end;
                        return true;
                }
                while (equal < size && equal < left && mine[equal] == body[equal])
                        equal++;
                if (equal == left || equal == size || !add_blank(filling, equal) ||
                    filling->base_at > end)
                        return false;
        }
}

static bool fill_blanks(struct filling *filling) {
        const struct store_form *form = &filling->base->form;

        for (size_t i = 0; i < form->count; i++) {
                if (!compare_to(filling, form->blanks[i].start) ||
                    !take_value(filling, &form->blanks[i]))
                        return false;
        }
        return compare_to(filling, filling->base->size) && filling->at == filling->body.len;
}

/* ---- packing ---- */

static bool put_value(struct pack_out *out, struct slice value, struct slice expected) {
        size_t shorter = value.len < expected.len ? value.len : expected.len, front = 0, back = 0;

        while (front < shorter && value.ptr[front] == expected.ptr[front])
                front++;
        while (back < shorter - front &&
               value.ptr[value.len - 1 - back] == expected.ptr[expected.len - 1 - back])
                back++;
        return pack_number(out, front) && pack_number(out, back) &&
               pack_own(out, slice_make(value.ptr + front, value.len - front - back),
                        slice_make(expected.ptr + front, expected.len - front));
}

static bool put_values(const struct filling *filling, struct pack_out *out) {
        size_t expected_count = 0;

        for (size_t i = 0; i < filling->count; i++) {
                struct slice value = filling->values[filling->blanks[i].id];
                struct slice expected = expected_value(filling, &filling->blanks[i]);

                if (slice_eq(value, expected)) {
                        expected_count++;
                        continue;
                }
                if (!pack_number(out, expected_count) || !put_value(out, value, expected))
                        return false;
                expected_count = 0;
        }
        return true;
}

bool store_form_pack(struct store_base *base, const struct store_form_body *body,
                     struct pack_out *out) {
        char revision[REVISION_SIZE];
        struct filling filling;

        filling.base = base;
        filling.body = body->text;
        filling.name = body->name;
        filling.revision = print_revision(body->revision, revision);
        filling.at = filling.base_at = filling.count = filling.new_count = 0;
        if (!fill_blanks(&filling) ||
            !pack_number(out, base->form.version + (filling.new_count > 0)) ||
            !put_values(&filling, out))
                return false;
        if (filling.new_count) {
                base->form.blanks = xreallocarray(base->form.blanks, filling.count,
                                                  sizeof(base->form.blanks[0]));
                memcpy(base->form.blanks, filling.blanks,
                       filling.count * sizeof(filling.blanks[0]));
                base->form.count = (uint16_t)filling.count;
                base->form.version++;
        }
        return true;
}

/* ---- unpacking ---- */

static char *copy_text(char *text, struct slice from) {
        if (from.len)
                memcpy(text, from.ptr, from.len);
        return text + from.len;
}

static char *take_value_from(const unsigned char **at, struct slice expected, char *text) {
        size_t front = (size_t)unpack_number(at), back = (size_t)unpack_number(at);

        text = copy_text(text, slice_make(expected.ptr, front));
        text = unpack_own(at, slice_make(expected.ptr + front, expected.len - front), text);
        return copy_text(text, slice_make(expected.ptr + expected.len - back, back));
}

void store_form_unpack(const struct store_base *base, const struct store_form_body *packed,
                       char *text) {
        const unsigned char *at = (const unsigned char *)packed->text.ptr,
                            *end = at + packed->text.len;
        uint8_t version = (uint8_t)unpack_number(&at);
        size_t base_at = 0, expected_count = at < end ? (size_t)unpack_number(&at) : SIZE_MAX;
        char revision[REVISION_SIZE];
        struct filling filling;

        filling.base = base;
        filling.name = packed->name;
        filling.revision = print_revision(packed->revision, revision);
        for (size_t i = 0; i < base->form.count; i++) {
                const struct store_blank *blank = &base->form.blanks[i];

                if (blank->born > version)
                        continue;
                text = copy_text(text, slice_make(base->text + base_at, blank->start - base_at));
                base_at = blank->end;
                struct slice expected = expected_value(&filling, blank);
                char *value = text;
                if (expected_count) {
                        text = copy_text(text, expected);
                        expected_count--;
                } else {
                        text = take_value_from(&at, expected, text);
                        expected_count = at < end ? (size_t)unpack_number(&at) : SIZE_MAX;
                }
                filling.values[blank->id] = slice_make(value, (size_t)(text - value));
        }
        copy_text(text, slice_make(base->text + base_at, base->size - base_at));
}
