/* Slices as rows: the same as decoded, equal parts once; and the object cache, which moves rows
 * that are of use to a new table when most are not. */
#include "model/slice_table.h"

#include "base/buf.h"
#include "base/util.h"
#include "model/object_cache.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* JSON with ' for ", and %d for the number of the device or slice. */
static const char device_text[] =
        "{'name':'gpu-%d','attributes':{'model':{'string':'x'},'uuid':{'string':'u-%d'},'sizes':{"
        "'ints':[1,2]},'v':{'version':'1.2.3'},'on':{'bool':true}},'capacity':{'memory':{'value':"
        "'80Gi','requestPolicy':{'default':'1Gi','validValues':['1Gi','2Gi'],'validRange':{'min':"
        "'1Gi','max':'8Gi','step':'1Gi'}}}},'consumesCounters':[{'counterSet':'c','counters':{'m':{"
        "'value':'4'}}}],'taints':[{'key':'k','value':'w','effect':'NoSchedule'}],"
        "'bindingConditions':['Good'],'bindingFailureConditions':['Bad'],'bindsToNode':true,"
        "'allowMultipleAllocations':true,'nodeAllocatableResourceMappings':{'cpu':{'capacityKey':"
        "'memory','allocationMultiplier':'2'}},'nodeSelector':{'nodeSelectorTerms':[{"
        "'matchExpressions':[{'key':'zone','operator':'In','values':['a']}]}]}}";

static struct json_doc *slice_doc(int number, int devices) {
        struct buf text = { 0 };
        struct json_doc *doc;
        struct err err = { 0 };

        buf_printf(&text,
                   "{'metadata':{'name':'s-%d'},'spec':{'driver':'d','nodeName':'n-%d','pool':{"
                   "'name':'p-%d','generation':3,'resourceSliceCount':2},'perDeviceNodeSelection':"
                   "true,'sharedCounters':[{'name':'c','counters':{'m':{'value':'40'}}}],"
                   "'devices':[",
                   number, number, number);
        for (int i = 0; i < devices; i++) {
                if (i)
                        buf_char(&text, ',');
                for (const char *at = device_text; *at; at++) {
                        if (*at == '%')
                                buf_printf(&text, "%d", i);
                        else if (at == device_text || at[-1] != '%')
                                buf_char(&text, *at);
                }
        }
        buf_text(&text, "]}}");
        for (size_t i = 0; i < text.len; i++)
                if (text.data[i] == '\'')
                        text.data[i] = '"';
        if (json_parse(buf_view(&text), &doc, &err) < 0)
                fail_msg("%s in %s", err.text, text.data);
        buf_release(&text);
        return doc;
}

static void expect_text(struct slice text, const char *expected) {
        if (!slice_is(text, expected))
                fail_msg("\"" SLICE_FMT "\", not \"%s\"", SLICE_ARG(text), expected);
}

static void expect_device(const struct device *device, const char *name, const char *uuid) {
        const struct device_attribute *const *attributes = device->attributes;

        expect_text(device->name, name);
        assert_int_equal(device->attribute_count, 5);
        expect_text(attributes[0]->scalar.text, "x");
        expect_text(attributes[1]->name, "uuid");
        expect_text(attributes[1]->scalar.text, uuid);
        assert_true(attributes[2]->is_list && attributes[2]->item_count == 2);
        assert_int_equal(attributes[2]->items[1].integer, 2);
        assert_int_equal(attributes[3]->kind, DEVICE_VERSION);
        assert_true(attributes[4]->scalar.boolean);
        expect_text(device->traits->capacity[0].valid_values[1], "2Gi");
        expect_text(device->traits->capacity[0].step, "1Gi");
        expect_text(device->traits->consumes[0].counters.items[0].value, "4");
        expect_text(device->traits->taints[0].effect_name, "NoSchedule");
        assert_int_equal(device->traits->taints[0].effect, TAINT_NO_SCHEDULE);
        expect_text(device->traits->conditions[0], "Good");
        expect_text(device->traits->failure_conditions[0], "Bad");
        assert_true(device->traits->binds_to_node && device->traits->allows_multiple);
        expect_text(device->traits->mappings[0].capacity_key, "memory");
        assert_true(device->traits->place->has_selector);
        assert_int_equal(device->traits->place->selector.required_node_count, 1);
        assert_int_equal(json_count(json_get(device->traits->place->written, "nodeSelectorTerms")),
                         1);
}

static void expect_slice(const struct resource_slice *slice, int number, size_t devices) {
        char text[32];

        snprintf(text, sizeof(text), "s-%d", number);
        expect_text(slice->name, text);
        snprintf(text, sizeof(text), "n-%d", number);
        expect_text(slice->place->node_name, text);
        expect_text(slice->driver, "d");
        assert_int_equal(slice->generation, 3);
        assert_int_equal(slice->slice_count, 2);
        assert_true(slice->has_places);
        expect_text(slice->counters[0].counters.items[0].value, "40");
        assert_int_equal(slice->device_count, devices);
        for (size_t i = 0; i < devices; i++) {
                char name[32], uuid[32];

                snprintf(name, sizeof(name), "gpu-%zu", i);
                snprintf(uuid, sizeof(uuid), "u-%zu", i);
                expect_device(&slice->devices[i], name, uuid);
        }
}

static void test_rows(void **state) {
        struct slice_table *table = slice_table_new();
        const struct resource_slice *rows[2];
        struct arena arena;

        (void)state;
        arena_init(&arena, 0);
        for (int i = 0; i < 2; i++) {
                struct json_doc *doc = slice_doc(i, 3);
                struct resource_slice slice;
                struct err err = { 0 };

                assert_int_equal(resource_slice_decode(json_doc_root(doc), &arena, &slice, &err),
                                 0);
                rows[i] = slice_table_add(table, &slice);
                json_doc_free(doc); /* rows have nothing of it */
                arena_clear(&arena);
        }
        const struct device *a = &rows[0]->devices[1], *b = &rows[1]->devices[1];
        for (int i = 0; i < 2; i++)
                expect_slice(rows[i], i, 3);
        assert_ptr_equal(a->attributes, b->attributes); /* all of them are equal */
        assert_ptr_equal(a->attributes[0], rows[0]->devices[0].attributes[0]);
        assert_ptr_not_equal(a->attributes, rows[0]->devices[0].attributes);
        assert_ptr_equal(a->traits, b->traits);
        assert_ptr_equal(a->traits->capacity, b->traits->capacity);
        assert_ptr_equal(a->traits->consumes, b->traits->consumes);
        assert_ptr_equal(a->traits->taints, b->traits->taints);
        assert_ptr_equal(a->traits->place, b->traits->place);
        assert_int_equal(slice_table_devices(table), 6);
        slice_table_free(table);
        arena_release(&arena);
}

/* Three slices of which one changes again and again. */
static void test_cache_renews_its_table(void **state) {
        struct object_cache *cache = object_cache_new();
        size_t at = 0;

        (void)state;
        for (int i = 0; i < 600; i++) {
                struct json_doc *doc = slice_doc(i < 2 ? i : 2, 3 + i % 4);

                object_cache_put(cache, CACHED_RESOURCE_SLICE, json_doc_root(doc));
                json_doc_free(doc);
        }
        assert_int_equal(object_cache_count(cache, CACHED_RESOURCE_SLICE), 3);
        for (int i = 0; i < 3; i++)
                expect_slice(object_cache_next_slice(cache, &at), i, i < 2 ? 3 + (size_t)i : 6);
        assert_null(object_cache_next_slice(cache, &at));
        assert_true(object_cache_slice_devices(cache) < 1200); /* of some 2,700 that came */
        object_cache_remove(cache, CACHED_RESOURCE_SLICE, SLICE_EMPTY, SLICE_LITERAL("s-1"));
        at = 0;
        expect_slice(object_cache_next_slice(cache, &at), 0, 3);
        expect_slice(object_cache_next_slice(cache, &at), 2, 6);
        assert_null(object_cache_next_slice(cache, &at));
        object_cache_free(cache);
}

/* One word of a slice for another one. */
static const struct {
        const char *from, *to;
} edits[] = {
        { "'key':'k'", "'key':'l'" },
        { "'value':'w'", "'value':'x'" },
        { "'uuid'", "'uuie'" },
        { "u-1", "u-3" },
        { "[1,2]", "[1,3]" },
        { "'on':{'bool':true}", "'on':{'bool':false}" },
        { "80Gi", "81Gi" },
        { "'value':'4'", "'value':'5'" },
        { "gpu-1", "gpu-9" },
        { "'generation':3", "'generation':4" },
        { "Count':2", "Count':3" },
        { "'driver':'d'", "'driver':'e'" },
        { "n-7", "n-8" },
        { "p-7", "p-8" },
        { "'value':'40'", "'value':'41'" },
        { "'bindsToNode':true", "'bindsToNode':false" },
        { "'allowMultipleAllocations':true", "'allowMultipleAllocations':false" },
        { "'values':['a']", "'values':['b']" },
        { "['Good']", "['Fine']" },
        { "'perDeviceNodeSelection':true", "'perDeviceNodeSelection':false" },
        { "'allocationMultiplier':'2'", "'allocationMultiplier':'3'" },
};

/* The first of them. */
static struct json_doc *edited_doc(const struct json_doc *doc, const char *from, const char *to) {
        struct buf text = { 0 }, quoted = { 0 }, edited = { 0 };
        struct json_doc *result;
        json_write(json_doc_root(doc), &text);
        for (const char *at = from; *at; at++)
                buf_char(&quoted, *at == '\'' ? '"' : *at);
        buf_char(&text, 0);
        char *found = memmem(text.data, text.len, quoted.data, quoted.len);
        assert_non_null(found);
        buf_slice(&edited, slice_make(text.data, (size_t)(found - text.data)));
        for (const char *at = to; *at; at++)
                buf_char(&edited, *at == '\'' ? '"' : *at);
        buf_text(&edited, found + strlen(from));
        assert_int_equal(json_parse(buf_view(&edited), &result, NULL), 0);
        buf_release(&text);
        buf_release(&quoted);
        buf_release(&edited);
        return result;
}

/* Only what is new is a change; each difference is. */
static void test_cache_tells_changes(void **state) {
        struct json_doc *doc = slice_doc(7, 3);
        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
                struct object_cache *cache = object_cache_new();
                struct json_doc *other = edited_doc(doc, edits[i].from, edits[i].to);
                object_cache_put(cache, CACHED_RESOURCE_SLICE, json_doc_root(doc));
                uint64_t version = object_cache_version(cache, CACHED_RESOURCE_SLICE);
                object_cache_put(cache, CACHED_RESOURCE_SLICE, json_doc_root(doc));
                assert_int_equal(object_cache_version(cache, CACHED_RESOURCE_SLICE), version);
                object_cache_put(cache, CACHED_RESOURCE_SLICE, json_doc_root(other));
                if (object_cache_version(cache, CACHED_RESOURCE_SLICE) == version)
                        fail_msg("%s is no change", edits[i].to);
                json_doc_free(other);
                object_cache_free(cache);
        }
        json_doc_free(doc);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_rows),
                cmocka_unit_test(test_cache_renews_its_table),
                cmocka_unit_test(test_cache_tells_changes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
