/* Kubeconfig files: whatever is read has a server and can be released; what is refused has an
 * error. */
#include "client/kubeconfig.h"

#include "base/slice.h"
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        int fd = memfd_create("kubeconfig", MFD_CLOEXEC);
        char path[32];
        struct kubeconfig_source source = { .path = path };
        struct cluster_access access = { 0 };
        struct err err = { 0 };

        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        /* No file outside is read, and no pipe waited for. */
        if (memmem(data, size, "/", 1) || write(fd, data, size) != (ssize_t)size) {
                close(fd);
                return 0;
        }
        if (kubeconfig_load(&source, &access, &err) == 0) {
                assert(access.server && access.server[0] && access.context_name);
                assert((access.certificate_pem || access.certificate_file) ==
                       (access.key_pem || access.key_file));
        } else {
                assert(err.code < 0 && err.text[0] && !access.server);
        }
        cluster_access_release(&access);
        close(fd);
        return 0;
}
