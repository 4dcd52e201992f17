/* berth audit: whether an audit log is as it was written, and whole. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon_options.h"
#include "cmd/progress.h"

#include "evict/audit_chain.h"
#include "loop/file_text.h"
#include "loop/runtime.h"
#include "roles/audit_anchor.h"
#include <stdio.h>
#include <string.h>

struct audit_options {
        struct daemon_options daemon;
        const char *head;
        bool is_anchored;
};

/* What the cluster knows of a chain. */
struct audit_question {
        const struct audit_chain *chain;
        struct daemon *daemon;
        struct audit_head head; /* seq 0 = none */
        struct err failure;
};

static void on_anchors(void *context, const struct api_reply *reply) {
        struct audit_question *question = context;
        struct json_doc *doc = NULL;

        if (reply->status != 200 && reply->status != 404)
                question->failure = reply->error;
        else if (reply->status == 200 && json_parse(reply->body, &doc, &question->failure) == 0)
                audit_anchor_find(json_doc_root(doc), question->chain, &question->head);
        json_doc_free(doc);
        daemon_finish(question->daemon);
}

static int ask_for_anchor(void *context, struct daemon *daemon, struct runtime *runtime,
                          struct err *err) {
        struct audit_question *question = context;

        (void)err;
        question->daemon = daemon;
        transport_call(runtime_transport(runtime),
                       &(struct api_call){ .path = SLICE_LITERAL(AUDIT_ANCHOR_PATH) }, on_anchors,
                       question);
        return 0;
}

static int read_anchor(const struct audit_options *options, struct audit_question *question,
                       struct err *err) {
        struct daemon_options daemon = options->daemon;

        daemon.user_agent = "berth-audit";
        daemon.has_no_model = true;
        int code = daemon_run(&daemon,
                              &(struct daemon_role){ .context = question, .add = ask_for_anchor },
                              1, err);
        if (code == 0 && question->failure.code) {
                *err = question->failure;
                code = err->code;
        }
        return code;
}

static int cmd_audit_say(const struct audit_chain *chain, const struct audit_head *head) {
        printf("intact: %llu lines, last %s\n", (unsigned long long)chain->seq, chain->prev);
        if (head->seq)
                printf("whole: up to line %llu at least, which was anchored\n",
                       (unsigned long long)head->seq);
        return EXIT_DONE;
}

static int cmd_audit_broken(const char *text) {
        printf("broken: %s\n", text);
        return EXIT_JUDGED_NO;
}

#define PIECE_SIZE ((size_t)1 << 20)

/* In pieces of whole lines, so that one sees how far it is. */
static int verify_lines(struct audit_chain *chain, struct slice lines, struct err *err) {
        struct progress progress;
        size_t whole = lines.len;
        int code = 0;

        progress_begin(&progress, SLICE_LITERAL("berth audit"), "byte");
        while (lines.len && code == 0) {
                size_t size = lines.len < PIECE_SIZE ? lines.len : PIECE_SIZE;
                const char *end = memchr(lines.ptr + size - 1, '\n', lines.len - size + 1);

                size = end ? (size_t)(end - lines.ptr) + 1 : lines.len;
                code = audit_chain_verify(chain, slice_make(lines.ptr, size), err);
                lines = slice_make(lines.ptr + size, lines.len - size);
                progress_set(&progress, whole - lines.len, whole);
        }
        progress_end(&progress);
        return code;
}

/* The lines by themselves, then with the head that is recorded elsewhere. */
static int cmd_audit_judge(const struct audit_options *options, struct slice lines,
                           struct audit_head *head) {
        struct audit_chain chain = { 0 };
        struct err err = { 0 };

        if (verify_lines(&chain, lines, &err) < 0)
                return cmd_audit_broken(err.text);
        if (options->is_anchored) {
                struct audit_question question = { .chain = &chain };

                if (read_anchor(options, &question, &err) < 0)
                        return command_failed("audit", &err);
                if (question.head.seq == 0)
                        return cmd_audit_broken("the cluster has no anchor of this log "
                                                "(ConfigMap " AUDIT_ANCHOR_NAMESPACE
                                                "/" AUDIT_ANCHOR_NAME ")");
                *head = question.head;
        }
        struct audit_chain again = { 0 };
        if (head->seq && audit_chain_verify_head(&again, lines, head, &err) < 0)
                return cmd_audit_broken(err.text);
        return cmd_audit_say(&chain, head);
}

static const char *const verbs[] = { "verify", NULL };

static int cmd_audit_run(const struct command_call *call) {
        const struct audit_options *options = call->options;
        struct audit_head head = { 0 };
        struct buf text = { 0 };
        struct err err = { 0 };

        if (strcmp(call->arguments.items[0], verbs[0]) != 0)
                return command_unknown_word("berth audit", verbs, call->arguments.items[0]);
        if (options->head && !audit_head_parse(slice_of(options->head), &head))
                err_set(&err, BERTH_ERR_USAGE, "--head: expected \"SEQ HASH\"");
        else if (options->head && options->is_anchored)
                err_set(&err, BERTH_ERR_USAGE, "expected --head or --anchored, not both");
        else
                file_text_read(call->arguments.items[1], &text, &err);
        int code = err.code ? command_failed("audit", &err)
                            : cmd_audit_judge(options, buf_view(&text), &head);
        buf_release(&text);
        return code;
}

static const struct option audit_table[] = {
        { .name = "anchored",
          .type = OPTION_FLAG,
          .offset = offsetof(struct audit_options, is_anchored),
          .help = "compare the end of the file with the line that berth evictions anchored in the "
                  "cluster (ConfigMap kube-system/berth-eviction-audit): shows lines that were cut "
                  "off" },
        { .name = "head",
          .type = OPTION_TEXT,
          .offset = offsetof(struct audit_options, head),
          .value_name = "\"SEQ HASH\"",
          .help = "the same, with a line that you have noted elsewhere, as the ConfigMap or the "
                  "log line AuditHead has it" },
        { .group = cluster_option_table, .offset = offsetof(struct audit_options, daemon) },
        { 0 },
};

const struct command command_audit = {
        .name = "audit",
        .summary = "verify an audit log",
        .synopsis = "verify FILE",
        .description = "Reads an audit log of berth evictions and checks that each line "
                       "has the hash of the line before it. Ends with 3 when a line was "
                       "changed, removed or moved. Lines cut off at the end show with --anchored "
                       "or --head only.",
        .arguments_min = 2,
        .arguments_max = 2,
        .argument_choices = verbs,
        .takes_files = true,
        .options = audit_table,
        .options_size = sizeof(struct audit_options),
        .run = cmd_audit_run,
};
