/* Which function takes the arguments of a call, and the words where none does (cel-go
 * common/decls/decls.go, interpreter/interpretable.go) with Go's names of kinds that they need. */
#include "cel/cel_function.h"
#include "cel/cel_node.h"

#include "base/buf.h"
#include "base/util.h"

const char *cel_go_type(enum cel_kind kind) {
        static const char *const names[CEL_KIND_COUNT] = {
                [CEL_ERROR] = "*types.Err",
                [CEL_NULL] = "types.Null",
                [CEL_BOOL] = "types.Bool",
                [CEL_INT] = "types.Int",
                [CEL_UINT] = "types.Uint",
                [CEL_DOUBLE] = "types.Double",
                [CEL_STRING] = "types.String",
                [CEL_BYTES] = "types.Bytes",
                [CEL_TIMESTAMP] = "types.Timestamp",
                [CEL_DURATION] = "types.Duration",
                [CEL_QUANTITY] = "cel.Quantity",
                [CEL_URL] = "cel.URL",
                [CEL_IP] = "cel.IP",
                [CEL_CIDR] = "cel.CIDR",
                [CEL_SEMVER] = "cel.Semver",
                [CEL_FORMAT] = "cel.Format",
                [CEL_LIST] = "*types.baseList",
                [CEL_MAP] = "*types.baseMap",
                [CEL_OPTIONAL] = "*types.Optional",
                [CEL_TYPE] = "*types.Type",
        };

        return names[kind] ? names[kind] : cel_kind_name(kind);
}

bool cel_is_place(enum cel_kind kind) {
        return cel_is_number(kind) || kind == CEL_BOOL || kind == CEL_STRING;
}

bool cel_fit_takes(enum cel_fit fit, enum cel_kind element) {
        switch (fit) {
        case CEL_FIT_ORDERED:
        case CEL_FIT_SORTED:
                return cel_is_ordered(element);
        case CEL_FIT_ADDED:
                return cel_is_number(element) || element == CEL_DURATION;
        case CEL_FIT_STRINGS:
                return element == CEL_STRING;
        default:
                return true;
        }
}

/* ---- which function it is ---- */

/* Lists differ in their first element; one that is empty is a list of anything. */
static bool has_elements(struct cel_run *run, enum cel_fit fit, const struct cel_value *list) {
        struct cel_iter iter = cel_iter(list);
        struct cel_value key, first;

        if (list->kind != CEL_LIST || !cel_next(run, &iter, &key, &first))
                return true;
        return fit == CEL_FIT_SORTED || cel_fit_takes(fit, first.kind);
}

static bool cel_overload_fits(struct cel_run *run, const struct cel_function *function,
                              const struct cel_value *args, size_t count) {
        if (function->count != count)
                return false;
        for (size_t i = 0; i < count; i++) {
                if (!cel_matches_kind(function->params[i], args[i].kind))
                        return false;
        }
        return function->fit == CEL_FIT_ANY || has_elements(run, function->fit, &args[0]);
}

const struct cel_function *cel_overload_find(struct cel_run *run, const struct cel_node *node,
                                             const struct cel_value *args) {
        const struct cel_function *function;
        size_t at = 0;

        while ((function = cel_function_next(node->name, node->is_member, &at)) &&
               !cel_overload_fits(run, function, args, node->arg_count))
                ;
        return function;
}

/* ---- none of them ---- */

#define BIT(kind) (1u << (kind))
#define NUMBERS (BIT(CEL_INT) | BIT(CEL_UINT) | BIT(CEL_DOUBLE))
#define TIMES (BIT(CEL_TIMESTAMP) | BIT(CEL_DURATION))
#define RECEIVERS (TIMES | BIT(CEL_STRING)) /* which look for a function themselves */

/* Operators by the kinds that have them, whatever stands on the right. */
static const struct {
        const char *name;
        unsigned kinds;
} operators[] = {
        { "_+_", NUMBERS | TIMES | BIT(CEL_STRING) | BIT(CEL_BYTES) | BIT(CEL_LIST) },
        { "_-_", NUMBERS | TIMES },
        { "_*_", NUMBERS },
        { "_/_", NUMBERS },
        { "_%_", BIT(CEL_INT) | BIT(CEL_UINT) },
        { "-_", BIT(CEL_INT) | BIT(CEL_DOUBLE) | BIT(CEL_BOOL) | BIT(CEL_DURATION) },
        { "_<_", NUMBERS | TIMES | BIT(CEL_STRING) | BIT(CEL_BYTES) | BIT(CEL_BOOL) },
        { "_<=_", NUMBERS | TIMES | BIT(CEL_STRING) | BIT(CEL_BYTES) | BIT(CEL_BOOL) },
        { "_>_", NUMBERS | TIMES | BIT(CEL_STRING) | BIT(CEL_BYTES) | BIT(CEL_BOOL) },
        { "_>=_", NUMBERS | TIMES | BIT(CEL_STRING) | BIT(CEL_BYTES) | BIT(CEL_BOOL) },
        { "size", 0 },
        { "sort", 0 },
};

/* Functions of texts that say no more. */
static bool is_terse(struct slice name) {
        static const char *const names[] = { "contains", "endsWith", "find",
                                             "findAll",  "matches",  "startsWith" };

        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                if (slice_is(name, names[i]))
                        return true;
        }
        return false;
}

static struct cel_value no_operator(struct cel_run *run, unsigned kinds,
                                    const struct cel_node *node, const struct cel_value *left) {
        if ((kinds | (kinds ? RECEIVERS : 0)) & BIT(left->kind))
                return cel_error(run, "no such overload");
        return cel_error(run, "no such overload: " SLICE_FMT, SLICE_ARG(node->name));
}

static void write_kinds(const struct cel_value *args, size_t count, struct buf *out) {
        for (size_t i = 0; i < count; i++)
                buf_printf(out, "%s%s", i ? ", " : "", cel_kind_name(args[i].kind));
}

struct cel_value cel_no_overload(struct cel_run *run, const struct cel_node *node,
                                 const struct cel_value *args) {
        bool is_behind = slice_is(node->name, "flatten"); /* int.flatten(), not flatten(int) */
        CLEANUP(buf_release) struct buf kinds = { 0 };

        for (size_t i = 0; i < ARRAY_LEN(operators); i++)
                if (slice_is(node->name, operators[i].name))
                        return no_operator(run, operators[i].kinds, node, &args[0]);
        if (is_terse(node->name))
                return cel_error(run, "no such overload");
        write_kinds(args + is_behind, node->arg_count - is_behind, &kinds);
        return cel_error(run, "no such overload: %s%s" SLICE_FMT "(" SLICE_FMT ")",
                         is_behind ? cel_kind_name(args[0].kind) : "", is_behind ? "." : "",
                         SLICE_ARG(node->name), SLICE_ARG(buf_view(&kinds)));
}
