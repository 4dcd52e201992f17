/* Arguments of the plugins of a profile, and where in the configuration a problem is. */
#include "base/name_hint.h"
#include "base/util.h"
#include "plugin/sched_profile_priv.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- places ---- */

static void sched_profile_locate(const struct sched_profile_build *build, struct err *err) {
        const struct document *document = build->env->document;

        if (document)
                document_locate_path(document, document_root(document), err->path, err);
}

static const char *profile_path(const struct sched_profile_build *build) {
        return build->spec->path ? build->spec->path : "";
}

static void write_path(const struct sched_profile_build *build, struct profile_place place,
                       char path[static ERR_PATH_MAX]) {
        const char *head = profile_path(build);
        const char *dot = head[0] ? "." : "";

        if (place.point == SCHED_PROFILE_ITSELF)
                snprintf(path, ERR_PATH_MAX, "%s", head);
        else if (place.index == SIZE_MAX)
                snprintf(path, ERR_PATH_MAX, "%s%splugins.%s", head, dot,
                         sched_point_name((enum sched_point)place.point));
        else
                snprintf(path, ERR_PATH_MAX, "%s%splugins.%s.enabled[%zu].name", head, dot,
                         sched_point_name((enum sched_point)place.point), place.index);
}

void sched_profile_refuse(struct sched_profile_build *build, struct profile_place place,
                          const char *format, ...) {
        char text[ERR_TEXT_MAX];
        struct err err = { 0 };
        va_list args;

        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        err_set(&err, BERTH_ERR_INVALID, "%s", text);
        write_path(build, place, err.path);
        sched_profile_locate(build, &err);
        config_problems_add(build->problems, &err);
}

const char *sched_profile_meant(const struct sched_profile_build *build, struct slice name) {
        struct name_hint hint = name_hint_start(name);

        for (size_t i = 0; build->env->registry[i]; i++)
                name_hint_try(&hint, build->env->registry[i]->name);
        return hint.best ? arena_printf(&build->profile->arena, "; did you mean \"%s\"?", hint.best)
                         : "";
}

/* ---- arguments ---- */

size_t sched_profile_args_index(const struct sched_profile_spec *spec, struct slice name) {
        for (size_t i = 0; i < spec->args_count; i++)
                if (slice_eq(spec->args[i].name, name))
                        return i;
        return SIZE_MAX;
}

/* Arguments name their own kind; a wrong one is an error of decoding. */
static bool check_head(struct field_reader *reader, const struct json *json,
                       const struct plugin *plugin, const struct args_head *head) {
        char wanted[128];
        int length = snprintf(wanted, sizeof(wanted), "%sArgs", plugin->name);

        assert(length > 0 && (size_t)length < sizeof(wanted));
        if (head->kind.len > 0 && !slice_is(head->kind, wanted)) {
                field_problem(reader, json_get(json, "kind"), "kind",
                              "args for plugin %s were not of type %s", plugin->name, wanted);
                return false;
        }
        if (head->api_version.len > 0 &&
            !slice_is(head->api_version, "kubescheduler.config.k8s.io/v1")) {
                field_problem(reader, json_get(json, "apiVersion"), "apiVersion",
                              "expected kubescheduler.config.k8s.io/v1");
                return false;
        }
        return true;
}

/* Each problem says whose arguments they are. */
static void take_problems(struct sched_profile_build *build, const struct plugin *plugin,
                          const struct config_problems *found) {
        for (size_t i = 0; i < found->count && i < CONFIG_PROBLEMS_MAX; i++) {
                struct err err = found->items[i];

                err_wrap(&err, "args for plugin %s", plugin->name);
                config_problems_add(build->problems, &err);
        }
}

static void write_args_path(const struct sched_profile_build *build, size_t index,
                            char path[static ERR_PATH_MAX]) {
        const char *head = profile_path(build);

        path[0] = '\0';
        if (index != SIZE_MAX)
                snprintf(path, ERR_PATH_MAX, "%s%spluginConfig[%zu].args", head, head[0] ? "." : "",
                         index);
}

void *sched_profile_args(struct sched_profile_build *build, const struct plugin *plugin) {
        size_t index = sched_profile_args_index(build->spec, slice_of(plugin->name));
        const struct json *json = index == SIZE_MAX ? NULL : build->spec->args[index].args;
        struct config_problems *found = config_problems_new();
        struct field_reader reader = {
                .document = build->env->document,
                .arena = &build->profile->arena,
                .problems = found,
                .unknown = UNKNOWN_IS_ERROR,
        };
        void *args = arena_alloc(&build->profile->arena, plugin->args_size);

        write_args_path(build, index, reader.path);
        if (fields_decode(&reader, plugin->args, json, args) &&
            check_head(&reader, json, plugin, args) && plugin->check)
                plugin->check(&reader, json, args);
        take_problems(build, plugin, found);
        bool is_good = found->count == 0;
        config_problems_free(found);
        return is_good ? args : NULL;
}

void sched_profile_refuse_args(struct sched_profile_build *build, const struct plugin *plugin,
                               const char *text) {
        struct err err = { 0 };

        err_set(&err, BERTH_ERR_INVALID, "initializing plugin \"%s\": %s", plugin->name, text);
        write_args_path(build, sched_profile_args_index(build->spec, slice_of(plugin->name)),
                        err.path);
        sched_profile_locate(build, &err);
        config_problems_add(build->problems, &err);
}

/* A name that stands at path + ".name". */
static void warn_unknown_name(struct sched_profile_build *build, const char *path,
                              struct slice name) {
        struct field_reader reader = { .document = build->env->document,
                                       .problems = build->problems };
        const struct json *where = NULL;

        snprintf(reader.path, sizeof(reader.path), "%s", path);
        if (reader.document)
                where = document_find_path(document_root(reader.document), path);
        field_warning(&reader, json_get(where, "name"), "name",
                      "plugin \"" SLICE_FMT "\" does not exist%s", SLICE_ARG(name),
                      sched_profile_meant(build, name));
}

void sched_profile_warn_unknown(struct sched_profile_build *build, size_t args_index) {
        char path[ERR_PATH_MAX];

        write_args_path(build, args_index, path);
        path[strlen(path) - strlen(".args")] = '\0';
        warn_unknown_name(build, path, build->spec->args[args_index].name);
}

static void warn_disabled(struct sched_profile_build *build, enum sched_point point) {
        const struct plugin_set *set = &build->spec->sets[point];
        const char *head = profile_path(build);
        char path[ERR_PATH_MAX];

        for (size_t i = 0; i < set->disabled_count; i++) {
                struct slice name = set->disabled[i];

                if (slice_is(name, "*") || plugin_find(build->env->registry, name))
                        continue;
                snprintf(path, sizeof(path), "%s%splugins.%s.disabled[%zu]", head,
                         head[0] ? "." : "", sched_point_name(point), i);
                warn_unknown_name(build, path, name);
        }
}

void sched_profile_warn_disabled(struct sched_profile_build *build) {
        for (int point = 0; point <= POINT_MULTI; point++)
                warn_disabled(build, (enum sched_point)point);
}
