/* Validation of resources of a pod as a whole, against those of its containers. */
#include "kinds/pod_check.h"
#include "kinds/resource_rules.h"

#include "api/quantity.h"
#include "base/util.h"

static struct slice amount_of(const struct json_node *container, const char *list,
                              struct slice name) {
        return node_get_slice(node_find(node_get(node_get(container, "resources"), list), name));
}

static void add_amount(struct buf *sum, struct slice amount) {
        struct buf next = { 0 };

        if (amount.len == 0)
                return;
        if (quantity_sum(sum->len ? buf_view(sum) : SLICE_LITERAL("0"), amount, false, &next,
                         NULL) == 0) {
                buf_release(sum);
                *sum = next;
        } else {
                buf_release(&next);
        }
}

static bool is_more(struct slice a, struct slice b) {
        int order = 0;

        return a.len && quantity_compare(a, b.len ? b : SLICE_LITERAL("0"), &order, NULL) == 0 &&
               order > 0;
}

/* What the containers need at most at one time: the sum of those that run together, or an
 * initialisation together with the side-cars started before it. */
static void sum_containers(const struct json_node *spec, const char *list, struct slice name,
                           struct buf *ret_sum) {
        const struct json_node *init = node_get(spec, "initContainers");
        const struct json_node *regular = node_get(spec, "containers");
        struct buf sidecars = { 0 }, most = { 0 };

        for (size_t i = 0; i < node_count(regular); i++)
                add_amount(ret_sum, amount_of(node_at(regular, i), list, name));
        for (size_t i = 0; i < node_count(init); i++) {
                struct slice amount = amount_of(node_at(init, i), list, name);
                bool is_sidecar =
                        slice_is(node_get_text(node_at(init, i), "restartPolicy"), "Always");
                struct buf together = { 0 };

                if (is_sidecar) {
                        add_amount(ret_sum, amount);
                        add_amount(&sidecars, amount);
                }
                add_amount(&together, buf_view(&sidecars));
                if (!is_sidecar)
                        add_amount(&together, amount);
                if (is_more(buf_view(&together), buf_view(&most))) {
                        buf_clear(&most);
                        buf_slice(&most, buf_view(&together));
                }
                buf_release(&together);
        }
        if (is_more(buf_view(&most), buf_view(ret_sum))) {
                buf_clear(ret_sum);
                buf_slice(ret_sum, buf_view(&most));
        }
        buf_release(&most);
        buf_release(&sidecars);
}

static void check_sums(struct checker *checker, const struct at *at, const struct json_node *spec,
                       const char *list) {
        struct node_iter iter = node_iter(node_get(node_get(spec, "resources"), list));
        bool is_limits = strcmp(list, "limits") == 0;
        struct at place = at_member(at, list);
        struct json_node *amount;
        struct slice name;

        while (node_next(&iter, &name, &amount)) {
                struct at element = at_key(&place, name);
                struct buf sum = { 0 };

                if (is_limits && !is_huge_page(name))
                        continue;
                sum_containers(spec, list, name, &sum);
                if (is_more(buf_view(&sum), node_get_slice(amount)))
                        report_text(checker, &element, NULL, node_get_slice(amount),
                                    message_of(checker,
                                               "must be greater than or equal to aggregate "
                                               "container %s of " SLICE_FMT,
                                               list, SLICE_ARG(buf_view(&sum))));
                buf_release(&sum);
        }
}

static void check_single_limits(struct checker *checker, const struct at *at,
                                const struct json_node *spec) {
        const struct json_node *containers = node_get(spec, "containers");
        const struct json_node *most = node_get(node_get(spec, "resources"), "limits");
        struct at list = at_member(at, "containers");

        for (size_t i = 0; i < node_count(containers); i++) {
                struct node_iter iter = node_iter(
                        node_get(node_get(node_at(containers, i), "resources"), "limits"));
                struct at place = at_index(&list, i);
                struct json_node *amount;
                struct slice name;

                while (node_next(&iter, &name, &amount)) {
                        const struct json_node *limit = node_find(most, name);
                        struct at element = at_key(&place, name);

                        if (limit && is_more(node_get_slice(amount), node_get_slice(limit)))
                                report_text(checker, &element, "limits", node_get_slice(amount),
                                            message_of(checker,
                                                       "must be less than or equal to pod limits "
                                                       "of " SLICE_FMT,
                                                       SLICE_ARG(node_get_slice(limit))));
                }
        }
}

void check_pod_resources(struct checker *checker, const struct at *at, const struct json_node *spec,
                         const struct pod_claims *claims) {
        const struct json_node *resources = node_get(spec, "resources");
        struct at place = at_member(at, "resources"), claims_at = at_member(&place, "claims");

        if (!resources)
                return;
        if (slice_is(node_get_text(node_get(spec, "os"), "name"), "windows")) {
                report(checker, FIELD_FORBIDDEN, &place, NULL, NULL,
                       "may not be set for a windows pod");
                return;
        }
        if (node_get(resources, "claims") || is_emptied(checker, &claims_at))
                report(checker, FIELD_FORBIDDEN, &place, "claims", NULL,
                       "claims may not be set for Resources at pod-level");
        check_resources(checker, &place, resources, claims, true);
        check_sums(checker, &place, spec, "requests");
        check_sums(checker, &place, spec, "limits");
        check_single_limits(checker, &place, spec);
}
