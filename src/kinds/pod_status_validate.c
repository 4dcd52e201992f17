/* What the status of a pod may say. */
#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"
#include "kinds/check.h"
#include "kinds/ip_rules.h"
#include "kinds/pod_check.h"

#define HEALTH_MESSAGE_MAX 1024 /* bytes */

#define USER_ID_MAX 2147483647

struct status_check {
        struct checker *checker;
        const struct json_node *spec, *status;
        const struct json *old_status;
        struct at at; /* of the status */
};

static const struct json_node *entry_named(const struct json_node *list, struct slice name) {
        for (size_t i = 0; i < node_count(list); i++)
                if (slice_eq(node_get_text(node_at(list, i), "name"), name))
                        return node_at(list, i);
        return NULL;
}

/* ---- conditions and the node ---- */

static bool is_system_condition(struct slice type) {
        return slice_is(type, "PodScheduled") || slice_is(type, "Ready") ||
               slice_is(type, "Initialized");
}

static void check_generation(struct checker *checker, const struct at *at,
                             const struct json_node *owner) {
        int64_t generation = node_get_i64(owner, "observedGeneration", 0);

        if (generation < 0)
                report_number(checker, at, "observedGeneration", generation,
                              "must be a non-negative integer");
}

static void check_conditions(struct status_check *check) {
        const struct json_node *conditions = node_get(check->status, "conditions");
        struct at list = at_member(&check->at, "conditions");

        for (size_t i = 0; i < node_count(conditions); i++) {
                const struct json_node *condition = node_at(conditions, i);
                struct slice type = node_get_text(condition, "type");
                struct at place = at_index(&list, i), inner = at_member(&place, "Type");

                check_generation(check->checker, &place, condition);
                if (!is_system_condition(type))
                        check_form(check->checker, &inner, type, FORM_QUALIFIED);
        }
}

static void check_nominated(struct status_check *check, const struct json *old) {
        struct slice nominated = node_get_text(check->status, "nominatedNodeName");

        if (nominated.len == 0 ||
            slice_eq(nominated, json_get_text(check->old_status, "nominatedNodeName")))
                return;
        check_name(check->checker, &check->at, check->status, "nominatedNodeName", NAME_SUBDOMAIN);
        if (json_get_text(json_get(old, "spec"), "nodeName").len)
                report(check->checker, FIELD_FORBIDDEN, &check->at, "nominatedNodeName", NULL,
                       "may not be set on pods that are already bound to a node");
}

/* ---- states of containers ---- */

static bool has_exit_code(const struct json_node *codes, int64_t code) {
        const struct json_node *values = node_get(codes, "values");
        bool is_listed = false;

        for (size_t i = 0; i < node_count(values); i++) {
                int64_t value;

                is_listed |= node_as_i64(node_at(values, i), &value) && value == code;
        }
        return is_listed != slice_is(node_get_text(codes, "operator"), "NotIn");
}

static bool has_restart_rule(const struct json_node *container, int64_t code) {
        const struct json_node *rules = node_get(container, "restartPolicyRules");

        for (size_t i = 0; i < node_count(rules); i++) {
                const struct json_node *rule = node_at(rules, i);

                if (has_exit_code(node_get(rule, "exitCodes"), code))
                        return slice_is(node_get_text(rule, "action"), "Restart") ||
                               slice_is(node_get_text(rule, "action"), "RestartAllContainers");
        }
        return false;
}

static bool should_restart(const struct json_node *spec, const struct json_node *container,
                           int64_t code) {
        struct slice policy = node_get_text(container, "restartPolicy");

        if (!container || (policy.len && has_restart_rule(container, code)))
                return container;
        if (policy.len == 0)
                policy = node_get_text(spec, "restartPolicy");
        if (slice_is(policy, "OnFailure"))
                return code != 0;
        return !slice_is(policy, "Never");
}

static bool all_may_restart(const struct json_node *containers) {
        for (size_t i = 0; i < node_count(containers); i++) {
                const struct json_node *rules =
                        node_get(node_at(containers, i), "restartPolicyRules");

                for (size_t k = 0; k < node_count(rules); k++)
                        if (slice_is(node_get_text(node_at(rules, k), "action"),
                                     "RestartAllContainers"))
                                return true;
        }
        return false;
}

/* A container that ended for good does not run again. containers: NULL = none ever does. */
static void check_states(struct status_check *check, const char *member, const char *containers) {
        const struct json_node *now = node_get(check->status, member);
        struct json_iter iter = json_iter(json_get(check->old_status, member));
        struct at list = at_member(&check->at, member);
        const struct json *was;

        for (size_t i = 0; json_next(&iter, NULL, &was); i++) {
                const struct json *end = json_get(json_get(was, "state"), "terminated");
                struct slice name = json_get_text(was, "name");
                const struct json_node *next = end ? entry_named(now, name) : NULL;
                struct at place = at_index(&list, i);

                if (!next || node_get(node_get(next, "state"), "terminated"))
                        continue;
                if (containers &&
                    should_restart(check->spec,
                                   entry_named(node_get(check->spec, containers), name),
                                   json_get_i64(end, "exitCode", 0)))
                        continue;
                report(check->checker, FIELD_FORBIDDEN, &place, "state", NULL,
                       "may not be transitioned to non-terminated state");
        }
}

static void check_all_states(struct status_check *check) {
        if (!all_may_restart(node_get(check->spec, "initContainers")) &&
            !all_may_restart(node_get(check->spec, "containers"))) {
                check_states(check, "containerStatuses", "containers");
                check_states(check, "initContainerStatuses", "initContainers");
        }
        check_states(check, "ephemeralContainerStatuses", NULL);
}

/* ---- claims of devices ---- */

static void check_claims(struct status_check *check) {
        const struct json_node *claims = node_get(check->status, "resourceClaimStatuses");
        const struct json_node *known = node_get(check->spec, "resourceClaims");
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        struct at list = at_member(&check->at, "resourceClaimStatuses");

        for (size_t i = 0; i < node_count(claims); i++) {
                const struct json_node *claim = node_at(claims, i);
                struct slice name = node_get_text(claim, "name");
                struct at place = at_index(&list, i),
                          inner = at_member(&place, "resourceClaimName");

                if (!entry_named(known, name))
                        report_text(check->checker, &place, "name", name,
                                    "must match the name of an entry in `spec.resourceClaims`");
                if (text_set_has(&seen, name))
                        report(check->checker, FIELD_DUPLICATE, &place, "name",
                               quoted(check->checker, name), NULL);
                text_set_add(&seen, name);
                if (node_get(claim, "resourceClaimName"))
                        check_form(check->checker, &inner,
                                   node_get_text(claim, "resourceClaimName"), FORM_SUBDOMAIN);
        }
}

static void check_mapping_target(struct status_check *check, const struct at *at,
                                 const struct json_node *mapping) {
        struct slice name = node_get_text(mapping, "containerName");
        struct slice resource = node_get_text(mapping, "resourceName");
        const struct json_node *container = entry_named(node_get(check->spec, "containers"), name);

        if (!container)
                container = entry_named(node_get(check->spec, "initContainers"), name);
        if (!container)
                report_text(check->checker, at, "containerName", name,
                            "must match the name of an entry in spec.initContainers.name or "
                            "spec.containers.name");
        else if (!node_find(node_get(node_get(container, "resources"), "requests"), resource))
                report_text(check->checker, at, "resourceName", resource,
                            "must match the extended resource name of an entry in "
                            "spec.initContainers.resources.requests or "
                            "spec.containers.resources.requests");
}

static void check_mapping(struct status_check *check, const struct at *list, size_t index,
                          const struct json_node *mapping, struct text_set *seen) {
        static const char *const members[] = { "containerName", "resourceName", "requestName" };
        struct checker *checker = check->checker;
        struct at place = at_index(list, index), request = at_member(list->up, "requestName");
        struct slice key = pair_text(checker, node_get_text(mapping, members[0]),
                                     pair_text(checker, node_get_text(mapping, members[1]),
                                               node_get_text(mapping, members[2])));

        check_mapping_target(check, &place, mapping);
        check_form(checker, &request, node_get_text(mapping, "requestName"), FORM_LABEL);
        for (size_t i = 0; text_set_has(seen, key) && i < ARRAY_LEN(members); i++)
                report(checker, FIELD_DUPLICATE, &place, members[i],
                       quoted(checker, node_get_text(mapping, members[i])), NULL);
        text_set_add(seen, key);
}

static void check_extended_claim(struct status_check *check) {
        const struct json_node *extended = node_get(check->status, "extendedResourceClaimStatus");
        const struct json_node *mappings = node_get(extended, "requestMappings");
        struct at place = at_member(&check->at, "extendedResourceClaimStatus");
        struct at list = at_member(&place, "requestMappings");
        struct at claim = at_member(&place, "resourceClaimName");
        CLEANUP(text_set_release) struct text_set seen = { 0 };

        if (!extended)
                return;
        if (node_count(mappings) == 0)
                report(check->checker, FIELD_REQUIRED, &list, NULL, NULL,
                       "at least one request mapping is required");
        for (size_t i = 0; i < node_count(mappings); i++)
                check_mapping(check, &list, i, node_at(mappings, i), &seen);
        if (check_required(check->checker, &place, extended, "resourceClaimName"))
                check_form(check->checker, &claim, node_get_text(extended, "resourceClaimName"),
                           FORM_SUBDOMAIN);
}

/* ---- addresses ---- */

static bool had_address(const struct json *old, struct slice text) {
        struct json_iter iter = json_iter(old);
        const struct json *entry;

        while (json_next(&iter, NULL, &entry))
                if (slice_eq(json_get_text(entry, "ip"), text))
                        return true;
        return false;
}

/* What was there before may stay, right or wrong. */
static void check_addresses(struct status_check *check, const char *member) {
        const struct json_node *entries = node_get(check->status, member);
        struct at list = at_member(&check->at, member);
        size_t families[2] = { 0 }, count = node_count(entries), wrong = count;

        for (size_t i = 0; i < node_count(entries); i++) {
                struct slice text = node_get_text(node_at(entries, i), "ip");
                struct at place = at_index(&list, i);
                struct ip_address address;

                if (!had_address(json_get(check->old_status, member), text))
                        check_ip_strict(check->checker, &place, text, NULL);
                if (ip_parse(text, &address))
                        families[address.is_six]++;
                else if (wrong == count)
                        wrong = i;
        }
        if (count > 1 && wrong < count)
                report(check->checker, FIELD_INTERNAL, &list, NULL, NULL,
                       message_of(check->checker,
                                  "failed to check for dual stack with error:invalid "
                                  "IP[%zu]: " SLICE_FMT,
                                  wrong, SLICE_ARG(node_get_text(node_at(entries, wrong), "ip"))));
        if (count > 1 && (families[0] != 1 || families[1] != 1))
                report(check->checker, FIELD_INVALID, &list, NULL,
                       node_json(check->checker, entries),
                       "may specify no more than one IP for each IP family");
}

static void check_host_address(struct status_check *check) {
        const struct json_node *entries = node_get(check->status, "hostIPs");
        struct slice first = node_get_text(node_at(entries, 0), "ip");
        struct at list = at_member(&check->at, "hostIPs"), place = at_index(&list, 0);

        if (node_count(entries) == 0)
                return;
        if (!slice_eq(first, node_get_text(check->status, "hostIP")))
                report_text(check->checker, &place, "ip", first, "must be equal to `hostIP`");
        check_addresses(check, "hostIPs");
}

/* ---- users and allocated resources ---- */

static void check_user_id(struct checker *checker, const struct at *at, int64_t id) {
        if (id < 0 || id > USER_ID_MAX)
                report_number(checker, at, NULL, id, "must be between 0 and 2147483647, inclusive");
}

static void check_linux_user(struct status_check *check, const struct at *at,
                             const struct json_node *user) {
        const struct json_node *groups = node_get(user, "supplementalGroups");
        struct at uid = at_member(at, "uid"), gid = at_member(at, "gid");
        struct at list = at_member(at, "supplementalGroups");

        if (!user)
                return;
        check_user_id(check->checker, &uid, node_get_i64(user, "uid", 0));
        check_user_id(check->checker, &gid, node_get_i64(user, "gid", 0));
        for (size_t i = 0; i < node_count(groups); i++) {
                struct at place = at_index(&list, i);
                int64_t id;

                if (node_as_i64(node_at(groups, i), &id))
                        check_user_id(check->checker, &place, id);
        }
}

static void check_users(struct status_check *check, const char *member) {
        const struct json_node *statuses = node_get(check->status, member);
        bool is_windows = slice_is(node_get_text(node_get(check->spec, "os"), "name"), "windows");
        struct at list = at_member(&check->at, member);

        for (size_t i = 0; i < node_count(statuses); i++) {
                const struct json_node *user =
                        node_get(node_get(node_at(statuses, i), "user"), "linux");
                struct at place = at_index(&list, i), owner = at_member(&place, "user");
                struct at inner = at_member(&owner, "linux");

                if (is_windows && user)
                        report(check->checker, FIELD_FORBIDDEN, &inner, NULL, NULL,
                               "cannot be set for a windows pod");
                else
                        check_linux_user(check, &inner, user);
        }
}

static bool has_claim(struct checker *checker, const struct json_node *claims, struct slice name) {
        for (size_t i = 0; i < node_count(claims); i++) {
                struct slice request = node_get_text(node_at(claims, i), "request");
                const char *text = message_of(checker, "claim:" SLICE_FMT "%s" SLICE_FMT,
                                              SLICE_ARG(node_get_text(node_at(claims, i), "name")),
                                              request.len ? "/" : "", SLICE_ARG(request));

                if (slice_is(name, text))
                        return true;
        }
        return false;
}

static void check_allocated_name(struct checker *checker, const struct at *at,
                                 const struct json_node *container, struct slice name) {
        const struct json_node *resources = node_get(container, "resources");

        if (slice_has_prefix(name, SLICE_LITERAL("claim:"))) {
                if (!has_claim(checker, node_get(resources, "claims"), name))
                        report_text(checker, at, "name", name,
                                    "must match one of the container's resource claims in a format "
                                    "'claim:<claimName>/<request>' or 'claim:<claimName>' if "
                                    "request is empty");
        } else if (!node_find(node_get(resources, "requests"), name)) {
                report_text(checker, at, "name", name,
                            "must match one of the container's resource requests");
        }
}

static void check_health_message(struct checker *checker, const struct at *at,
                                 const struct json_node *message) {
        size_t length = node_get_slice(message).len;

        if (message && length == 0)
                report(checker, FIELD_REQUIRED, at, "message", NULL,
                       "must be non-empty if specified");
        else if (length > HEALTH_MESSAGE_MAX)
                report(checker, FIELD_TOO_LONG, at, "message", NULL,
                       message_of(checker, "may not be more than %d bytes", HEALTH_MESSAGE_MAX));
}

static void check_health(struct checker *checker, const struct at *at,
                         const struct json_node *health, struct text_set *seen) {
        static const char *const states[] = { "Healthy", "Unhealthy", "Unknown", NULL };
        struct slice id = node_get_text(health, "resourceID");
        struct slice state = node_get_text(health, "health");

        if (state.len == 0)
                report_choice(checker, at, "health", "\"\"", states);
        else
                check_choice(checker, at, health, "health", states);
        check_health_message(checker, at, node_get(health, "message"));
        if (text_set_has(seen, id))
                report(checker, FIELD_DUPLICATE, at, "resourceID", quoted(checker, id), NULL);
        text_set_add(seen, id);
}

static void check_allocated(struct status_check *check, const struct at *at,
                            const struct json_node *status, const char *containers) {
        const struct json_node *allocated = node_get(status, "allocatedResourcesStatus");
        const struct json_node *container =
                entry_named(node_get(check->spec, containers), node_get_text(status, "name"));
        struct at list = at_member(at, "allocatedResourcesStatus");

        for (size_t i = 0; i < node_count(allocated); i++) {
                const struct json_node *resource = node_at(allocated, i);
                const struct json_node *health = node_get(resource, "resources");
                CLEANUP(text_set_release) struct text_set seen = { 0 };
                struct at place = at_index(&list, i), inner = at_member(&place, "resources");

                if (container)
                        check_allocated_name(check->checker, &place, container,
                                             node_get_text(resource, "name"));
                for (size_t k = 0; k < node_count(health); k++) {
                        struct at entry = at_index(&inner, k);

                        check_health(check->checker, &entry, node_at(health, k), &seen);
                }
        }
}

static void check_allocations(struct status_check *check, const char *member,
                              const char *containers) {
        const struct json_node *statuses = node_get(check->status, member);
        struct at list = at_member(&check->at, member);

        for (size_t i = 0; i < node_count(statuses); i++) {
                const struct json_node *status = node_at(statuses, i);
                struct at place = at_index(&list, i);

                if (containers)
                        check_allocated(check, &place, status, containers);
                else if (node_count(node_get(status, "allocatedResourcesStatus")) > 0)
                        report(check->checker, FIELD_FORBIDDEN, &place, "allocatedResourcesStatus",
                               NULL, "must not be specified in container status");
        }
}

void check_pod_status_update(struct checker *checker, const struct json_node *pod,
                             const struct json *old) {
        struct status_check check = { .checker = checker,
                                      .spec = node_get(pod, "spec"),
                                      .status = node_get(pod, "status"),
                                      .old_status = json_get(old, "status"),
                                      .at = at_root("status") };

        check_pod_annotation_updates(checker, pod, old);
        check_conditions(&check);
        check_nominated(&check, old);
        check_generation(checker, &check.at, check.status);
        check_immutable(checker, &check.at, check.status, check.old_status, "qosClass");
        check_all_states(&check);
        check_claims(&check);
        check_extended_claim(&check);
        check_addresses(&check, "podIPs");
        check_host_address(&check);
        check_users(&check, "containerStatuses");
        check_users(&check, "initContainerStatuses");
        check_users(&check, "ephemeralContainerStatuses");
        check_allocations(&check, "containerStatuses", "containers");
        check_allocations(&check, "initContainerStatuses", "initContainers");
        check_allocations(&check, "ephemeralContainerStatuses", NULL);
}
