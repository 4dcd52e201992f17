/* CertificateSigningRequests: who asks is recorded; the spec stays as it was created; /approval
 * writes the conditions, /status the certificate and the other conditions. */
#include "kinds/admit.h"
#include "kinds/certificate_forms.h"
#include "kinds/check.h"
#include "kinds/prepare.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/map.h"
#include "base/util.h"

#define GROUP "certificates.k8s.io"
#define CLIENT_SIGNER "kubernetes.io/kube-apiserver-client"
#define LEGACY_SIGNER "kubernetes.io/legacy-unknown"
#define EXPIRATION_MIN_S 600
#define DOMAIN_MAX 253
#define SIGNER_MAX (DOMAIN_MAX + 1 + DOMAIN_MAX + 63 + 1)

/* Conditions that once there stay, and the first two of them are written by /approval alone. */
static const char *const lasting[] = { "Approved", "Denied", "Failed" };
#define APPROVALS 2

/* ---- what a write may not set ---- */

static void record_user(struct kind_context *context, struct json_tree *tree,
                        struct json_node *spec) {
        static const char *const recorded[] = { "username", "uid", "groups", "extra" };
        const struct user_info *user = &context->user;

        for (size_t i = 0; i < ARRAY_LEN(recorded); i++)
                node_remove(spec, recorded[i]);
        node_put_text(tree, spec, "username", user->name);
        if (user->uid.len)
                node_put_text(tree, spec, "uid", user->uid);
        struct json_node *groups = node_need_array(tree, spec, "groups");
        for (size_t i = 0; i < user->group_count; i++)
                node_append(groups, node_text(tree, user->groups[i]));
        for (size_t i = 0; i < user->extra_count; i++) {
                struct json_node *extra = node_need_object(tree, spec, "extra");
                const char *key = arena_string(context->scratch, user->extras[i].key);

                node_append(node_need_array(tree, extra, key),
                            node_text(tree, user->extras[i].value));
        }
}

static size_t count_conditions(const struct json_node *conditions, const char *type) {
        size_t count = 0;

        for (size_t i = 0; i < node_count(conditions); i++)
                count += slice_is(node_get_text(node_at(conditions, i), "type"), type);
        return count;
}

static size_t count_old_conditions(const struct json *old, const char *type) {
        struct json_iter iter = json_iter(json_get(json_get(old, "status"), "conditions"));
        const struct json *condition;
        size_t count = 0;

        while (json_next(&iter, NULL, &condition))
                count += slice_is(json_get_text(condition, "type"), type);
        return count;
}

/* As many conditions of the type as before are the ones that were there. */
static void keep_conditions(struct json_tree *tree, struct json_node *status,
                            const struct json *old, const char *type) {
        struct json_iter olds = json_iter(json_get(json_get(old, "status"), "conditions"));
        const struct json_node *given = node_get(status, "conditions");
        struct json_node *list = node_array(tree);
        const struct json *stored = NULL;
        size_t count = count_old_conditions(old, type);

        if (count == 0 || count_conditions(given, type) != count)
                return;
        for (size_t i = 0; i < node_count(given); i++) {
                if (!slice_is(node_get_text(node_at(given, i), "type"), type)) {
                        node_append(list, node_clone(tree, node_at(given, i)));
                        continue;
                }
                while (json_next(&olds, NULL, &stored) &&
                       !slice_is(json_get_text(stored, "type"), type))
                        continue;
                node_append(list, node_import(tree, stored));
        }
        node_put(tree, status, "conditions", list);
}

static struct slice state_text(struct arena *arena, struct slice type, struct slice status) {
        return slice_of(
                arena_printf(arena, SLICE_FMT " " SLICE_FMT, SLICE_ARG(status), SLICE_ARG(type)));
}

/* By type and status, when the stored conditions came to be so; of the same the first. */
static struct map *old_transitions(struct arena *arena, const struct json *old) {
        struct json_iter iter = json_iter(json_get(json_get(old, "status"), "conditions"));
        struct map *times = map_new();
        const struct json *stored;

        while (json_next(&iter, NULL, &stored)) {
                const struct json *time = json_get(stored, "lastTransitionTime");
                struct slice state = state_text(arena, json_get_text(stored, "type"),
                                                json_get_text(stored, "status"));

                if (json_text(time).len && !map_get(times, state))
                        map_put(times, state, (void *)(uintptr_t)time);
        }
        return times;
}

static void stamp_conditions(struct kind_context *context, struct json_tree *tree,
                             struct json_node *conditions, const struct json *old) {
        struct map *times = old_transitions(context->scratch, old);
        struct node_iter iter = node_iter(conditions);
        struct json_node *condition;
        char now[WALL_TIME_TEXT_MAX];

        wall_time_format(context->now, now);
        while (node_next(&iter, NULL, &condition)) {
                if (!node_get_text(condition, "lastUpdateTime").len)
                        node_put_string(tree, condition, "lastUpdateTime", now);
                if (node_get_text(condition, "lastTransitionTime").len)
                        continue;
                const struct json *before = map_get(
                        times, state_text(context->scratch, node_get_text(condition, "type"),
                                          node_get_text(condition, "status")));
                node_put_text(tree, condition, "lastTransitionTime",
                              before ? json_text(before) : slice_of(now));
        }
        map_free(times);
}

PREPARE_HOOK(certificate_signing_request_prepare) {
        if (operation == KIND_CREATE) {
                node_remove(object, "status");
                record_user(context, tree, node_need_object(tree, object, "spec"));
                return;
        }
        keep_member(tree, object, old, "spec");
        struct json_node *status = node_get(object, "status");
        if (slice_is(context->subresource, "approval")) {
                struct json_node *conditions = node_get(status, "conditions");
                stamp_conditions(context, tree, conditions, old);
                struct json_node *given = conditions ? node_clone(tree, conditions) : NULL;
                keep_member(tree, object, old, "status");
                status = node_need_object(tree, object, "status");
                if (given)
                        node_put(tree, status, "conditions", given);
                else
                        node_remove(status, "conditions");
        } else if (operation == KIND_UPDATE_STATUS) {
                for (size_t i = 0; i < APPROVALS; i++)
                        keep_conditions(tree, status, old, lasting[i]);
                stamp_conditions(context, tree, node_get(status, "conditions"), old);
        } else {
                keep_member(tree, object, old, "status");
        }
}

/* ---- the spec ---- */

static const char *const usages[] = { "any",
                                      "cert sign",
                                      "client auth",
                                      "code signing",
                                      "content commitment",
                                      "crl sign",
                                      "data encipherment",
                                      "decipher only",
                                      "digital signature",
                                      "email protection",
                                      "encipher only",
                                      "ipsec end system",
                                      "ipsec tunnel",
                                      "ipsec user",
                                      "key agreement",
                                      "key encipherment",
                                      "microsoft sgc",
                                      "netscape sgc",
                                      "ocsp signing",
                                      "s/mime",
                                      "server auth",
                                      "signing",
                                      "timestamping",
                                      NULL };

static bool is_usage(struct slice text) {
        for (size_t i = 0; usages[i]; i++)
                if (slice_is(text, usages[i]))
                        return true;
        return false;
}

/* What the stored object has already is put up with. */
static void find_odd_usages(const struct json *old, bool *ret_unknown, bool *ret_repeated) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct json_iter iter = json_iter(json_get(json_get(old, "spec"), "usages"));
        const struct json *usage;

        *ret_unknown = *ret_repeated = false;
        while (json_next(&iter, NULL, &usage)) {
                struct slice text = json_text(usage);

                *ret_unknown |= !is_usage(text);
                *ret_repeated |= text_set_has(&seen, text);
                text_set_add(&seen, text);
        }
}

static void check_usages(struct checker *checker, const struct at *spec_at,
                         const struct json_node *spec, const struct json *old) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        const struct json_node *list = node_get(spec, "usages");
        struct at place = at_member(spec_at, "usages");
        bool may_be_unknown, may_repeat;

        find_odd_usages(old, &may_be_unknown, &may_repeat);
        if (node_count(list) == 0)
                report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
        for (size_t i = 0; !may_be_unknown && i < node_count(list); i++) {
                struct slice usage = node_get_slice(node_at(list, i));
                struct at item = at_index(&place, i);

                if (!is_usage(usage))
                        report_choice(checker, &item, NULL, quoted(checker, usage), usages);
        }
        for (size_t i = 0; !may_repeat && i < node_count(list); i++) {
                struct slice usage = node_get_slice(node_at(list, i));
                struct at item = at_index(&place, i);

                if (text_set_has(&seen, usage))
                        report(checker, FIELD_DUPLICATE, &item, NULL, quoted(checker, usage), NULL);
                text_set_add(&seen, usage);
        }
}

/* Labels between dots, of which the first wrong one counts.  Returns how many there are. */
static size_t check_signer_part(struct checker *checker, const struct at *place, struct slice part,
                                enum text_form form) {
        struct slice rest = part, label;
        bool is_over = false;
        size_t count = 0;

        for (; slice_split(&rest, '.', &label); count++) {
                if (is_over)
                        continue;
                struct text_problems problems =
                        text_problems(checker->context->scratch, form, label);
                for (size_t i = 0; i < problems.count; i++)
                        report_text(checker, place, NULL, part,
                                    message_of(checker, "validating label %s: %s",
                                               quoted(checker, label), problems.items[i]));
                is_over = problems.count > 0;
        }
        return count;
}

static void check_signer(struct checker *checker, const struct at *spec_at, struct slice signer,
                         const struct json *old) {
        struct at place = at_member(spec_at, "signerName");
        struct slice rest = signer, domain = SLICE_EMPTY, path = SLICE_EMPTY, more;

        if (slice_is(signer, LEGACY_SIGNER) &&
            !slice_is(json_get_text(json_get(old, "spec"), "signerName"), LEGACY_SIGNER)) {
                report_text(checker, &place, NULL, signer,
                            "the legacy signerName is not allowed via this API version");
                return;
        }
        if (!signer.len) {
                report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
                return;
        }
        slice_split(&rest, '/', &domain);
        if (!slice_split(&rest, '/', &path) || slice_split(&rest, '/', &more)) {
                report_text(checker, &place, NULL, signer,
                            "must be a fully qualified domain and path of the form "
                            "'example.com/signer-name'");
                return;
        }
        if (domain.len > DOMAIN_MAX)
                report(checker, FIELD_TOO_LONG, &place, NULL, NULL,
                       message_of(checker, "may not be more than %d bytes", DOMAIN_MAX));
        if (check_signer_part(checker, &place, domain, FORM_LABEL) < 2)
                report_text(checker, &place, NULL, domain,
                            "should be a domain with at least two segments separated by dots");
        check_signer_part(checker, &place, path, FORM_SUBDOMAIN);
        if (signer.len > SIGNER_MAX)
                report(checker, FIELD_TOO_LONG, &place, NULL, NULL,
                       message_of(checker, "may not be more than %d bytes", SIGNER_MAX));
}

static void check_request_spec(struct checker *checker, const struct json_node *spec,
                               const struct json *old) {
        struct at place = at_root("spec");
        struct slice request = node_get_text(spec, "request");
        struct buf pem = { 0 };
        int64_t seconds;

        base64_decode(request, BASE64_STANDARD, &pem);
        const char *problem = certificate_request_problem(buf_view(&pem));
        buf_release(&pem);
        if (problem)
                report_text(checker, &place, "request", request, problem);
        check_usages(checker, &place, spec, old);
        check_signer(checker, &place, node_get_text(spec, "signerName"), old);
        if (node_as_i64(node_get(spec, "expirationSeconds"), &seconds) &&
            seconds < EXPIRATION_MIN_S)
                report_number(checker, &place, "expirationSeconds", seconds,
                              "may not specify a duration less than 600 seconds (10 minutes)");
}

/* ---- the status ---- */

/* What the stored conditions have already is put up with. */
struct old_conditions {
        bool have_both, have_repeated, have_empty;
};

static struct old_conditions look_at_old(const struct json *old) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct json_iter iter = json_iter(json_get(json_get(old, "status"), "conditions"));
        struct old_conditions found = { 0 };
        const struct json *condition;

        while (json_next(&iter, NULL, &condition)) {
                struct slice type = json_get_text(condition, "type");

                found.have_empty |= type.len == 0;
                found.have_repeated |= text_set_has(&seen, type);
                text_set_add(&seen, type);
        }
        found.have_both = text_set_has(&seen, SLICE_LITERAL("Approved")) &&
                          text_set_has(&seen, SLICE_LITERAL("Denied"));
        return found;
}

static bool is_lasting(struct slice type) {
        for (size_t i = 0; i < ARRAY_LEN(lasting); i++)
                if (slice_is(type, lasting[i]))
                        return true;
        return false;
}

static void check_condition_status(struct checker *checker, const struct at *place,
                                   const struct json_node *condition) {
        static const char *const any[] = { "False", "True", "Unknown", NULL };
        static const char *const only_true[] = { "True", NULL };

        if (check_required(checker, place, condition, "status"))
                check_choice(checker, place, condition, "status",
                             is_lasting(node_get_text(condition, "type")) ? only_true : any);
}

static void check_conditions(struct checker *checker, const struct json_node *conditions,
                             const struct json *old) {
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct at status = at_root("status"), list = at_member(&status, "conditions");
        struct old_conditions known = look_at_old(old);

        for (size_t i = 0; i < node_count(conditions); i++) {
                const struct json_node *condition = node_at(conditions, i);
                struct slice type = node_get_text(condition, "type");
                struct at place = at_index(&list, i);

                if (!known.have_empty)
                        check_required(checker, &place, condition, "type");
                check_condition_status(checker, &place, condition);
                if (!known.have_both &&
                    ((slice_is(type, "Approved") && text_set_has(&seen, SLICE_LITERAL("Denied"))) ||
                     (slice_is(type, "Denied") && text_set_has(&seen, SLICE_LITERAL("Approved")))))
                        report_text(checker, &list, NULL, type,
                                    "Approved and Denied conditions are mutually exclusive");
                if (!known.have_repeated && text_set_has(&seen, type))
                        report(checker, FIELD_DUPLICATE, &place, "type", quoted(checker, type),
                               NULL);
                text_set_add(&seen, type);
        }
}

static void check_condition_changes(struct checker *checker, const struct json_node *conditions,
                                    const struct json *old) {
        struct at status = at_root("status");
        bool is_approval = slice_is(checker->context->subresource, "approval");

        for (size_t i = 0; i < ARRAY_LEN(lasting); i++)
                if (count_conditions(conditions, lasting[i]) <
                    count_old_conditions(old, lasting[i]))
                        report(checker, FIELD_FORBIDDEN, &status, "conditions", NULL,
                               message_of(checker,
                                          "updates may not remove a condition of type \"%s\"",
                                          lasting[i]));
        for (size_t i = 0; !is_approval && i < APPROVALS; i++)
                if (count_conditions(conditions, lasting[i]) >
                    count_old_conditions(old, lasting[i]))
                        report(checker, FIELD_FORBIDDEN, &status, "conditions", NULL,
                               message_of(checker, "updates may not add a condition of type \"%s\"",
                                          lasting[i]));
}

static void check_certificate(struct checker *checker, struct slice certificate) {
        struct at status = at_root("status"), place = at_member(&status, "certificate");
        struct buf pem = { 0 };

        base64_decode(certificate, BASE64_STANDARD, &pem);
        const char *problem =
                pem.len ? certificate_list_problem(checker->context->scratch, buf_view(&pem))
                        : NULL;
        buf_release(&pem);
        if (problem)
                report_as_is(checker, FIELD_INVALID, &place, "\"<certificate data>\"", problem);
}

VALIDATE_HOOK(certificate_signing_request_validate) {
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *status = node_get(object, "status");
        const struct json_node *conditions = node_get(status, "conditions");
        struct slice certificate = node_get_text(status, "certificate");
        struct slice before = json_get_text(json_get(old, "status"), "certificate");
        struct at place = at_root("status");
        bool is_new = !slice_eq(certificate, before);

        (void)operation;
        check_request_spec(&checker, node_get(object, "spec"), old);
        check_conditions(&checker, conditions, old);
        if (is_new)
                check_certificate(&checker, certificate);
        if (!old)
                return;
        check_condition_changes(&checker, conditions, old);
        if (is_new && before.len)
                report(&checker, FIELD_FORBIDDEN, &place, "certificate", NULL,
                       "updates may not modify existing certificate content");
}

/* ---- who may ---- */

/* For this signer, or all of its domain. */
static bool may_act(struct kind_context *context, const char *verb, struct slice signer) {
        struct slice rest = signer, domain = signer;
        const char *reason = "";
        struct access_question question = {
                .user = context->user.name,
                .groups = context->user.groups,
                .group_count = context->user.group_count,
                .verb = slice_of(verb),
                .group = SLICE_LITERAL(GROUP),
                .resource = SLICE_LITERAL("signers"),
                .name = signer,
        };

        if (!context->authorize || context->authorize(context->engine, &question, &reason))
                return true;
        slice_split(&rest, '/', &domain);
        question.name = slice_of(arena_printf(context->scratch, SLICE_FMT "/*", SLICE_ARG(domain)));
        return context->authorize(context->engine, &question, &reason);
}

static bool changes_signature(struct kind_context *context, const struct json_node *object) {
        const struct json_node *status = node_get(object, "status");
        const struct json *stored = json_get(
                context->lookup(context->engine, GROUP, "certificatesigningrequests", SLICE_EMPTY,
                                node_get_text(node_get(object, "metadata"), "name")),
                "status");

        return !is_same_member(status, stored, "certificate") ||
               !is_same_member(status, stored, "conditions");
}

static bool is_of_masters(const struct json_node *spec) {
        struct buf pem = { 0 };

        if (!slice_is(node_get_text(spec, "signerName"), CLIENT_SIGNER))
                return false;
        base64_decode(node_get_text(spec, "request"), BASE64_STANDARD, &pem);
        bool is_found = certificate_request_has_organization(buf_view(&pem), "system:masters");
        buf_release(&pem);
        return is_found;
}

int certificate_signing_request_judge(struct kind_context *context, enum kind_operation operation,
                                      const struct json_node *object, struct err *err) {
        const struct json_node *spec = node_get(object, "spec");
        struct slice signer = node_get_text(spec, "signerName");

        if (operation == KIND_CREATE)
                return is_of_masters(spec)
                               ? admit_forbid(context, object, err,
                                              "use of " CLIENT_SIGNER
                                              " signer with system:masters group is not allowed")
                               : 0;
        if (slice_is(context->subresource, "approval") && !may_act(context, "approve", signer))
                return admit_forbid(context, object, err,
                                    "user not permitted to approve requests with signerName "
                                    "\"" SLICE_FMT "\"",
                                    SLICE_ARG(signer));
        if (operation == KIND_UPDATE_STATUS && changes_signature(context, object) &&
            !may_act(context, "sign", signer))
                return admit_forbid(context, object, err,
                                    "user not permitted to sign requests with signerName "
                                    "\"" SLICE_FMT "\"",
                                    SLICE_ARG(signer));
        return 0;
}
