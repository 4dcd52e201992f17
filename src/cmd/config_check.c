/* Files down to objects, and what each kind is checked by. */
#include "cmd/config_check.h"

#include "base/name_hint.h"
#include "base/util.h"
#include "cmd/config_manifest.h"
#include "cmd/config_served.h"
#include "cmd/config_version.h"
#include "cmd/scenario.h"
#include "control/control_resources.h"
#include "loop/file_text.h"
#include "loop/input_files.h"
#include "roles/role_config.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NESTING_MAX 8 /* of lists, and of kustomizations */

void config_check_init(struct config_check *check, const struct program *tables, bool is_parity) {
        *check = (struct config_check){ .tables = tables, .is_parity = is_parity };
        arena_init(&check->arena, 0);
}

void config_check_release(struct config_check *check) {
        config_findings_release(&check->findings);
        config_served_free(check->served);
        arena_release(&check->arena);
}

/* ---- what the roles read ---- */

typedef void read_document(struct role_config *config, struct document *document,
                           struct config_problems *problems);

/* As a role would read it. */
static void check_document(struct config_check *check, const struct config_object *object,
                           read_document *read) {
        struct config_problems *problems = config_problems_new();
        struct role_config config = { .is_parity = check->is_parity };

        arena_init(&config.arena, 0);
        read(&config, document_part(object->document, object->value), problems);
        config_findings_take(&check->findings, problems, object->path);
        role_config_release(&config);
        config_problems_free(problems);
}

/* A version that programs once read, which they refuse now. */
static bool refuse_old_version(struct config_check *check, const struct config_object *object) {
        const struct config_version *version =
                config_version_find(object->kind, object->api_version);

        if (!version || version->is_newest)
                return false;
        config_check_refuse(check, object, "apiVersion",
                            "%s is not read any more; berth config migrate makes it the version "
                            "that is",
                            version->version);
        return true;
}

static bool check_scheduler(struct config_check *check, const struct config_object *object) {
        if (!refuse_old_version(check, object))
                check_document(check, object, role_config_check_scheduler);
        return true;
}

static bool check_policy(struct config_check *check, const struct config_object *object) {
        if (!refuse_old_version(check, object))
                check_document(check, object, role_config_check_policy);
        return true;
}

static bool check_scenario(struct config_check *check, const struct config_object *object) {
        struct field_reader reader = { .document = object->document,
                                       .arena = &check->arena,
                                       .problems = config_problems_new() };
        struct scenario scenario;

        scenario_decode(&reader, object->value, &scenario);
        config_findings_take(&check->findings, reader.problems, object->path);
        config_problems_free(reader.problems);
        return true;
}

/* ---- files inside of files ---- */

/* Whether text is a file that a role reads. */
static bool is_configuration(struct slice text) {
        return slice_contains(text, SLICE_LITERAL("kubescheduler.config.k8s.io/")) ||
               slice_contains(text, SLICE_LITERAL("descheduler/v1")) ||
               slice_contains(text, SLICE_LITERAL("DeschedulerPolicy"));
}

/* A ConfigMap's file; lines count from its first, as the program sees it. */
static bool check_config_map(struct config_check *check, const struct config_object *object) {
        struct slice name = json_get_text(json_get(object->value, "metadata"), "name");
        struct json_iter iter = json_iter(json_get(object->value, "data"));
        const struct json *member;
        bool is_checked = false;
        struct slice key;

        while (json_next(&iter, &key, &member)) {
                if (!is_configuration(json_text(member)))
                        continue;
                config_check_text(check, json_text(member),
                                  arena_printf(&check->arena,
                                               "%s (ConfigMap " SLICE_FMT ", " SLICE_FMT ")",
                                               document_file(object->document), SLICE_ARG(name),
                                               SLICE_ARG(key)));
                is_checked = true;
        }
        return is_checked;
}

/* ---- kustomizations ---- */

static const char *const kustomization_names[] = { "kustomization.yaml", "kustomization.yml",
                                                   "Kustomization", NULL };

/* By its name, as it need not say what it is. */
static bool is_kustomization(const char *file) {
        const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

        for (size_t i = 0; kustomization_names[i]; i++)
                if (strcmp(name, kustomization_names[i]) == 0)
                        return true;
        return false;
}

/* The file that a kustomization names, relative to its own. */
static const char *path_beside(struct config_check *check, const struct config_object *object,
                               struct slice name) {
        const char *file = document_file(object->document), *slash = strrchr(file, '/');

        return arena_printf(&check->arena, "%.*s" SLICE_FMT, slash ? (int)(slash - file) + 1 : 0,
                            file, SLICE_ARG(name));
}

static bool is_remote(struct slice name) {
        return slice_contains(name, SLICE_LITERAL("://")) ||
               slice_has_prefix(name, SLICE_LITERAL("github.com/"));
}

static void check_named(struct config_check *check, const struct config_object *object,
                        struct slice name) {
        if (name.len && !is_remote(name))
                config_check_path(check, path_beside(check, object, name));
}

static void check_resources(struct config_check *check, const struct config_object *object,
                            const char *member) {
        struct json_iter iter = json_iter(json_get(object->value, member));
        const struct json *item;

        while (json_next(&iter, NULL, &item))
                check_named(check, object, json_text(item));
}

/* A patch's text: operations of a JSON patch, or a part of an object. */
static void check_patch_text(struct config_check *check, const struct json *patch,
                             struct slice text, const char *file) {
        struct slice target = json_get_text(json_get(patch, "target"), "name");
        struct document *document = NULL;
        struct err err = { 0 };

        if (document_read(text, file, &document, &err) < 0) {
                config_findings_add(&check->findings, &err, false);
                return;
        }
        if (json_type(document_root(document)) == JSON_ARRAY)
                config_manifest_check_patch(
                        check,
                        &(struct config_object){ .document = document,
                                                 .value = document_root(document),
                                                 .path = "" },
                        target);
        else
                config_check_text(check, text, file);
        document_free(document);
}

static void check_patches(struct config_check *check, const struct config_object *object) {
        struct json_iter iter = json_iter(json_get(object->value, "patches"));
        CLEANUP(buf_release) struct buf text = { 0 };
        const struct json *patch;

        while (json_next(&iter, NULL, &patch)) {
                struct slice inner = json_get_text(patch, "patch");
                struct slice name = json_get_text(patch, "path");
                const char *file =
                        name.len ? path_beside(check, object, name)
                                 : arena_printf(&check->arena, "%s (patches[%zu])",
                                                document_file(object->document), iter.index - 1);
                struct err err = { 0 };

                buf_clear(&text);
                if (name.len && file_text_read(file, &text, &err) < 0) {
                        config_findings_add(&check->findings, &err, false);
                        continue;
                }
                check_patch_text(check, patch, name.len ? buf_view(&text) : inner, file);
        }
}

static bool check_kustomization(struct config_check *check, const struct config_object *object) {
        if (check->nesting == NESTING_MAX) {
                config_check_refuse(check, object, "", "kustomizations nested too deep");
                return true;
        }
        check->nesting++;
        check_resources(check, object, "resources");
        check_resources(check, object, "bases");
        check_resources(check, object, "components");
        check_resources(check, object, "patchesStrategicMerge");
        check_patches(check, object);
        check->nesting--;
        return true;
}

/* ---- kinds ---- */

static const struct {
        const char *group, *kind; /* kind NULL: each of the group */
        bool (*check)(struct config_check *check, const struct config_object *object);
} kinds[] = {
        { "kubescheduler.config.k8s.io", "KubeSchedulerConfiguration", check_scheduler },
        { "descheduler", "DeschedulerPolicy", check_policy },
        { "lifecycle.berth.dev", NULL, config_served_check },
        { NULL, "Scenario", check_scenario },
        { "", "ConfigMap", check_config_map },
        { "kustomize.config.k8s.io", NULL, check_kustomization },
        { "", "Kustomization", check_kustomization },
};

static bool is_kind(const struct config_object *object, size_t row) {
        struct slice group = api_version_group(object->api_version);

        if (!kinds[row].group)
                return slice_is(object->kind, kinds[row].kind) &&
                       slice_is(object->api_version, SCENARIO_API_VERSION);
        if (kinds[row].group[0] && slice_is(group, kinds[row].group))
                return true;
        return kinds[row].kind && slice_is(object->kind, kinds[row].kind) &&
               (kinds[row].group[0] || group.len == 0);
}

/* A kind that looks like one of berth's. */
static bool refuse_similar(struct config_check *check, const struct config_object *object) {
        struct name_hint hint = name_hint_start(object->kind);

        for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
                if (kinds[i].kind)
                        name_hint_try(&hint, kinds[i].kind);
        name_hint_try(&hint, "EvictionPolicy");
        name_hint_try(&hint, "EvictionRequest");
        if (!hint.best || hint.steps == 0)
                return false;
        config_check_refuse(check, object, "kind", "unknown kind; did you mean \"%s\"?", hint.best);
        return true;
}

static void check_object(struct config_check *check, const struct config_object *object) {
        bool is_checked = false;
        size_t row = 0;

        while (row < ARRAY_LEN(kinds) && !is_kind(object, row))
                row++;
        if (row < ARRAY_LEN(kinds))
                is_checked = kinds[row].check(check, object);
        else
                is_checked = refuse_similar(check, object) || config_manifest_check(check, object);
        check->checked_count += is_checked ? 1 : 0;
        check->skipped_count += is_checked ? 0 : 1;
}

static void check_value(struct config_check *check, const struct config_object *object,
                        unsigned depth);

static void check_items(struct config_check *check, const struct config_object *list,
                        unsigned depth) {
        struct json_iter iter = json_iter(json_get(list->value, "items"));
        struct config_object item = { .document = list->document };

        while (json_next(&iter, NULL, &item.value)) {
                item.path = arena_printf(&check->arena, "%s%sitems[%zu]", list->path,
                                         *list->path ? "." : "", iter.index - 1);
                check_value(check, &item, depth + 1);
        }
}

static void check_value(struct config_check *check, const struct config_object *object,
                        unsigned depth) {
        struct config_object self = *object;

        self.api_version = json_get_text(self.value, "apiVersion");
        self.kind = json_get_text(self.value, "kind");
        if (json_type(self.value) == JSON_OBJECT && !self.kind.len && !*self.path &&
            is_kustomization(document_file(self.document)))
                self.kind = SLICE_LITERAL("Kustomization");
        if (json_type(self.value) != JSON_OBJECT || (!self.api_version.len && !self.kind.len))
                config_check_refuse(check, &self, "",
                                    "expected an object with apiVersion and kind");
        else if (depth < NESTING_MAX && slice_has_suffix(self.kind, SLICE_LITERAL("List")) &&
                 json_type(json_get(self.value, "items")) == JSON_ARRAY)
                check_items(check, &self, depth);
        else
                check_object(check, &self);
}

/* Programs read the first document of a file of theirs. */
static void warn_of_more(struct config_check *check, const struct config_object *first,
                         size_t count) {
        struct slice kind = json_get_text(first->value, "kind");

        if (count > 1 &&
            (slice_is(kind, "DeschedulerPolicy") || slice_is(kind, "KubeSchedulerConfiguration")))
                config_check_warn(check, first, "",
                                  "the program reads only the first of the %zu documents", count);
}

void config_check_text(struct config_check *check, struct slice text, const char *name) {
        struct document_list list = { 0 };
        struct err err = { 0 };
        size_t first = check->findings.count;

        if (document_list_read(text, name, &list, &err) < 0) {
                config_findings_add(&check->findings, &err, false);
                return;
        }
        if (list.count == 0) {
                err_set(&err, BERTH_ERR_INVALID, "the file is empty");
                err_position(&err, name, 0, 0);
                config_findings_add(&check->findings, &err, false);
        }
        for (size_t i = 0; i < list.count; i++) {
                struct config_object object = { .document = list.items[i],
                                                .value = document_root(list.items[i]),
                                                .path = "" };

                if (i == 0)
                        warn_of_more(check, &object, list.count);
                check_value(check, &object, 0);
        }
        config_findings_sort(&check->findings, first);
        document_list_release(&list);
}

/* ---- files ---- */

static void fail_path(struct config_check *check, const struct err *err) {
        config_findings_add(&check->findings, err, false);
        check->failed_count++;
}

static void check_file(struct config_check *check, const char *path) {
        CLEANUP(buf_release) struct buf text = { 0 };
        struct err err = { 0 };

        if (file_text_read(path, &text, &err) < 0)
                fail_path(check, &err);
        else
                config_check_text(check, buf_view(&text),
                                  strcmp(path, "-") == 0 ? "standard input" : path);
}

/* That of a folder; NULL = it has none. */
static const char *kustomization_in(struct config_check *check, const char *folder) {
        for (size_t i = 0; kustomization_names[i]; i++) {
                const char *path =
                        arena_printf(&check->arena, "%s/%s", folder, kustomization_names[i]);

                if (access(path, F_OK) == 0)
                        return path;
        }
        return NULL;
}

static void check_folder(struct config_check *check, const char *path) {
        const char *kustomization = kustomization_in(check, path);
        struct dirent **entries = NULL;
        struct err err = { 0 };

        if (kustomization) {
                check_file(check, kustomization);
                return;
        }
        int count = input_files_list(path, &entries);

        if (count <= 0) {
                err_set(&err, BERTH_ERR_IO,
                        "%s: expected *.yaml, *.yml or *.json files in the folder", path);
                fail_path(check, &err);
        }
        for (int i = 0; i < count; i++) {
                check_file(check, arena_printf(&check->arena, "%s/%s", path, entries[i]->d_name));
                free(entries[i]);
        }
        free(entries);
}

static const char *without_slash(struct config_check *check, const char *path) {
        size_t length = strlen(path);

        while (length > 1 && path[length - 1] == '/')
                length--;
        return arena_string(&check->arena, slice_make(path, length));
}

void config_check_path(struct config_check *check, const char *path) {
        struct stat status;

        if (strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
                check_folder(check, without_slash(check, path));
        else
                check_file(check, path);
}
