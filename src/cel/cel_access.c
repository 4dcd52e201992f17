/* Functions of the authorizer: authorizer.group('').resource('pods').check('create').allowed(). */
#include "cel/cel_function.h"
#include "cel/cel_node.h"

#include "api/dns_name.h"
#include "base/util.h"

struct cel_value cel_access_start(const struct cel_run *run, enum cel_kind kind) {
        static const struct cel_access nothing = { 0 };
        bool is_resource = kind == CEL_RESOURCE_CHECK && run->authorizer;

        return (struct cel_value){ .kind = kind,
                                   .as.access =
                                           is_resource ? run->authorizer->resource : &nothing };
}

static struct cel_access *access_copy(struct cel_run *run, const struct cel_value *from) {
        struct cel_access *copy = ARENA_NEW(run->arena, struct cel_access);

        *copy = *from->as.access;
        return copy;
}

static struct cel_value access_value(enum cel_kind kind, const struct cel_access *access) {
        return (struct cel_value){ .kind = kind, .as.access = access };
}

static bool is_blank(const struct cel_value *text) {
        return slice_trim(text->as.text).len == 0;
}

/* ---- what is asked about ---- */

FUNCTION(access_path) {
        struct cel_access *access = access_copy(run, &args[0]);

        if (is_blank(&args[1]))
                return cel_error(run, "path must not be empty");
        access->path = args[1].as.text;
        return access_value(CEL_PATH_CHECK, access);
}

FUNCTION(access_account) {
        struct cel_access *access = access_copy(run, &args[0]);

        if (args[2].as.text.len > DNS_SUBDOMAIN_MAX || dns_subdomain_problem(args[2].as.text))
                return cel_error(run, "Invalid service account name");
        if (args[1].as.text.len > DNS_LABEL_MAX || dns_label_problem(args[1].as.text))
                return cel_error(run, "Invalid service account namespace");
        access->account_ns = args[1].as.text;
        access->account = args[2].as.text;
        return access_value(CEL_AUTHORIZER, access);
}

FUNCTION(access_resource) {
        struct cel_access *access = access_copy(run, &args[0]);

        if (is_blank(&args[1]))
                return cel_error(run, "resource must not be empty");
        access->resource = args[1].as.text;
        return access_value(CEL_RESOURCE_CHECK, access);
}

/* Says one more thing about what is asked. */
static struct cel_value access_with(struct cel_run *run, const struct cel_value *args,
                                    enum cel_kind kind, size_t offset) {
        struct cel_access *access = access_copy(run, &args[0]);

        *(struct slice *)((char *)access + offset) = args[1].as.text;
        return access_value(kind, access);
}

FUNCTION(access_group) {
        return access_with(run, args, CEL_GROUP_CHECK, offsetof(struct cel_access, group));
}

FUNCTION(access_subresource) {
        return access_with(run, args, CEL_RESOURCE_CHECK, offsetof(struct cel_access, subresource));
}

FUNCTION(access_namespace) {
        return access_with(run, args, CEL_RESOURCE_CHECK, offsetof(struct cel_access, ns));
}

FUNCTION(access_name) {
        return access_with(run, args, CEL_RESOURCE_CHECK, offsetof(struct cel_access, name));
}

/* RBAC looks at no selectors. */
FUNCTION(access_selector) {
        (void)run;
        return args[0];
}

/* ---- the answer ---- */

FUNCTION(access_check) {
        struct cel_access *access = access_copy(run, &args[0]);
        const char *reason = "";

        if (!cel_spend(run, CEL_ACCESS_COST))
                return cel_error(run, "cost");
        access->verb = args[1].as.text;
        access->is_allowed = run->authorizer &&
                             run->authorizer->allows(run->authorizer->context, access, &reason);
        access->reason = slice_of(reason);
        return access_value(CEL_DECISION, access);
}

FUNCTION(decision_allowed) {
        (void)run;
        return cel_bool(args[0].as.access->is_allowed);
}

FUNCTION(decision_reason) {
        (void)run;
        return cel_text(CEL_STRING, args[0].as.access->reason);
}

/* RBAC has reasons, and no errors. */
FUNCTION(decision_errored) {
        (void)run, (void)args;
        return cel_bool(false);
}

FUNCTION(decision_error) {
        (void)run, (void)args;
        return cel_text(CEL_STRING, SLICE_EMPTY);
}

#define CHECK CEL_RESOURCE_CHECK
static const struct cel_function rows[] = {
        { "path", true, CEL_PATH_CHECK, access_path, 2, { CEL_AUTHORIZER, CEL_STRING } },
        { "group", true, CEL_GROUP_CHECK, access_group, 2, { CEL_AUTHORIZER, CEL_STRING } },
        { "serviceAccount",
          true,
          CEL_AUTHORIZER,
          access_account,
          3,
          { CEL_AUTHORIZER, CEL_STRING, CEL_STRING } },
        { "resource", true, CHECK, access_resource, 2, { CEL_GROUP_CHECK, CEL_STRING } },
        { "subresource", true, CHECK, access_subresource, 2, { CHECK, CEL_STRING } },
        { "namespace", true, CHECK, access_namespace, 2, { CHECK, CEL_STRING } },
        { "name", true, CHECK, access_name, 2, { CHECK, CEL_STRING } },
        { "fieldSelector", true, CHECK, access_selector, 2, { CHECK, CEL_STRING } },
        { "labelSelector", true, CHECK, access_selector, 2, { CHECK, CEL_STRING } },
        { "check", true, CEL_DECISION, access_check, 2, { CEL_PATH_CHECK, CEL_STRING } },
        { "check", true, CEL_DECISION, access_check, 2, { CHECK, CEL_STRING } },
        { "allowed", true, CEL_BOOL, decision_allowed, 1, { CEL_DECISION } },
        { "reason", true, CEL_STRING, decision_reason, 1, { CEL_DECISION } },
        { "errored", true, CEL_BOOL, decision_errored, 1, { CEL_DECISION } },
        { "error", true, CEL_STRING, decision_error, 1, { CEL_DECISION } },
};
const struct cel_function_set cel_access_functions = { rows, ARRAY_LEN(rows) };
