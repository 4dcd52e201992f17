/* A command line run in a child process, and what it printed. */
#include "printed.h"

#include "cmd/command.h"
#include "cmd/log_writer.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void run_in_child(const char *program, const char *const *words, const int *files) {
        char *argv[WORDS_MAX + 2] = { (char *)program };
        int argc = 1, code;

        for (; words[argc - 1]; argc++)
                argv[argc] = (char *)words[argc - 1];
        for (int i = 0; i < 3; i++)
                if (dup2(files[i], i) < 0)
                        _exit(125);
        /* Nothing of the machine is to have a say. */
        unsetenv("KUBECONFIG");
        setenv("HOME", "/nonexistent", 1);
        log_writer_install(stderr);
        code = command_main(&program_berth, argc, argv);
        log_writer_flush();
        fflush(stdout);
        fflush(stderr);
        _exit(code);
}

static void read_back(FILE *file, struct buf *ret_text) {
        char block[4096];
        size_t count;

        rewind(file);
        while ((count = fread(block, 1, sizeof(block), file)) > 0)
                buf_append(ret_text, block, count);
        fclose(file);
}

static void run(const char *program, const char *const *words, const char *input, FILE *out,
                struct printed *printed) {
        FILE *in = tmpfile(), *err = tmpfile();
        const int files[] = { fileno(in), fileno(out), fileno(err) };
        int status;
        pid_t child;

        fputs(input ? input : "", in);
        rewind(in);
        lseek(files[0], 0, SEEK_SET);
        fflush(stdout); /* what is still there is not the child's */
        fflush(stderr);
        child = fork();
        if (child == 0)
                run_in_child(program ? program : "berth", words, files);
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        printed->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        fclose(in);
        read_back(err, &printed->err);
        buf_text(&printed->err, "");
}

void printed_run(const char *program, const char *const *words, const char *input,
                 struct printed *ret_printed) {
        FILE *out = tmpfile();

        *ret_printed = (struct printed){ 0 };
        run(program, words, input, out, ret_printed);
        read_back(out, &ret_printed->out);
        buf_text(&ret_printed->out, "");
}

void printed_run_to(const char *path, const char *const *words, struct printed *ret_printed) {
        FILE *out = fopen(path, "w");

        assert_non_null(out);
        *ret_printed = (struct printed){ 0 };
        run(NULL, words, NULL, out, ret_printed);
        fclose(out);
}

void printed_release(struct printed *printed) {
        buf_release(&printed->out);
        buf_release(&printed->err);
}

bool printed_has(const struct buf *buf, const char *text) {
        return buf->len > 0 && strstr(buf->data, text);
}
