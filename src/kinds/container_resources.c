/* Validation of requests, limits and claims of containers and pods. */
#include "kinds/resource_rules.h"
#include "kinds/workload_check.h"

#include "api/quantity.h"
#include <stdlib.h>

/* Beyond int64_t, upstream, a small number with a large scale becomes none. */
static bool amount_overflows(struct slice amount, int64_t value) {
        struct quantity_info info;

        return (value == INT64_MAX || value == INT64_MIN) &&
               quantity_describe(amount, &info, NULL) == 0 && info.is_small;
}

/* Huge pages come in whole pages of the size in their name. */
static void check_huge_pages(struct checker *checker, const struct at *at, struct slice name,
                             struct slice amount) {
        size_t prefix = sizeof("hugepages-") - 1;
        int64_t size = 0, bytes = 0;

        if (!is_huge_page(name))
                return;
        if (quantity_value(slice_make(name.ptr + prefix, name.len - prefix), &size, NULL) == 0 &&
            size > 0 && quantity_value(amount, &bytes, NULL) == 0 &&
            (bytes % size == 0 || amount_overflows(amount, bytes)))
                return;
        report_text(checker, at, NULL, amount,
                    message_of(checker, SLICE_FMT " is not positive integer multiple of " SLICE_FMT,
                               SLICE_ARG(amount), SLICE_ARG(name)));
}

static void check_request(struct checker *checker, const struct at *at, struct slice name,
                          struct slice amount, const struct json_node *limits) {
        const struct json_node *limit = node_find(limits, name);
        int order = 0;

        if (!limit) {
                if (!is_overcommittable(name))
                        report(checker, FIELD_REQUIRED, at, "limits", NULL,
                               "Limit must be set for non overcommitable resources");
                return;
        }
        quantity_compare(amount, node_get_slice(limit), &order, NULL);
        if (order != 0 && !is_overcommittable(name))
                report_text(checker, at, "requests", amount,
                            message_of(checker,
                                       "must be equal to " SLICE_FMT " limit of " SLICE_FMT,
                                       SLICE_ARG(name), SLICE_ARG(node_get_slice(limit))));
        else if (order > 0)
                report_text(checker, at, "requests", amount,
                            message_of(checker,
                                       "must be less than or equal to " SLICE_FMT
                                       " limit of " SLICE_FMT,
                                       SLICE_ARG(name), SLICE_ARG(node_get_slice(limit))));
}

static bool is_compute(struct slice name) {
        return slice_is(name, "cpu") || slice_is(name, "memory");
}

static int compare_names(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

static void report_unknown_claim(struct checker *checker, const struct at *at, struct slice name,
                                 const struct pod_claims *known) {
        size_t count = node_count(known->list), used = 0;
        struct slice *names = ARENA_ARRAY(checker->errors->arena, struct slice, count + 1);
        struct buf text = { 0 };

        for (size_t i = 0; i < count; i++)
                if (node_get_text(node_at(known->list, i), "name").len)
                        names[used++] = node_get_text(node_at(known->list, i), "name");
        if (used)
                qsort(names, used, sizeof(names[0]), compare_names);
        buf_text(&text, "must be one of the names in pod.spec.resourceClaims");
        buf_text(&text, used ? ": " : " which is empty");
        for (size_t i = 0; i < used; i++)
                if (i == 0 || !slice_eq(names[i], names[i - 1]))
                        buf_printf(&text, "%s" SLICE_FMT, i ? ", " : "", SLICE_ARG(names[i]));
        report(checker, FIELD_NOT_FOUND, at, NULL, quoted(checker, name),
               message_of(checker, "%s", text.data));
        buf_release(&text);
}

/* A claim is used whole or by requests, not both, and each once. */
static void check_claims(struct checker *checker, const struct at *at,
                         const struct json_node *claims, const struct pod_claims *known) {
        CLEANUP(text_set_release) struct text_set whole = { 0 }, parts = { 0 }, parted = { 0 };

        for (size_t i = 0; i < node_count(claims); i++) {
                const struct json_node *claim = node_at(claims, i);
                struct slice name = node_get_text(claim, "name");
                struct slice request = node_get_text(claim, "request");
                struct at place = at_index(at, i), part = at_member(&place, "request");
                struct slice key = pair_text(checker, name, request);

                if (name.len == 0) {
                        report(checker, FIELD_REQUIRED, &place, NULL, NULL, NULL);
                        continue;
                }
                if (text_set_has(&whole, name)) {
                        report(checker, FIELD_DUPLICATE, &place, NULL, quoted(checker, name), NULL);
                } else if (request.len) {
                        check_form(checker, &part, request, FORM_LABEL);
                        if (!text_set_add(&parts, key))
                                report(checker, FIELD_DUPLICATE, &place, NULL,
                                       message_of(checker, "\"" SLICE_FMT "/" SLICE_FMT "\"",
                                                  SLICE_ARG(name), SLICE_ARG(request)),
                                       NULL);
                        text_set_add(&parted, name);
                } else {
                        if (text_set_has(&parted, name))
                                report(checker, FIELD_DUPLICATE, &place, NULL,
                                       quoted(checker, name), NULL);
                        text_set_add(&whole, name);
                }
                if (!text_set_has(&known->names, name))
                        report_unknown_claim(checker, &place, name, known);
        }
}

struct resource_check {
        struct checker *checker;
        enum resource_use use;
        bool has_huge_pages, has_compute;
};

static void check_amount(struct resource_check *check, const struct at *at, struct slice name,
                         struct slice amount) {
        check_resource_name(check->checker, at, name, check->use);
        check_resource_amount(check->checker, at, name, amount);
        check->has_huge_pages |= is_huge_page(name);
        check->has_compute |= is_compute(name);
}

void check_resources(struct checker *checker, const struct at *at,
                     const struct json_node *resources, const struct pod_claims *claims,
                     bool is_pod) {
        struct resource_check check = { checker, is_pod ? RESOURCE_OF_POD : RESOURCE_OF_CONTAINER,
                                        false, false };
        const struct json_node *limits = node_get(resources, "limits");
        struct at limit_list = at_member(at, "limits"), request_list = at_member(at, "requests");
        struct at claim_list = at_member(at, "claims");
        struct node_iter iter = node_iter(limits);
        struct json_node *amount;
        struct slice name;

        while (node_next(&iter, &name, &amount)) {
                struct at place = at_key(&limit_list, name);

                check_amount(&check, &place, name, node_get_slice(amount));
                check_huge_pages(checker, &place, name, node_get_slice(amount));
        }
        iter = node_iter(node_get(resources, "requests"));
        while (node_next(&iter, &name, &amount)) {
                struct at place = at_key(&request_list, name);

                check_amount(&check, &place, name, node_get_slice(amount));
                check_request(checker, at, name, node_get_slice(amount), limits);
                check_huge_pages(checker, &place, name, node_get_slice(amount));
        }
        if (check.has_huge_pages && !check.has_compute)
                report(checker, FIELD_FORBIDDEN, at, NULL, NULL, "HugePages require cpu or memory");
        if (claims)
                check_claims(checker, &claim_list, node_get(resources, "claims"), claims);
}
