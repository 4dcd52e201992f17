/* Puts findings about an object where they belong. */
#include "cmd/config_report.h"

#include <stdarg.h>
#include <stdio.h>

static void config_report_note(struct config_check *check, const struct config_object *object,
                               const char *path, bool is_warning, const char *text) {
        struct err err = { 0 };

        err_set(&err, BERTH_ERR_INVALID, "%s", text);
        document_locate_path(object->document, object->value, path, &err);
        snprintf(err.path, sizeof(err.path), "%s", path);
        if (*object->path)
                err_path_prepend(&err, object->path);
        config_findings_add(&check->findings, &err, is_warning);
}

void config_check_refuse(struct config_check *check, const struct config_object *object,
                         const char *path, const char *format, ...) {
        char text[ERR_TEXT_MAX];
        va_list args;

        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        config_report_note(check, object, path, false, text);
}

void config_check_warn(struct config_check *check, const struct config_object *object,
                       const char *path, const char *format, ...) {
        char text[ERR_TEXT_MAX];
        va_list args;

        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        config_report_note(check, object, path, true, text);
}
