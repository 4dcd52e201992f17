/* Action lists keep copies of everything. */
#include "model/action.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_ids_run_on(void **state) {
        struct action_list list;
        struct action action = { .kind = ACTION_DELETE_POD };
        (void)state;
        action_list_init(&list);
        for (uint64_t i = 1; i <= 40; i++)
                assert_true(action_list_add(&list, &action) == i);
        action_list_clear(&list);
        assert_int_equal(list.count, 0);
        assert_true(action_list_add(&list, &action) == 41);
        action_list_release(&list);
}

static void test_slices_are_copied(void **state) {
        char text[] = "text";
        struct slice slice = slice_of(text);
        struct object_ref target = { slice, slice, slice, slice };
        const struct action actions[] = {
                { .kind = ACTION_BIND, .target = target, .bind = { .node = slice } },
                { .kind = ACTION_POD_STATUS,
                  .target = target,
                  .status = { .reason = slice, .message = slice, .nomination = slice } },
                { .kind = ACTION_EVICT,
                  .target = target,
                  .evict = { slice, slice, slice, slice, slice, .has_grace = true, .grace_s = 4 } },
                { .kind = ACTION_RECORD_EVENT,
                  .target = target,
                  .event = { true, slice, slice, slice, slice } },
                { .kind = ACTION_PATCH_NODE, .patch = { slice } },
                { .kind = ACTION_NOTIFY, .notify = { slice } },
        };
        struct action_list list;
        (void)state;
        action_list_init(&list);
        for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
                action_list_add(&list, &actions[i]);
        text[0] = 'n';
        assert_true(slice_is(list.items[0].target.uid, "text"));
        assert_true(slice_is(list.items[0].bind.node, "text"));
        assert_true(slice_is(list.items[1].status.nomination, "text"));
        assert_true(slice_is(list.items[2].evict.requested_by, "text"));
        assert_int_equal(list.items[2].evict.grace_s, 4);
        assert_true(slice_is(list.items[3].event.controller, "text"));
        assert_true(slice_is(list.items[4].patch.body, "text"));
        assert_true(slice_is(list.items[5].notify.message, "text"));
        action_list_release(&list);
}

static void test_every_kind_has_a_name(void **state) {
        (void)state;
        for (int kind = 0; kind < ACTION_KIND_COUNT; kind++)
                assert_true(strlen(action_kind_name((enum action_kind)kind)) > 0);
        assert_string_equal(action_kind_name(ACTION_BIND), "bind");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_ids_run_on),
                cmocka_unit_test(test_slices_are_copied),
                cmocka_unit_test(test_every_kind_has_a_name),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
