/* Annotations that mean something to the validation of pods. */
#include "kinds/legacy_annotations.h"
#include "kinds/old_profiles.h"
#include "kinds/pod_check.h"

#include "base/util.h"

void check_pod_annotations(struct checker *checker, const struct at *at,
                           const struct json_node *pod) {
        const char *key = "controller.kubernetes.io/pod-deletion-cost";
        const struct json_node *all = node_get(node_get(pod, "metadata"), "annotations");
        struct at mirror = at_key(at, slice_of(MIRROR_ANNOTATION));
        struct slice cost = node_get_text(all, key);
        struct at place = at_key(at, slice_of(key));
        int64_t value;

        if (node_get(all, MIRROR_ANNOTATION) &&
            node_get_text(node_get(pod, "spec"), "nodeName").len == 0)
                report_text(checker, &mirror, NULL, node_get_text(all, MIRROR_ANNOTATION),
                            "must set spec.nodeName if mirror pod annotation is set");
        check_toleration_annotation(checker, at, all);
        if (node_get(all, key) &&
            (!slice_to_i64(cost, &value) || value < INT32_MIN || value > INT32_MAX ||
             cost.ptr[0] == '+' || (cost.ptr[0] == '0' && cost.len > 1)))
                report_text(checker, &place, NULL, cost, "must be a 32bit integer");
        check_profile_annotations(checker, at, pod);
}

/* ---- updates ---- */

static void forbid_annotation(struct checker *checker, const struct at *at, struct slice key,
                              const char *verb) {
        struct at place = at_key(at, key);

        if (slice_has_prefix(key, SLICE_LITERAL(APP_ARMOR)))
                report(checker, FIELD_FORBIDDEN, &place, NULL, NULL,
                       message_of(checker, "may not %s AppArmor annotations", verb));
        if (slice_is(key, MIRROR_ANNOTATION))
                report(checker, FIELD_FORBIDDEN, &place, NULL, NULL,
                       message_of(checker, "may not %s mirror pod annotation", verb));
}

void check_pod_annotation_updates(struct checker *checker, const struct json_node *pod,
                                  const struct json *old) {
        const struct json_node *now = node_get(node_get(pod, "metadata"), "annotations");
        const struct json *was = json_get(json_get(old, "metadata"), "annotations"), *before;
        struct at metadata = at_root("metadata"), at = at_member(&metadata, "annotations");
        struct json_iter past = json_iter(was);
        struct node_iter iter = node_iter(now);
        struct slice key;

        while (json_next(&past, &key, &before)) {
                const struct json_node *after = node_find(now, key);

                if (!after || !slice_eq(node_get_slice(after), json_text(before)))
                        forbid_annotation(checker, &at, key, "remove or update");
        }
        while (node_next(&iter, &key, NULL))
                if (!json_get_slice(was, key))
                        forbid_annotation(checker, &at, key, "add");
        check_pod_annotations(checker, &at, pod);
}
