/* Validation of CertificateSigningRequests. */
#include "kinds/certificate_conditions.h"
#include "kinds/certificate_forms.h"
#include "kinds/check.h"

#include "base/base64.h"
#include "base/util.h"

#define LEGACY_SIGNER "kubernetes.io/legacy-unknown"
#define EXPIRATION_MIN_S 600
#define DOMAIN_MAX 253
#define SIGNER_MAX (DOMAIN_MAX + 1 + DOMAIN_MAX + 63 + 1)

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
                        report_choice(checker, &item, NULL, quoted_json(checker, usage), usages);
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
        for (size_t i = 0; i < CERTIFICATE_LASTING; i++)
                if (slice_is(type, certificate_lasting[i]))
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

        for (size_t i = 0; i < CERTIFICATE_LASTING; i++)
                if (certificate_conditions(conditions, certificate_lasting[i]) <
                    certificate_old_conditions(old, certificate_lasting[i]))
                        report(checker, FIELD_FORBIDDEN, &status, "conditions", NULL,
                               message_of(checker,
                                          "updates may not remove a condition of type \"%s\"",
                                          certificate_lasting[i]));
        for (size_t i = 0; !is_approval && i < CERTIFICATE_APPROVALS; i++)
                if (certificate_conditions(conditions, certificate_lasting[i]) >
                    certificate_old_conditions(old, certificate_lasting[i]))
                        report(checker, FIELD_FORBIDDEN, &status, "conditions", NULL,
                               message_of(checker, "updates may not add a condition of type \"%s\"",
                                          certificate_lasting[i]));
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
