/* Looks whether the TLS files of extenders can be read. */
#include "roles/extender_files.h"

#include "base/arena.h"
#include "base/util.h"
#include "config/scheduler_configuration.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int check_file(struct slice path, struct err *err) {
        CLEANUP(buf_release) struct buf name = { 0 };
        FILE *file;

        if (path.len == 0)
                return 0;
        buf_append(&name, path.ptr, path.len);
        file = fopen(name.data, "re");
        if (!file)
                return err_set(err, BERTH_ERR_INVALID, "couldn't build extenders: open %s: %s",
                               name.data, strerror(errno));
        fclose(file);
        return 0;
}

int extender_files_check(const struct scheduler_configuration *configuration, struct err *err) {
        const struct scheduler_extender *extenders = configuration->extenders.items;

        for (size_t i = 0; i < configuration->extenders.count; i++) {
                const struct extender_tls *tls = extenders[i].tls;

                if (!tls)
                        continue;
                /* What is given as data takes the place of the file. */
                if ((tls->cert_data.len == 0 && check_file(tls->cert_file, err) < 0) ||
                    (tls->key_data.len == 0 && check_file(tls->key_file, err) < 0) ||
                    (tls->ca_data.len == 0 && check_file(tls->ca_file, err) < 0))
                        return err->code;
        }
        return 0;
}
