/* What a command reports when it ends: its failure, or all of its output. */
#include "cmd/command.h"
#include "cmd/needed_rights.h"

#include <stdio.h>

int command_failed(const char *command, const struct err *err) {
        char text[ERR_TEXT_MAX + 2 * ERR_PATH_MAX + 64];

        err_format(err, text, sizeof(text));
        fprintf(stderr, "berth %s: %s\n", command, text);
        if (needed_rights_miss(slice_of(text)) && needed_rights_of(command))
                fprintf(stderr, "the rights it needs are in %s\n", needed_rights_of(command));
        if (err->code == BERTH_ERR_UNAUTHORIZED)
                fputs("the API server does not know who is asking: see the credentials of the "
                      "kubeconfig's context\n",
                      stderr);
        return err->code == BERTH_ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

int command_print(const char *command, struct buf *text) {
        bool is_written = fwrite(text->data ? text->data : "", 1, text->len, stdout) == text->len &&
                          fflush(stdout) == 0;

        buf_release(text);
        if (is_written)
                return EXIT_DONE;
        fprintf(stderr, "berth %s: cannot write to standard output\n", command);
        return EXIT_FAILED;
}
