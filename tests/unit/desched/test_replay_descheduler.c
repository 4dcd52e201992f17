/* The recorded cases, where they are there: judged as the comparison script does, but for plugin
 * and profile of an eviction. */
#include "desched/replay_descheduler.h"

#include "base/map.h"
#include "base/util.h"
#include "evict/evict_service.h"
#include "plugins/desched/registry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const files[] = {
        "defaultevictor",
        "highnodeutilization",
        "limits",
        "lownodeutilization",
        "multi-profile",
        "podlifetime",
        "policy-errors",
        "removeduplicates",
        "removefailedpods",
        "removepodshavingtoomanyrestarts",
        "removepodsviolatinginterpodantiaffinity",
        "removepodsviolatingnodeaffinity",
        "removepodsviolatingnodetaints",
        "removepodsviolatingtopologyspreadconstraint",
};

/* ---- lists of pods ---- */

struct names {
        size_t count;
        char **items;
};

static int compare_names(const void *a, const void *b) {
        return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct names evicted(const struct json *expect) {
        const struct json *list = json_get(expect, "evictions"), *item;
        struct names names = { .items = xcalloc(json_count(list) + 1, sizeof(char *)) };
        struct json_iter iter = json_iter(list);
        while (json_next(&iter, NULL, &item)) {
                struct buf name = { 0 };
                buf_printf(&name, SLICE_FMT "/" SLICE_FMT,
                           SLICE_ARG(json_get_text(item, "namespace")),
                           SLICE_ARG(json_get_text(item, "name")));
                names.items[names.count++] = buf_take(&name, NULL);
        }
        return names;
}

static void names_release(struct names *names) {
        for (size_t i = 0; i < names->count; i++)
                free(names->items[i]);
        free(names->items);
}

static bool names_equal(const struct names *a, const struct names *b) {
        for (size_t i = 0; i < a->count && a->count == b->count; i++)
                if (strcmp(a->items[i], b->items[i]) != 0)
                        return false;
        return a->count == b->count;
}

/* ---- judging ---- */

static bool is_accepted(const struct json *accept, const struct names *got) {
        const struct json *list;
        struct json_iter iter = json_iter(accept);
        while (json_next(&iter, NULL, &list)) {
                bool is_same = json_count(list) == got->count;
                for (size_t i = 0; i < got->count && is_same; i++)
                        is_same = slice_is(json_text(json_at(list, i)), got->items[i]);
                if (is_same)
                        return true;
        }
        return false;
}

static bool is_within(const struct json *range, size_t count) {
        int64_t min = 0, max = 0;
        return json_as_i64(json_at(range, 0), &min) && json_as_i64(json_at(range, 1), &max) &&
               (int64_t)count >= min && (int64_t)count <= max;
}

static size_t count_in(const struct json *pods, const struct names *got) {
        size_t count = 0;
        const struct json *pod;
        struct json_iter iter = json_iter(pods);
        while (json_next(&iter, NULL, &pod))
                for (size_t i = 0; i < got->count; i++)
                        count += slice_is(json_text(pod), got->items[i]);
        return count;
}

static bool is_bounded(const struct json *bounds, const struct names *got) {
        if (!is_within(json_get(bounds, "total"), got->count))
                return false;
        size_t sum = 0;
        const struct json *group;
        struct json_iter iter = json_iter(json_get(bounds, "groups"));
        while (json_next(&iter, NULL, &group)) {
                size_t count = count_in(json_get(group, "pods"), got);
                sum += count;
                if ((int64_t)count < json_get_i64(group, "min", 0) ||
                    (int64_t)count > json_get_i64(group, "max", 0))
                        return false;
        }
        return sum == got->count;
}

static bool is_right(const struct json *want, const struct json *got) {
        bool is_refused = json_type(json_get(got, "error")) == JSON_STRING;
        if (json_type(json_get(want, "error")) == JSON_STRING || is_refused)
                return is_refused && json_type(json_get(want, "error")) == JSON_STRING;
        struct names names = evicted(got), wanted = evicted(want);
        bool is_same;
        if (!json_get_bool(want, "order_stable", false)) {
                qsort(names.items, names.count, sizeof(char *), compare_names);
                qsort(wanted.items, wanted.count, sizeof(char *), compare_names);
        }
        is_same = names_equal(&names, &wanted);
        if (json_get_bool(want, "unstable", false) && !is_same) {
                is_same = is_accepted(json_get(want, "accept"), &names);
                if (!is_same && !json_get_bool(want, "accept_complete", true))
                        is_same = is_bounded(json_get(want, "bounds"), &names);
        }
        names_release(&names);
        names_release(&wanted);
        return is_same;
}

/* The same case with its objects in reverse order. */
static void write_reversed(const struct json *test_case, struct buf *out) {
        struct json_iter iter = json_iter(test_case);
        struct slice key;
        const struct json *value;
        buf_char(out, '{');
        while (json_next(&iter, &key, &value)) {
                buf_printf(out, "%s\"" SLICE_FMT "\":", out->len > 1 ? "," : "", SLICE_ARG(key));
                if (!slice_is(key, "objects")) {
                        json_write(value, out);
                        continue;
                }
                buf_char(out, '[');
                for (size_t i = json_count(value); i-- > 0;) {
                        json_write(json_at(value, i), out);
                        buf_text(out, i > 0 ? "," : "");
                }
                buf_char(out, ']');
        }
        buf_char(out, '}');
}

static void answer(const struct json *test_case, struct buf *out) {
        struct err err = { 0 };
        struct evict_service *service = evict_service_new(&(struct evict_config){ 0 });
        const struct replay_descheduler_config config = {
                desched_registry,
                evict_requester_sink(evict_service_join(
                        service, &(struct evict_requester_config){ .is_parity = true }))
        };
        if (replay_descheduler_case(test_case, &config, out, &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
        evict_service_free(service);
}

/* The order in which objects arrive must not matter. */
static void check_reversed(const struct json *test_case, const struct buf *expected) {
        struct json_doc *reversed = NULL;
        struct buf text = { 0 }, out = { 0 };
        write_reversed(test_case, &text);
        assert_int_equal(json_parse(buf_view(&text), &reversed, NULL), 0);
        answer(json_doc_root(reversed), &out);
        assert_string_equal(out.data, expected->data);
        json_doc_free(reversed);
        buf_release(&text);
        buf_release(&out);
}

static void check_case(struct slice line) {
        struct json_doc *given = NULL, *answered = NULL;
        struct buf out = { 0 };
        assert_int_equal(json_parse(line, &given, NULL), 0);
        const struct json *test_case = json_doc_root(given);
        answer(test_case, &out);
        assert_int_equal(json_parse(buf_view(&out), &answered, NULL), 0);
        const struct json *result = json_doc_root(answered);
        assert_true(slice_eq(json_get_text(result, "name"), json_get_text(test_case, "name")));
        if (!is_right(json_get(test_case, "expect"), json_get(result, "expect")))
                fail_msg("%s", out.data);
        check_reversed(test_case, &out);
        json_doc_free(given);
        json_doc_free(answered);
        buf_release(&out);
}

static void test_recorded(void **state) {
        (void)state;
        const char *shared = getenv("BERTH_SHARED");
        char path[4096];
        char *line = NULL;
        size_t cap = 0, count = 0;
        for (size_t i = 0; i < ARRAY_LEN(files); i++) {
                snprintf(path, sizeof(path), "%s/vectors/descheduler/%s.jsonl",
                         shared && shared[0] ? shared : "../shared", files[i]);
                FILE *file = fopen(path, "re");
                if (!file)
                        skip();
                ssize_t length;
                while ((length = getline(&line, &cap, file)) > 0) {
                        check_case(slice_trim(slice_make(line, (size_t)length)));
                        count++;
                }
                fclose(file);
        }
        free(line);
        assert_true(count > 1000);
}

static void test_own(void **state) {
        (void)state;
        static const char *const lines[] = {
                "{\"name\":\"empty\",\"now\":\"2026-01-01T00:00:00Z\",\"policy\":\"\","
                "\"objects\":[],\"expect\":{\"evictions\":[],\"error\":null}}",
                "{\"name\":\"refused\",\"now\":\"2026-01-01T00:00:00Z\",\"policy\":{"
                "\"apiVersion\":\"descheduler/v1\",\"kind\":\"DeschedulerPolicy\"},"
                "\"objects\":[],\"expect\":{\"error\":\"x\"}}",
        };
        for (size_t i = 0; i < ARRAY_LEN(lines); i++)
                check_case(slice_of(lines[i]));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_own),
                cmocka_unit_test(test_recorded),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
