/* berth evictions: the EvictionRequest API's controller and imperative responder. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/daemon_options.h"
#include "cmd/daemon_part.h"
#include "cmd/evictions_command.h"
#include "cmd/line_writer.h"

#include "base/log.h"
#include "base/time.h"
#include "base/util.h"
#include "pages/serving.h"
#include "roles/audit_file.h"
#include "roles/eviction_webhook.h"
#include "roles/evictions_role.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#define PRINT_END_NS NS_PER_S /* for what is not printed yet at the end */

struct evictions_daemon {
        const struct evictions_options *options;
        struct audit_file *file;
        struct line_writer *printer; /* of standard output; NULL = not wanted */
        struct audit_chain chain;
        struct daemon *daemon;
        struct evictions_role *role;
        struct eviction_webhook *webhook;
        struct eviction_requester_user *requesters; /* of the options */
        struct err failure;
};

static void on_audit(void *context, struct slice line) {
        struct evictions_daemon *self = context;

        if (self->printer)
                line_writer_append(self->printer, line);
        if (self->file)
                audit_file_append(self->file, line);
}

static bool is_recorded(void *context) {
        const struct evictions_daemon *self = context;

        return !self->file || audit_file_is_recorded(self->file);
}

static void on_recorded(void *context) {
        evictions_role_recorded(((struct evictions_daemon *)context)->role);
}

/* A line that cannot be written ends the program before its effect: nothing happens unrecorded. */
static void on_audit_failed(void *context, const struct err *err) {
        struct evictions_daemon *self = context;

        self->failure = *err;
        daemon_finish(self->daemon);
}

/* The chain of the lines that are printed has a gap then; the audit file has all of them. */
static void tell_dropped_audit(void *context, uint64_t count, struct buf *out) {
        (void)context;
        (void)out;
        LOG(LOG_WARN, "AuditLinesNotPrinted", log_i64("lines", (int64_t)count));
}

static int begin_printing(struct evictions_daemon *self, struct err *err) {
        if (self->options->is_audit_quiet)
                return 0;
        self->printer = line_writer_new(&(struct line_writer_config){
                .fd = STDOUT_FILENO, .tell_dropped = tell_dropped_audit });
        return self->printer ? 0
                             : err_set(err, BERTH_ERR_TOO_MANY,
                                       "no thread can be made for the audit log");
}

static const char *check_audit(void *context) {
        const struct evictions_daemon *self = context;

        return audit_file_is_late(self->file) ? "the audit file does not answer" : NULL;
}

static void begin_audit(struct evictions_daemon *self, struct loop *loop) {
        static const struct audit_file_events events = { .recorded = on_recorded,
                                                         .failed = on_audit_failed };

        if (!self->file)
                return;
        audit_file_begin(self->file, loop, &events, self);
        if (daemon_serving(self->daemon))
                serving_add_check(daemon_serving(self->daemon),
                                  &(struct health_check){ .name = "audit-file",
                                                          .check = check_audit,
                                                          .context = self,
                                                          .is_for_readiness = true });
}

static bool may_act(void *context) {
        return daemon_may_act(((const struct evictions_daemon *)context)->daemon, context);
}

static int add_role(void *context, struct daemon *daemon, struct runtime *runtime,
                    struct err *err) {
        struct evictions_daemon *self = context;
        const struct evictions_options *options = self->options;

        self->daemon = daemon;
        self->chain.actor = EVICTION_MANAGER;
        if (begin_printing(self, err) < 0)
                return err->code;
        begin_audit(self, runtime_loop(runtime));
        self->role = evictions_role_add(
                runtime,
                &(struct evictions_role_config){
                        .mode = (enum evictions_mode)self->options->mode,
                        .has_no_evictor = self->options->has_no_evictor,
                        .keeps_definitions = self->options->keeps_definitions,
                        .has_slots = true,
                        .slots_for_all = self->options->daemon.slots.which == SLOTS_FOR_ALL,
                        .slots = slot_options_limits(&self->options->daemon.slots),
                        .may_delete = self->options->may_delete,
                        .hook_directory = self->options->hook_directory,
                        .chain = self->chain,
                        .audit = on_audit,
                        .is_recorded = is_recorded,
                        .anchors_audit = self->file,
                        .verifies_users = true,
                        .watches_always = options->webhook_address,
                        .metrics = daemon_metrics(daemon),
                        .may_act = may_act,
                        .context = self });
        if (!options->webhook_address)
                return 0;
        return eviction_webhook_new(
                &(struct eviction_webhook_config){ .address = options->webhook_address,
                                                   .certificate_path = options->webhook_certificate,
                                                   .key_path = options->webhook_key,
                                                   .requesters = self->requesters,
                                                   .requester_count = options->requesters.count },
                runtime, self->role, &self->webhook, err);
}

static void evictions_leave(void *context) {
        struct evictions_daemon *self = context;

        eviction_webhook_free(self->webhook);
        audit_file_end(self->file);
        if (self->printer)
                line_writer_flush(self->printer, PRINT_END_NS);
}

static int check_webhook(const struct evictions_options *options, struct err *err) {
        bool has_both = options->webhook_certificate && options->webhook_key;

        if (options->webhook_address && !has_both)
                return err_set(err, BERTH_ERR_USAGE,
                               "--webhook-listen needs --webhook-cert and --webhook-key");
        if (!options->webhook_address && (options->webhook_certificate || options->webhook_key))
                return err_set(err, BERTH_ERR_USAGE,
                               "--webhook-cert and --webhook-key are for --webhook-listen");
        if (!options->webhook_address && options->requesters.count)
                return err_set(err, BERTH_ERR_USAGE, "--requester is for --webhook-listen");
        return 0;
}

static int read_requesters(struct evictions_daemon *self, struct err *err) {
        const struct option_texts *texts = &self->options->requesters;

        self->requesters = xcalloc(texts->count + 1, sizeof(self->requesters[0]));
        for (size_t i = 0; i < texts->count; i++)
                if (!eviction_requester_user_parse(slice_of(texts->items[i]), &self->requesters[i]))
                        return err_set(err, BERTH_ERR_USAGE,
                                       "--requester: expected NAME=USER, found \"%s\"",
                                       texts->items[i]);
        return 0;
}

static int evictions_part_end(void *context, struct err *err) {
        const struct evictions_daemon *self = context;

        if (self->failure.code)
                *err = self->failure;
        return self->failure.code;
}

static void evictions_part_free(void *context) {
        struct evictions_daemon *self = context;

        audit_file_close(self->file);
        free(self->requesters);
        free(self);
}

int evictions_part_make(const struct evictions_options *options, struct daemon_part *ret_part,
                        struct err *err) {
        struct evictions_daemon *self = xcalloc(1, sizeof(*self));
        struct daemon_options daemon = options->daemon;

        self->options = options;
        if (getrandom(&daemon.seed, sizeof(daemon.seed), 0) < 0)
                daemon.seed = 1;
        daemon.user_agent = EVICTION_MANAGER;
        daemon.keeps_finished = daemon.keeps_evictions = true;
        daemon.kinds = EVICTIONS_KINDS;
        daemon.spare_kinds = EVICTIONS_SPARE_KINDS;
        daemon.health_name = "Evictions";
        *ret_part = (struct daemon_part){ .daemon = daemon,
                                          .role = { .context = self,
                                                    .lease = daemon_lease_of(&daemon),
                                                    .watches_always = options->webhook_address,
                                                    .add = add_role,
                                                    .leave = evictions_leave },
                                          .end = evictions_part_end,
                                          .free = evictions_part_free };
        if (check_webhook(options, err) < 0 || read_requesters(self, err) < 0)
                return err->code;
        return options->audit_path
                       ? audit_file_open(options->audit_path, &self->file, &self->chain, err)
                       : 0;
}

static int cmd_evictions_run(const struct command_call *call) {
        struct daemon_part part;
        struct err err = { 0 };
        int code = evictions_part_make(call->options, &part, &err);

        if (code == 0)
                code = daemon_part_run(&part, &err);
        daemon_part_release(&part);
        return code < 0 ? command_failed("evictions", &err) : EXIT_DONE;
}

static const char *const modes[] = { "auto", "crd", "native-own", "native-foreign", NULL };

const struct option evictions_options_table[] = {
        { .name = "mode",
          .type = OPTION_CHOICE,
          .offset = offsetof(struct evictions_options, mode),
          .value_name = "MODE",
          .fallback = "auto",
          .choices = modes,
          .help = "which kinds to use: find out (auto), those of berth (crd), "
                  "the native ones with this process as controller "
                  "(native-own), or with another controller (native-foreign)" },
        { .name = "keep-definitions",
          .type = OPTION_FLAG,
          .offset = offsetof(struct evictions_options, keeps_definitions),
          .help = "wait for missing CustomResourceDefinitions, do not create "
                  "them" },
        { .name = "no-imperative-responder",
          .type = OPTION_FLAG,
          .offset = offsetof(struct evictions_options, has_no_evictor),
          .help = "do not be the default responder; another program evicts pods "
                  "without a policy" },
        { .name = "hook-directory",
          .type = OPTION_TEXT,
          .offset = offsetof(struct evictions_options, hook_directory),
          .value_name = "DIRECTORY",
          .is_file = true,
          .help = "folder of the programs that stages of kind exec may run; "
                  "without it none run" },
        { .name = "webhook-listen",
          .type = OPTION_TEXT,
          .offset = offsetof(struct evictions_options, webhook_address),
          .value_name = "ADDR:PORT",
          .help = "serve the admission webhook on pods/eviction here, over HTTPS: other clients, "
                  "such as kubectl drain, then wait for the stages of a pod's EvictionPolicy" },
        { .name = "webhook-cert",
          .type = OPTION_TEXT,
          .offset = offsetof(struct evictions_options, webhook_certificate),
          .value_name = "FILE",
          .is_file = true,
          .help = "certificate of the webhook, PEM; read again when it changes" },
        { .name = "webhook-key",
          .type = OPTION_TEXT,
          .offset = offsetof(struct evictions_options, webhook_key),
          .value_name = "FILE",
          .is_file = true,
          .help = "key of that certificate, PEM" },
        { .name = "requester",
          .type = OPTION_TEXTS,
          .offset = offsetof(struct evictions_options, requesters),
          .value_name = "NAME=USER",
          .help = "the webhook lets only this user ask for evictions in this requester's name "
                  "(descheduler.berth.dev/evict=USER); may be given again, also for other users of "
                  "the same name" },
        { .name = "allow-delete",
          .type = OPTION_FLAG,
          .offset = offsetof(struct evictions_options, may_delete),
          .help = "delete a pod at the deadline of its request, budgets or not, "
                  "where its EvictionPolicy says so" },
        { .name = "audit-file",
          .type = OPTION_TEXT,
          .offset = offsetof(struct evictions_options, audit_path),
          .value_name = "FILE",
          .is_file = true,
          .help = "append the audit log to this file; each line is synced" },
        { .name = "no-audit-output",
          .type = OPTION_FLAG,
          .offset = offsetof(struct evictions_options, is_audit_quiet),
          .help = "do not print the audit log on standard output" },
        { .group = slot_option_table, .offset = offsetof(struct evictions_options, daemon.slots) },
        { .group = cluster_option_table, .offset = offsetof(struct evictions_options, daemon) },
        { .group = election_option_table,
          .offset = offsetof(struct evictions_options, daemon),
          .defaults = (const struct option_default[]){ { "leader-elect", "true" },
                                                       { "leader-elect-resource-name",
                                                         "berth-evictions" },
                                                       { "leader-elect-lease-duration", "15s" },
                                                       { "leader-elect-renew-deadline", "10s" },
                                                       { "leader-elect-retry-period", "2s" },
                                                       { 0 } } },
        { .group = serving_option_table, .offset = offsetof(struct evictions_options, daemon) },
        { .group = verbosity_option_table,
          .offset = offsetof(struct evictions_options, daemon.verbosity),
          .defaults = (const struct option_default[]){ { "v", "2" }, { 0 } } },
        { 0 },
};

const struct command command_evictions = {
        .name = "evictions",
        .summary = "carry out EvictionRequests: controller and responder",
        .synopsis = "",
        .description = "Controller and imperative responder of the EvictionRequest API. "
                       "Uses the native kinds where the cluster serves them, and creates "
                       "its own (lifecycle.berth.dev) where it does not. All state is in "
                       "the objects; it may be stopped at any time.\n\n"
                       "An EvictionRequest asks for the eviction of one pod; any program may "
                       "create one, and withdraw it. The controller makes an Eviction of the "
                       "requests for a pod. In it responders act one after the other: what "
                       "migrates a virtual machine, the stages of the pod's EvictionPolicy, and "
                       "last the default responder, which calls the eviction subresource until "
                       "the budget lets the pod go.\n\n"
                       "Stages prepare the pod: http and exec call a hook, wait waits for a "
                       "label, an URL or other pods, evict and delete end the pod. Each has "
                       "timeout, retries and onFailure (Rollback, Hold, Decline, Continue). "
                       "otherClients says what a call of the subresource by others (kubectl "
                       "drain) does to a pod with stages: Wait answers 429 until they are over, "
                       "Pass lets it through.\n\n"
                       "berth descheduler, reboot, evict and up choose by --eviction-requests: "
                       "auto uses requests where the cluster has them and this controller "
                       "answers, else the subresource; always uses requests only; never the "
                       "subresource only.\n\n"
                       "Look next: kubectl get evictionrequests,evictions,evictionpolicies -A; "
                       "kubectl events --for pod/NAME; docs/eviction.md; deploy/evictions; "
                       "examples/eviction.",
        .options = evictions_options_table,
        .options_size = sizeof(struct evictions_options),
        .run = cmd_evictions_run,
};
