/* Finds containers that run a program of ours, and reads their command lines as the program does.
 */
#include "cmd/config_manifest.h"

#include "base/name_hint.h"
#include "base/util.h"
#include "cmd/command.h"
#include <ctype.h>
#include <string.h>

/* Where a template of pods is, per kind. */
static const struct {
        const char *kind, *path;
} templates[] = {
        { "Deployment", "spec.template.spec" },
        { "DaemonSet", "spec.template.spec" },
        { "StatefulSet", "spec.template.spec" },
        { "ReplicaSet", "spec.template.spec" },
        { "Job", "spec.template.spec" },
        { "CronJob", "spec.jobTemplate.spec.template.spec" },
        { "Pod", "spec" },
        { "PodTemplate", "template.spec" },
};

static const char *const program_names[] = { "kube-scheduler", "descheduler", "kured", "berth" };

/* One word of a command line, and where it stands. */
struct manifest_word {
        const char *text;
        const char *path; /* below the object's value */
};
struct manifest_line {
        struct config_check *check;
        const struct config_object *object;
        size_t count, cap;
        struct manifest_word *words;
        const struct command *command;
        bool is_part; /* of a patch: what it adds to is not here */
};

/* ---- names ---- */

static const char *known_program(struct slice name) {
        for (size_t i = 0; i < ARRAY_LEN(program_names); i++)
                if (slice_is(name, program_names[i]))
                        return program_names[i];
        return NULL;
}

static struct slice last_part(struct slice path) {
        for (size_t i = path.len; i > 0; i--)
                if (path.ptr[i - 1] == '/')
                        return slice_make(path.ptr + i, path.len - i);
        return path;
}

/* registry:5000/group/name:tag@digest -> name */
static struct slice image_name(struct slice image) {
        struct slice name = last_part(image);

        for (size_t i = 0; i < name.len; i++)
                if (name.ptr[i] == ':' || name.ptr[i] == '@')
                        return slice_make(name.ptr, i);
        return name;
}

/* ---- words ---- */

static void add_word(struct manifest_line *line, struct slice text, const char *path) {
        struct arena *arena = &line->check->arena;

        line->words = arena_grow(arena, line->words, line->count, &line->cap, sizeof(*line->words));
        line->words[line->count++] = (struct manifest_word){ arena_string(arena, text), path };
}

static void add_words(struct manifest_line *line, const struct json *container, const char *where,
                      const char *member) {
        struct json_iter iter = json_iter(json_get(container, member));
        const struct json *item;

        while (json_next(&iter, NULL, &item))
                add_word(line, json_text(item),
                         arena_printf(&line->check->arena, "%s.%s[%zu]", where, member,
                                      iter.index - 1));
}

/* What a variable is set to; a field of the pod stands for its value. */
static struct slice variable_value(const struct json *variable) {
        const struct json *from = json_get(json_get(variable, "valueFrom"), "fieldRef");

        return json_get(variable, "value") ? json_get_text(variable, "value")
                                           : json_get_text(from, "fieldPath");
}

/* KURED_REBOOT_DAYS -> reboot-days; NULL for variables of others. */
static const char *option_of_variable(struct manifest_line *line, struct slice name) {
        const char *prefix = line->command->environment_prefix;

        if (!slice_has_prefix(name, slice_of(prefix)))
                return NULL;
        char *option = arena_string(&line->check->arena, slice_make(name.ptr + strlen(prefix),
                                                                    name.len - strlen(prefix)));
        for (char *c = option; *c; c++)
                *c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
        return option;
}

/* One that is no option is passed over by the program; it may be a misspelt one. */
static void warn_variable(struct manifest_line *line, const char *option, const char *where) {
        struct arena *arena = &line->check->arena;
        struct name_hint hint = name_hint_start(slice_of(option));

        for (const struct option *o = options_expand(line->command->options, arena); o->name; o++)
                if (!o->is_not_in_environment)
                        name_hint_try(&hint, o->name);
        if (!hint.best)
                return;
        char *meant = arena_string(arena, slice_of(hint.best));
        for (char *c = meant; *c; c++)
                *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
        config_check_warn(line->check, line->object, where, "no option; did you mean \"%s%s\"?",
                          line->command->environment_prefix, meant);
}

/* KURED_REBOOT_DAYS -> --reboot-days=VALUE, for options that the command has. */
static void add_variable(struct manifest_line *line, const struct json *variable,
                         const char *where) {
        struct arena *arena = &line->check->arena;
        struct slice value = variable_value(variable);
        const char *option = option_of_variable(line, json_get_text(variable, "name"));
        const struct option *known = options_expand(line->command->options, arena);

        if (!option)
                return;
        while (known->name && (strcmp(known->name, option) != 0 || known->is_not_in_environment))
                known++;
        if (!known->name)
                warn_variable(line, option, arena_printf(arena, "%s.name", where));
        else if (value.len)
                add_word(line,
                         slice_of(arena_printf(arena, "--%s=" SLICE_FMT, option, SLICE_ARG(value))),
                         arena_printf(arena, "%s.value", where));
}

static void add_environment(struct manifest_line *line, const struct json *container,
                            const char *where) {
        struct json_iter iter = json_iter(json_get(container, "env"));
        const struct json *variable;

        if (!line->command->environment_prefix)
                return;
        while (json_next(&iter, NULL, &variable))
                add_variable(
                        line, variable,
                        arena_printf(&line->check->arena, "%s.env[%zu]", where, iter.index - 1));
}

/* ---- checking ---- */

static void drop_word(struct manifest_line *line, size_t at) {
        memmove(&line->words[at], &line->words[at + 1],
                (line->count - at - 1) * sizeof(*line->words));
        line->count--;
}

/* The kubelet puts in what is not known here. */
static bool is_filled_in(const struct manifest_word *word) {
        return strstr(word->text, "$(");
}

static void refuse_word(struct manifest_line *line, size_t at, const struct err *err) {
        const struct manifest_word *word = &line->words[at];

        if (!is_filled_in(word))
                config_check_refuse(line->check, line->object, word->path, "%s", err->text);
}

/* The rest of the command line without the word that was wrong, and without its value. */
static void skip_word(struct manifest_line *line, size_t at) {
        bool has_value = !strchr(line->words[at].text, '=') && at + 1 < line->count &&
                         line->words[at + 1].text[0] != '-' && line->words[at].text[0] == '-';

        drop_word(line, at);
        if (has_value)
                drop_word(line, at);
}

static int parse_line(struct manifest_line *line, struct command_line *ret_parsed,
                      struct err *err) {
        struct arena *arena = &line->check->arena;
        struct option_texts words = { line->count,
                                      ARENA_ARRAY(arena, const char *, line->count + 1) };

        *ret_parsed =
                (struct command_line){ .options = arena_alloc(arena, line->command->options_size),
                                       .parts = line->command->parts };
        for (size_t i = 0; i < line->count; i++)
                words.items[i] = line->words[i].text;
        return options_parse(line->command->options, words, arena, ret_parsed, err);
}

static void check_arguments(struct manifest_line *line, const struct command_line *parsed,
                            const char *where) {
        const struct arguments *given = &parsed->arguments;

        if (given->count > line->command->arguments_max)
                config_check_refuse(line->check, line->object, where, "unexpected argument \"%s\"",
                                    given->items[line->command->arguments_max]);
        else if (given->count < line->command->arguments_min && !line->is_part)
                config_check_refuse(line->check, line->object, where, "expected %s",
                                    line->command->synopsis);
}

/* The last word that gives the option an error is about ("option --NAME: ..."); SIZE_MAX = none. */
static size_t word_of_error(const struct manifest_line *line, const struct err *err) {
        static const char prefix[] = "option ";
        const char *name = err->text + sizeof(prefix) - 1;
        size_t length = strcspn(name, ": ");

        if (strncmp(err->text, prefix, sizeof(prefix) - 1) != 0)
                return SIZE_MAX;
        for (size_t i = line->count; i > 0; i--) {
                const char *text = line->words[i - 1].text;

                if (strncmp(text, name, length) == 0 && (!text[length] || text[length] == '='))
                        return i - 1;
        }
        return SIZE_MAX;
}

/* Every word that is wrong by itself; how many there were. */
static size_t refuse_words(struct manifest_line *line, struct command_line *ret_parsed) {
        struct err err = { 0 };
        size_t count = 0;

        while (parse_line(line, ret_parsed, &err) < 0 && ret_parsed->stopped_at < line->count) {
                refuse_word(line, ret_parsed->stopped_at, &err);
                skip_word(line, ret_parsed->stopped_at);
                count++;
        }
        return count;
}

/* What the command itself says of its options, as often as that is about one of the words. What is
 * missing is only reported where no word was wrong. */
static void refuse_options(struct manifest_line *line, bool is_whole, const char *where) {
        struct arena *arena = &line->check->arena;
        struct command_line parsed;
        struct err err = { 0 };

        while (parse_line(line, &parsed, &err) == 0 && parsed.arguments.count == 0 &&
               line->command->check(parsed.options, arena, &err) < 0) {
                size_t at = word_of_error(line, &err);

                if (at == SIZE_MAX) {
                        if (is_whole)
                                config_check_refuse(line->check, line->object, where, "%s",
                                                    err.text);
                        return;
                }
                refuse_word(line, at, &err);
                skip_word(line, at);
                is_whole = false;
        }
}

/* where: the container's list of arguments. */
static void check_line(struct manifest_line *line, const char *where) {
        struct command_line parsed;
        bool is_whole = refuse_words(line, &parsed) == 0 && !line->is_part;

        check_arguments(line, &parsed, where);
        for (size_t i = 0; i < parsed.warnings.count; i++)
                config_check_warn(line->check, line->object, where, "%s", parsed.warnings.items[i]);
        for (size_t i = 0; i < line->count; i++)
                is_whole &= !is_filled_in(&line->words[i]);
        if (line->command->check)
                refuse_options(line, is_whole, where);
}

/* berth's own command line: the command is its first word. False when there is none. */
static bool take_command(struct manifest_line *line) {
        const struct program *tables = line->check->tables;
        CLEANUP(buf_release) struct buf text = { 0 };

        if (line->count == 0 || line->words[0].text[0] == '-')
                return false;
        line->command = command_find(tables->commands, line->words[0].text);
        if (!line->command) {
                command_unknown_text(tables->commands, line->words[0].text, &text);
                config_check_refuse(line->check, line->object, line->words[0].path, "%s",
                                    text.data);
                return false;
        }
        drop_word(line, 0);
        return true;
}

/* The program that a container runs; NULL = none of ours. A patch may say no more than a name. */
static const char *program_of(const struct config_object *object, const struct json *container) {
        const struct json *command = json_get(container, "command");
        struct slice image = json_get_text(container, "image");
        const char *name = NULL;

        if (json_count(command))
                return known_program(last_part(json_text(json_at(command, 0))));
        if (image.len)
                return known_program(image_name(image));
        name = known_program(json_get_text(container, "name"));
        return name ? name
                    : known_program(json_get_text(json_get(object->value, "metadata"), "name"));
}

static bool check_container(struct config_check *check, const struct config_object *object,
                            const struct json *container, const char *where) {
        struct manifest_line line = { .check = check, .object = object };
        const char *name = program_of(object, container);

        if (!name)
                return false;
        line.is_part = !json_get(container, "image") && !json_get(container, "command");
        line.command = command_standing_in(check->tables, name);
        add_words(&line, container, where, "command");
        if (line.count)
                drop_word(&line, 0);
        add_words(&line, container, where, "args");
        if (line.is_part && line.count == 0)
                return false;
        if (!line.command && !take_command(&line))
                return true;
        add_environment(&line, container, where);
        check_line(&line, arena_printf(&check->arena, "%s.args", where));
        return true;
}

static bool check_containers(struct config_check *check, const struct config_object *object,
                             const char *path, const char *member) {
        const struct json *spec = document_find_path(object->value, path);
        struct json_iter iter = json_iter(json_get(spec, member));
        const struct json *container;
        bool is_ours = false;

        while (json_next(&iter, NULL, &container))
                is_ours |= check_container(
                        check, object, container,
                        arena_printf(&check->arena, "%s.%s[%zu]", path, member, iter.index - 1));
        return is_ours;
}

bool config_manifest_check(struct config_check *check, const struct config_object *object) {
        for (size_t i = 0; i < ARRAY_LEN(templates); i++) {
                if (!slice_is(object->kind, templates[i].kind))
                        continue;
                bool is_ours = check_containers(check, object, templates[i].path, "initContainers");
                return check_containers(check, object, templates[i].path, "containers") || is_ours;
        }
        return false;
}

/* ---- JSON patches ---- */

/* Adds one word, or a list of them. */
static void add_patched(struct manifest_line *line, const struct json *value, const char *where) {
        struct json_iter iter = json_iter(value);
        const struct json *item;

        if (json_type(value) == JSON_STRING)
                add_word(line, json_text(value), where);
        while (json_type(value) == JSON_ARRAY && json_next(&iter, NULL, &item))
                add_word(line, json_text(item),
                         arena_printf(&line->check->arena, "%s[%zu]", where, iter.index - 1));
}

void config_manifest_check_patch(struct config_check *check, const struct config_object *patch,
                                 struct slice target) {
        struct json_iter iter = json_iter(patch->value);
        const char *name = known_program(target);
        const struct json *operation;

        while (name && json_next(&iter, NULL, &operation)) {
                struct manifest_line line = { .check = check,
                                              .object = patch,
                                              .command = command_standing_in(check->tables, name),
                                              .is_part = true };

                if (!line.command ||
                    !slice_contains(json_get_text(operation, "path"), SLICE_LITERAL("/args")))
                        continue;
                const char *where = arena_printf(&check->arena, "[%zu].value", iter.index - 1);
                add_patched(&line, json_get(operation, "value"), where);
                check_line(&line, where);
                check->checked_count++;
        }
}
