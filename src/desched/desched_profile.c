/* Building profiles of the descheduler. */
#include "desched/desched_profile.h"
#include "base/name_hint.h"
#include "base/util.h"
#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_EVICTOR "DefaultEvictor"

static const char *const point_names[DESCHED_POINT_COUNT] = {
        [DESCHED_DESCHEDULE] = "deschedule",
        [DESCHED_BALANCE] = "balance",
        [DESCHED_FILTER] = "filter",
        [DESCHED_PRE_EVICTION_FILTER] = "preevictionfilter",
};

struct desched_profile_build {
        const struct desched_profile_env *env;
        const struct desched_profile_spec *spec;
        struct desched_profile *profile;
        void **args; /* decoded, by index of spec->plugins; NULL where wrong or repeated */
        bool is_good;
};

/* ---- problems ---- */

static struct field_reader reader_at(const struct desched_profile_build *build, const char *format,
                                     ...) __attribute__((format(printf, 2, 3)));
static struct field_reader reader_at(const struct desched_profile_build *build, const char *format,
                                     ...) {
        struct field_reader reader = {
                .document = build->env->document,
                .arena = &build->profile->arena,
                .problems = build->env->problems,
                .unknown = UNKNOWN_IS_ERROR,
                .context = (void *)&build->env->plugin,
        };
        int length = snprintf(reader.path, sizeof(reader.path), "%s.", build->env->path);
        va_list args;
        va_start(args, format);
        if (length > 0 && (size_t)length < sizeof(reader.path))
                vsnprintf(reader.path + length, sizeof(reader.path) - (size_t)length, format, args);
        va_end(args);
        return reader;
}

/* ---- arguments ---- */

/* Arguments may carry the usual head, whatever it says. */
struct args_tail {
        struct slice api_version, kind;
};

static const struct field *with_head(struct arena *arena, const struct plugin *plugin,
                                     size_t *ret_size) {
        size_t count = 0;
        while (plugin->args && plugin->args[count].name)
                count++;
        size_t align = _Alignof(max_align_t);
        size_t tail = (plugin->args_size + align - 1) / align * align;
        struct field *fields = ARENA_ARRAY(arena, struct field, count + 3);
        if (count > 0)
                memcpy(fields, plugin->args, count * sizeof(*fields));
        fields[count] = (struct field){ .name = "apiVersion",
                                        .type = FIELD_TEXT,
                                        .offset = tail + offsetof(struct args_tail, api_version),
                                        .presence = FIELD_NO_PRESENCE };
        fields[count + 1] = (struct field){ .name = "kind",
                                            .type = FIELD_TEXT,
                                            .offset = tail + offsetof(struct args_tail, kind),
                                            .presence = FIELD_NO_PRESENCE };
        *ret_size = tail + sizeof(struct args_tail);
        return fields;
}

static void *decode_args(struct desched_profile_build *build, const struct plugin *plugin,
                         const struct json *value, const char *where) {
        struct arena *arena = &build->profile->arena;
        size_t size;
        const struct field *fields = with_head(arena, plugin, &size);
        void *args = arena_alloc(arena, size);
        struct field_reader reader = reader_at(build, "%s", where);
        bool is_good = fields_decode(&reader, fields, value, args);
        size_t before = build->env->problems->count;
        if (is_good && plugin->check)
                plugin->check(&reader, value, args);
        is_good &= build->env->problems->count == before;
        build->is_good &= is_good;
        return is_good ? args : NULL;
}

static const char *nearest_plugin(const struct desched_profile_build *build, struct slice name) {
        struct name_hint hint = name_hint_start(name);
        for (size_t i = 0; build->env->registry[i]; i++)
                name_hint_try(&hint, build->env->registry[i]->name);
        return hint.best;
}

/* "is not known; did you mean "PodLifeTime"?", in the arena. */
static const char *unknown_text(const struct desched_profile_build *build, struct slice name) {
        const char *meant = nearest_plugin(build, name);
        return meant ? arena_printf(&build->profile->arena, "is not known; did you mean \"%s\"?",
                                    meant)
                     : "is not known";
}

static size_t find_spec(const struct desched_profile_build *build, struct slice name) {
        for (size_t i = 0; i < build->spec->plugin_count; i++)
                if (slice_eq(build->spec->plugins[i].name, name))
                        return i;
        return SIZE_MAX;
}

static const struct json *config_name(const struct desched_profile_build *build, size_t index) {
        return json_get(json_at(json_get(build->env->value, "pluginConfig"), index), "name");
}

/* Every entry is checked, enabled or not; of repeated ones the first counts. */
static void read_args(struct desched_profile_build *build) {
        const struct desched_profile_spec *spec = build->spec;
        build->args = ARENA_ARRAY(&build->profile->arena, void *, spec->plugin_count);
        for (size_t i = 0; i < spec->plugin_count; i++) {
                const struct plugin *plugin =
                        plugin_find(build->env->registry, spec->plugins[i].name);
                char where[64];
                snprintf(where, sizeof(where), "pluginConfig[%zu]", i);
                if (!plugin) {
                        struct field_reader reader = reader_at(build, "%s", where);
                        field_problem(&reader, config_name(build, i), "name",
                                      "plugin \"" SLICE_FMT "\" %s",
                                      SLICE_ARG(spec->plugins[i].name),
                                      unknown_text(build, spec->plugins[i].name));
                        build->is_good = false;
                        continue;
                }
                snprintf(where, sizeof(where), "pluginConfig[%zu].args", i);
                build->args[i] = decode_args(build, plugin, spec->plugins[i].args, where);
        }
}

/* ---- instances ---- */

static bool takes_part(const struct plugin *plugin, enum desched_point point) {
        const struct desched_points *points = plugin->desched;
        if (!points)
                return false;
        switch (point) {
        case DESCHED_DESCHEDULE:
                return points->deschedule;
        case DESCHED_BALANCE:
                return points->balance;
        case DESCHED_FILTER:
                return points->filter;
        case DESCHED_PRE_EVICTION_FILTER:
                return points->pre_eviction_filter;
        case DESCHED_POINT_COUNT:
                break;
        }
        return false;
}

static const struct desched_instance *find_instance(const struct desched_profile *profile,
                                                    const struct plugin *plugin) {
        for (size_t i = 0; i < profile->instance_count; i++)
                if (profile->instances[i].plugin == plugin)
                        return &profile->instances[i];
        return NULL;
}

/* A plugin named at an extension point; value is where, for positions. */
struct mention {
        enum desched_point point;
        struct slice name;
        const struct json *value;
};

static void desched_profile_complain(struct desched_profile_build *build,
                                     const struct mention *mention, const char *text) {
        struct field_reader reader = reader_at(build, "plugins.%s", point_names[mention->point]);
        field_problem(&reader, mention->value, "enabled", "plugin \"" SLICE_FMT "\" %s",
                      SLICE_ARG(mention->name), text);
        build->is_good = false;
}

static const struct desched_instance *make_instance(struct desched_profile_build *build,
                                                    const struct plugin *plugin, void *args,
                                                    const struct mention *mention) {
        struct desched_profile *profile = build->profile;
        void *state = args;
        struct err err = { 0 };
        if (plugin->init && plugin->init(&build->env->plugin, args, &state, &err) < 0) {
                size_t index = find_spec(build, mention->name);
                if (index == SIZE_MAX) {
                        desched_profile_complain(build, mention, err.text);
                        return NULL;
                }
                struct field_reader reader = reader_at(build, "pluginConfig[%zu].args", index);
                field_problem(&reader, config_name(build, index), NULL, "%s", err.text);
                build->is_good = false;
                build->args[index] = NULL; /* said once */
                return NULL;
        }
        struct desched_instance *instance = &profile->instances[profile->instance_count++];
        *instance = (struct desched_instance){ plugin, state };
        return instance;
}

/* Where it does take part. */
static const char *misplaced_text(const struct desched_profile_build *build,
                                  const struct plugin *plugin) {
        for (size_t i = 0; i < DESCHED_POINT_COUNT; i++)
                if (takes_part(plugin, (enum desched_point)i))
                        return arena_printf(&build->profile->arena,
                                            "does not take part here, but in plugins.%s",
                                            point_names[i]);
        return "does not take part here";
}

/* The instance of an enabled plugin; NULL when something is wrong with it. */
static const struct desched_instance *need_instance(struct desched_profile_build *build,
                                                    const struct mention *mention) {
        const struct plugin *plugin = plugin_find(build->env->registry, mention->name);
        if (!plugin || !takes_part(plugin, mention->point)) {
                desched_profile_complain(build, mention,
                                         plugin ? misplaced_text(build, plugin)
                                                : unknown_text(build, mention->name));
                return NULL;
        }
        const struct desched_instance *instance = find_instance(build->profile, plugin);
        if (instance)
                return instance;
        size_t index = find_spec(build, mention->name);
        void *args = NULL;
        if (index != SIZE_MAX)
                args = build->args[index];
        else if (slice_is(mention->name, DEFAULT_EVICTOR))
                args = decode_args(build, plugin, NULL, "pluginConfig");
        else
                desched_profile_complain(build, mention,
                                         "has no entry in pluginConfig: add one with its name; "
                                         "args may be left out");
        return args ? make_instance(build, plugin, args, mention) : NULL;
}

static bool has_name(const struct text_list *list, const char *name) {
        for (size_t i = 0; i < list->count; i++)
                if (slice_is(list->items[i], name))
                        return true;
        return false;
}

/* The evictor takes part in both filters whether it is named or not. */
static void fill_point(struct desched_profile_build *build, enum desched_point point) {
        const struct text_list *enabled = &build->spec->enabled[point];
        struct desched_instance *items =
                ARENA_ARRAY(&build->profile->arena, struct desched_instance, enabled->count + 1);
        size_t count = 0;
        const struct json *written = json_get(
                json_get(json_get(build->env->value, "plugins"), point_names[point]), "enabled");
        struct mention mention = { .point = point, .name = SLICE_LITERAL(DEFAULT_EVICTOR) };
        bool is_filter = point == DESCHED_FILTER || point == DESCHED_PRE_EVICTION_FILTER;
        const struct desched_instance *instance;
        if (is_filter && !has_name(enabled, DEFAULT_EVICTOR) &&
            (instance = need_instance(build, &mention)))
                items[count++] = *instance;
        for (size_t i = 0; i < enabled->count; i++) {
                mention.name = enabled->items[i];
                mention.value = json_at(written, i);
                if ((instance = need_instance(build, &mention)))
                        items[count++] = *instance;
        }
        build->profile->points[point] = (struct desched_list){ count, items };
}

struct desched_profile *desched_profile_new(const struct desched_profile_spec *spec,
                                            const struct desched_profile_env *env) {
        struct desched_profile *profile = xcalloc(1, sizeof(*profile));
        arena_init(&profile->arena, 4096);
        profile->name = spec->name;
        size_t most = 1;
        for (size_t i = 0; i < DESCHED_POINT_COUNT; i++)
                most += spec->enabled[i].count;
        profile->instances = ARENA_ARRAY(&profile->arena, struct desched_instance, most);
        struct desched_profile_build build = {
                .env = env, .spec = spec, .profile = profile, .is_good = true
        };
        read_args(&build);
        for (size_t i = 0; i < DESCHED_POINT_COUNT; i++)
                fill_point(&build, (enum desched_point)i);
        if (build.is_good)
                return profile;
        desched_profile_free(profile);
        return NULL;
}

void desched_profile_free(struct desched_profile *profile) {
        if (!profile)
                return;
        for (size_t i = 0; i < profile->instance_count; i++)
                if (profile->instances[i].plugin->fini)
                        profile->instances[i].plugin->fini((void *)profile->instances[i].state);
        arena_release(&profile->arena);
        free(profile);
}
