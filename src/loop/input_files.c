/* Files and folders of Kubernetes objects. */
#include "loop/input_files.h"

#include "base/buf.h"
#include "loop/file_text.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct input_target {
        int (*each)(void *context, const struct input_object *object, struct err *err);
        void *context;
};

static int read_file(const char *path, const struct input_target *target, struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };

        if (file_text_read(path, &text, err) < 0)
                return err->code;
        return objects_input_read(buf_view(&text), path, target->each, target->context, err);
}

static int is_input_file(const struct dirent *entry) {
        const char *dot = strrchr(entry->d_name, '.');

        return entry->d_name[0] != '.' && dot &&
               (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".json") == 0);
}

int input_files_list(const char *path, struct dirent ***ret_entries) {
        return scandir(path, ret_entries, is_input_file, alphasort);
}

static int read_entry(const char *folder, const char *name, const struct input_target *target,
                      struct err *err) {
        CLEANUP(buf_release) struct buf path = { 0 };

        buf_printf(&path, "%s/%s", folder, name);
        return read_file(path.data, target, err);
}

static int read_folder(const char *path, const struct input_target *target, struct err *err) {
        struct dirent **entries = NULL;
        int count = input_files_list(path, &entries);
        int code = 0;

        if (count < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "%s", path);
        if (count == 0)
                code = err_set(err, BERTH_ERR_INVALID,
                               "%s: expected *.yaml, *.yml or *.json files in the folder", path);
        if (count > INPUT_FILES_MAX)
                code = err_set(err, BERTH_ERR_TOO_LARGE, "%s: expected at most %d files", path,
                               INPUT_FILES_MAX);
        for (int i = 0; i < count; i++) {
                if (code == 0)
                        code = read_entry(path, entries[i]->d_name, target, err);
                free(entries[i]);
        }
        free(entries);
        return code;
}

int input_files_read(const char *path,
                     int (*each)(void *context, const struct input_object *object, struct err *err),
                     void *context, struct err *err) {
        const struct input_target target = { each, context };
        struct stat status;

        if (strcmp(path, "-") == 0)
                return read_file(path, &target, err);
        if (stat(path, &status) < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "%s", path);
        return S_ISDIR(status.st_mode) ? read_folder(path, &target, err)
                                       : read_file(path, &target, err);
}
