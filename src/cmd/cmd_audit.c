/* berth audit: verifies an audit log. */
#include "cmd/cmd.h"
#include "cmd/command.h"

#include "evict/audit_chain.h"
#include "loop/file_text.h"
#include <stdio.h>
#include <string.h>

static int cmd_audit_run(const struct command_call *call) {
        struct audit_chain chain = { 0 };
        struct buf text = { 0 };
        struct err err = { 0 };

        if (strcmp(call->arguments.items[0], "verify") != 0) {
                err_set(&err, BERTH_ERR_USAGE, "expected \"verify\", found \"%s\"",
                        call->arguments.items[0]);
                return command_failed("audit", &err);
        }
        if (file_text_read(call->arguments.items[1], &text, &err) < 0)
                return command_failed("audit", &err);
        int code = audit_chain_verify(&chain, buf_view(&text), &err);
        buf_release(&text);
        if (code < 0) {
                printf("broken: %s\n", err.text);
                return EXIT_JUDGED_NO;
        }
        printf("intact: %llu lines, last %s\n", (unsigned long long)chain.seq, chain.prev);
        return EXIT_DONE;
}

static const char *const verbs[] = { "verify", NULL };

const struct command command_audit = {
        .name = "audit",
        .summary = "verify an audit log",
        .synopsis = "verify FILE",
        .description = "Reads an audit log of berth evictions and checks that each line "
                       "has the hash of the line before it. Ends with 3 when a line was "
                       "changed, removed or moved.",
        .arguments_min = 2,
        .arguments_max = 2,
        .argument_choices = verbs,
        .takes_files = true,
        .run = cmd_audit_run,
};
