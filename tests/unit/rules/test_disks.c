/* Disks of two pods: long lists of volumes give the answer of all their pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/rng.h"
#include "base/util.h"
#include "rules/volumes.h"
#include <stdlib.h>

#define ROUNDS 600
#define COUNT 20 /* of volumes of each pod: more pairs than are compared one by one */
#define MANY 20000

struct volumes {
        struct json_doc *doc;
        struct volume *items;
        size_t count;
};

static struct volumes volumes_of(struct buf *text) {
        struct volumes volumes = { 0 };
        const struct json *source;

        buf_char(text, ']');
        assert_int_equal(json_parse(buf_view(text), &volumes.doc, NULL), 0);
        struct json_iter iter = json_iter(json_doc_root(volumes.doc));
        volumes.items = xcalloc(iter.count, sizeof(*volumes.items));
        while (json_next(&iter, NULL, &source))
                volumes.items[volumes.count++].source = source;
        buf_release(text);
        return volumes;
}

static void volumes_release(struct volumes *volumes) {
        free(volumes->items);
        json_doc_free(volumes->doc);
}

static void draw_one(struct rng *rng, int names, struct buf *out) {
        int name = (int)rng_below(rng, (uint64_t)names), monitor = (int)rng_below(rng, 3);
        const char *is_read = rng_below(rng, 12) ? "true" : "false";

        switch (rng_below(rng, 40) ? rng_below(rng, 4) : 4 + rng_below(rng, 2)) {
        case 0:
                buf_printf(out, "{\"gcePersistentDisk\":{\"pdName\":\"n%d\",\"readOnly\":%s}}",
                           name, is_read);
                return;
        case 1:
                buf_printf(out, "{\"iscsi\":{\"iqn\":\"n%d\",\"readOnly\":%s}}", name, is_read);
                return;
        case 2:
                buf_printf(out,
                           "{\"rbd\":{\"image\":\"n%d\",\"readOnly\":%s,\"monitors\":[\"x\",\"m%"
                           "d\"]}}",
                           name, is_read, monitor);
                return;
        case 3:
                buf_printf(out,
                           "{\"rbd\":{\"image\":\"n%d\",\"readOnly\":%s,\"pool\":\"p\","
                           "\"monitors\":[\"m%d\"]}}",
                           name, is_read, monitor);
                return;
        case 4:
                buf_printf(out, "{\"awsElasticBlockStore\":{\"volumeID\":\"n%d\",\"readOnly\":%s}}",
                           name, is_read);
                return;
        default:
                buf_text(out, "{\"emptyDir\":{}}");
        }
}

/* Disks of all kinds, mostly read-only, a few of them of another pod, too. */
static struct volumes draw(struct rng *rng, int names) {
        struct buf text = { 0 };

        for (int i = 0; i < COUNT; i++) {
                buf_text(&text, i ? "," : "[");
                draw_one(rng, names, &text);
        }
        return volumes_of(&text);
}

static bool share_by_pairs(const struct volumes *a, const struct volumes *b) {
        for (size_t i = 0; i < a->count; i++) {
                for (size_t j = 0; j < b->count; j++) {
                        if (volumes_share_disk(&a->items[i], 1, &b->items[j], 1))
                                return true;
                }
        }
        return false;
}

static void test_pairs(void **state) {
        struct rng rng;
        size_t shared = 0;

        (void)state;
        rng_init(&rng, 1);
        for (int round = 0; round < ROUNDS; round++) {
                struct volumes a = draw(&rng, 60), b = draw(&rng, 60);
                bool wanted = share_by_pairs(&a, &b);

                assert_int_equal(volumes_share_disk(a.items, a.count, b.items, b.count), wanted);
                assert_int_equal(volumes_share_disk(b.items, b.count, a.items, a.count), wanted);
                shared += wanted;
                volumes_release(&a);
                volumes_release(&b);
        }
        assert_true(shared > ROUNDS / 10 && shared < ROUNDS * 9 / 10);
}

static struct volumes many(int first) {
        struct buf text = { 0 };

        for (int i = 0; i < MANY; i++)
                buf_printf(&text, "%c{\"rbd\":{\"image\":\"n%d\",\"monitors\":[\"m\"]}}",
                           i ? ',' : '[', first + i);
        return volumes_of(&text);
}

/* What two pods of 1 MB can hold: 400 million pairs, which no test would wait for. */
static void test_many(void **state) {
        struct volumes a = many(0), b = many(MANY), c = many(MANY - 1);

        (void)state;
        assert_false(volumes_share_disk(a.items, a.count, b.items, b.count));
        assert_true(volumes_share_disk(a.items, a.count, c.items, c.count));
        volumes_release(&a);
        volumes_release(&b);
        volumes_release(&c);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_pairs),
                cmocka_unit_test(test_many),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
