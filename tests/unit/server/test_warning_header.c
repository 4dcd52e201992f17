/* Warnings as a header that clients take. */
#include "server/warning_header.h"

#include "base/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_texts(void **state) {
        static const struct {
                const char *texts[6], *header;
        } cases[] = {
                { { NULL }, "" },
                { { "" }, "" },
                { { "a" }, "299 - \"a\"" },
                { { "a", "b", "a" }, "299 - \"a\", 299 - \"b\"" },
                { { "say \"x\\y\"" }, "299 - \"say \\\"x\\\\y\\\"\"" },
                { { "a\nb", "c\302\205d", "e\303\251", "f\377", "\177" }, "299 - \"e\303\251\"" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct slice texts[6];
                struct buf out = { 0 };
                size_t count = 0;

                for (; count < 6 && cases[i].texts[count]; count++)
                        texts[count] = slice_of(cases[i].texts[count]);
                warning_header_write(texts, count, &out);
                assert_string_equal(out.data ? out.data : "", cases[i].header);
                buf_release(&out);
        }
}

struct scene {
        size_t count, capacity;
        struct slice *texts;
        struct buf out;
};
static void add_text(struct scene *scene, size_t length, char fill) {
        char *text = xcalloc(1, length + 1);

        memset(text, fill, length);
        if (scene->count == scene->capacity) {
                scene->capacity = scene->capacity ? 2 * scene->capacity : 64;
                scene->texts = xreallocarray(scene->texts, scene->capacity, sizeof(*scene->texts));
        }
        scene->texts[scene->count++] = slice_make(text, length);
}
static size_t count_texts(const struct scene *scene) {
        size_t count = 0;

        for (const char *at = scene->out.data; at && (at = strstr(at, "299 - \"")); at++)
                count++;
        return count;
}
static void release(struct scene *scene) {
        for (size_t i = 0; i < scene->count; i++)
                free((char *)(uintptr_t)scene->texts[i].ptr);
        free(scene->texts);
        buf_release(&scene->out);
}

/* The text that is too much is what makes all be cut; it is there, cut. */
static void test_long_texts_are_cut(void **state) {
        struct scene scene = { 0 };

        (void)state;
        for (char c = 'a'; c < 'e'; c++)
                add_text(&scene, 1000, c);
        warning_header_write(scene.texts, scene.count, &scene.out);
        assert_true(scene.out.len > 4000);
        assert_int_equal(count_texts(&scene), 4);
        buf_clear(&scene.out);
        add_text(&scene, 97, 'e');
        warning_header_write(scene.texts, scene.count, &scene.out);
        assert_int_equal(count_texts(&scene), 5);
        assert_true(scene.out.len < 1300);
        release(&scene);
}

/* Cut at whole characters. */
static void test_characters_stay_whole(void **state) {
        struct scene scene = { 0 };

        (void)state;
        add_text(&scene, 2000, 'x');
        for (size_t i = 0; i < 2000; i += 2)
                memcpy((char *)(uintptr_t)scene.texts[0].ptr + i, "\xc3\xa4", 2);
        add_text(&scene, 4000, 'y');
        warning_header_write(scene.texts, scene.count, &scene.out);
        assert_int_equal(scene.out.len, strlen("299 - \"\", 299 - \"\"") + 512 + 256);
        release(&scene);
}

/* However many: the first that fit, in full, and an end. */
static void test_many_texts(void **state) {
        static const size_t lengths[] = { 1, 2, 23, 300 };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
                struct scene scene = { 0 };

                for (size_t n = 0; n < 20000; n++) {
                        char number[24];
                        int size = snprintf(number, sizeof(number), "%zu", n);

                        add_text(&scene, lengths[i] + (size_t)size, 'z');
                        memcpy((char *)(uintptr_t)scene.texts[n].ptr, number, (size_t)size);
                }
                warning_header_write(scene.texts, scene.count, &scene.out);
                assert_true(scene.out.len <= WARNING_BYTES_MAX);
                assert_true(count_texts(&scene) >= 16);
                assert_int_equal(scene.out.data[scene.out.len - 1], '"');
                release(&scene);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_texts),
                cmocka_unit_test(test_long_texts_are_cut),
                cmocka_unit_test(test_characters_stay_whole),
                cmocka_unit_test(test_many_texts),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
