/* A bare API server for replaying recorded requests: sandbox_bare ADDRESS:PORT TOKEN [KUBECONFIG].
 * Prints the port on the first line; ends at SIGTERM. */
#include "poll_loop.h"

#include "http/http_front.h"
#include "http/tls_material.h"
#include "server/api_server.h"
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>

static void on_signal(void *context, unsigned events) {
        (void)events;
        loop_stop(context);
}

int main(int argc, char **argv) {
        static const char *const groups[] = { "system:masters", NULL };
        struct poll_loop *events = poll_loop_new();
        struct loop *loop = poll_loop_get(events);
        struct api_token token = { argc > 2 ? argv[2] : "T", "kubernetes-admin", groups };
        struct api_server *server =
                api_server_new(&(struct api_server_config){ .tokens = &token,
                                                            .token_count = 1,
                                                            .server_address = "127.0.0.1:6443",
                                                            .seed = (uint64_t)loop_wall(loop).ns },
                               loop);
        struct http_handler handler = api_server_handler(server);
        struct tls_material material = { 0 };
        struct http_front *front = NULL;
        struct loop_io *io = NULL;
        struct err err = { 0 };
        sigset_t signals;

        sigemptyset(&signals);
        sigaddset(&signals, SIGTERM);
        sigaddset(&signals, SIGINT);
        sigprocmask(SIG_BLOCK, &signals, NULL);
        signal(SIGPIPE, SIG_IGN);
        loop_io_add(loop, signalfd(-1, &signals, SFD_CLOEXEC), LOOP_READ, on_signal, loop, &io,
                    NULL);
        if (tls_material_make(NULL, &material, &err) < 0 ||
            http_front_new(
                    &(struct http_front_config){ .address = argc > 1 ? argv[1] : "127.0.0.1:0",
                                                 .key_pem = material.key_pem,
                                                 .certificate_pem = material.certificate_pem },
                    &handler, loop, &front, &err) < 0) {
                fprintf(stderr, "sandbox_bare: %s\n", err.text);
                return 1;
        }
        if (argc > 3) {
                char url[64];

                snprintf(url, sizeof(url), "https://127.0.0.1:%u", http_front_port(front));
                if (kubeconfig_write(argv[3],
                                     &(struct kubeconfig){ .server = url,
                                                           .ca_pem = material.ca_pem,
                                                           .token = token.token },
                                     &err) < 0) {
                        fprintf(stderr, "sandbox_bare: %s\n", err.text);
                        return 1;
                }
        }
        printf("%u\n", http_front_port(front));
        fflush(stdout);
        poll_loop_run(events);
        http_front_free(front);
        api_server_free(server);
        tls_material_release(&material);
        poll_loop_free(events);
        return 0;
}
