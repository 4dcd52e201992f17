/* What comes from a system bus when a reboot is ordered over it: success, or an error with a text,
 * but no waiting for more than was sent. */
#include "host/host_logind.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bus {
        int listener;
        const uint8_t *data;
        size_t size;
};

static void *answer(void *context) {
        const struct bus *bus = context;
        int fd = accept(bus->listener, NULL, NULL);
        char asked[512];

        if (bus->size)
                (void)!send(fd, bus->data, bus->size, MSG_NOSIGNAL);
        shutdown(fd, SHUT_WR);
        while (read(fd, asked, sizeof(asked)) > 0)
                ;
        close(fd);
        return NULL;
}

static int listen_at(struct sockaddr_un *address) {
        static char folder[] = "/tmp/berth-fuzz-XXXXXX";
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), code;

        code = mkdtemp(folder) ? 0 : -1;
        assert(code == 0);
        snprintf(address->sun_path, sizeof(address->sun_path), "%s/bus", folder);
        code = bind(fd, (struct sockaddr *)address, sizeof(*address));
        assert(code == 0);
        code = listen(fd, 4);
        assert(code == 0);
        return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static struct sockaddr_un address = { .sun_family = AF_UNIX };
        static int listener = -1;
        struct bus bus = { .data = data, .size = size };
        struct err err = { 0 };
        pthread_t thread;
        int code;

        if (listener < 0)
                listener = listen_at(&address);
        bus.listener = listener;
        code = pthread_create(&thread, NULL, answer, &bus);
        assert(code == 0);
        code = host_logind_reboot(address.sun_path, &err);
        assert(code == 0 || err.text[0]);
        pthread_join(thread, NULL);
        return 0;
}
