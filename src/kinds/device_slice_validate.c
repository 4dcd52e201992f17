/* Validation of ResourceSlices, which publish devices. */
#include "kinds/device_rules.h"

#include "api/quantity.h"
#include "base/util.h"

#define DEVICES_MAX 128
#define DEVICES_ADVANCED_MAX 64 /* with taints, counters or lists */
#define ATTRIBUTES_MAX 32
#define ATTRIBUTE_VALUES_MAX 48
#define ATTRIBUTE_BYTES_MAX 64
#define NAME_BYTES_MAX 96 /* a domain, a slash and a name */
#define COUNTER_SETS_MAX 8
#define COUNTERS_MAX 32
#define CONSUMED_SETS_MAX 2
#define VALID_VALUES_MAX 10

/* ---- maps ---- */

/* The middle of a key that is too long is left out of its path. */
static struct slice shown_key(struct checker *checker, struct slice key, size_t max) {
        size_t rest = max - 3;

        if (key.len <= max)
                return key;
        return slice_of(message_of(checker, "%.*s...%.*s", (int)((rest + 1) / 2), key.ptr,
                                   (int)(rest / 2), key.ptr + key.len - rest / 2));
}

/* low: bytes of a key that are shown; data: rules of each value. */
static void check_named_map(struct checker *checker, const struct at *at,
                            const struct json_node *map, const struct rule *values) {
        struct node_iter iter = node_iter(map);
        struct json_node *value;
        struct slice key;

        while (node_next(&iter, &key, &value)) {
                struct at place = at_key(at, shown_key(checker, key, NAME_BYTES_MAX));

                check_device_name(checker, at, key);
                check_rules(checker, &place, value, values);
        }
}

/* ---- attributes ---- */

static bool is_identifier_char(char c, bool *has_other) {
        bool is_digit = c >= '0' && c <= '9';

        *has_other |= !is_digit;
        return is_digit || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

/* Labels between dots; is_release: numbers in them have no leading zeros. */
static bool are_labels(struct slice text, bool is_release) {
        size_t start = 0;
        bool has_other = false;

        for (size_t i = 0; i <= text.len; i++) {
                if (i < text.len && text.ptr[i] != '.') {
                        if (!is_identifier_char(text.ptr[i], &has_other))
                                return false;
                        continue;
                }
                if (i == start ||
                    (is_release && !has_other && i - start > 1 && text.ptr[start] == '0'))
                        return false;
                start = i + 1;
                has_other = false;
        }
        return true;
}

static bool take_number(struct slice *rest) {
        size_t count = 0;

        while (count < rest->len && rest->ptr[count] >= '0' && rest->ptr[count] <= '9')
                count++;
        bool is_good = count > 0 && (count == 1 || rest->ptr[0] != '0');

        *rest = slice_make(rest->ptr + count, rest->len - count);
        return is_good;
}

static bool take_char(struct slice *rest, char c) {
        if (rest->len == 0 || rest->ptr[0] != c)
                return false;
        *rest = slice_make(rest->ptr + 1, rest->len - 1);
        return true;
}

static bool is_semantic_version(struct slice text) {
        if (!take_number(&text) || !take_char(&text, '.') || !take_number(&text) ||
            !take_char(&text, '.') || !take_number(&text))
                return false;
        const char *plus = text.len ? memchr(text.ptr, '+', text.len) : NULL;
        struct slice build = SLICE_EMPTY;

        if (plus) {
                build = slice_make(plus + 1, text.len - (size_t)(plus - text.ptr) - 1);
                text.len = (size_t)(plus - text.ptr);
        }
        if (plus && !are_labels(build, false))
                return false;
        return text.len == 0 || (take_char(&text, '-') && are_labels(text, true));
}

OWN_RULE(rule_version) {
        if (!is_semantic_version(node_get_slice(value)))
                report_text(checker, at, NULL, node_get_slice(value),
                            "must be a string compatible with semver.org spec 2.0.0");
        rule_length(checker, at, value, rule);
}

/* Members of an attribute, in the order of upstream's type. */
static const struct attribute_member {
        const char *member;
        void (*check)(struct checker *checker, const struct at *at, const struct json_node *value,
                      const struct rule *rule);
} attribute_members[] = {
        { "int", NULL },
        { "bool", NULL },
        { "string", rule_length },
        { "version", rule_version },
};

OWN_RULE(rule_attribute) {
        const struct rule text = { .high = ATTRIBUTE_BYTES_MAX };
        size_t count = 0;

        (void)rule;
        for (size_t i = 0; i < ARRAY_LEN(attribute_members); i++) {
                const struct json_node *member = node_get(value, attribute_members[i].member);
                struct at place = at_member(at, attribute_members[i].member);

                count += !!member;
                if (member && attribute_members[i].check)
                        attribute_members[i].check(checker, &place, member, &text);
        }
        if (count == 0)
                report_text(checker, at, NULL, SLICE_EMPTY, "exactly one value must be specified");
        else if (count > 1)
                report(checker, FIELD_INVALID, at, NULL, node_json(checker, value),
                       "exactly one value must be specified");
}

static const struct rule attribute_rules[] = { { NULL, rule_attribute }, RULES_END };

/* ---- capacity ---- */

static int compare_amounts(struct slice a, struct slice b) {
        int order = 0;

        return quantity_compare(a, b, &order, NULL) < 0 ? 0 : order;
}

static void check_valid_values(struct checker *checker, const struct at *at,
                               const struct json_node *policy, struct slice most) {
        const struct json_node *values = node_get(policy, "validValues");
        struct slice preset = node_get_text(policy, "default");
        struct at list = at_member(at, "validValues");
        CLEANUP(text_set_release) struct text_set seen = { 0 };
        bool has_preset = false;

        if (node_count(values) > VALID_VALUES_MAX) {
                report(checker, FIELD_TOO_MANY, &list, NULL,
                       message_of(checker, "%zu", node_count(values)),
                       "must have at most 10 items");
                return;
        }
        for (size_t i = 1; i < node_count(values); i++) {
                struct slice value = node_get_slice(node_at(values, i));
                struct at place = at_index(&list, i);

                if (compare_amounts(node_get_slice(node_at(values, i - 1)), value) > 0)
                        report_text(checker, &place, NULL, value,
                                    "values must be sorted in ascending order");
        }
        for (size_t i = 0; i < node_count(values); i++) {
                struct slice value = node_get_slice(node_at(values, i));
                struct at place = at_index(&list, i);

                has_preset |= compare_amounts(value, preset) == 0;
                if (compare_amounts(value, most) > 0)
                        report_text(checker, &place, NULL, value,
                                    message_of(checker,
                                               "option is larger than capacity value: " SLICE_FMT,
                                               SLICE_ARG(most)));
        }
        for (size_t i = 0; i < node_count(values); i++) {
                struct at place = at_index(&list, i);
                int64_t units = 0;

                quantity_value(node_get_slice(node_at(values, i)), &units, NULL);
                struct slice key = slice_of(message_of(checker, "%lld", (long long)units));
                if (!text_set_add(&seen, key))
                        report(checker, FIELD_DUPLICATE, &place, NULL, quoted(checker, key), NULL);
        }
        if (!has_preset)
                report_text(checker, &list, NULL, preset,
                            "default value is not valid according to the requestPolicy");
}

static void report_larger(struct checker *checker, const struct at *at, const char *member,
                          struct slice value, const char *text, struct slice bound) {
        report_text(checker, at, member, value,
                    message_of(checker, "%s" SLICE_FMT, text, SLICE_ARG(bound)));
}

/* The value has to be the least one and a number of steps. */
static void check_step(struct checker *checker, const struct at *at, struct slice value,
                       struct slice least, struct slice step) {
        int64_t units = 0, base = 0, size = 0;

        quantity_value(value, &units, NULL);
        quantity_value(least, &base, NULL);
        quantity_value(step, &size, NULL);
        if (size == 0 || (units - base) % size != 0)
                report_text(checker, at, "step", value,
                            message_of(checker,
                                       "value is not a multiple of a given step (" SLICE_FMT
                                       ") from (" SLICE_FMT ")",
                                       SLICE_ARG(step), SLICE_ARG(least)));
}

static void check_steps(struct checker *checker, const struct at *at, const struct json_node *range,
                        struct slice preset, struct slice capacity) {
        struct slice least = node_get_text(range, "min"), step = node_get_text(range, "step");
        struct slice most = node_get_text(range, "max");
        struct buf sum = { 0 };

        if (quantity_sum(least, step, false, &sum, NULL) == 0 &&
            compare_amounts(buf_view(&sum), capacity) > 0)
                report_text(checker, at, "step", step,
                            message_of(checker,
                                       "one step %s is larger than capacity value: " SLICE_FMT,
                                       sum.data, SLICE_ARG(capacity)));
        buf_release(&sum);
        check_step(checker, at, preset, least, step);
        if (most.len)
                check_step(checker, at, most, least, step);
}

static void check_valid_range(struct checker *checker, const struct at *at,
                              const struct json_node *range, struct slice preset,
                              struct slice capacity) {
        struct slice least = node_get_text(range, "min"), most = node_get_text(range, "max");

        if (least.len == 0) {
                report(checker, FIELD_REQUIRED, at, "min", NULL,
                       "required when validRange is defined");
                return;
        }
        if (compare_amounts(least, capacity) > 0)
                report_larger(checker, at, "min", least,
                              "min is larger than capacity value: ", capacity);
        if (compare_amounts(preset, least) < 0)
                report_larger(checker, at, "min", preset, "default is less than min: ", least);
        if (most.len && compare_amounts(least, most) > 0)
                report_larger(checker, at, "max", least, "min is larger than max: ", most);
        if (most.len && compare_amounts(most, capacity) > 0)
                report_larger(checker, at, "max", most,
                              "max is larger than capacity value: ", capacity);
        if (most.len && compare_amounts(preset, most) > 0)
                report_larger(checker, at, "max", preset, "default is more than max: ", most);
        if (node_get_text(range, "step").len)
                check_steps(checker, at, range, preset, capacity);
}

static void check_request_policy(struct checker *checker, const struct at *at,
                                 const struct json_node *policy, struct slice capacity) {
        bool has_values = node_count(node_get(policy, "validValues")) > 0;
        const struct json_node *range = node_get(policy, "validRange");
        struct slice preset = node_get_text(policy, "default");
        struct at place = at_member(at, "validRange");

        if (has_values && range)
                report(checker, FIELD_FORBIDDEN, at, NULL, NULL,
                       "exactly one policy can be specified, cannot specify \"validValues\" and "
                       "\"validRange\" at the same time");
        else if ((has_values || range) && preset.len == 0)
                report(checker, FIELD_REQUIRED, at, "default", NULL,
                       has_values ? "required when validValues is defined"
                                  : "required when validRange is defined");
        else if (has_values)
                check_valid_values(checker, at, policy, capacity);
        else if (range)
                check_valid_range(checker, &place, range, preset, capacity);
}

/* checker->subject: the device. */
OWN_RULE(rule_capacity) {
        const struct json_node *policy = node_get(value, "requestPolicy");
        struct at place = at_member(at, "requestPolicy");

        (void)rule;
        if (!policy)
                return;
        if (node_is_true(node_get(checker->subject, "allowMultipleAllocations")))
                check_request_policy(checker, &place, policy, node_get_text(value, "value"));
        else
                report(checker, FIELD_FORBIDDEN, &place, NULL, NULL,
                       "allowMultipleAllocations must be true");
}

static const struct rule capacity_rules[] = { { NULL, rule_capacity }, RULES_END };

/* ---- counters ---- */

OWN_RULE(rule_counters) {
        struct node_iter iter = node_iter(value);
        struct slice key;

        (void)rule;
        while (node_next(&iter, &key, NULL))
                check_form(checker, at, key, FORM_LABEL);
}

static const struct rule counter_set_rules[] = {
        { "name", rule_form, .low = FORM_LABEL, .flags = RULE_REQUIRED },
        { "counters", rule_counters, .flags = RULE_REQUIRED, .max = COUNTERS_MAX },
        RULES_END,
};
static const struct rule consumption_rules[] = {
        { "counterSet", rule_form, .low = FORM_LABEL, .flags = RULE_REQUIRED },
        { "counters", rule_counters, .flags = RULE_REQUIRED, .max = COUNTERS_MAX },
        RULES_END,
};

/* ---- where devices are ---- */

/* The members that are set, as "{`a`, `b`}"; how many. */
struct node_choice {
        struct buf text;
        size_t count;
};

static void choice_add(struct node_choice *choice, const char *member) {
        buf_printf(&choice->text, "%s`%s`", choice->count++ ? ", " : "{", member);
}

static void check_flag(struct checker *checker, const struct at *at, const struct json_node *object,
                       const char *member, struct node_choice *choice) {
        const struct json_node *flag = node_get(object, member);

        if (node_is_true(flag))
                choice_add(choice, member);
        else if (flag)
                report(checker, FIELD_INVALID, at, member, "false",
                       "must be either unset or set to true");
}

static void check_node_name(struct checker *checker, const struct at *at,
                            const struct json_node *object, struct node_choice *choice,
                            const char *empty_text) {
        const struct json_node *name = node_get(object, "nodeName");
        struct at place = at_member(at, "nodeName");

        if (name && node_get_slice(name).len == 0) {
                report_text(checker, at, "nodeName", SLICE_EMPTY, empty_text);
        } else if (name) {
                choice_add(choice, "nodeName");
                check_form(checker, &place, node_get_slice(name), FORM_SUBDOMAIN);
        }
}

static void check_choice_count(struct checker *checker, const struct at *at,
                               struct node_choice *choice, const char *none, const char *many) {
        if (choice->count == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL, none);
        if (choice->count > 1)
                report_text(checker, at, NULL,
                            slice_of(message_of(checker, "%s}", choice->text.data)), many);
        buf_release(&choice->text);
}

#define DEVICE_NODES                                                                               \
        "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "               \
        "`perDeviceNodeSelection` is set to true in the ResourceSlice spec"

static void check_device_nodes(struct checker *checker, const struct at *at,
                               const struct json_node *device, bool is_per_device) {
        const struct json_node *selector = node_get(device, "nodeSelector");
        struct node_choice choice = { 0 };
        struct at place = at_member(at, "nodeSelector");

        if (!is_per_device) {
                if (node_get(device, "nodeName") || selector || node_get(device, "allNodes"))
                        report(checker, FIELD_INVALID, at, NULL, "null",
                               "`nodeName`, `nodeSelector` and `allNodes` can only be set if "
                               "`perDeviceNodeSelection` is set to true in the ResourceSlice spec");
                return;
        }
        check_node_name(checker, at, device, &choice, "must not be empty");
        if (selector) {
                choice_add(&choice, "nodeSelector");
                rule_node_selector(checker, &place, selector, NULL);
        }
        check_flag(checker, at, device, "allNodes", &choice);
        check_choice_count(checker, at, &choice, DEVICE_NODES, DEVICE_NODES);
}

#define SLICE_NODES                                                                                \
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is "      \
        "required"

OWN_RULE(rule_slice_nodes) {
        const struct json_node *selector = node_get(value, "nodeSelector");
        const struct json_node *terms = node_get(selector, "nodeSelectorTerms");
        struct node_choice choice = { 0 };
        struct at place = at_member(at, "nodeSelector");

        (void)rule;
        check_node_name(checker, at, value, &choice,
                        "must be either unset or set to a non-empty string");
        if (selector) {
                choice_add(&choice, "nodeSelector");
                rule_node_selector(checker, &place, selector, NULL);
                if (node_count(terms) != 1)
                        report(checker, FIELD_INVALID, &place, "nodeSelectorTerms",
                               node_json(checker, terms),
                               "must have exactly one node selector term");
        }
        check_flag(checker, at, value, "allNodes", &choice);
        check_flag(checker, at, value, "perDeviceNodeSelection", &choice);
        check_choice_count(checker, at, &choice, SLICE_NODES,
                           SLICE_NODES ", but multiple fields are set");
}

/* ---- devices ---- */

static size_t attribute_values(const struct json_node *device) {
        return node_count(node_get(device, "attributes"));
}

static const struct rule device_rules[] = {
        { "taints", rule_device_taint, .flags = RULE_EACH, .max = DEVICE_TAINTS_MAX },
        { "consumesCounters", rule_object, .data = consumption_rules,
          .flags = RULE_EACH | RULE_UNIQUE, .unique = "counterSet", .max = CONSUMED_SETS_MAX },
        RULES_END,
};

static void check_device(struct checker *checker, const struct at *at,
                         const struct json_node *device, bool is_per_device) {
        const struct json_node *attributes = node_get(device, "attributes");
        const struct json_node *capacity = node_get(device, "capacity");
        size_t count = node_count(attributes) + node_count(capacity);
        struct at name = at_member(at, "name"), attribute_list = at_member(at, "attributes");
        struct at capacity_list = at_member(at, "capacity");

        check_form(checker, &name, node_get_text(device, "name"), FORM_LABEL);
        if (count > ATTRIBUTES_MAX)
                report_number(checker, at, NULL, (int64_t)count,
                              "the total number of attributes and capacities must not exceed 32");
        if (attribute_values(device) > ATTRIBUTE_VALUES_MAX)
                report_number(checker, at, NULL, (int64_t)attribute_values(device),
                              "the total number of attribute values must not exceed 48");
        checker->subject = device;
        check_named_map(checker, &attribute_list, attributes, attribute_rules);
        check_named_map(checker, &capacity_list, capacity, capacity_rules);
        check_rules(checker, at, device, device_rules);
        check_device_nodes(checker, at, device, is_per_device);
        rule_binding_conditions(checker, at, device, NULL);
}

static bool has_advanced_device(const struct json_node *devices) {
        struct node_iter iter = node_iter(devices);
        struct json_node *device;

        while (node_next(&iter, NULL, &device))
                if (node_count(node_get(device, "taints")) > 0 ||
                    node_count(node_get(device, "consumesCounters")) > 0)
                        return true;
        return false;
}

OWN_RULE(rule_devices) {
        const struct json_node *devices = node_get(value, "devices");
        bool is_per_device = node_is_true(node_get(value, "perDeviceNodeSelection"));
        size_t count = node_count(devices);
        size_t most = has_advanced_device(devices) ? DEVICES_ADVANCED_MAX : DEVICES_MAX;
        CLEANUP(text_set_release) struct text_set names = { 0 };
        struct at list = at_member(at, "devices"), counters = at_member(at, "sharedCounters");

        (void)rule;
        if ((devices || is_emptied(checker, &list)) &&
            (node_get(value, "sharedCounters") || is_emptied(checker, &counters)))
                report_text(checker, at, NULL, SLICE_EMPTY,
                            "only one of `sharedCounters` or `devices` is allowed");
        if (count > most) {
                report(checker, FIELD_TOO_MANY, &list, NULL, message_of(checker, "%zu", count),
                       message_of(checker, "must have at most %zu items", most));
                return;
        }
        for (size_t i = 0; i < count; i++) {
                struct at place = at_index(&list, i);

                check_device(checker, &place, node_at(devices, i), is_per_device);
        }
        for (size_t i = 0; i < count; i++) {
                struct slice name = node_get_text(node_at(devices, i), "name");
                struct at place = at_index(&list, i);

                if (!text_set_add(&names, name))
                        report(checker, FIELD_DUPLICATE, &place, NULL, quoted(checker, name), NULL);
        }
}

/* ---- the slice ---- */

static const struct rule pool_rules[] = {
        { "name", rule_pool_name, .flags = RULE_REQUIRED },
        { "resourceSliceCount", rule_positive, .flags = RULE_ALWAYS },
        { "generation", rule_range, .low = 0, .high = INT64_MAX,
          .text = "must be greater than or equal to zero" },
        RULES_END,
};
static const struct rule place_rules[] = {
        { "driver", rule_driver_name, .flags = RULE_REQUIRED },
        { "pool", rule_object, .data = pool_rules, .flags = RULE_ALWAYS },
        RULES_END,
};
static const struct rule content_rules[] = {
        { NULL, rule_slice_nodes },
        { NULL, rule_devices },
        { "sharedCounters", rule_object, .data = counter_set_rules,
          .flags = RULE_EACH | RULE_UNIQUE, .unique = "name", .max = COUNTER_SETS_MAX },
        RULES_END,
};

VALIDATE_HOOK(resource_slice_validate) {
        static const struct frozen pool_frozen[] = { { "name", FIELD_INVALID, NULL, NULL } };
        static const struct frozen frozen[] = { { "driver", FIELD_INVALID, NULL, NULL },
                                                { "nodeName", FIELD_INVALID, NULL, NULL } };
        struct checker checker = { .errors = errors, .context = context };
        const struct json_node *spec = node_get(object, "spec");
        const struct json *old_spec = json_get(old, "spec");
        struct at at = at_root("spec"), pool = at_member(&at, "pool");

        check_rules(&checker, &at, spec, place_rules);
        if (operation != KIND_CREATE) {
                check_frozen_members(&checker, &pool, node_get(spec, "pool"),
                                     json_get(old_spec, "pool"), pool_frozen,
                                     ARRAY_LEN(pool_frozen));
                check_frozen_members(&checker, &at, spec, old_spec, frozen, ARRAY_LEN(frozen));
        }
        check_rules(&checker, &at, spec, content_rules);
}
