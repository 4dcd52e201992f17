/* Bodies of alike objects stored as differences. Pods of one workload, leases, nodes repeat each
 * other almost byte for byte, so an object is stored as copies out of a base, a body seen earlier,
 * and the bytes that are its own. Readers get the text put together in one of a few buffers.
 *
 * A body of the same form as its base but for the values in its blanks is stored as these values
 * (store_form.c). Any other is pairs of own bytes and a copy, up to its size: own bytes as in
 * store_own.h, with what the base has there for a reference; a copy is its length, and unless that
 * is 0 where it starts, as the distance from where it would if the own bytes had replaced as many
 * of the base, its sign in the lowest bit. Before all that stands 0. */
#include "store/store_priv.h"

#include "base/util.h"
#include <stdlib.h>

#define PACK_BODY_MIN 256U   /* smaller ones are not worth it */
#define PACK_BODY_MAX 32768U /* positions have 16 bits */
#define PACK_MISSES_MAX 4    /* poor fits in a row before a base is given up */
#define PACK_GOOD_PART 5U    /* a good fit leaves less than one part in so many */
#define MATCH_MIN 8U         /* bytes of the shortest copy */
#define TABLE_BITS 12U
#define COUNT_BLOCK 128U

/* ---- bases ---- */

static struct store_base *base_new(struct store_texts *texts, struct slice body) {
        struct store_base *base = xmalloc(sizeof(*base) + body.len);

        *base = (struct store_base){
                .texts = texts, .refs = 1, .size = (uint32_t)body.len, .form.version = 1
        };
        memcpy(base->text, body.ptr, body.len);
        texts->refs++;
        return base;
}

void store_texts_unref(struct store_texts *texts) {
        if (--texts->refs > 0)
                return;
        for (size_t i = 0; i < ARRAY_LEN(texts->items); i++)
                free(texts->items[i].text);
        free(texts);
}

void store_base_unref(struct store_base *base) {
        if (!base || --base->refs > 0)
                return;
        store_texts_unref(base->texts);
        free(base->form.blanks);
        free(base);
}

static uint64_t store_pack_load8(const char *at) {
        uint64_t word;

        memcpy(&word, at, sizeof(word));
        return word;
}

static size_t table_slot(const char *at) {
        return (size_t)((store_pack_load8(at) * UINT64_C(0x9e3779b97f4a7c15)) >>
                        (64U - TABLE_BITS));
}

/* Where each run of MATCH_MIN bytes of the base starts, plus one; of equal ones the last. */
static uint16_t *table_new(const struct store_base *base) {
        uint16_t *table = xcalloc((size_t)1 << TABLE_BITS, sizeof(table[0]));

        for (uint32_t i = 0; i + MATCH_MIN <= base->size; i++)
                table[table_slot(base->text + i)] = (uint16_t)(i + 1);
        return table;
}

/* ---- packing ---- */

struct packing {
        const struct store_base *base;
        const uint16_t *table;
        struct slice body;
        struct pack_out out;
        size_t own;      /* where the bytes without a copy yet begin in the body */
        size_t expected; /* where the base goes on if they replace as many bytes */
};

static struct slice base_from(const struct store_base *base, size_t from) {
        return from < base->size ? slice_make(base->text + from, base->size - from) : SLICE_EMPTY;
}

static bool put_pair(struct packing *packing, size_t at, size_t from, size_t length) {
        size_t own = at - packing->own;
        int64_t distance = (int64_t)from - (int64_t)(packing->expected + own);

        if (!pack_own(&packing->out, slice_make(packing->body.ptr + packing->own, own),
                      base_from(packing->base, packing->expected)))
                return false;
        packing->own = at + length;
        packing->expected = from + length;
        return pack_number(&packing->out, length) &&
               (length == 0 ||
                pack_number(&packing->out, distance < 0 ? ((uint64_t)-distance << 1) | 1
                                                        : (uint64_t)distance << 1));
}

/* A place of the base that reads like the body at `at`: first the one that keeps step. */
static bool find_match(const struct packing *packing, size_t at, size_t *ret_from) {
        size_t from = packing->expected + (at - packing->own);
        uint64_t wanted = store_pack_load8(packing->body.ptr + at);

        if (from + MATCH_MIN <= packing->base->size &&
            store_pack_load8(packing->base->text + from) == wanted) {
                *ret_from = from;
                return true;
        }
        from = packing->table[table_slot(packing->body.ptr + at)];
        if (from == 0 || store_pack_load8(packing->base->text + from - 1) != wanted)
                return false;
        *ret_from = from - 1;
        return true;
}

static bool store_pack_pack(struct packing *packing) {
        const struct slice body = packing->body;
        const struct store_base *base = packing->base;
        size_t at = 0, from, length;

        if (!pack_number(&packing->out, STORE_FORM_NONE))
                return false;
        while (at + MATCH_MIN <= body.len) {
                if (!find_match(packing, at, &from)) {
                        at++;
                        continue;
                }
                while (at > packing->own && from > 0 && base->text[from - 1] == body.ptr[at - 1])
                        at--, from--;
                length = MATCH_MIN;
                while (at + length < body.len && from + length < base->size &&
                       body.ptr[at + length] == base->text[from + length])
                        length++;
                if (!put_pair(packing, at, from, length))
                        return false;
                at += length;
        }
        return put_pair(packing, body.len, packing->expected, 0);
}

/* ---- choosing a base ---- */

/* Texts of one form have as many. Counted in blocks that fit into vectors of bytes. */
static size_t count_quotes(struct slice text) {
        size_t count = 0, at = 0;

        for (; at + COUNT_BLOCK <= text.len; at += COUNT_BLOCK) {
                uint8_t here = 0;

                for (size_t i = 0; i < COUNT_BLOCK; i++)
                        here = (uint8_t)(here + (text.ptr[at + i] == '"'));
                count += here;
        }
        for (; at < text.len; at++)
                count += text.ptr[at] == '"';
        return count;
}

/* Objects of one owner differ in what follows the last dash of their names, those of one form in
 * nothing but values. */
static struct store_slot *slot_of(struct store_packer *packer, const struct store_record *record) {
        struct slice name = record->name;
        size_t stem = name.len;

        while (stem > 0 && name.ptr[stem - 1] != '-')
                stem--;
        uint64_t hash = hash_bytes(name.ptr, stem ? stem : name.len,
                                   slice_hash(record->ns) + count_quotes(record->body));
        return &packer->slots[hash % STORE_PACK_SLOTS];
}

static void slot_clear(struct store_slot *slot) {
        store_base_unref(slot->base);
        free(slot->table);
        *slot = (struct store_slot){ 0 };
}

static bool pack_into(struct store_packer *packer, const struct store_slot *slot,
                      const struct store_record *record, struct store_packed *ret_packed) {
        const struct store_form_body body = { record->name, record->revision, record->body };
        struct packing packing = {
                .base = slot->base,
                .table = slot->table,
                .body = record->body,
                .out = { packer->out, 0, record->body.len / PACK_GOOD_PART },
        };

        if (!slot->base)
                return false;
        if (!store_form_pack(slot->base, &body, &packing.out)) {
                packing.out = (struct pack_out){ packer->out, 0, record->body.len / 2 };
                if (!store_pack_pack(&packing))
                        return false;
        }
        *ret_packed = (struct store_packed){ slot->base, { packer->out, packing.out.size } };
        return true;
}

/* The body becomes the base, and all of itself is a copy of it. */
static bool slot_start(struct store_packer *packer, struct store_slot *slot,
                       const struct store_record *record, struct store_packed *ret_packed) {
        slot_clear(slot);
        slot->is_seen = true;
        slot->base = base_new(packer->texts, record->body);
        slot->table = table_new(slot->base);
        packer->latest = slot;
        return pack_into(packer, slot, record, ret_packed);
}

/* The first body in a slot leans on a base of others or stays whole, the second becomes the base:
 * what comes alone makes none. */
static bool pack_first(struct store_packer *packer, struct store_slot *slot,
                       const struct store_record *record, struct store_packed *ret_packed) {
        slot->is_seen = true;
        return packer->latest && pack_into(packer, packer->latest, record, ret_packed);
}

bool store_pack(struct store_packer *packer, const struct store_record *record,
                struct store_packed *ret_packed) {
        const size_t size = record->body.len;

        if (size < PACK_BODY_MIN || size > PACK_BODY_MAX)
                return false;
        struct store_slot *slot = slot_of(packer, record);
        if (!slot->is_seen)
                return pack_first(packer, slot, record, ret_packed);
        bool is_packed = pack_into(packer, slot, record, ret_packed);
        if (is_packed && ret_packed->difference.len <= size / PACK_GOOD_PART)
                slot->misses = 0;
        else if (!slot->base || ++slot->misses >= PACK_MISSES_MAX)
                return slot_start(packer, slot, record, ret_packed);
        return is_packed;
}

struct store_packer *store_packer_new(struct store_texts *texts) {
        struct store_packer *packer = xcalloc(1, sizeof(*packer));

        packer->texts = texts;
        packer->out = xmalloc(PACK_BODY_MAX / 2);
        return packer;
}

void store_packer_free(struct store_packer *packer) {
        if (!packer)
                return;
        for (size_t i = 0; i < STORE_PACK_SLOTS; i++)
                slot_clear(&packer->slots[i]);
        free(packer->out);
        free(packer);
}

/* ---- unpacking ---- */

static void unpack_copies(const struct store_object *object, const unsigned char *at, char *text) {
        const struct store_base *base = object->base;
        char *start = text, *end = text + object->body_size;
        size_t expected = 0;

        while (text < end) {
                text = unpack_own(&at, base_from(base, expected), start = text);
                size_t own = (size_t)(text - start), length = (size_t)unpack_number(&at);

                if (length) {
                        uint64_t distance = unpack_number(&at);
                        size_t from = expected + own;

                        from = distance & 1 ? from - (size_t)(distance >> 1)
                                            : from + (size_t)(distance >> 1);
                        memcpy(text, base->text + from, length);
                        text += length;
                        expected = from + length;
                }
        }
}

static void store_pack_unpack(const struct store_object *object, char *text) {
        const char *packed = object->text + object->ns_size + object->name_size + 2;

        if (packed[0] == STORE_FORM_NONE)
                unpack_copies(object, (const unsigned char *)packed + 1, text);
        else
                store_form_unpack(object->base,
                                  &(struct store_form_body){
                                          .name = store_object_name(object),
                                          .revision = object->revision,
                                          .text = slice_make(packed, object->stored_size) },
                                  text);
        text[object->body_size] = '\0';
}

struct slice store_object_body(const struct store_object *object) {
        struct store_texts *texts;

        if (!object->base)
                return slice_make(object->text + object->ns_size + object->name_size + 2,
                                  object->body_size);
        texts = object->base->texts;
        for (size_t i = 0; i < STORE_TEXTS; i++) {
                if (texts->items[i].object == object)
                        return slice_make(texts->items[i].text, object->body_size);
        }
        struct store_text *item = &texts->items[texts->next++ % STORE_TEXTS];
        if (item->cap < object->body_size + 1U) {
                free(item->text);
                item->cap = object->body_size + 1U;
                item->text = xmalloc(item->cap);
        }
        item->object = object;
        store_pack_unpack(object, item->text);
        return slice_make(item->text, object->body_size);
}

void store_object_append(const struct store_object *object, struct buf *out) {
        if (!object->base || !buf_reserve(out, object->body_size + 1U)) {
                buf_slice(out, store_object_body(object));
                return;
        }
        store_pack_unpack(object, out->data + out->len);
        out->len += object->body_size;
}

void store_texts_forget(struct store_texts *texts, const struct store_object *object) {
        for (size_t i = 0; i < STORE_TEXTS; i++) {
                if (texts->items[i].object == object)
                        texts->items[i].object = NULL;
        }
}
