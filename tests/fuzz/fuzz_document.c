/* Documents and configuration files: whatever is read holds values that JSON can say again and that
 * stand somewhere in the text, and no configuration, however odd, is accepted half. */
#include "config/descheduler_policy.h"
#include "config/objects_input.h"
#include "config/scheduler_configuration.h"
#include "yaml_leaks.h"
#include <assert.h>

#define POSITIONS_MAX 2000 /* values of one document whose position is asked */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_positions(const struct document *document, const struct json *value,
                            size_t *left) {
        struct json_iter iter = json_iter(value);
        const struct json *child;
        struct err err = { 0 };
        if (*left == 0)
                return;
        (*left)--;
        document_locate(document, value, &err);
        assert(err.line > 0 && err.column > 0);
        while (json_next(&iter, NULL, &child))
                check_positions(document, child, left);
}

static void check_duplicate(void *context, const struct err *where) {
        (void)context;
        assert(where->line > 0);
}

static void check_document(const struct document *document) {
        struct buf text = { 0 };
        struct json_doc *doc = NULL;
        size_t left = POSITIONS_MAX;
        check_positions(document, document_root(document), &left);
        document_duplicates(document, check_duplicate, NULL);
        bool ok = json_write(document_root(document), &text);
        int r = json_parse(buf_view(&text), &doc, NULL);
        assert(ok && r == 0);
        json_doc_free(doc);
        buf_release(&text);
}

static int take_object(void *context, const struct input_object *object, struct err *err) {
        size_t *count = context;
        assert(object->kind.len > 0 && object->api_version.len > 0);
        return ++*count % 7 ? 0 : err_set(err, BERTH_ERR_INVALID, "the seventh");
}

static void read_configurations(struct slice text) {
        struct config_problems *problems = config_problems_new();
        struct err err = { 0 };
        struct scheduler_configuration *scheduler =
                scheduler_configuration_read(text, "f", problems);
        assert(scheduler || problems->count > 0);
        if (scheduler) {
                struct json_tree *tree = json_tree_new();
                json_tree_set_root(tree, node_object(tree));
                fields_encode(tree, json_tree_root(tree), scheduler_configuration_fields,
                              scheduler);
                json_tree_free(tree);
        }
        scheduler_configuration_free(scheduler);
        for (int is_parity = 0; is_parity < 2; is_parity++)
                descheduler_policy_free(descheduler_policy_read(text, "f", is_parity, problems));
        int r = config_problems_to_err(problems, &err);
        assert(r == err.code && (r == 0) == (problems->count == 0));
        config_problems_free(problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice text = { (const char *)data, size };
        struct document_list list = { 0 };
        struct err err = { 0 };
        size_t count = 0;
        int r = document_list_read(text, "f", &list, &err);
        assert(r == err.code);
        for (size_t i = 0; i < list.count; i++)
                check_document(list.items[i]);
        document_list_release(&list);
        objects_input_read(text, "f", take_object, &count, NULL);
        read_configurations(text);
        return 0;
}
