/* Validation of nodes. */
#include "kinds/ip_rules.h"
#include "kinds/legacy_annotations.h"
#include "kinds/node_check.h"
#include "kinds/resource_rules.h"
#include "kinds/rules.h"

#include "api/selector.h"
#include "base/util.h"

/* Their place is named so upstream, too. */
static void check_taints(struct checker *checker, const struct json_node *spec) {
        struct at metadata = at_root("metadata"), list = at_member(&metadata, "taints");

        check_node_taints(checker, &list, node_get(spec, "taints"));
}

static void check_node_resources(struct checker *checker, const struct json_node *status) {
        static const char *const lists[] = { "capacity", "allocatable" };
        struct at root = at_root("status");

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct node_iter iter = node_iter(node_get(status, lists[i]));
                struct at at = at_member(&root, lists[i]);
                struct json_node *amount;
                struct slice name;

                while (node_next(&iter, &name, &amount)) {
                        struct at place =
                                at_member(&at, message_of(checker, SLICE_FMT, SLICE_ARG(name)));

                        check_resource_amount(checker, &place, name, node_get_slice(amount));
                }
        }
}

/* ---- features ---- */

#define FEATURE_MAX 253

static bool is_feature_segment(struct slice text, bool is_first) {
        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')))
                        return false;
        }
        return text.len && (!is_first || (text.ptr[0] >= 'A' && text.ptr[0] <= 'Z'));
}

static const char *feature_problem(struct slice name) {
        struct slice rest = name, segment;
        bool is_first = true;

        if (name.len > FEATURE_MAX)
                return "must be no more than 253 characters";
        while (slice_split(&rest, '/', &segment)) {
                if (!is_feature_segment(segment, is_first))
                        return "must start with an UpperCamelCase segment, with subsequent "
                               "segments separated by '/' (e.g., MyFeature or "
                               "MyFeature/mySubFeature), and contain only alphanumeric characters "
                               "and slashes";
                is_first = false;
        }
        return NULL;
}

static void check_features(struct checker *checker, const struct json_node *features) {
        struct at status = at_root("status"), list = at_member(&status, "declaredFeatures");

        for (size_t i = 0; i < node_count(features); i++) {
                struct slice name = node_get_slice(node_at(features, i)), next;
                const char *problem = feature_problem(name);
                struct at place = at_index(&list, i), after = at_index(&list, i + 1);

                if (problem)
                        report_text(checker, &place, NULL, name,
                                    message_of(checker, "invalid feature name %s: %s",
                                               quoted(checker, name), problem));
                if (i + 1 == node_count(features))
                        break;
                next = node_get_slice(node_at(features, i + 1));
                if (slice_eq(name, next))
                        report(checker, FIELD_DUPLICATE, &after, NULL, quoted(checker, next), NULL);
                else if (slice_compare(name, next) > 0)
                        report_text(checker, &after, NULL, next,
                                    "list must be sorted alphabetically");
        }
}

/* ---- networks of pods ---- */

static void check_pod_networks(struct checker *checker, const struct json_node *networks) {
        struct at spec = at_root("spec"), list = at_member(&spec, "podCIDRs");
        struct ip_network first = { 0 }, second = { 0 };
        size_t count = node_count(networks);
        bool is_bad = false;

        for (size_t i = 0; i < count; i++) {
                struct at place = at_index(&list, i);

                check_cidr_strict(checker, &place, node_get_slice(node_at(networks, i)),
                                  i == 0 ? &first : &second);
        }
        for (size_t i = 0; count > 1 && !is_bad && i < count; i++) {
                struct slice network = node_get_slice(node_at(networks, i));

                is_bad = !ip_network_parse(network, &(struct ip_network){ 0 });
                if (is_bad)
                        report(checker, FIELD_INTERNAL, &list, NULL, NULL,
                               message_of(checker,
                                          "invalid PodCIDRs. failed to check with dual stack with "
                                          "error:invalid CIDR[%zu]: <nil> (invalid CIDR "
                                          "address: " SLICE_FMT ")",
                                          i, SLICE_ARG(network)));
        }
        if (count > 2 || is_bad || (count == 2 && first.address.is_six == second.address.is_six))
                report(checker, FIELD_INVALID, &list, NULL, node_json(checker, networks),
                       "may specify no more than one CIDR for each IP family");
}

/* ---- nodes ---- */

static void check_whole_node(struct checker *checker, const struct json_node *node) {
        const struct json_node *spec = node_get(node, "spec"), *status = node_get(node, "status");
        const struct json_node *swap = node_get(node_get(status, "nodeInfo"), "swap");
        struct at metadata = at_root("metadata"), place = at_member(&metadata, "nodeSwapStatus");

        check_node_annotations(checker, node);
        check_taints(checker, spec);
        check_node_resources(checker, status);
        if (node_get(swap, "capacity") && node_get_i64(swap, "capacity", 0) <= 0)
                report_number(checker, &place, "capacity", node_get_i64(swap, "capacity", 0),
                              "must be greater than zero");
        check_features(checker, node_get(status, "declaredFeatures"));
        check_pod_networks(checker, node_get(spec, "podCIDRs"));
}

static void check_addresses(struct checker *checker, const struct json_node *addresses) {
        struct at status = at_root("status"), list = at_member(&status, "addresses");
        CLEANUP(text_set_release) struct text_set seen = { 0 };

        for (size_t i = 0; i < node_count(addresses); i++) {
                struct slice type = node_get_text(node_at(addresses, i), "type");
                struct slice address = node_get_text(node_at(addresses, i), "address");
                struct at place = at_index(&list, i);

                if (!text_set_add(&seen, pair_text(checker, type, address)))
                        report(checker, FIELD_DUPLICATE, &place, NULL,
                               node_json(checker, node_at(addresses, i)), NULL);
        }
}

#define POD_NETWORK_TEXT "node updates may not change podCIDR except from \"\" to valid"

/* One complaint for each network that differs, or one when their number does. */
static void check_network_update(struct checker *checker, const struct at *at,
                                 const struct json_node *networks, const struct json *old) {
        struct json_iter iter = json_iter(old);
        const struct json *before;

        if (json_count(old) && json_count(old) != node_count(networks)) {
                report(checker, FIELD_FORBIDDEN, at, "podCIDRs", NULL, POD_NETWORK_TEXT);
                return;
        }
        for (size_t i = 0; json_next(&iter, NULL, &before); i++)
                if (!slice_eq(json_text(before), node_get_slice(node_at(networks, i))))
                        report(checker, FIELD_FORBIDDEN, at, "podCIDRs", NULL, POD_NETWORK_TEXT);
}

static void check_node_update(struct checker *checker, const struct json_node *node,
                              const struct json *old) {
        const struct json_node *spec = node_get(node, "spec"), *status = node_get(node, "status");
        struct slice provider = json_get_text(old, "providerID");
        struct at at = at_root("spec");

        check_node_annotations(checker, node);
        check_node_resources(checker, status);
        check_features(checker, node_get(status, "declaredFeatures"));
        check_addresses(checker, node_get(status, "addresses"));
        check_network_update(checker, &at, node_get(spec, "podCIDRs"), json_get(old, "podCIDRs"));
        if (provider.len && !slice_eq(provider, node_get_text(spec, "providerID")))
                report(checker, FIELD_FORBIDDEN, &at, "providerID", NULL,
                       "node updates may not change providerID except from \"\" to valid");
        check_taints(checker, spec);
        if (!slice_eq(json_get_text(old, "externalID"), node_get_text(spec, "externalID")))
                report(checker, FIELD_FORBIDDEN, &at, "externalID", NULL, "may not be updated");
}

VALIDATE_HOOK(node_validate) {
        struct checker checker = { .errors = errors, .context = context };

        if (operation != KIND_UPDATE_STATUS)
                check_whole_node(&checker, object);
        if (operation != KIND_CREATE)
                check_node_update(&checker, object, json_get(old, "spec"));
}
