/* Values of CEL: made by expressions or read from parts of an object; users see no difference. */
#include "cel/cel_version.h"

#include "api/quantity.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/time.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- making ---- */

struct cel_value cel_error(struct cel_run *run, const char *format, ...) {
        char text[512];
        va_list args;

        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        return (struct cel_value){ .kind = CEL_ERROR,
                                   .as.text = arena_slice(run->arena, slice_of(text)) };
}

struct cel_value cel_bool(bool value) {
        return (struct cel_value){ .kind = CEL_BOOL, .as.boolean = value };
}

struct cel_value cel_int(int64_t value) {
        return (struct cel_value){ .kind = CEL_INT, .as.integer = value };
}

struct cel_value cel_uint(uint64_t value) {
        return (struct cel_value){ .kind = CEL_UINT, .as.natural = value };
}

struct cel_value cel_double(double value) {
        return (struct cel_value){ .kind = CEL_DOUBLE, .as.real = value };
}

struct cel_value cel_text(enum cel_kind kind, struct slice text) {
        return (struct cel_value){ .kind = kind, .as.text = text };
}

struct cel_value cel_duration(int64_t ns) {
        return (struct cel_value){ .kind = CEL_DURATION, .as.integer = ns };
}

struct cel_value cel_time(const struct zoned_time *time) {
        return (struct cel_value){
                .kind = CEL_TIMESTAMP, .ns = time->ns, .as.integer = time->s, .offset = time->offset
        };
}

struct zoned_time cel_time_of(const struct cel_value *value) {
        return (struct zoned_time){ value->as.integer, value->ns, value->offset };
}

bool cel_time_is_in_range(int64_t s) {
        return s >= CEL_TIME_FIRST && s <= CEL_TIME_LAST;
}

struct cel_value cel_list(const struct cel_value *items, size_t count) {
        return (struct cel_value){
                .kind = CEL_LIST, .as.items = items, .is_made = true, .count = count
        };
}

struct cel_value cel_optional(struct cel_run *run, const struct cel_value *inner) {
        struct cel_value *copy = NULL;

        if (inner) {
                copy = ARENA_NEW(run->arena, struct cel_value);
                *copy = *inner;
        }
        return (struct cel_value){ .kind = CEL_OPTIONAL, .as.items = copy };
}

bool cel_spend(struct cel_run *run, size_t steps) {
        if ((int64_t)steps > run->steps || steps > INT64_MAX / 2)
                run->is_over = true;
        else
                run->steps -= (int64_t)steps;
        return !run->is_over;
}

bool cel_charge(struct cel_run *run, size_t cost) {
        run->cost += (int64_t)cost;
        if (run->cost > run->cost_max)
                run->is_over = true;
        return !run->is_over;
}

void cel_push(struct cel_run *run, struct cel_builder *builder, const struct cel_value *value) {
        builder->items = arena_grow(run->arena, builder->items, builder->count, &builder->cap,
                                    sizeof(*builder->items));
        builder->items[builder->count++] = *value;
}

/* ---- parts of the object ---- */

static struct cel_value from_base64(struct cel_run *run, struct slice text) {
        struct buf out = { 0 };

        struct cel_value value =
                base64_decode(text, BASE64_STANDARD, &out)
                        ? cel_text(CEL_BYTES, arena_slice(run->arena, buf_view(&out)))
                        : cel_error(run, "illegal base64 data");
        buf_release(&out);
        return value;
}

static struct cel_value from_text(struct cel_run *run, struct slice text, enum cel_kind kind) {
        struct zoned_time time;
        int64_t ns;

        if (kind == CEL_TIMESTAMP) {
                char day[32];

                if (text.len == 10) { /* a date is its first moment */
                        snprintf(day, sizeof(day), SLICE_FMT "T00:00:00Z", SLICE_ARG(text));
                        text = slice_of(day);
                }
                return zoned_time_parse(text, &time)
                               ? cel_time(&time)
                               : cel_error(run, "cannot read " SLICE_FMT " as a time",
                                           SLICE_ARG(text));
        }
        if (kind == CEL_DURATION)
                return duration_parse(text, &ns)
                               ? cel_duration(ns)
                               : cel_error(run, "cannot read " SLICE_FMT " as a duration",
                                           SLICE_ARG(text));
        return kind == CEL_BYTES ? from_base64(run, text) : cel_text(CEL_STRING, text);
}

static struct cel_value from_number(const struct json_node *node, enum cel_kind kind) {
        int64_t integer;
        double real = 0;

        if (kind != CEL_DOUBLE && node_as_i64(node, &integer))
                return cel_int(integer);
        node_as_f64(node, &real);
        if (kind == CEL_INT && fabs(real) < 9e18)
                return cel_int((int64_t)real);
        return cel_double(real);
}

struct cel_value cel_from_node(struct cel_run *run, const struct json_node *node,
                               const struct cel_type *type) {
        enum cel_kind kind = type ? type->kind : CEL_DYN;

        switch (node_type(node)) {
        case JSON_BOOL:
                return cel_bool(node_is_true(node));
        case JSON_INT:
        case JSON_REAL:
                return from_number(node, kind);
        case JSON_STRING:
                return from_text(run, node_get_slice(node), kind);
        case JSON_ARRAY:
                return (struct cel_value){ .kind = CEL_LIST,
                                           .as.node = node,
                                           .count = node_count(node),
                                           .type = kind == CEL_LIST ? type : NULL };
        case JSON_OBJECT:
                return (struct cel_value){ .kind = kind == CEL_OBJECT ? CEL_OBJECT : CEL_MAP,
                                           .as.node = node,
                                           .count = node_count(node),
                                           .type = kind == CEL_OBJECT || kind == CEL_MAP ? type
                                                                                         : NULL };
        default:
                return (struct cel_value){ .kind = CEL_NULL };
        }
}

static const struct cel_type *element_type(const struct cel_value *container, struct slice key) {
        if (container->kind == CEL_OBJECT)
                return cel_type_member(container->type, key);
        return container->type ? container->type->element : NULL;
}

size_t cel_size(const struct cel_value *value) {
        return value->count;
}

static bool is_aggregate(enum cel_kind kind) {
        return kind == CEL_LIST || kind == CEL_MAP || kind == CEL_OBJECT;
}

/* Over anything else there is nothing to go through. */
struct cel_iter cel_iter(const struct cel_value *container) {
        struct cel_iter iter = { .container = container };

        if (!container->is_made && is_aggregate(container->kind))
                iter.nodes = node_iter(container->as.node);
        return iter;
}

static bool next_made(struct cel_iter *iter, struct cel_value *ret_key,
                      struct cel_value *ret_value) {
        const struct cel_value *container = iter->container;
        bool is_list = container->kind == CEL_LIST;
        size_t at = iter->index++;

        if (at >= container->count)
                return false;
        *ret_key = is_list ? cel_int((int64_t)at) : container->as.items[2 * at];
        *ret_value = container->as.items[is_list ? at : 2 * at + 1];
        return true;
}

bool cel_next(struct cel_run *run, struct cel_iter *iter, struct cel_value *ret_key,
              struct cel_value *ret_value) {
        const struct cel_value *container = iter->container;
        struct json_node *child;
        struct slice key;

        if (!cel_spend(run, 1))
                return false;
        if (container->is_made)
                return next_made(iter, ret_key, ret_value);
        if (!node_next(&iter->nodes, &key, &child))
                return false;
        *ret_key = container->kind == CEL_LIST ? cel_int((int64_t)iter->index++)
                                               : cel_text(CEL_STRING, key);
        *ret_value = cel_from_node(run, child, element_type(container, key));
        return true;
}

bool cel_find(struct cel_run *run, const struct cel_value *map, const struct cel_value *key,
              struct cel_value *ret_value) {
        struct json_node *child;

        if (!map->is_made) {
                child = key->kind == CEL_STRING ? node_find(map->as.node, key->as.text) : NULL;
                if (child)
                        *ret_value = cel_from_node(run, child, element_type(map, key->as.text));
                return child;
        }
        for (size_t i = 0; i < map->count && cel_spend(run, 1); i++) {
                if (!cel_equal(run, &map->as.items[2 * i], key))
                        continue;
                *ret_value = map->as.items[2 * i + 1];
                return true;
        }
        if (map->has_default)
                *ret_value = (struct cel_value){ .kind = CEL_MAP, .is_made = true };
        return map->has_default;
}

bool cel_select(struct cel_run *run, const struct cel_value *from, struct slice name,
                struct cel_value *ret_value) {
        struct cel_value key = cel_text(CEL_STRING, name);

        if (from->kind == CEL_OBJECT) {
                const struct cel_type *type = from->type;

                for (size_t i = 0; i < type->field_count; i++) {
                        if (slice_is(name, type->fields[i].escaped))
                                key.as.text = type->fields[i].name;
                }
        }
        return cel_find(run, from, &key, ret_value);
}

/* ---- comparing ---- */

bool cel_is_number(enum cel_kind kind) {
        return kind == CEL_INT || kind == CEL_UINT || kind == CEL_DOUBLE;
}

bool cel_is_ordered(enum cel_kind kind) {
        return kind >= CEL_BOOL && kind <= CEL_DURATION;
}

static int order_of(bool is_less, bool is_greater) {
        return is_less ? -1 : is_greater;
}

static int compare_whole(const struct cel_value *a, const struct cel_value *b) {
        uint64_t left = a->as.natural, right = b->as.natural;

        if (a->kind == CEL_INT && b->kind == CEL_INT)
                return order_of(a->as.integer<b->as.integer, a->as.integer> b->as.integer);
        if (a->kind == CEL_INT && a->as.integer < 0)
                return -1;
        if (b->kind == CEL_INT && b->as.integer < 0)
                return 1;
        return order_of(left<right, left> right);
}

static double as_real(const struct cel_value *value) {
        if (value->kind == CEL_DOUBLE)
                return value->as.real;
        return value->kind == CEL_INT ? (double)value->as.integer : (double)value->as.natural;
}

/* False for what has no order: NaN, and kinds that differ. */
bool cel_compare(const struct cel_value *a, const struct cel_value *b, int *ret_order) {
        if (cel_is_number(a->kind) && cel_is_number(b->kind)) {
                double left = as_real(a), right = as_real(b);

                if (a->kind != CEL_DOUBLE && b->kind != CEL_DOUBLE)
                        *ret_order = compare_whole(a, b);
                else
                        *ret_order = order_of(left<right, left> right);
                return !isnan(left) && !isnan(right);
        }
        if (a->kind != b->kind)
                return false;
        switch (a->kind) {
        case CEL_BOOL:
                *ret_order = (int)a->as.boolean - (int)b->as.boolean;
                return true;
        case CEL_STRING:
        case CEL_BYTES:
                *ret_order = slice_compare(a->as.text, b->as.text);
                return true;
        case CEL_TIMESTAMP:
        case CEL_DURATION:
                *ret_order = order_of(a->as.integer<b->as.integer, a->as.integer> b->as.integer);
                if (*ret_order == 0)
                        *ret_order = order_of(a->ns<b->ns, a->ns> b->ns);
                return true;
        default:
                return false;
        }
}

static bool cel_value_contains(struct cel_run *run, const struct cel_value *list,
                               const struct cel_value *wanted) {
        struct cel_iter iter = cel_iter(list);
        struct cel_value key, value;

        while (cel_next(run, &iter, &key, &value)) {
                if (cel_equal(run, &value, wanted))
                        return true;
        }
        return false;
}

static bool equal_lists(struct cel_run *run, const struct cel_value *a, const struct cel_value *b) {
        bool is_unordered = a->type && b->type && a->type->list_kind != CEL_LIST_ATOMIC &&
                            b->type->list_kind != CEL_LIST_ATOMIC;
        struct cel_iter left = cel_iter(a), right = cel_iter(b);
        struct cel_value key, x, y;

        if (a->count != b->count)
                return false;
        while (cel_next(run, &left, &key, &x)) {
                if (is_unordered) {
                        if (!cel_value_contains(run, b, &x))
                                return false;
                } else if (!cel_next(run, &right, &key, &y) || !cel_equal(run, &x, &y)) {
                        return false;
                }
        }
        return !run->is_over;
}

static bool equal_maps(struct cel_run *run, const struct cel_value *a, const struct cel_value *b) {
        struct cel_iter iter = cel_iter(a);
        struct cel_value key, x, y;

        if (a->count != b->count)
                return false;
        while (cel_next(run, &iter, &key, &x)) {
                if (!cel_find(run, b, &key, &y) || !cel_equal(run, &x, &y))
                        return false;
        }
        return !run->is_over;
}

bool cel_is_made_object(const struct cel_value *value) {
        return value->kind == CEL_OBJECT && value->is_made && value->type && value->type->name;
}

/* Of objects that expressions make: each is of a type of its own. */
static bool has_same_type(const struct cel_value *a, const struct cel_value *b) {
        const char *left = a->kind == CEL_OBJECT && a->type ? a->type->name : NULL;
        const char *right = b->kind == CEL_OBJECT && b->type ? b->type->name : NULL;

        return left && right ? strcmp(left, right) == 0 : left == right;
}

bool cel_equal(struct cel_run *run, const struct cel_value *a, const struct cel_value *b) {
        bool is_map = a->kind == CEL_MAP || a->kind == CEL_OBJECT;
        int order;

        if (!cel_spend(run, 1))
                return false;
        if (cel_compare(a, b, &order))
                return order == 0;
        if (is_map && (b->kind == CEL_MAP || b->kind == CEL_OBJECT))
                return has_same_type(a, b) && equal_maps(run, a, b);
        if (a->kind != b->kind)
                return false;
        switch (a->kind) {
        case CEL_NULL:
                return true;
        case CEL_LIST:
                return equal_lists(run, a, b);
        case CEL_TYPE:
        case CEL_URL:
        case CEL_IP:
        case CEL_CIDR:
        case CEL_FORMAT:
                return slice_eq(a->as.text, b->as.text);
        case CEL_SEMVER:
                return cel_version_order(a->as.text, b->as.text) == 0;
        case CEL_QUANTITY:
                return quantity_compare(a->as.text, b->as.text, &order, NULL) == 0 && order == 0;
        case CEL_OPTIONAL:
                if (!a->as.items || !b->as.items)
                        return a->as.items == b->as.items;
                return cel_equal(run, a->as.items, b->as.items);
        default:
                return false;
        }
}
