/* Lists that arrive in pieces: items come out whole wherever the pieces were cut, and what is no
 * list is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/util.h"
#include "client/list_reader.h"
#include <stdlib.h>
#include <string.h>

static void on_item(void *context, const struct json *item) {
        struct buf *seen = context;

        buf_text(seen, "<");
        json_write(item, seen);
        buf_text(seen, ">");
}

static void assert_reads(const char *text, const char *items, const char *version,
                         const char *next) {
        size_t size = strlen(text);

        for (size_t first = 0; first <= size; first++) {
                struct buf seen = { 0 };
                struct list_reader *reader = list_reader_new(on_item, &seen);
                struct err err = { 0 };

                list_reader_begin(reader);
                assert_int_equal(list_reader_feed(reader, slice_make(text, first), &err), 0);
                for (size_t at = first; at < size; at++)
                        assert_int_equal(list_reader_feed(reader, slice_make(text + at, 1), &err),
                                         0);
                if (list_reader_end(reader, &err) < 0)
                        fail_msg("cut at %zu: %s", first, err.text);
                assert_string_equal(seen.data ? seen.data : "", items);
                assert_true(slice_is(list_reader_version(reader), version));
                assert_true(slice_is(list_reader_continue(reader), next));
                list_reader_free(reader);
                buf_release(&seen);
        }
}

static void test_items_at_every_cut(void **state) {
        (void)state;
        assert_reads("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{"
                     "\"resourceVersion\":\"7\","
                     "\"continue\":\"t\"},\"items\":[{\"a\":\"}]\\\"{\"},{\"b\":[1,{}]}]}\n",
                     "<{\"a\":\"}]\\\"{\"}><{\"b\":[1,{}]}>", "7", "t");
        assert_reads(" { \"items\" : [ {} , 5 , \"x\" ] , \"metadata\" : { \"resourceVersion\" : "
                     "\"8\" } , \"n\" : -1.5 } ",
                     "<{}><5><\"x\">", "8", "");
        assert_reads("{\"items\":[],\"metadata\":{}}", "", "", "");
        assert_reads("{\"items\":null}", "", "", "");
}

static void test_what_is_no_list(void **state) {
        static const struct {
                const char *text;
                int code;
        } cases[] = {
                { "", BERTH_ERR_BAD_REQUEST },
                { "{", BERTH_ERR_BAD_REQUEST },
                { "<html>", BERTH_ERR_BAD_REQUEST },
                { "[]", BERTH_ERR_BAD_REQUEST },
                { "{\"items\":[{}", BERTH_ERR_BAD_REQUEST },
                { "{\"items\":[{]}", BERTH_ERR_BAD_REQUEST },
                { "{\"items\":[{}}}", BERTH_ERR_BAD_REQUEST },
                { "{\"items\":[,]}", BERTH_ERR_BAD_REQUEST },
                { "{\"items\":[{} {}]}", BERTH_ERR_BAD_REQUEST },
                { "{\"items\":[]}x", BERTH_ERR_BAD_REQUEST },
                { "{\"a\"}", BERTH_ERR_BAD_REQUEST },
                { "{\"kind\":\"Pod\"}", BERTH_ERR_INTERNAL },
                { "k8s", BERTH_ERR_BAD_REQUEST },
                { "kube", BERTH_ERR_BAD_REQUEST },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct list_reader *reader = list_reader_new(NULL, NULL);
                struct err err = { 0 };

                int r = list_reader_read(reader, slice_of(cases[i].text), &err);
                if (r != cases[i].code)
                        fail_msg("%s: %d, %s", cases[i].text, r, err.text);
                list_reader_free(reader);
        }
}

/* Kinds that have no field tables are asked for in JSON. */
static void test_unknown_kind_in_protobuf(void **state) {
        static const char body[] = "k8s\0\n\x1c\n\x0emetrics.k8s.io\x12\x0aPodMetrics";
        struct list_reader *reader = list_reader_new(NULL, NULL);
        struct err err = { 0 };

        (void)state;
        assert_int_equal(list_reader_read(reader, slice_make(body, sizeof(body) - 1), &err),
                         BERTH_ERR_NOT_ACCEPTABLE);
        list_reader_free(reader);
}

static void test_large_item(void **state) {
        struct list_reader *reader = list_reader_new(NULL, NULL);
        struct err err = { 0 };
        struct buf text = { 0 };

        (void)state;
        buf_text(&text, "{\"items\":[\"");
        while (text.len <= LIST_ITEM_MAX + 100)
                buf_text(&text, "0123456789012345678901234567890123456789012345678901234567890123");
        assert_int_equal(list_reader_read(reader, buf_view(&text), &err), BERTH_ERR_TOO_LARGE);
        list_reader_free(reader);
        buf_release(&text);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_items_at_every_cut),
                cmocka_unit_test(test_what_is_no_list),
                cmocka_unit_test(test_unknown_kind_in_protobuf),
                cmocka_unit_test(test_large_item),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
