/* The audit trail: lines are chained; what was edited, lost or torn is named (case I3). */
#include "base/util.h"
#include "evict/audit_chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *make_trail(void) {
        struct audit_chain chain = { .actor = "test" };
        struct buf out = { 0 };

        for (int i = 0; i < 4; i++)
                audit_chain_append(&chain,
                                   &(struct audit_record){ .op = SLICE_LITERAL("create"),
                                                           .pod = SLICE_LITERAL("p\"1") },
                                   (struct wall_time){ i * NS_PER_S }, &out);
        buf_char(&out, '\0');
        return buf_take(&out, NULL);
}

static char *line_at(char *trail, int index) {
        for (; index > 0; index--)
                trail = strchr(trail, '\n') + 1;
        return trail;
}

static void keep(char *trail) {
        (void)trail;
}
static void edit_second(char *trail) {
        memcpy(strstr(line_at(trail, 1), "create"), "cancel", 6);
}
static void lose_second(char *trail) {
        char *second = line_at(trail, 1), *third = line_at(trail, 2);

        memmove(second, third, strlen(third) + 1);
}
static void tear_last(char *trail) {
        trail[strlen(trail) - 5] = '\0';
}
static void garble_first(char *trail) {
        trail[0] = '!';
}

static void test_verify(void **state) {
        static const struct {
                void (*change)(char *trail);
                const char *text; /* NULL = intact */
                uint64_t seq;
        } cases[] = {
                { keep, NULL, 4 },
                { edit_second, "the line of seq 2 was changed", 2 },
                { lose_second, "the chain is broken at seq 2", 1 },
                { tear_last, "the line of seq 4 is torn", 3 },
                { garble_first, "line 1 of the audit log is not JSON", 0 },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                struct audit_chain chain = { 0 };
                struct err err = { 0 };
                char *trail = make_trail();
                int code;

                cases[i].change(trail);
                code = audit_chain_verify(&chain, slice_of(trail), &err);
                assert_int_equal(code, cases[i].text ? BERTH_ERR_INVALID : 0);
                assert_string_equal(err.text, cases[i].text ? cases[i].text : "");
                assert_int_equal(chain.seq, cases[i].seq);
                free(trail);
        }
}

/* A chain goes on after a restart as if there had been none. */
static void test_resume(void **state) {
        struct audit_chain chain = { 0 };
        char *trail = make_trail();
        struct buf more = { 0 };

        (void)state;
        buf_text(&more, trail);
        assert_int_equal(audit_chain_verify(&chain, slice_of(trail), NULL), 0);
        audit_chain_append(&chain, &(struct audit_record){ .op = SLICE_LITERAL("evicted") },
                           (struct wall_time){ 0 }, &more);
        chain = (struct audit_chain){ 0 };
        assert_int_equal(audit_chain_verify(&chain, buf_view(&more), NULL), 0);
        assert_int_equal(chain.seq, 5);
        buf_release(&more);
        free(trail);
}

/* What is cut off at the end leaves a chain that is good in itself: the head tells. */
static void test_head(void **state) {
        struct audit_chain whole = { 0 }, chain = { 0 };
        struct audit_head head, other;
        struct err err = { 0 };
        struct buf text = { 0 };
        char name[AUDIT_CHAIN_NAME_SIZE], cut_name[AUDIT_CHAIN_NAME_SIZE];
        char *trail = make_trail();

        (void)state;
        assert_int_equal(audit_chain_verify(&whole, slice_of(trail), NULL), 0);
        audit_head_write(&whole, &text);
        assert_true(audit_head_parse(buf_view(&text), &head));
        assert_int_equal(head.seq, 4);
        assert_int_equal(audit_chain_verify_head(&chain, slice_of(trail), &head, &err), 0);
        audit_chain_name(&chain, name);
        assert_int_equal(strlen(name), 16);

        other = head; /* of line 2: the file may have gone on since */
        other.seq = 2;
        chain = (struct audit_chain){ 0 };
        assert_int_equal(audit_chain_verify_head(&chain, slice_of(trail), &other, &err),
                         BERTH_ERR_INVALID);
        assert_string_equal(err.text, "the line of seq 2 is not the one that was anchored");

        *line_at(trail, 3) = '\0';
        chain = (struct audit_chain){ 0 };
        assert_int_equal(audit_chain_verify(&chain, slice_of(trail), &err), 0);
        audit_chain_name(&chain, cut_name);
        assert_string_equal(cut_name, name);
        chain = (struct audit_chain){ 0 };
        assert_int_equal(audit_chain_verify_head(&chain, slice_of(trail), &head, &err),
                         BERTH_ERR_INVALID);
        assert_string_equal(err.text, "the end is lost: the last line has seq 3, and seq 4 was "
                                      "anchored");
        assert_false(audit_head_parse(SLICE_LITERAL("4"), &head));
        assert_false(audit_head_parse(SLICE_LITERAL("x abc"), &head));
        assert_false(audit_head_parse(SLICE_LITERAL("0 abc"), &head));
        buf_release(&text);
        free(trail);
}

static void test_digest(void **state) {
        static const struct {
                const char *text, *digest; /* FIPS 180-4 examples */
        } cases[] = {
                { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
                { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
                { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
        };

        (void)state;
        for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
                char text[SHA256_TEXT_SIZE];

                sha256_text(slice_of(cases[i].text), text);
                assert_string_equal(text, cases[i].digest);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                { "evict-I3: an edited line is named by its seq", test_verify, NULL, NULL, NULL },
                cmocka_unit_test(test_resume),
                cmocka_unit_test(test_head),
                cmocka_unit_test(test_digest),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
