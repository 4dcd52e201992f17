/* The latest Events: their order, how many are kept, what is asked for. */
#include "dashboard/event_ring.h"

#include "base/arena.h"
#include "base/util.h"
#include "dashboard/event_meaning.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void put_text(struct event_ring *ring, const char *text) {
        struct json_doc *doc = NULL;
        struct err err;

        assert_int_equal(json_parse(slice_of(text), &doc, &err), 0);
        event_ring_put(ring, json_doc_root(doc));
        json_doc_free(doc);
}

/* An Event about a pod of namespace "a" at this second of an hour. */
static void put(struct event_ring *ring, const char *name, const char *reason, int second) {
        CLEANUP(buf_release) struct buf text = { 0 };

        buf_printf(&text,
                   "{\"eventTime\":\"2026-01-01T10:%02d:%02d.000000Z\",\"reason\":\"%s\","
                   "\"note\":\"Note of %s\",\"regarding\":{\"kind\":\"Pod\",\"namespace\":\"a\","
                   "\"name\":\"%s\"}}",
                   second / 60, second % 60, reason, name, name);
        buf_char(&text, '\0');
        put_text(ring, text.data);
}

/* "NUMBER:NAME " of all events, and the members. */
struct answer {
        struct buf names;
        int64_t last, oldest;
};

static struct answer ask(const struct event_ring *ring, const char *query) {
        CLEANUP(buf_release) struct buf out = { 0 };
        struct answer answer = { 0 };
        struct json_doc *doc = NULL;
        const struct json *event;
        struct err err;

        buf_char(&out, '{');
        event_ring_write(ring, slice_of(query), &out);
        buf_char(&out, '}');
        assert_int_equal(json_parse(buf_view(&out), &doc, &err), 0);
        struct json_iter events = json_iter(json_get(json_doc_root(doc), "events"));
        while (json_next(&events, NULL, &event))
                buf_printf(&answer.names, "%d:" SLICE_FMT " ",
                           (int)json_get_i64(event, "number", -1),
                           SLICE_ARG(json_get_text(event, "name")));
        answer.last = json_get_i64(json_doc_root(doc), "last", -1);
        answer.oldest = json_get_i64(json_doc_root(doc), "oldest", -1);
        json_doc_free(doc);
        return answer;
}

static void assert_answer(const struct event_ring *ring, const char *query, const char *names) {
        struct answer answer = ask(ring, query);

        if (!slice_is(buf_view(&answer.names), names))
                fail_msg("%s: expected \"%s\", found \"" SLICE_FMT "\"", query, names,
                         SLICE_ARG(buf_view(&answer.names)));
        buf_release(&answer.names);
}

/* A list comes in the order of names; what follows comes as it happens. */
static void order(void **state) {
        struct event_ring *ring = event_ring_new();

        (void)state;
        put(ring, "a", "Scheduled", 30);
        put(ring, "b", "Scheduled", 10);
        put(ring, "c", "Scheduled", 10);
        assert_answer(ring, "", "");
        event_ring_settle(ring);
        assert_answer(ring, "", "3:a 2:c 1:b ");
        put(ring, "d", "Scheduled", 5);
        assert_answer(ring, "", "4:d 3:a 2:c 1:b ");
        assert_int_equal(event_ring_last(ring), 4);
        event_ring_free(ring);
}

static void asked(void **state) {
        static const struct {
                const char *query, *names;
        } cases[] = {
                { "after=3", "5:e 4:d " },
                { "before=3", "2:b 1:a " },
                { "after=1&before=4&count=1", "3:c " },
                { "after=5", "" },
                { "after=99", "" },
                { "count=2", "5:e 4:d " },
                { "kind=waiting", "5:e 2:b " },
                { "kind=waiting,evicted", "5:e 3:c 2:b " },
                { "kind=", "" },
                { "namespace=a&name=c", "3:c " },
                { "namespace=b&name=c", "" },
                { "find=note+OF+d", "4:d " },
                { "find=%22note", "5:e 4:d 3:c 2:b 1:a " },
                { "find=nothing", "" },
        };
        struct event_ring *ring = event_ring_new();

        (void)state;
        event_ring_settle(ring);
        put(ring, "a", "Scheduled", 1);
        put(ring, "b", "FailedScheduling", 2);
        put(ring, "c", "Evicted", 3);
        put(ring, "d", "Started", 4);
        put(ring, "e", "FailedScheduling", 5);
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                assert_answer(ring, cases[i].query, cases[i].names);
        event_ring_free(ring);
}

/* Older ones go, before the first list is complete and after it. */
static void bound(void **state) {
        struct event_ring *ring = event_ring_new();

        (void)state;
        for (int i = 0; i < 2 * EVENT_RING_SIZE + 5; i++)
                put(ring, i % 2 ? "old" : "new", "Scheduled", i % 2 ? 0 : 100 + i % 3000);
        event_ring_settle(ring);
        assert_answer(ring, "name=old&count=3", "");
        struct answer answer = ask(ring, "count=1");
        assert_int_equal(answer.last, EVENT_RING_SIZE);
        assert_int_equal(answer.oldest, 1);
        buf_release(&answer.names);
        for (int i = 0; i < EVENT_RING_SIZE + 10; i++)
                put(ring, "late", "Scheduled", 0);
        assert_answer(ring, "name=new&count=3", "");
        answer = ask(ring, "before=22&count=3");
        assert_int_equal(answer.oldest, EVENT_RING_SIZE + 11);
        assert_int_equal(answer.names.len, 0);
        buf_release(&answer.names);
        event_ring_free(ring);
}

static void meaning(void **state) {
        static const struct {
                const char *event;
                enum event_meaning meaning;
        } cases[] = {
                { "{\"reason\":\"Scheduled\",\"action\":\"Binding\"}", EVENT_PLACED },
                { "{\"reason\":\"FailedScheduling\",\"action\":\"Scheduling\"}", EVENT_WAITING },
                { "{\"reason\":\"Preempted\",\"action\":\"Preempting\"}", EVENT_PREEMPTED },
                { "{\"reason\":\"PodLifeTime\",\"action\":\"Descheduled\"}", EVENT_EVICTED },
                { "{\"reason\":\"NodeReboot\"}", EVENT_REBOOT },
                { "{\"reason\":\"NodeNotReady\",\"regarding\":{\"kind\":\"Node\"}}", EVENT_NODE },
                { "{\"reason\":\"BackOff\",\"type\":\"Warning\"}", EVENT_WARNING },
                { "{\"reason\":\"Started\",\"type\":\"Normal\"}", EVENT_OTHER },
                { "{}", EVENT_OTHER },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct json_doc *doc = NULL;
                struct err err;

                assert_int_equal(json_parse(slice_of(cases[i].event), &doc, &err), 0);
                assert_int_equal(event_meaning_of(json_doc_root(doc)), cases[i].meaning);
                json_doc_free(doc);
        }
}

/* What is missing or no such thing is empty; the last time that it was seen counts. */
static void members(void **state) {
        CLEANUP(buf_release) struct buf out = { 0 };
        struct event_ring *ring = event_ring_new();

        (void)state;
        event_ring_settle(ring);
        put_text(ring, "{\"reason\":5,\"series\":{\"count\":7,\"lastObservedTime\":"
                       "\"2026-01-01T10:00:00.5Z\"},\"eventTime\":\"2026-01-01T09:00:00Z\","
                       "\"note\":\"</script>\\\"\"}");
        event_ring_write(ring, SLICE_LITERAL(""), &out);
        assert_true(
                slice_contains(buf_view(&out), SLICE_LITERAL("\"time\":\"2026-01-01T10:00:00")));
        assert_true(slice_contains(buf_view(&out), SLICE_LITERAL("\"reason\":\"\"")));
        assert_true(slice_contains(buf_view(&out), SLICE_LITERAL("\"note\":\"</script>\\\"\"")));
        assert_true(slice_contains(buf_view(&out), SLICE_LITERAL("\"count\":7")));
        event_ring_free(ring);
}

static void evictions(void **state) {
        CLEANUP(buf_release) struct buf out = { 0 };
        struct event_ring *ring = event_ring_new();

        (void)state;
        event_ring_write_evictions(ring, &out);
        assert_true(slice_is(buf_view(&out), "{\"count\":0,\"rules\":[]}"));
        put(ring, "a", "Scheduled", 1);
        put(ring, "b", "EvictedB", 2);
        event_ring_settle(ring);
        put(ring, "c", "Evicted\\\"", 3);
        put(ring, "d", "Evicted\\\"", 4);
        buf_clear(&out);
        event_ring_write_evictions(ring, &out);
        assert_true(slice_is(buf_view(&out),
                             "{\"count\":3,\"rules\":[{\"rule\":\"Evicted\\\"\",\"count\":2},"
                             "{\"rule\":\"EvictedB\",\"count\":1}]}"));
        for (int i = 0; i < EVENT_RING_SIZE; i++)
                put(ring, "e", "Scheduled", 5);
        buf_clear(&out);
        event_ring_write_evictions(ring, &out);
        assert_true(slice_is(buf_view(&out), "{\"count\":0,\"rules\":[]}"));
        event_ring_free(ring);
}

int main(void) {
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(order),   cmocka_unit_test(asked),   cmocka_unit_test(bound),
                cmocka_unit_test(meaning), cmocka_unit_test(members), cmocka_unit_test(evictions)
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
