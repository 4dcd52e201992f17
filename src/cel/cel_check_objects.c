/* Fields, and the objects that expressions of policies make: Object and what is in it, JSONPatch.
 */
#include "cel/cel_check_priv.h"

#include "base/util.h"

static const struct cel_field patch_fields[] = {
        { SLICE_INIT("op"), "op", &(const struct cel_type){ .kind = CEL_STRING } },
        { SLICE_INIT("from"), "from", &(const struct cel_type){ .kind = CEL_STRING } },
        { SLICE_INIT("path"), "path", &(const struct cel_type){ .kind = CEL_STRING } },
        { SLICE_INIT("value"), "value", &(const struct cel_type){ .kind = CEL_DYN } },
};
static const struct cel_type patch_type = { .kind = CEL_OBJECT,
                                            .name = "JSONPatch",
                                            .fields = patch_fields,
                                            .field_count = ARRAY_LEN(patch_fields) };

bool cel_check_has_objects(const struct cel_program *program) {
        return program->wants == CEL_WANTS_OBJECT || program->wants == CEL_WANTS_PATCHES;
}

/* Object and what is in it, such as Object.spec; NULL when there is no such type. */
static const struct cel_type *made_type(struct cel_checker *checker, struct slice name) {
        if (!cel_check_has_objects(checker->program))
                return NULL;
        if (slice_is(name, patch_type.name))
                return &patch_type;
        if (!slice_is(name, "Object") && !slice_has_prefix(name, SLICE_LITERAL("Object.")))
                return NULL;
        struct cel_type *type = ARENA_NEW(checker->arena, struct cel_type);
        *type = (struct cel_type){ .kind = CEL_OBJECT, .name = arena_string(checker->arena, name) };
        return type;
}

static bool is_quoted(struct slice name) {
        for (size_t i = 0; i < name.len; i++) {
                if (strchr("-./", name.ptr[i]))
                        return true;
        }
        return false;
}

/* By the escaped name, or by its own between backquotes. */
const struct cel_type *cel_check_field(const struct cel_type *from, struct slice name) {
        if (from->name && from != &patch_type) /* an Object has every field */
                return cel_type_basic(CEL_DYN);
        for (size_t i = 0; i < from->field_count; i++) {
                const struct cel_field *field = &from->fields[i];

                if (slice_is(name, field->escaped) ||
                    (is_quoted(name) && slice_eq(name, field->name)))
                        return field->type;
        }
        return NULL;
}

int cel_check_object(struct cel_checker *checker, struct cel_node *node) {
        node->type = made_type(checker, node->name);
        if (!node->type)
                return cel_check_fail(checker, node,
                                      arena_printf(checker->arena,
                                                   "undeclared reference to '" SLICE_FMT
                                                   "' (in container '')",
                                                   SLICE_ARG(node->name)));
        for (size_t i = 0; i + 1 < node->arg_count; i += 2) {
                struct slice name = node->args[i]->literal.as.text;
                const struct cel_type *wanted = cel_check_field(node->type, name);
                const struct cel_type *type = node->args[i + 1]->type;

                if (!wanted)
                        return cel_check_fail(checker, node->args[i],
                                              arena_printf(checker->arena,
                                                           "undefined field '" SLICE_FMT "'",
                                                           SLICE_ARG(name)));
                if (node->args[i + 1]->is_optional_element)
                        type = cel_type_strip(type);
                if (!cel_type_is_dyn(wanted) && !cel_type_is_dyn(type) &&
                    type->kind != wanted->kind)
                        return cel_check_fail(checker, node->args[i],
                                              arena_printf(checker->arena,
                                                           "expected type of field '" SLICE_FMT
                                                           "' is '%s' but provided type is '%s'",
                                                           SLICE_ARG(name),
                                                           cel_type_text(checker->arena, wanted),
                                                           cel_type_text(checker->arena, type)));
        }
        return 0;
}

int cel_check_made(struct arena *arena, const struct cel_program *program, struct err *err) {
        bool is_list = program->wants == CEL_WANTS_PATCHES;
        const struct cel_type *type = program->root->type;
        const char *wanted = is_list ? "list(JSONPatch)" : "Object";
        const char *text = cel_type_text(arena, type);

        return strcmp(text, wanted) == 0
                       ? 0
                       : err_set(err, BERTH_ERR_INVALID, "must evaluate to %s but got %s", wanted,
                                 cel_type_declared(arena, type));
}
