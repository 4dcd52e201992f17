/* Validation of events in both of their groups. */
#include "kinds/check.h"

#include "base/util.h"
#include <string.h>

#define INSTANCE_MAX 128
#define ACTION_MAX 128
#define REASON_MAX 128
#define NOTE_MAX 1024

/* What differs between the views is how members are called. */
struct event_names {
        const char *object, *controller, *note;
};
static const struct event_names core_names = { "involvedObject", "reportingComponent", "message" };
static const struct event_names new_names = { "regarding", "reportingController", "note" };

static void check_limit(struct checker *checker, const char *path, struct slice text,
                        size_t limit) {
        struct at at = at_root(path);

        if (text.len > limit)
                report_text(checker, &at, NULL, SLICE_EMPTY,
                            message_of(checker, "can have at most %zu characters", limit));
}

static void check_present(struct checker *checker, const char *path, struct slice text) {
        struct at at = at_root(path);

        if (text.len == 0)
                report(checker, FIELD_REQUIRED, &at, NULL, NULL, NULL);
}

/* Events without a time of their own are of the old style. */
static void check_old_style(struct checker *checker, struct slice ns, struct slice object_ns) {
        struct at object = at_root("involvedObject");
        bool is_cluster_scoped = object_ns.len == 0;

        if (is_cluster_scoped ? !slice_is(ns, "default") : !slice_eq(ns, object_ns))
                report_text(checker, &object, "namespace", object_ns,
                            "does not match event.namespace");
}

static void check_new_style(struct checker *checker, const struct event_names *names,
                            const struct json_node *event, struct slice ns,
                            struct slice object_ns) {
        struct slice controller = node_get_text(event, names->controller);
        struct at object = at_root("involvedObject"), place = at_root(names->controller);

        if (object_ns.len == 0 && !slice_is(ns, "default") && !slice_is(ns, "kube-system"))
                report_text(checker, &object, "namespace", object_ns,
                            "does not match event.namespace");
        check_present(checker, names->controller, controller);
        check_label_key(checker, &place, NULL, controller);
        check_present(checker, "reportingInstance", node_get_text(event, "reportingInstance"));
        check_limit(checker, "reportingInstance", node_get_text(event, "reportingInstance"),
                    INSTANCE_MAX);
        check_present(checker, "action", node_get_text(event, "action"));
        check_limit(checker, "action", node_get_text(event, "action"), ACTION_MAX);
        check_present(checker, "reason", node_get_text(event, "reason"));
        check_limit(checker, "reason", node_get_text(event, "reason"), REASON_MAX);
        check_limit(checker, "message", node_get_text(event, names->note), NOTE_MAX);
}

static void check_common(struct checker *checker, const struct event_names *names,
                         const struct json_node *event) {
        struct slice ns = node_get_text(node_get(event, "metadata"), "namespace");
        struct slice object_ns = node_get_text(node_get(event, names->object), "namespace");

        if (node_get_text(event, "eventTime").len == 0)
                check_old_style(checker, ns, object_ns);
        else
                check_new_style(checker, names, event, ns, object_ns);
}

VALIDATE_HOOK(event_validate) {
        struct checker checker = { .errors = errors, .context = context };

        (void)operation, (void)old;
        check_common(&checker, &core_names, object);
}

static void check_series(struct checker *checker, const struct json_node *series) {
        struct at at = at_root("series");

        if (!series)
                return;
        if (node_get_i64(series, "count", 0) < 2)
                report_text(checker, &at, "count", SLICE_EMPTY, "should be at least 2");
        if (node_get_text(series, "lastObservedTime").len == 0)
                report(checker, FIELD_REQUIRED, &at, "lastObservedTime", NULL, NULL);
}

/* The new group is strict about new events. */
static void check_strict(struct checker *checker, const struct json_node *event) {
        static const char *const unset[][2] = {
                { "deprecatedFirstTimestamp", "firstTimestamp" },
                { "deprecatedLastTimestamp", "lastTimestamp" },
        };
        struct slice type = node_get_text(event, "type");
        const struct json_node *source = node_get(event, "deprecatedSource");
        struct at at = at_root("type"), count = at_root("count"), origin = at_root("source");

        check_series(checker, node_get(event, "series"));
        check_present(checker, "eventTime", node_get_text(event, "eventTime"));
        if (!slice_is(type, "Normal") && !slice_is(type, "Warning"))
                report_text(checker, &at, NULL, SLICE_EMPTY,
                            message_of(checker, "has invalid value: " SLICE_FMT, SLICE_ARG(type)));
        for (size_t i = 0; i < ARRAY_LEN(unset); i++) {
                struct at place = at_root(unset[i][1]);

                if (node_get_text(event, unset[i][0]).len)
                        report_text(checker, &place, NULL, SLICE_EMPTY, "needs to be unset");
        }
        if (node_get_i64(event, "deprecatedCount", 0) != 0)
                report_text(checker, &count, NULL, SLICE_EMPTY, "needs to be unset");
        if (node_get_text(source, "component").len || node_get_text(source, "host").len)
                report_text(checker, &origin, NULL, SLICE_EMPTY, "needs to be unset");
}

/* Members by their names in the store, in this view and in complaints; all fixed once written.
 * Upstream looks at the reason twice. */
static const char *const fixed_members[][3] = {
        { "involvedObject", "regarding", "involvedObject" },
        { "reason", "reason", "reason" },
        { "message", "note", "message" },
        { "source", "deprecatedSource", "source" },
        { "firstTimestamp", "deprecatedFirstTimestamp", "firstTimestamp" },
        { "lastTimestamp", "deprecatedLastTimestamp", "lastTimestamp" },
        { "count", "deprecatedCount", "count" },
        { "reason", "reason", "reason" },
        { "type", "type", "type" },
        { "eventTime", "eventTime", "eventTime" },
        { "action", "action", "action" },
        { "related", "related", "related" },
        { "reportingComponent", "reportingController", "reportingController" },
        { "reportingInstance", "reportingInstance", "reportingInstance" },
};

static void report_fixed(struct checker *checker, const char *member,
                         const struct json_node *value) {
        static const char detail[] = "field is immutable";
        static const struct {
                const char *member, *type;
                bool is_pointer;
        } types[] = {
                { "involvedObject", "core.v1.ObjectReference", false },
                { "source", "core.v1.EventSource", false },
                { "related", "core.v1.ObjectReference", true },
        };
        struct at at = at_root(member);

        for (size_t i = 0; i < ARRAY_LEN(types); i++)
                if (strcmp(member, types[i].member) == 0 && (value || !types[i].is_pointer)) {
                        report_typed(checker, FIELD_INVALID, &at, types[i].type, value, detail);
                        return;
                }
        report(checker, FIELD_INVALID, &at, NULL,
               value ? node_json(checker, value)
               : strstr(member, "Time") || strcmp(member, "related") == 0 ? "null"
               : strcmp(member, "count") == 0                             ? "0"
                                                                          : "\"\"",
               detail);
}

/* Nothing, a zero and an object without members are alike to upstream's types. */
static bool is_unset(const struct json_node *value) {
        int64_t number = 0;

        return !value || node_type(value) == JSON_NULL ||
               (node_type(value) == JSON_OBJECT && node_count(value) == 0) ||
               (node_type(value) == JSON_STRING && node_get_slice(value).len == 0) ||
               (node_as_i64(value, &number) && number == 0);
}

static bool is_unchanged(const struct json_node *event, const struct json *old, size_t index) {
        const struct json *before = json_get(old, fixed_members[index][0]);
        const struct json_node *after = node_get(event, fixed_members[index][1]);

        if (!before) /* the caller may hand over either form */
                before = json_get(old, fixed_members[index][1]);
        struct json_tree *scratch = json_tree_new();
        struct json_node *stored = before ? node_import(scratch, before) : NULL;
        bool is_pointer = strcmp(fixed_members[index][1], "related") == 0;
        bool is_same =
                (is_unset(stored) && is_unset(after) && (!is_pointer || !stored == !after)) ||
                (stored && after && node_equal(stored, after));
        json_tree_free(scratch);
        return is_same;
}

VALIDATE_HOOK(new_event_validate) {
        struct checker checker = { .errors = errors, .context = context };

        check_common(&checker, &new_names, object);
        if (operation == KIND_CREATE) {
                check_strict(&checker, object);
                return;
        }
        if (!is_same_member(object, old, "series"))
                check_series(&checker, node_get(object, "series"));
        for (size_t i = 0; i < ARRAY_LEN(fixed_members); i++)
                if (!is_unchanged(object, old, i))
                        report_fixed(&checker, fixed_members[i][2],
                                     node_get(object, fixed_members[i][1]));
}
