/* The hooks of every kind: the first byte picks the row and the operation, the rest is the object.
 * Once normalised, defaulting, admission, preparation, validation, warnings and the table row must
 * take anything. */
#include "api/json.h"
#include "base/arena.h"
#include "kinds/kind.h"
#include "schema/schema.h"
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct attempt {
        const struct kind_info *kind;
        enum kind_operation operation;
        const struct schema_object *schema;
        struct kind_context context;
        struct json_tree *tree;
        struct json_node *object;
        struct json_doc *old; /* the object itself, as if it were stored */
};

static bool allow(void *engine, const struct access_question *question, const char **ret_reason) {
        (void)engine, (void)question;
        *ret_reason = "";
        return true;
}

static void visit_none(void *engine, const char *group, const char *plural, struct slice ns,
                       bool (*visit)(void *context, const struct json *object), void *context) {
        (void)engine, (void)group, (void)plural, (void)ns, (void)visit, (void)context;
}

static bool know_nobody(void *engine, struct slice token, struct user_info *ret_user) {
        (void)engine, (void)token, (void)ret_user;
        return false;
}

static const char *no_rules(void *engine, const struct user_info *user, struct slice ns,
                            void (*visit)(void *context, const struct json *rule), void *context) {
        (void)engine, (void)user, (void)ns, (void)visit, (void)context;
        return "";
}

static void ignore_warning(void *context, const char *text) {
        (void)context, (void)text;
}

static void run_hooks(struct attempt *attempt) {
        const struct kind_info *kind = attempt->kind;
        struct field_errors errors = { .arena = attempt->context.scratch };
        const struct json *old =
                attempt->operation == KIND_CREATE ? NULL : json_doc_root(attempt->old);

        if (kind->review) {
                kind->review(&attempt->context, attempt->tree, attempt->object, &errors, NULL);
                return;
        }
        if (kind->apply_defaults)
                kind->apply_defaults(attempt->tree, attempt->object);
        if (kind->admit && kind->admit(&attempt->context, attempt->operation, attempt->tree,
                                       attempt->object, old, NULL) < 0)
                return;
        if (kind->prepare)
                kind->prepare(&attempt->context, attempt->operation, attempt->tree, attempt->object,
                              old);
        int r = schema_normalise(attempt->schema, attempt->tree, attempt->object, NULL, NULL);
        assert(r == 0);
        if (kind->validate)
                kind->validate(&attempt->context, attempt->operation, attempt->object, old,
                               &errors);
        if (kind->warn)
                kind->warn(attempt->operation, attempt->object, ignore_warning, NULL);
        if (kind->to_stored) {
                kind->to_stored(attempt->tree, attempt->object);
                kind->from_stored(attempt->tree, attempt->object);
        }
}

static void show(struct attempt *attempt) {
        struct buf text = { 0 }, cells = { 0 }, conditions = { 0 };
        struct json_doc *doc = NULL, *row = NULL;

        if (attempt->kind->table_row && node_write(attempt->object, &text) &&
            json_parse(buf_view(&text), &doc, NULL) == 0) {
                attempt->kind->table_row(&attempt->context, json_doc_root(doc), &cells,
                                         &conditions);
                int r = json_parse(buf_view(&cells), &row, NULL);

                assert(r == 0 && json_count(json_doc_root(row)) == attempt->kind->column_count);
                json_doc_free(row);
        }
        json_doc_free(doc);
        buf_release(&text);
        buf_release(&cells);
        buf_release(&conditions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct attempt attempt = { 0 };
        struct arena scratch;

        if (size < 2)
                return 0;
        attempt.kind = kind_at(data[0] % kind_count());
        attempt.operation = (enum kind_operation)(data[1] % 3);
        attempt.schema = schema_find(slice_of(attempt.kind->group), slice_of(attempt.kind->version),
                                     slice_of(attempt.kind->kind));
        if (json_tree_parse(slice_make((const char *)data + 2, size - 2), &attempt.tree, NULL) < 0)
                return 0;
        attempt.object = json_tree_root(attempt.tree);
        if (schema_normalise(attempt.schema, attempt.tree, attempt.object, NULL, NULL) == 0) {
                struct buf text = { 0 };

                arena_init(&scratch, 0);
                attempt.context = (struct kind_context){
                        .kind = attempt.kind,
                        .now = { 1767225600 * NS_PER_S },
                        .scratch = &scratch,
                        .each = visit_none,
                        .authorize = allow,
                        .each_rule = no_rules,
                        .authenticate = know_nobody,
                };
                node_write(attempt.object, &text);
                if (json_parse(buf_view(&text), &attempt.old, NULL) == 0) {
                        run_hooks(&attempt);
                        show(&attempt);
                }
                json_doc_free(attempt.old);
                buf_release(&text);
                arena_release(&scratch);
        }
        json_tree_free(attempt.tree);
        return 0;
}
