/* Grammar of the annotations about devices. */
#include "control/device_layout.h"

#include "api/quantity.h"
#include "base/util.h"

/* The next word; false when none is left. */
static bool device_layout_word(struct slice *rest, struct slice *ret_word) {
        *rest = slice_trim(*rest);
        if (rest->len == 0)
                return false;
        return slice_split(rest, ' ', ret_word);
}

static int parse_count(struct slice text, int64_t most, const char *what, int64_t *ret_count,
                       struct err *err) {
        if (!slice_to_i64(text, ret_count) || *ret_count < 1 || *ret_count > most)
                return err_set(err, BERTH_ERR_INVALID, "%s: \"" SLICE_FMT "\", expected 1 to %lld",
                               what, SLICE_ARG(text), (long long)most);
        return 0;
}

/* parts=7:1,2,3 */
static int parse_parts(struct slice text, struct device_kind *kind, struct err *err) {
        struct slice whole, size;

        slice_split(&text, ':', &whole);
        int r = parse_count(whole, PARTITIONS_MAX, "parts", &kind->parts, err);
        while (r == 0 && slice_split(&text, ',', &size)) {
                if (kind->size_count == PARTITIONS_MAX)
                        return err_set(err, BERTH_ERR_INVALID, "parts: more than %d sizes",
                                       PARTITIONS_MAX);
                r = parse_count(size, kind->parts, "parts", &kind->size_parts[kind->size_count++],
                                err);
        }
        if (r == 0 && kind->size_count == 0)
                r = err_set(err, BERTH_ERR_INVALID, "parts: expected PARTS:SIZE,SIZE...");
        return r;
}

static int parse_attribute(struct slice key, struct slice value, struct device_kind *kind,
                           struct err *err) {
        if (slice_is(key, "roots"))
                return parse_count(value, DEVICES_MAX, "roots", &kind->roots, err);
        if (slice_is(key, "parts"))
                return parse_parts(value, kind, err);
        if (key.len == 0 || value.len == 0)
                return err_set(err, BERTH_ERR_INVALID, "an attribute is KEY=VALUE");
        if (kind->attribute_count == DEVICE_FACTS_MAX)
                return err_set(err, BERTH_ERR_INVALID, "more than %d attributes", DEVICE_FACTS_MAX);
        kind->attributes[kind->attribute_count++] = (struct device_fact){ key, value };
        return 0;
}

static bool is_amount(struct slice text) {
        int64_t units;

        return text.len && quantity_value(text, &units, NULL) == 0;
}

static int parse_capacity(struct slice key, struct slice value, struct device_kind *kind,
                          struct err *err) {
        struct device_amount_fact fact = { .key = key };
        bool has_step = slice_contains(value, SLICE_LITERAL("/"));

        slice_split(&value, '/', &fact.value);
        fact.step = value;
        if (key.len == 0 || !is_amount(fact.value) || (has_step && !is_amount(fact.step)))
                return err_set(err, BERTH_ERR_INVALID,
                               "a capacity is KEY:QUANTITY or KEY:QUANTITY/STEP, not \"" SLICE_FMT
                               ":" SLICE_FMT "\"",
                               SLICE_ARG(key), SLICE_ARG(fact.value));
        if (kind->capacity_count == DEVICE_FACTS_MAX)
                return err_set(err, BERTH_ERR_INVALID, "more than %d capacities", DEVICE_FACTS_MAX);
        kind->is_shared |= has_step;
        kind->capacities[kind->capacity_count++] = fact;
        return 0;
}

static int parse_option(struct slice word, struct device_kind *kind, struct err *err) {
        size_t at = 0;

        while (at < word.len && word.ptr[at] != '=' && word.ptr[at] != ':')
                at++;
        struct slice key = slice_make(word.ptr, at);
        if (at == word.len)
                return err_set(err, BERTH_ERR_INVALID,
                               "\"" SLICE_FMT "\": expected KEY=VALUE or KEY:QUANTITY",
                               SLICE_ARG(word));
        struct slice value = slice_make(word.ptr + at + 1, word.len - at - 1);
        return word.ptr[at] == '=' ? parse_attribute(key, value, kind, err)
                                   : parse_capacity(key, value, kind, err);
}

static int parse_kind(struct slice text, struct device_kind *kind, struct err *err) {
        struct slice word;

        if (!device_layout_word(&text, &kind->driver) || !device_layout_word(&text, &word))
                return err_set(err, BERTH_ERR_INVALID, "expected DRIVER COUNT [OPTION...]");
        int r = parse_count(word, DEVICES_MAX, "count", &kind->count, err);
        while (r == 0 && device_layout_word(&text, &word))
                r = parse_option(word, kind, err);
        if (r == 0 && kind->is_shared && kind->parts)
                r = err_set(err, BERTH_ERR_INVALID, "devices have either parts or shares");
        return r;
}

int device_layout_parse(struct slice text, struct arena *arena, struct device_layout *ret_layout,
                        struct err *err) {
        struct device_layout layout = { .kinds = ARENA_ARRAY(arena, struct device_kind,
                                                             DEVICE_KINDS_MAX) };
        struct slice part;

        while (slice_split(&text, ';', &part)) {
                part = slice_trim(part);
                if (part.len == 0)
                        continue;
                if (layout.count == DEVICE_KINDS_MAX)
                        return err_set(err, BERTH_ERR_INVALID, "more than %d drivers",
                                       DEVICE_KINDS_MAX);
                layout.kinds[layout.count] = (struct device_kind){ 0 };
                int r = parse_kind(part, &layout.kinds[layout.count++], err);
                if (r < 0)
                        return r;
        }
        *ret_layout = layout;
        return 0;
}

/* ---- taints ---- */

static int parse_taint(struct slice text, struct device_taint_fact *taint, struct err *err) {
        struct slice device, rest;

        if (!device_layout_word(&text, &device) || !device_layout_word(&text, &rest) ||
            slice_trim(text).len)
                return err_set(err, BERTH_ERR_INVALID,
                               "a taint is DRIVER/DEVICE KEY[=VALUE]:EFFECT");
        slice_split(&device, '/', &taint->driver);
        taint->device = device;
        slice_split(&rest, ':', &taint->key);
        taint->effect = rest;
        taint->value = taint->key;
        slice_split(&taint->value, '=', &taint->key);
        if (device.len == 0 || taint->key.len == 0 ||
            (!slice_is(rest, "NoSchedule") && !slice_is(rest, "NoExecute") &&
             !slice_is(rest, "None")))
                return err_set(err, BERTH_ERR_INVALID,
                               "a taint is DRIVER/DEVICE KEY[=VALUE]:EFFECT, with the effect "
                               "NoSchedule, NoExecute or None");
        return 0;
}

int device_taints_parse(struct slice text, struct arena *arena,
                        struct device_taint_list *ret_taints, struct err *err) {
        struct device_taint_list taints = { 0 };
        struct slice part, rest = text;
        size_t count = 0;

        while (slice_split(&rest, ';', &part))
                count++;
        taints.items = ARENA_ARRAY(arena, struct device_taint_fact, count);
        while (slice_split(&text, ';', &part)) {
                part = slice_trim(part);
                if (part.len == 0)
                        continue;
                taints.items[taints.count] = (struct device_taint_fact){ 0 };
                int r = parse_taint(part, &taints.items[taints.count++], err);
                if (r < 0)
                        return r;
        }
        *ret_taints = taints;
        return 0;
}
