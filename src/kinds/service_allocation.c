/* Families and addresses of services, before they are allocated. */
#include "kinds/service_allocation.h"

#include "kinds/ip_rules.h"

static bool is_none(struct slice address) {
        return slice_is(address, "None");
}

bool is_headless_service(const struct json_node *spec) {
        const struct json_node *list = node_get(spec, "clusterIPs");

        return node_count(list) == 1 && is_none(node_get_slice(node_at(list, 0)));
}

bool is_headless_stored(const struct json *spec) {
        const struct json *list = json_get(spec, "clusterIPs");

        return json_count(list) == 1 && is_none(json_text(json_at(list, 0)));
}

bool is_six_address(struct slice address) {
        return address.len && memchr(address.ptr, ':', address.len);
}

static struct slice text_at(const struct json_node *list, size_t index) {
        return node_get_slice(node_at(list, index));
}

static bool has_text(const struct json *list, struct slice text) {
        struct json_iter iter = json_iter(list);
        const struct json *value;

        while (json_next(&iter, NULL, &value))
                if (slice_eq(json_text(value), text))
                        return true;
        return false;
}

/* ---- what holds for each field ---- */

static void check_first_address(struct checker *checker, const struct at *at, struct slice address,
                                const struct json_node *list) {
        size_t count = node_count(list);

        if (address.len && count == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL, NULL);
        else if (address.len && !slice_eq(text_at(list, 0), address))
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, list),
                       "first value must match `clusterIP`");
        else if (address.len == 0 && count > 0)
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, list),
                       "must be empty when `clusterIP` is not specified");
}

static void check_families(struct checker *checker, const struct at *at,
                           const struct json_node *spec) {
        static const char *const names[] = { "IPv4", "IPv6", NULL };
        static const char *const policies[] = { "PreferDualStack", "RequireDualStack",
                                                "SingleStack", NULL };
        const struct rule family = { .data = names }, policy = { .data = policies };
        const struct json_node *list = node_get(spec, "ipFamilies");
        const struct json_node *wanted = node_get(spec, "ipFamilyPolicy");
        struct at families = at_member(at, "ipFamilies"), place = at_member(at, "ipFamilyPolicy");
        CLEANUP(text_set_release) struct text_set seen = { 0 };

        for (size_t i = 0; i < node_count(list); i++) {
                struct at element = at_index(&families, i);

                rule_choice(checker, &element, node_at(list, i), &family);
                if (!text_set_add(&seen, text_at(list, i)))
                        report(checker, FIELD_DUPLICATE, &element, NULL,
                               quoted(checker, text_at(list, i)), NULL);
        }
        if (wanted)
                rule_choice(checker, &place, wanted, &policy);
}

/* False when one of them cannot be read: then nothing else is said about them. */
static bool check_each_address(struct checker *checker, const struct at *at,
                               const struct json_node *list, const struct json *known) {
        size_t count = node_count(list);
        bool is_good = true;

        for (size_t i = 0; i < count; i++) {
                struct slice address = text_at(list, i);
                struct at place = at_index(at, i);

                if (i == 0 && is_none(address)) {
                        if (count > 1)
                                report(checker, FIELD_INVALID, at, NULL, node_json(checker, list),
                                       "'None' must be the first and only value");
                        is_good &= count == 1;
                } else if (!has_text(known, address)) {
                        is_good &= check_ip_strict(checker, &place, address, NULL);
                }
        }
        if (count > 2)
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, list),
                       "may only hold up to 2 values");
        return is_good;
}

static void check_address_families(struct checker *checker, const struct at *at,
                                   const struct json_node *list, const struct json_node *families) {
        size_t count = node_count(list), six = 0;

        for (size_t i = 0; i < count; i++)
                six += is_six_address(text_at(list, i));
        if (count > 1 && (six == 0 || six == count || count > 2))
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, list),
                       "may specify no more than one IP for each IP family");
        for (size_t i = 0; i < count && i < node_count(families); i++) {
                struct slice family = text_at(families, i), address = text_at(list, i);
                struct at place = at_index(at, i);
                const char *wanted = is_six_address(address) ? "IPv6" : "IPv4";

                if (!slice_is(family, wanted) &&
                    (slice_is(family, "IPv4") || slice_is(family, "IPv6")))
                        report_text(checker, &place, NULL, address,
                                    message_of(checker,
                                               "expected an " SLICE_FMT
                                               " value as indicated by `ipFamilies[%zu]`",
                                               SLICE_ARG(family), i));
        }
}

void check_service_addresses(struct checker *checker, const struct json_node *spec,
                             const struct json *old_spec) {
        const struct json_node *list = node_get(spec, "clusterIPs");
        struct at at = at_root("spec"), place = at_member(&at, "clusterIPs");

        if (slice_is(node_get_text(spec, "type"), "ExternalName"))
                return;
        check_first_address(checker, &place, node_get_text(spec, "clusterIP"), list);
        check_families(checker, &at, spec);
        if (check_each_address(checker, &place, list, json_get(old_spec, "clusterIPs")) &&
            !is_headless_service(spec))
                check_address_families(checker, &place, list, node_get(spec, "ipFamilies"));
}

/* ---- one stack or two ---- */

/* A headless service that selects no pods may have any families. */
static bool is_bare(const struct json_node *spec) {
        return is_none(node_get_text(spec, "clusterIP")) &&
               node_count(node_get(spec, "selector")) == 0;
}

struct slice service_family_policy(const struct json_node *spec, const struct json *old_spec) {
        struct slice given = node_get_text(spec, "ipFamilyPolicy");
        struct slice before = json_get_text(old_spec, "ipFamilyPolicy");

        if (given.len || before.len)
                return given.len ? given : before;
        return is_bare(spec) ? SLICE_LITERAL("RequireDualStack") : SLICE_LITERAL("SingleStack");
}

bool service_keeps_stacks(const struct json_node *spec, const struct json *old_spec) {
        struct slice wanted = SLICE_LITERAL("PreferDualStack");
        struct slice type = node_get_text(spec, "type");
        struct slice before = json_get_text(old_spec, "ipFamilyPolicy");

        return old_spec && slice_eq(node_get_text(spec, "ipFamilyPolicy"), wanted) &&
               (before.len == 0 || slice_eq(before, wanted)) &&
               slice_eq(type, json_get_text(old_spec, "type")) && !slice_is(type, "ExternalName") &&
               is_same_member(spec, old_spec, "clusterIPs") &&
               is_same_member(spec, old_spec, "ipFamilies");
}

size_t service_stack_count(const struct json_node *spec, const struct json *old_spec,
                           const char *member) {
        size_t count = node_count(node_get(spec, member));
        bool is_single = slice_is(service_family_policy(spec, old_spec), "SingleStack");

        return is_single && count > 1 && old_spec && is_same_member(spec, old_spec, member) ? 1
                                                                                            : count;
}

/* What is looked at of a service's families, once it has its policy. */
struct stacks {
        const struct json_node *addresses, *families;
        size_t address_count, family_count;
        struct slice policy;
};

static struct stacks stacks_of(const struct json_node *spec, const struct json *old_spec) {
        return (struct stacks){
                .addresses = node_get(spec, "clusterIPs"),
                .families = node_get(spec, "ipFamilies"),
                .address_count = service_stack_count(spec, old_spec, "clusterIPs"),
                .family_count = service_stack_count(spec, old_spec, "ipFamilies"),
                .policy = service_family_policy(spec, old_spec),
        };
}

static void report_policy(struct checker *checker, const struct at *at, const struct stacks *stacks,
                          const char *text) {
        report_text(checker, at, "ipFamilyPolicy", stacks->policy, text);
}

static void check_reduced(struct checker *checker, const struct at *at, const struct stacks *stacks,
                          const struct json *old_spec) {
        if (slice_is(stacks->policy, "SingleStack"))
                return;
        if (stacks->address_count == 1 && json_count(json_get(old_spec, "clusterIPs")) == 2)
                report_policy(checker, at, stacks,
                              "must be 'SingleStack' to release the secondary cluster IP");
        if (stacks->family_count == 1 && json_count(json_get(old_spec, "ipFamilies")) == 2)
                report_policy(checker, at, stacks,
                              "must be 'SingleStack' to release the secondary IP family");
}

/* Addresses of this cluster are IPv4. */
static void check_stacks(struct checker *checker, const struct at *at,
                         const struct stacks *stacks) {
        bool is_single = slice_is(stacks->policy, "SingleStack");
        struct at addresses = at_member(at, "clusterIPs");

        if (is_single && stacks->address_count == 2)
                report_policy(checker, at, stacks,
                              "must be 'RequireDualStack' or 'PreferDualStack' when multiple "
                              "cluster IPs are specified");
        if (is_single && stacks->family_count == 2)
                report_policy(checker, at, stacks,
                              "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP "
                              "families are specified");
        for (size_t i = stacks->family_count; i < stacks->address_count; i++) {
                struct at place = at_index(&addresses, i);

                if (is_none(text_at(stacks->addresses, i)))
                        break;
                if (is_six_address(text_at(stacks->addresses, i)))
                        report(checker, FIELD_INVALID, &place, NULL,
                               node_json(checker, stacks->addresses),
                               "IPv6 is not configured on this cluster");
        }
}

static void check_configured(struct checker *checker, const struct at *at,
                             const struct stacks *stacks) {
        struct at list = at_member(at, "ipFamilies");

        if (slice_is(stacks->policy, "RequireDualStack"))
                report_policy(checker, at, stacks,
                              "this cluster is not configured for dual-stack services");
        for (size_t i = 0; i < stacks->family_count; i++) {
                struct at place = at_index(&list, i);

                if (slice_is(text_at(stacks->families, i), "IPv6"))
                        report_text(checker, &place, NULL, text_at(stacks->families, i),
                                    "not configured on this cluster");
        }
}

static void check_families_wanted(struct checker *checker, const struct json_node *spec,
                                  const struct json *old_spec) {
        struct stacks stacks = stacks_of(spec, old_spec);
        size_t before = checker->errors->count;
        struct at at = at_root("spec");

        if (service_keeps_stacks(spec, old_spec))
                return;
        if (old_spec)
                check_reduced(checker, &at, &stacks, old_spec);
        check_stacks(checker, &at, &stacks);
        if (checker->errors->count == before && !is_bare(spec))
                check_configured(checker, &at, &stacks);
}

/* ---- what others have ---- */

/* What is wrong with the name of a service as the owner of an address; NULL = nothing. Dry runs
 * take no address, and ask for no owner. */
static const char *nameless_owner(struct checker *checker, const struct json_node *service) {
        struct slice name = node_get_text(node_get(service, "metadata"), "name");
        const char *problem = segment_problem(name, false);

        if (checker->context->is_dry_run || (name.len && !problem))
                return NULL;
        if (name.len == 0)
                return "spec.parentRef.name: Required value";
        const char *shown = quoted(checker, name), *more = strstr(problem, "; ");
        if (!more)
                return message_of(checker, "spec.parentRef.name: Invalid value: %s: %s", shown,
                                  problem);
        return message_of(checker,
                          "[spec.parentRef.name: Invalid value: %s: %.*s, "
                          "spec.parentRef.name: Invalid value: %s: %s]",
                          shown, (int)(more - problem), problem, shown, more + 2);
}

/* The first and the last address of the range belong to the network. */
static bool is_usable(const struct ip_network *range, const struct ip_address *address) {
        struct ip_address first = ip_network_first(range), last;

        ip_parse(SLICE_LITERAL(SERVICE_RANGE_LAST), &last);
        return !ip_same(&first, address) && !ip_same(&last, address);
}

/* Those that a service has had cannot change, which its validation says. */
static bool had_addresses(const struct json *old) {
        return old && !slice_is(json_get_text(json_get(old, "spec"), "type"), "ExternalName");
}

static void check_free_address(struct checker *checker, const struct json_node *service,
                               const struct json *old) {
        const struct json_node *spec = node_get(service, "spec");
        struct slice address = node_get_text(spec, "clusterIP");
        struct at at = at_root("spec");
        struct ip_address parsed;
        struct ip_network range;
        const char *text = NULL, *owner = nameless_owner(checker, service);

        if (address.len == 0 && owner)
                report(checker, FIELD_INVALID, &at, "clusterIPs", "[\"\"]",
                       message_of(checker,
                                  "failed to allocate IP: IPAddress.networking.k8s.io "
                                  "\"" SERVICE_RANGE_FREE "\" is invalid: %s",
                                  owner));
        if (address.len == 0 || is_none(address) || !ip_parse(address, &parsed) ||
            had_addresses(old))
                return;
        ip_network_parse(SLICE_LITERAL(SERVICE_RANGE), &range);
        bool is_within = ip_network_has(&range, &parsed) && is_usable(&range, &parsed);
        if (!is_within && !checker->context->is_dry_run)
                text = message_of(checker,
                                  "failed to allocate IP " SLICE_FMT
                                  ": the provided network does not match the current range",
                                  SLICE_ARG(address));
        else if (!is_within)
                text = message_of(checker,
                                  "failed to allocate IP " SLICE_FMT ": the provided IP (" SLICE_FMT
                                  ") is not in the valid range. "
                                  "The range of valid IPs is " SERVICE_RANGE,
                                  SLICE_ARG(address), SLICE_ARG(address));
        else if (owner)
                text = message_of(checker,
                                  "failed to allocate IP " SLICE_FMT
                                  ": IPAddress.networking.k8s.io \"" SLICE_FMT "\" is invalid: %s",
                                  SLICE_ARG(address), SLICE_ARG(address), owner);
        else if (!checker->context->is_dry_run && service_is_taken(checker, service, address, 0))
                text = message_of(checker,
                                  "failed to allocate IP " SLICE_FMT
                                  ": provided IP is already allocated",
                                  SLICE_ARG(address));
        if (text)
                report(checker, FIELD_INVALID, &at, "clusterIPs",
                       node_json(checker, node_get(spec, "clusterIPs")), text);
}

bool check_service_allocation(struct checker *checker, const struct json_node *service,
                              const struct json *old) {
        const struct json_node *spec = node_get(service, "spec");
        const struct json *old_spec = json_get(old, "spec");
        size_t before = checker->errors->count;

        if (checker->context->is_allocated)
                return true;
        if (!slice_is(node_get_text(spec, "type"), "ExternalName")) {
                check_service_addresses(checker, spec, old_spec);
                if (checker->errors->count == before)
                        check_families_wanted(checker, spec, old_spec);
                if (checker->errors->count == before)
                        check_free_address(checker, service, old);
        }
        if (checker->errors->count == before)
                check_service_ports(checker, service, old);
        return checker->errors->count == before;
}
