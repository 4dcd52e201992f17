/* Bodies of one form: text that all share, and blanks, each a value or a key of the JSON text that
 * differs from body to body. Blanks are found where a body first differs from the base; those found
 * later do not count for what was packed before, which each blank's version says.
 *
 * Packed form: the version of the form, then for each value that is not as expected: how many
 * before it are, how many bytes it shares with what is expected at its beginning and at its end,
 * and the bytes between as in store_own.h. Expected is the name or the revision of the object, an
 * earlier value, or the base's. */
#pragma once

#include "store/store_own.h"

struct store_base;

#define STORE_FORM_NONE 0 /* version of what is packed in another way */

struct store_blank {
        uint16_t start, end; /* in the base */
        uint8_t id;          /* in the order in which they were found */
        uint8_t born;        /* the first version of the form that has it */
        uint8_t like;        /* id of the blank whose value is expected, or below */
};
#define STORE_BLANKS_MAX 120U
#define LIKE_NAME 253U
#define LIKE_REVISION 254U
#define LIKE_BASE 255U

struct store_form {
        struct store_blank *blanks; /* in the order of the text */
        uint16_t count;
        uint8_t version; /* from 1 */
};

/* What is known of a body besides its text. */
struct store_form_body {
        struct slice name;
        uint64_t revision;
        struct slice text; /* the body, or its packed form */
};

/* Packs a body that has the base's form, which gets new blanks where that takes some. False when
 * it has another form, or the limit is reached. */
bool store_form_pack(struct store_base *base, const struct store_form_body *body,
                     struct pack_out *out);
/* Writes the body from its packed form; text has room for it. */
void store_form_unpack(const struct store_base *base, const struct store_form_body *packed,
                       char *text);
