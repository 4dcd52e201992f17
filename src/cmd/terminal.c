/* Modes, signals and writing of a terminal. */
#include "cmd/terminal.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/util.h"
#include "port/loop.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

/* A screen of its own, without a cursor and without line wrap; and back. */
static const char enter_text[] = "\033[?1049h\033[?25l\033[?7l\033[2J";
static const char leave_text[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

struct terminal {
        struct terminal_config config;
        struct loop *loop;
        struct loop_io *input_io, *signal_io;
        struct termios before;
        struct sigaction crashes_before[NSIG];
        int signal_fd;
        bool is_entered;
};

/* For a crash alone, which knows no context. */
static struct terminal *crashing;

static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGHUP };

/* ---- writing ---- */

static void write_whole(int fd, const char *text, size_t size) {
        while (size) {
                ssize_t done = write(fd, text, size);

                if (done < 0 && errno != EINTR)
                        return;
                text += done > 0 ? done : 0;
                size -= done > 0 ? (size_t)done : 0;
        }
}

void terminal_draw(struct terminal *terminal, struct slice rows) {
        CLEANUP(buf_release) struct buf out = { 0 };
        struct slice row;

        if (!terminal->is_entered)
                return;
        buf_text(&out, "\033[H");
        for (bool is_first = true; slice_split(&rows, '\n', &row); is_first = false)
                buf_printf(&out, "%s\033[2K" SLICE_FMT "\033[0m", is_first ? "" : "\r\n",
                           SLICE_ARG(row));
        write_whole(terminal->config.output, out.data, out.len);
}

/* ---- modes ---- */

static void terminal_enter(struct terminal *terminal) {
        struct termios raw = terminal->before;

        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
        raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
        raw.c_cc[VMIN] = 0;
        raw.c_cc[VTIME] = 0;
        raw.c_cc[VQUIT] = _POSIX_VDISABLE;
        terminal->is_entered = true;
        tcsetattr(terminal->config.input, TCSANOW, &raw);
        write_whole(terminal->config.output, enter_text, sizeof(enter_text) - 1);
}

/* Calls only what a handler of signals may call. */
static void terminal_leave(struct terminal *terminal) {
        if (!terminal->is_entered)
                return;
        terminal->is_entered = false;
        write_whole(terminal->config.output, leave_text, sizeof(leave_text) - 1);
        tcsetattr(terminal->config.input, TCSANOW, &terminal->before);
}

static void on_crash(int number) {
        if (crashing)
                terminal_leave(crashing);
        /* The action is the default again (SA_RESETHAND). */
        raise(number);
}

static void take_crashes(struct terminal *terminal) {
        struct sigaction action = { .sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND };

        crashing = terminal;
        for (size_t i = 0; i < ARRAY_LEN(crash_signals); i++)
                sigaction(crash_signals[i], &action, &terminal->crashes_before[crash_signals[i]]);
}

static void give_crashes(struct terminal *terminal) {
        for (size_t i = 0; i < ARRAY_LEN(crash_signals); i++)
                sigaction(crash_signals[i], &terminal->crashes_before[crash_signals[i]], NULL);
        crashing = NULL;
}

/* ---- events ---- */

/* The stop itself cannot be caught; behind it the process goes on. */
static void stop_and_go_on(struct terminal *terminal) {
        terminal_leave(terminal);
        kill(getpid(), SIGSTOP);
        tcgetattr(terminal->config.input, &terminal->before);
        terminal_enter(terminal);
        terminal->config.resized(terminal->config.context);
}

static void on_terminal_signal(void *context, unsigned events) {
        struct terminal *terminal = context;
        struct signalfd_siginfo info;

        (void)events;
        if (read(terminal->signal_fd, &info, sizeof(info)) != sizeof(info))
                return;
        if (info.ssi_signo == SIGTSTP)
                stop_and_go_on(terminal);
        else
                terminal->config.resized(terminal->config.context);
}

static void on_input(void *context, unsigned events) {
        struct terminal *terminal = context;
        char bytes[256];
        ssize_t size = read(terminal->config.input, bytes, sizeof(bytes));

        if (size > 0) {
                terminal->config.typed(terminal->config.context, slice_make(bytes, (size_t)size));
        } else if (events & LOOP_HANGUP || (size < 0 && errno != EAGAIN && errno != EINTR)) {
                loop_io_remove(terminal->loop, terminal->input_io);
                terminal->input_io = NULL;
        }
}

static sigset_t own_signals(void) {
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGTSTP);
        sigaddset(&set, SIGCONT);
        sigaddset(&set, SIGWINCH);
        return set;
}

void terminal_block_signals(void) {
        sigset_t set = own_signals();

        sigprocmask(SIG_BLOCK, &set, NULL);
}

/* ---- life ---- */

bool terminal_is_usable(int input, int output) {
        const char *name = getenv("TERM");

        return isatty(input) && isatty(output) && name && *name && strcmp(name, "dumb") != 0;
}

int terminal_new(const struct terminal_config *config, struct loop *loop,
                 struct terminal **ret_terminal, struct err *err) {
        struct terminal *terminal = xcalloc(1, sizeof(*terminal));
        sigset_t set = own_signals();

        *terminal = (struct terminal){ .config = *config, .loop = loop };
        terminal->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
        if (terminal->signal_fd < 0 || tcgetattr(config->input, &terminal->before) != 0) {
                int code = err_set_errno(err, BERTH_ERR_IO, errno, "the terminal");

                terminal_free(terminal);
                return code;
        }
        if (loop_io_add(loop, config->input, LOOP_READ, on_input, terminal, &terminal->input_io,
                        err) < 0 ||
            loop_io_add(loop, terminal->signal_fd, LOOP_READ, on_terminal_signal, terminal,
                        &terminal->signal_io, err) < 0) {
                terminal_free(terminal);
                return err->code;
        }
        take_crashes(terminal);
        terminal_enter(terminal);
        *ret_terminal = terminal;
        return 0;
}

void terminal_free(struct terminal *terminal) {
        if (!terminal)
                return;
        terminal_leave(terminal);
        if (crashing == terminal)
                give_crashes(terminal);
        if (terminal->input_io)
                loop_io_remove(terminal->loop, terminal->input_io);
        if (terminal->signal_io)
                loop_io_remove(terminal->loop, terminal->signal_io);
        if (terminal->signal_fd >= 0)
                close(terminal->signal_fd);
        free(terminal);
}

/* ---- what it can show ---- */

/* By the first of these that is set, as the C library has it. */
static bool has_utf8(void) {
        static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                const char *value = getenv(names[i]);

                if (value && *value)
                        return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
        }
        return false;
}

struct top_size terminal_size(int output) {
        const char *no_color = getenv("NO_COLOR");
        struct winsize size;
        struct top_size own = { .rows = 24,
                                .columns = 80,
                                .has_colour = isatty(output) && !(no_color && *no_color),
                                .is_plain = !has_utf8() };

        if (ioctl(output, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col) {
                own.rows = size.ws_row;
                own.columns = size.ws_col;
        }
        return own;
}
