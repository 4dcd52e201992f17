/* Bodies of alike objects stored as differences. Pods of one workload, leases, nodes repeat each
 * other almost byte for byte, so an object is stored as copies out of a base, a body seen earlier,
 * and the bytes that are its own. Readers get the text put together in one of a few buffers.
 *
 * Packed form: pairs of own bytes and a copy, up to the size of the body. Own bytes: twice their
 * number, plus one if they are packed hexadecimal digits, then they; a copy: its length, and unless
 * that is 0 where it starts, as the distance from where it would if the own bytes had replaced as
 * many of the base. Numbers take 7 bits a byte, low ones first; distances have their sign in the
 * lowest bit. Digits (of uids and container ids) go two to a byte, the low half first, without the
 * dashes that the base has at the same places. */
#include "store/store_priv.h"

#include "base/util.h"
#include <stdlib.h>

#define PACK_BODY_MIN 256U   /* smaller ones are not worth it */
#define PACK_BODY_MAX 32768U /* positions have 16 bits */
#define PACK_MISSES_MAX 4    /* poor fits in a row before a base is given up */
#define PACK_GOOD_PART 5U    /* a good fit leaves less than one part in so many */
#define MATCH_MIN 8U         /* bytes of the shortest copy */
#define DIGITS_MIN 4U        /* fewer own bytes are stored as they are */
#define TABLE_BITS 12U

/* ---- bases ---- */

static struct store_base *base_new(struct store_texts *texts, struct slice body) {
        struct store_base *base = xmalloc(sizeof(*base) + body.len);

        *base = (struct store_base){ .texts = texts, .refs = 1, .size = (uint32_t)body.len };
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
        char *out;
        size_t size, limit; /* of out */
        size_t own;         /* where the bytes without a copy yet begin in the body */
        size_t expected;    /* where the base goes on if they replace as many bytes */
};

static bool put_number(struct packing *packing, uint64_t number) {
        while (packing->size < packing->limit) {
                packing->out[packing->size++] =
                        (char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
                number >>= 7;
                if (number == 0)
                        return true;
        }
        return false;
}

static bool is_dash(const struct store_base *base, size_t at) {
        return at < base->size && base->text[at] == '-';
}

/* 0 to 15, or -1. */
static int digit_value(char byte) {
        if (byte >= '0' && byte <= '9')
                return byte - '0';
        return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* Number of digits among own bytes; 0 when there is anything else but the base's dashes. */
static size_t count_digits(const struct packing *packing, size_t own) {
        size_t count = 0;

        if (own < DIGITS_MIN)
                return 0;
        for (size_t i = 0; i < own; i++) {
                char byte = packing->body.ptr[packing->own + i];
                bool is_skipped = is_dash(packing->base, packing->expected + i);

                if (is_skipped ? byte != '-' : digit_value(byte) < 0)
                        return 0;
                count += !is_skipped;
        }
        return count;
}

static void put_digits(struct packing *packing, size_t own) {
        unsigned char *to = (unsigned char *)packing->out + packing->size;
        size_t count = 0;

        for (size_t i = 0; i < own; i++) {
                if (is_dash(packing->base, packing->expected + i))
                        continue;
                unsigned digit = (unsigned)digit_value(packing->body.ptr[packing->own + i]);
                if (count % 2 == 0)
                        to[count / 2] = (unsigned char)digit;
                else
                        to[count / 2] |= (unsigned char)(digit << 4);
                count++;
        }
        packing->size += (count + 1) / 2;
}

static bool put_own(struct packing *packing, size_t own) {
        size_t digits = count_digits(packing, own), space = digits ? (digits + 1) / 2 : own;

        if (!put_number(packing, own * 2 + (digits > 0)) || packing->size + space > packing->limit)
                return false;
        if (digits) {
                put_digits(packing, own);
                return true;
        }
        memcpy(packing->out + packing->size, packing->body.ptr + packing->own, own);
        packing->size += own;
        return true;
}

static bool put_pair(struct packing *packing, size_t at, size_t from, size_t length) {
        size_t own = at - packing->own;
        int64_t distance = (int64_t)from - (int64_t)(packing->expected + own);

        if (!put_own(packing, own))
                return false;
        packing->own = at + length;
        packing->expected = from + length;
        return put_number(packing, length) &&
               (length == 0 || put_number(packing, distance < 0 ? ((uint64_t)-distance << 1) | 1
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

/* Objects of one owner differ in what follows the last dash of their names. */
static struct store_slot *slot_of(struct store_packer *packer, struct slice ns, struct slice name,
                                  size_t size) {
        size_t stem = name.len;

        while (stem > 0 && name.ptr[stem - 1] != '-')
                stem--;
        uint64_t hash = hash_bytes(name.ptr, stem ? stem : name.len, slice_hash(ns) + size / 512);
        return &packer->slots[hash % STORE_PACK_SLOTS];
}

static void slot_clear(struct store_slot *slot) {
        store_base_unref(slot->base);
        free(slot->table);
        *slot = (struct store_slot){ 0 };
}

static bool pack_into(struct store_packer *packer, const struct store_slot *slot, struct slice body,
                      struct store_packed *ret_packed) {
        struct packing packing = {
                .base = slot->base,
                .table = slot->table,
                .body = body,
                .out = packer->out,
                .limit = body.len / 2,
        };

        if (!slot->base || !store_pack_pack(&packing))
                return false;
        *ret_packed = (struct store_packed){ slot->base, { packer->out, packing.size } };
        return true;
}

/* The body becomes the base, and all of itself is a copy of it. */
static bool slot_start(struct store_packer *packer, struct store_slot *slot, struct slice body,
                       struct store_packed *ret_packed) {
        slot_clear(slot);
        slot->is_seen = true;
        slot->base = base_new(packer->texts, body);
        slot->table = table_new(slot->base);
        packer->latest = slot;
        return pack_into(packer, slot, body, ret_packed);
}

/* The first body in a slot leans on a base of others or stays whole, the second becomes the base:
 * what comes alone makes none. */
static bool pack_first(struct store_packer *packer, struct store_slot *slot, struct slice body,
                       struct store_packed *ret_packed) {
        slot->is_seen = true;
        return packer->latest && pack_into(packer, packer->latest, body, ret_packed);
}

bool store_pack(struct store_packer *packer, struct slice ns, struct slice name, struct slice body,
                struct store_packed *ret_packed) {

        if (body.len < PACK_BODY_MIN || body.len > PACK_BODY_MAX)
                return false;
        struct store_slot *slot = slot_of(packer, ns, name, body.len);
        if (!slot->is_seen)
                return pack_first(packer, slot, body, ret_packed);
        bool is_packed = pack_into(packer, slot, body, ret_packed);
        if (is_packed && ret_packed->difference.len <= body.len / PACK_GOOD_PART)
                slot->misses = 0;
        else if (!slot->base || ++slot->misses >= PACK_MISSES_MAX)
                return slot_start(packer, slot, body, ret_packed);
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

static uint64_t take_number(const unsigned char **at) {
        uint64_t number = 0;
        unsigned shift = 0;

        do {
                number |= (uint64_t)(**at & 0x7f) << shift;
                shift += 7;
        } while (*(*at)++ & 0x80);
        return number;
}

static void take_digits(const unsigned char **at, const struct store_base *base, size_t expected,
                        size_t own, char *text) {
        static const char digits[] = "0123456789abcdef";
        size_t count = 0;

        for (size_t i = 0; i < own; i++) {
                if (is_dash(base, expected + i)) {
                        text[i] = '-';
                        continue;
                }
                text[i] = digits[(*at)[count / 2] >> (count % 2 ? 4 : 0) & 15];
                count++;
        }
        *at += (count + 1) / 2;
}

static void store_pack_unpack(const struct store_object *object, char *text) {
        const unsigned char *at =
                (const unsigned char *)object->text + object->ns_size + object->name_size + 2;
        const char *base = object->base->text;
        char *end = text + object->body_size;
        size_t expected = 0;

        while (text < end) {
                uint64_t number = take_number(&at);
                size_t own = (size_t)(number >> 1), length;

                if (number & 1) {
                        take_digits(&at, object->base, expected, own, text);
                } else {
                        memcpy(text, at, own);
                        at += own;
                }
                text += own;
                length = (size_t)take_number(&at);
                if (length) {
                        uint64_t distance = take_number(&at);
                        size_t from = expected + own;

                        from = distance & 1 ? from - (size_t)(distance >> 1)
                                            : from + (size_t)(distance >> 1);
                        memcpy(text, base + from, length);
                        text += length;
                        expected = from + length;
                }
        }
        *text = '\0';
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
