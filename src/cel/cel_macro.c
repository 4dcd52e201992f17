/* Macros of CEL, and calls that look like methods: what a name behind a dot means. */
#include "cel/cel_parser_priv.h"

#include "base/util.h"

static const char *refused_name(struct cel_parser *parser, const struct cel_node *node,
                                const struct cel_node *name, size_t count) {
        if (name->kind != CEL_NODE_NAME)
                return "argument must be a simple name";
        if (slice_is(name->name, "__result__") || slice_is(name->name, "@result"))
                return "iteration variable overwrites accumulator variable";
        if (count == 1 && slice_eq(name->name, node->variables[0]))
                return arena_printf(parser->arena, "duplicate variable name: " SLICE_FMT,
                                    SLICE_ARG(name->name));
        return NULL;
}

static bool take_variables(struct cel_parser *parser, struct cel_node *node,
                           const struct cel_children *given, size_t count) {
        for (size_t i = 0; i < count; i++) {
                const struct cel_node *name = given->nodes[i];

                const char *refused = refused_name(parser, node, name, i);

                if (refused) {
                        cel_parser_fail(parser, name->at, refused);
                        return false;
                }
                node->variables[i] = name->name;
        }
        node->variable_count = count;
        return true;
}

/* The macro without its variables: what is gone through, then what is evaluated. */
static struct cel_node *macro_of(struct cel_parser *parser, struct cel_node *node,
                                 struct cel_node *target, const struct cel_children *given,
                                 size_t variables) {
        struct cel_children children = { 0 };

        if (!take_variables(parser, node, given, variables))
                return NULL;
        cel_parser_add(parser, &children, target);
        for (size_t i = variables; i < given->count; i++)
                cel_parser_add(parser, &children, given->nodes[i]);
        cel_parser_adopt(parser, node, &children);
        return parser->has_failed ? NULL : node;
}

static const struct macro_row {
        const char *name;
        enum cel_macro macro;
        size_t arguments, variables;
} macro_rows[] = {
        { "all", CEL_ALL, 2, 1 },
        { "all", CEL_ALL, 3, 2 },
        { "exists", CEL_EXISTS, 2, 1 },
        { "exists", CEL_EXISTS, 3, 2 },
        { "exists_one", CEL_EXISTS_ONE, 2, 1 },
        { "exists_one", CEL_EXISTS_ONE, 3, 2 },
        { "existsOne", CEL_EXISTS_ONE, 2, 1 },
        { "existsOne", CEL_EXISTS_ONE, 3, 2 },
        { "filter", CEL_FILTER, 2, 1 },
        { "map", CEL_MAP_EACH, 2, 1 },
        { "sortBy", CEL_SORT_BY, 2, 1 },
        { "map", CEL_MAP_EACH, 3, 1 },
        { "transformList", CEL_TRANSFORM_LIST, 3, 2 },
        { "transformList", CEL_TRANSFORM_LIST, 4, 2 },
        { "transformMap", CEL_TRANSFORM_MAP, 3, 2 },
        { "transformMap", CEL_TRANSFORM_MAP, 4, 2 },
        { "transformMapEntry", CEL_TRANSFORM_ENTRY, 3, 2 },
        { "transformMapEntry", CEL_TRANSFORM_ENTRY, 4, 2 },
};

static const struct macro_row *macro_find(struct slice name, size_t arguments) {
        for (size_t i = 0; i < ARRAY_LEN(macro_rows); i++) {
                if (slice_is(name, macro_rows[i].name) && macro_rows[i].arguments == arguments)
                        return &macro_rows[i];
        }
        return NULL;
}

static bool is_name(const struct cel_node *node, const char *text) {
        return node->kind == CEL_NODE_NAME && slice_is(node->name, text);
}

struct cel_node *cel_macro_has(struct cel_parser *parser, struct cel_node *call) {
        struct cel_node *select = call->arg_count == 1 ? call->args[0] : NULL;

        if (!select || select->kind != CEL_NODE_SELECT)
                return cel_parser_fail(parser, select ? select->at : call->at,
                                       "invalid argument to has() macro");
        select->kind = CEL_NODE_HAS;
        select->at = call->at; /* where what is wrong with it is reported */
        return select;
}

static bool is_bind(const struct cel_parser *parser, const struct cel_node *target,
                    const struct cel_node *call, const struct cel_children *given) {
        return parser->has_bindings && is_name(target, "cel") && slice_is(call->name, "bind") &&
               given->count == 3;
}

/* target.name(given...): a macro, a function of a name space, or a method. */
struct cel_node *cel_macro_method(struct cel_parser *parser, struct cel_node *call,
                                  struct cel_node *target, const struct cel_children *given) {
        static const char *const spaces[] = {
                "optional", "sets", "strings", "format", "lists", "ip", "jsonpatch",
        };
        const struct macro_row *row = macro_find(call->name, given->count);
        struct cel_children children = { 0 };

        if (is_bind(parser, target, call, given)) {
                call->kind = CEL_NODE_BIND;
                if (!take_variables(parser, call, given, 1))
                        return NULL;
                cel_parser_adopt(parser, call, &(struct cel_children){ given->nodes + 1, 2, 2 });
                return parser->has_failed ? NULL : call;
        }
        if ((slice_is(call->name, "optMap") || slice_is(call->name, "optFlatMap")) &&
            given->count == 2) {
                call->kind = CEL_NODE_OPTIONAL_MAP;
                return macro_of(parser, call, target, given, 1);
        }
        if (row) {
                call->kind = CEL_NODE_MACRO;
                call->macro = row->macro;
                return macro_of(parser, call, target, given, row->variables);
        }
        for (size_t i = 0; i < ARRAY_LEN(spaces); i++) {
                if (!is_name(target, spaces[i]))
                        continue;
                call->name = slice_of(arena_printf(parser->arena, "%s." SLICE_FMT, spaces[i],
                                                   SLICE_ARG(call->name)));
                cel_parser_adopt(parser, call, given);
                return parser->has_failed ? NULL : call;
        }
        call->is_member = true;
        cel_parser_add(parser, &children, target);
        for (size_t i = 0; i < given->count; i++)
                cel_parser_add(parser, &children, given->nodes[i]);
        cel_parser_adopt(parser, call, &children);
        return parser->has_failed ? NULL : call;
}
