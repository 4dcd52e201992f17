/* CertificateSigningRequests as they are written: who asks is recorded; the spec stays as it was
 * created; /approval writes the conditions, /status the certificate and the other conditions; and
 * who may. */
#include "kinds/admit.h"
#include "kinds/certificate_conditions.h"
#include "kinds/certificate_forms.h"
#include "kinds/check.h"
#include "kinds/prepare.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/map.h"
#include "base/util.h"

#define GROUP "certificates.k8s.io"
#define CLIENT_SIGNER "kubernetes.io/kube-apiserver-client"

const char *const certificate_lasting[CERTIFICATE_LASTING] = { "Approved", "Denied", "Failed" };

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

size_t certificate_conditions(const struct json_node *conditions, const char *type) {
        size_t count = 0;

        for (size_t i = 0; i < node_count(conditions); i++)
                count += slice_is(node_get_text(node_at(conditions, i), "type"), type);
        return count;
}

size_t certificate_old_conditions(const struct json *old, const char *type) {
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
        size_t count = certificate_old_conditions(old, type);

        if (count == 0 || certificate_conditions(given, type) != count)
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
                for (size_t i = 0; i < CERTIFICATE_APPROVALS; i++)
                        keep_conditions(tree, status, old, certificate_lasting[i]);
                stamp_conditions(context, tree, node_get(status, "conditions"), old);
        } else {
                keep_member(tree, object, old, "status");
        }
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

JUDGE_HOOK(certificate_signing_request_judge) {
        const struct json_node *spec = node_get(object, "spec");
        struct slice signer = node_get_text(spec, "signerName");

        (void)old;
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
