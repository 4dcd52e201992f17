/* Defaults from field tables: what each kind adds to its own. */
#include "cmd/config_default.h"

#include "base/util.h"
#include "cmd/config_default_schema.h"
#include "cmd/feature_gates.h"
#include "cmd/scenario.h"
#include "config/descheduler_policy.h"
#include "config/field_template.h"
#include "config/scheduler_configuration.h"
#include "plugin/desched_points.h"
#include "plugin/sched_profile.h"
#include "plugins/desched/registry.h"
#include "plugins/sched/registry.h"
#include <string.h>
#include <strings.h>

static bool is_named(const struct field *field, const char *name) {
        return strcmp(field->name, name) == 0;
}

/* apiVersion and kind of the file: their help is what they must be. */
static bool write_head(struct field_template *template, const struct field *field) {
        if (template->depth != 1 || (!is_named(field, "apiVersion") && !is_named(field, "kind")))
                return false;
        field_template_setting(template, "%s: %s", field->name, field->help);
        return true;
}

/* ---- arguments of plugins ---- */

struct default_args {
        const struct plugin *plugin;
        unsigned depth; /* of its table */
};

/* Those of the scheduler's plugins say what they are. */
static bool write_args_head(struct field_template *template, const struct field *field) {
        const struct default_args *args = template->context;

        if (template->depth != args->depth || !args->plugin->sched)
                return false;
        if (is_named(field, "apiVersion"))
                field_template_setting(template, "apiVersion: kubescheduler.config.k8s.io/v1");
        else if (is_named(field, "kind"))
                field_template_setting(template, "kind: %sArgs", args->plugin->name);
        else
                return false;
        return true;
}

static void write_args(struct field_template *template, const struct plugin *plugin) {
        struct default_args args = { plugin, template->depth + 1 };
        struct field_template inner = *template;

        inner.special = write_args_head;
        inner.context = &args;
        inner.begins_item = true;
        inner.indent += 2;
        field_template_setting(&inner, "name: %s", plugin->name);
        field_template_setting(&inner, "args:");
        inner.indent += 2;
        field_template_table(&inner, plugin->args);
}

/* Each plugin that takes arguments. */
static void write_plugin_config(struct field_template *template, const struct field *field,
                                const struct plugin *const *registry) {
        field_template_about(template, field);
        field_template_setting(template, "%s:", field->name);
        for (size_t i = 0; registry[i]; i++)
                if (registry[i]->args)
                        write_args(template, registry[i]);
}

/* ---- KubeSchedulerConfiguration ---- */

static const char *gate_name(uint32_t bit) {
        const struct feature_gate_entry *gate = scheduler_feature_gates;

        while (gate->name && (gate->bit != bit || gate->is_group))
                gate++;
        return gate->name;
}

static void write_default_plugin(struct field_template *template,
                                 const struct sched_default *plugin) {
        unsigned comment = template->comment;

        if (plugin->gate) {
                field_template_text(template, "With feature gate %s:", gate_name(plugin->gate));
                comment = field_template_suspend(template);
        }
        if (plugin->weight)
                field_template_setting(template, "- {name: " SLICE_FMT ", weight: %d}",
                                       SLICE_ARG(plugin->name), (int)plugin->weight);
        else
                field_template_setting(template, "- name: " SLICE_FMT, SLICE_ARG(plugin->name));
        field_template_resume(template, comment);
}

static void write_default_plugins(struct field_template *template, const struct field *field) {
        field_template_about(template, field);
        field_template_setting(template, "%s:", field->name);
        template->indent += 2;
        field_template_text(template, "The default plugins. They are there also when they are not "
                                      "named: disabled takes one out.");
        field_template_setting(template, "enabled:");
        for (const struct sched_default *plugin = sched_defaults; plugin->name.len; plugin++)
                write_default_plugin(template, plugin);
        template->indent -= 2;
}

/* All points have the same fields, which the first one shows. */
static bool write_other_point(struct field_template *template, const struct field *field) {
        if (template->depth != 3 || is_named(field, "preEnqueue") ||
            strcmp((const char *)template->context, "plugins") != 0)
                return false;
        field_template_about(template, field);
        unsigned comment = field_template_suspend(template);
        field_template_setting(template, "%s: {}", field->name);
        field_template_resume(template, comment);
        return true;
}

static bool special_scheduler(struct field_template *template, const struct field *field) {
        if (write_head(template, field))
                return true;
        if (template->depth == 3 && is_named(field, "multiPoint")) {
                write_default_plugins(template, field);
        } else if (template->depth == 2 && is_named(field, "pluginConfig")) {
                write_plugin_config(template, field, sched_registry);
        } else if (template->depth == 2 && is_named(field, "schedulerName")) {
                field_template_about(template, field);
                field_template_setting(template, "schedulerName: %s", SCHEDULER_NAME_DEFAULT);
        } else if ((template->depth == 1 && is_named(field, "profiles")) ||
                   (template->depth == 2 && is_named(field, "plugins"))) {
                field_template_about(template, field);
                template->context = field->name;
                field_template_rows(template, field);
                template->context = "";
        } else {
                return write_other_point(template, field);
        }
        return true;
}

static void write_scheduler(struct field_template *template) {
        template->special = special_scheduler;
        template->context = "";
        field_template_table(template, scheduler_configuration_fields);
}

/* ---- DeschedulerPolicy ---- */

static bool takes_part(const struct plugin *plugin, const char *point) {
        const struct desched_points *points = plugin->desched;

        return points && ((strcmp(point, "deschedule") == 0 && points->deschedule) ||
                          (strcmp(point, "balance") == 0 && points->balance) ||
                          (strcmp(point, "filter") == 0 && points->filter) ||
                          (strcmp(point, "preevictionfilter") == 0 && points->pre_eviction_filter));
}

/* A point of a profile, with the plugins that may be enabled there. */
static bool write_point(struct field_template *template, const struct field *field) {
        CLEANUP(buf_release) struct buf names = { 0 };

        for (size_t i = 0; desched_registry[i]; i++)
                if (takes_part(desched_registry[i], field->name))
                        buf_printf(&names, "%s%s", names.len ? ", " : "",
                                   desched_registry[i]->name);
        if (!names.len)
                return false;
        field_template_about(template, field);
        field_template_text(template, "There are: %s.", names.data);
        field_template_rows(template, field);
        return true;
}

static bool special_policy(struct field_template *template, const struct field *field) {
        if (write_head(template, field))
                return true;
        if (template->depth == 3 && write_point(template, field))
                return true;
        if (template->depth != 2 || !is_named(field, "pluginConfig"))
                return false;
        write_plugin_config(template, field, desched_registry);
        return true;
}

static void write_policy(struct field_template *template) {
        template->special = special_policy;
        field_template_table(template, descheduler_policy_fields);
}

/* ---- Scenario ---- */

static bool special_scenario(struct field_template *template, const struct field *field) {
        if (write_head(template, field))
                return true;
        if (template->depth != 2 || !is_named(field, "after"))
                return false;
        field_template_about(template, field);
        field_template_setting(template, "after: 0s");
        return true;
}

static void write_scenario(struct field_template *template) {
        template->special = special_scenario;
        field_template_table(template, scenario_fields);
}

/* ---- kinds ---- */

/* write NULL: by the schema of its definition. */
static void (*const writers[])(struct field_template *template) = {
        write_scheduler, write_policy, NULL, NULL, NULL, write_scenario,
};
const char *const config_default_kinds[] = {
        "KubeSchedulerConfiguration",
        "DeschedulerPolicy",
        "EvictionPolicy",
        "EvictionRequest",
        "Eviction",
        "Scenario",
        NULL,
};

bool config_default_write(const char *kind, struct buf *out) {
        struct field_template template = field_template_start(out);
        size_t i = 0;

        while (config_default_kinds[i] && strcasecmp(config_default_kinds[i], kind) != 0)
                i++;
        if (!config_default_kinds[i])
                return false;
        field_template_text(&template, "%s of berth " BERTH_VERSION ", with its defaults.",
                            config_default_kinds[i]);
        field_template_text(&template, "Lines that begin with \"# \" are settings without a "
                                       "default, with a value of their type.");
        if (writers[i])
                writers[i](&template);
        else
                config_default_schema(&template, config_default_kinds[i]);
        return true;
}
