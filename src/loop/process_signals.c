/* SIGTERM and SIGINT through a signalfd. */
#include "loop/process_signals.h"

#include "base/util.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct process_signals {
        struct loop *loop;
        struct loop_io *io;
        void (*received)(void *context, int number);
        void *context;
        sigset_t previous;
        int fd;
};

static void on_ready(void *context, unsigned events) {
        struct process_signals *signals = context;
        struct signalfd_siginfo info;

        (void)events;
        if (read(signals->fd, &info, sizeof(info)) == sizeof(info))
                signals->received(signals->context, (int)info.ssi_signo);
}

int process_signals_new(struct loop *loop, void (*received)(void *context, int number),
                        void *context, struct process_signals **ret_signals, struct err *err) {
        struct process_signals *signals = xcalloc(1, sizeof(*signals));
        sigset_t set;
        int result;

        *signals =
                (struct process_signals){ .loop = loop, .received = received, .context = context };
        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        sigaddset(&set, SIGINT);
        signal(SIGPIPE, SIG_IGN);
        signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes shows as a failed write */
        signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
        if (signals->fd < 0) {
                result = err_set_errno(err, BERTH_ERR_IO, errno, "cannot make a signalfd");
                free(signals);
                return result;
        }
        result = loop_io_add(loop, signals->fd, LOOP_READ, on_ready, signals, &signals->io, err);
        if (result < 0) {
                close(signals->fd);
                free(signals);
                return result;
        }
        sigprocmask(SIG_BLOCK, &set, &signals->previous);
        *ret_signals = signals;
        return 0;
}

void process_signals_free(struct process_signals *signals) {
        if (!signals)
                return;
        loop_io_remove(signals->loop, signals->io);
        close(signals->fd);
        sigprocmask(SIG_SETMASK, &signals->previous, NULL);
        free(signals);
}
