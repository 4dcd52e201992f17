/* The defaults that berth config prints: they are right, they are the built-in ones, and what they
 * offer as comments exists. */
#include "cmd/config_default.h"

#include "base/util.h"
#include "cmd/command.h"
#include "cmd/config_check.h"
#include "config/descheduler_policy.h"
#include "config/scheduler_configuration.h"
#include "model/cluster.h"
#include "plugin/sched_profile_list.h"
#include "plugins/sched/registry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void write_default(const char *kind, struct buf *out) {
        assert_true(config_default_write(kind, out));
}

static void check_text(struct slice text, struct config_check *ret_check) {
        config_check_init(ret_check, &program_berth, false);
        config_check_text(ret_check, text, "f");
}

static void config_check_passes_them(void **state) {
        (void)state;
        for (size_t i = 0; config_default_kinds[i]; i++) {
                CLEANUP(buf_release) struct buf text = { 0 }, out = { 0 };
                struct config_check check;

                write_default(config_default_kinds[i], &text);
                check_text(buf_view(&text), &check);
                config_findings_print(&check.findings, &out);
                if (check.checked_count != 1 || check.findings.count)
                        fail_msg("%s: %s", config_default_kinds[i], out.len ? out.data : "");
                config_check_release(&check);
        }
}

/* Takes "# " away where a setting follows. */
static void uncomment(struct slice text, struct buf *out) {
        struct slice line;

        while (slice_split(&text, '\n', &line)) {
                size_t i = 0;

                while (i < line.len && line.ptr[i] == ' ')
                        i++;
                bool is_setting = i + 1 < line.len && line.ptr[i] == '#' && line.ptr[i + 1] == ' ';
                buf_slice(out, slice_make(line.ptr, i));
                i += is_setting ? 2 : 0;
                buf_slice(out, slice_make(line.ptr + i, line.len - i));
                buf_char(out, '\n');
        }
}

static void every_setting_they_offer_exists(void **state) {
        (void)state;
        for (size_t i = 0; config_default_kinds[i]; i++) {
                CLEANUP(buf_release) struct buf text = { 0 }, whole = { 0 }, out = { 0 };
                struct config_check check;

                write_default(config_default_kinds[i], &text);
                uncomment(buf_view(&text), &whole);
                check_text(buf_view(&whole), &check);
                config_findings_print(&check.findings, &out);
                buf_char(&out, '\0');
                if (check.checked_count != 1 || strstr(out.data, "unknown") ||
                    strstr(out.data, "written twice"))
                        fail_msg("%s: %s", config_default_kinds[i], out.data);
                config_check_release(&check);
        }
}

/* ---- equal to what is built in ---- */

static void assert_same_members(const struct field *fields, const void *a, const void *b,
                                const char *const *without) {
        struct json_tree *tree = json_tree_new();
        struct json_node *left = node_object(tree), *right = node_object(tree);
        CLEANUP(buf_release) struct buf left_text = { 0 }, right_text = { 0 };

        fields_encode(tree, left, fields, a);
        fields_encode(tree, right, fields, b);
        for (; without && *without; without++) {
                node_remove(left, *without);
                node_remove(right, *without);
        }
        node_write(left, &left_text);
        node_write(right, &right_text);
        assert_string_equal(left_text.data, right_text.data);
        json_tree_free(tree);
}

static void the_policy_is_the_built_in_one(void **state) {
        static const char empty[] = "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n";
        CLEANUP(buf_release) struct buf text = { 0 };
        struct config_problems *problems = config_problems_new();

        (void)state;
        write_default("DeschedulerPolicy", &text);
        struct descheduler_policy *given =
                descheduler_policy_read(buf_view(&text), "f", false, problems);
        struct descheduler_policy *built_in =
                descheduler_policy_read(SLICE_LITERAL(empty), "g", false, problems);
        assert_int_equal(problems->count, 0);
        assert_same_members(descheduler_policy_fields, given, built_in, NULL);
        descheduler_policy_free(given);
        descheduler_policy_free(built_in);
        config_problems_free(problems);
}

static void assert_same_point(const struct sched_profile *a, const struct sched_profile *b,
                              int point) {
        const struct profile_point *left = &a->points[point], *right = &b->points[point];

        assert_int_equal(left->count, right->count);
        for (size_t i = 0; i < left->count; i++) {
                const struct profile_plugin *one = &a->plugins[left->plugins[i]];
                const struct profile_plugin *other = &b->plugins[right->plugins[i]];

                assert_ptr_equal(one->plugin, other->plugin);
                assert_int_equal(one->weight, other->weight);
        }
}

/* Plugins, their order, weights and arguments. */
static void assert_same_profile(const struct sched_profile *a, const struct sched_profile *b) {
        static const char *const head[] = { "apiVersion", "kind", NULL };

        assert_true(slice_eq(a->scheduler_name, b->scheduler_name));
        assert_int_equal(a->percentage_of_nodes, b->percentage_of_nodes);
        assert_int_equal(a->plugin_count, b->plugin_count);
        for (int point = 0; point < POINT_COUNT; point++)
                assert_same_point(a, b, point);
        for (size_t i = 0; i < a->plugin_count; i++) {
                const struct profile_plugin *plugin = &a->plugins[i];
                const struct profile_plugin *other =
                        sched_profile_find(b, slice_of(plugin->plugin->name));

                assert_non_null(other);
                if (plugin->plugin->args)
                        assert_same_members(plugin->plugin->args, plugin->args, other->args, head);
        }
}

static void build_profiles(const struct scheduler_configuration *configuration,
                           const struct cluster *cluster, uint32_t gates,
                           struct sched_profile_list *ret_profiles) {
        const struct profile_env env = { .registry = sched_registry,
                                         .cluster = cluster,
                                         .gates = gates };
        struct err err = { 0 };

        if (sched_profile_list_init(ret_profiles, configuration, &env, &err) < 0)
                fail_msg("%s: %s", err.path, err.text);
        assert_int_equal(ret_profiles->count, 1);
}

static void the_configuration_is_the_built_in_one(void **state) {
        static const char *const without[] = { "apiVersion", "kind", "profiles", NULL };
        static const uint32_t gates[] = { 0, FEATURE_GROUPS | FEATURE_GANGS | FEATURE_PLACEMENTS };
        CLEANUP(buf_release) struct buf text = { 0 };
        struct config_problems *problems = config_problems_new();
        struct cluster *cluster = cluster_new(&(struct cluster_config){ 0 });

        (void)state;
        write_default("kubeschedulerconfiguration", &text);
        struct scheduler_configuration *given =
                scheduler_configuration_read(buf_view(&text), "f", problems);
        struct scheduler_configuration *built_in = scheduler_configuration_new_default();
        assert_int_equal(problems->count, 0);
        assert_same_members(scheduler_configuration_fields, given, built_in, without);
        for (size_t i = 0; i < ARRAY_LEN(gates); i++) {
                struct sched_profile_list left, right;

                build_profiles(given, cluster, gates[i], &left);
                build_profiles(built_in, cluster, gates[i], &right);
                assert_same_profile(left.items[0], right.items[0]);
                sched_profile_list_release(&left);
                sched_profile_list_release(&right);
        }
        scheduler_configuration_free(given);
        scheduler_configuration_free(built_in);
        cluster_free(cluster);
        config_problems_free(problems);
}

static void other_kinds_are_unknown(void **state) {
        CLEANUP(buf_release) struct buf text = { 0 };

        (void)state;
        assert_false(config_default_write("Deployment", &text));
        assert_int_equal(text.len, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(config_check_passes_them),
                cmocka_unit_test(every_setting_they_offer_exists),
                cmocka_unit_test(the_policy_is_the_built_in_one),
                cmocka_unit_test(the_configuration_is_the_built_in_one),
                cmocka_unit_test(other_kinds_are_unknown),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
