/* Makes and removes private temporary files. */
#include "cmd/private_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int private_file(const char *given, const char *name, char *ret_path, size_t size,
                 struct err *err) {
        const char *base = getenv("XDG_RUNTIME_DIR");
        char folder[256];
        int length;

        if (given) {
                length = snprintf(ret_path, size, "%s", given);
        } else {
                if (!base || !*base || access(base, W_OK) != 0)
                        base = "/tmp";
                snprintf(folder, sizeof(folder), "%s/berth-XXXXXX", base);
                if (!mkdtemp(folder))
                        return err_set_errno(err, BERTH_ERR_IO, errno, "%s", folder);
                length = snprintf(ret_path, size, "%s/%s", folder, name);
        }
        if (length < 0 || (size_t)length >= size)
                return err_set(err, BERTH_ERR_USAGE, "path too long");
        return 0;
}

void private_file_forget(const char *given, const char *path) {
        const char *slash = strrchr(path, '/');
        char folder[512];

        if (given || !slash || (size_t)(slash - path) >= sizeof(folder))
                return;
        memcpy(folder, path, (size_t)(slash - path));
        folder[slash - path] = '\0';
        unlink(path);
        rmdir(folder);
}
