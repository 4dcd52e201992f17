/* Every name, uid, group and extra value needs a right of its own.
 *
 * There are two kinds of rights, as upstream has them: the verb "impersonate" is good for every
 * request; the constrained ones, "impersonate:MODE", come with "impersonate-on:MODE:VERB", a right
 * to what the request itself asks for. The constrained ones are tried first, and their refusal is
 * the one that is reported. */
#include "server/impersonation.h"

#include "api/dns_name.h"
#include "server/api_access.h"
#include "server/api_failure.h"
#include "server/api_query.h"
#include <ctype.h>
#include <strings.h>

#define AUTHENTICATED "system:authenticated"
#define UNAUTHENTICATED "system:unauthenticated"
#define AUTHENTICATION_GROUP "authentication.k8s.io"
#define EXTRA_PREFIX "Impersonate-Extra-"
#define NODE_NAME_EXTRA "authentication.kubernetes.io/node-name"
#define MANY 4 /* from here on one right to "*" is asked for first */

/* Who is asked for, as the headers say it. */
struct wanted_user {
        struct slice name, uid;
        struct slice *groups;
        struct user_extra *extras;
        size_t group_count, extra_count;
        bool has_groups, has_extras;
        /* What the name stands for. */
        bool is_account, is_node;
        struct slice account_ns, short_name; /* of an account or node */
};

enum mode { MODE_OWN_NODE, MODE_NODE, MODE_ACCOUNT, MODE_USER, MODE_PLAIN, MODE_COUNT };
static const char *const mode_names[] = { "associated-node", "arbitrary-node", "serviceaccount",
                                          "user-info" };

/* ---- headers ---- */

static bool header_is(struct slice name, const char *wanted) {
        return name.len == strlen(wanted) && strncasecmp(name.ptr, wanted, name.len) == 0;
}

static bool is_extra(struct slice name) {
        return name.len >= strlen(EXTRA_PREFIX) &&
               strncasecmp(name.ptr, EXTRA_PREFIX, strlen(EXTRA_PREFIX)) == 0;
}

static struct slice extra_key(struct arena *arena, struct slice name) {
        struct slice text =
                slice_make(name.ptr + strlen(EXTRA_PREFIX), name.len - strlen(EXTRA_PREFIX));
        char *lower = arena_string(arena, text);

        for (size_t i = 0; i < text.len; i++)
                lower[i] = (char)tolower((unsigned char)lower[i]);
        return percent_decode(arena, slice_make(lower, text.len), false);
}

/* Values of one key stand together, the keys in the order of their first value. */
static void add_extra(struct wanted_user *wanted, struct slice key, struct slice value) {
        size_t at = wanted->extra_count++;

        for (size_t i = at; i > 0; i--) {
                if (slice_eq(wanted->extras[i - 1].key, key)) {
                        at = i;
                        break;
                }
        }
        for (size_t i = wanted->extra_count - 1; i > at; i--)
                wanted->extras[i] = wanted->extras[i - 1];
        wanted->extras[at] = (struct user_extra){ key, value };
}

static void take_header(struct arena *arena, struct wanted_user *wanted, struct slice name,
                        struct slice value) {
        if (header_is(name, "Impersonate-User") && wanted->name.len == 0) {
                wanted->name = value;
        } else if (header_is(name, "Impersonate-Uid") && wanted->uid.len == 0) {
                wanted->uid = value;
        } else if (header_is(name, "Impersonate-Group")) {
                wanted->has_groups = true;
                if (wanted->group_count < API_GROUPS_MAX)
                        wanted->groups[wanted->group_count++] = value;
        } else if (is_extra(name)) {
                wanted->has_extras = true;
                if (wanted->extra_count < API_EXTRAS_MAX)
                        add_extra(wanted, extra_key(arena, name), value);
        }
}

static void read_headers(struct api_context *context, struct wanted_user *wanted) {
        struct slice rest = context->request->impersonation, name, value;

        wanted->groups = ARENA_ARRAY(context->arena, struct slice, API_GROUPS_MAX);
        wanted->extras = ARENA_ARRAY(context->arena, struct user_extra, API_EXTRAS_MAX);
        while (slice_split(&rest, '\0', &name) && slice_split(&rest, '\0', &value))
                take_header(context->arena, wanted, name, value);
}

static bool is_name(struct slice name, size_t max, const char *(*problem)(struct slice name)) {
        return name.len > 0 && name.len <= max && !problem(name);
}

static void name_parse(struct wanted_user *wanted) {
        static const struct slice account = SLICE_INIT("system:serviceaccount:");
        static const struct slice node = SLICE_INIT("system:node:");
        struct slice rest = wanted->name;

        if (slice_has_prefix(rest, account)) {
                rest = slice_make(rest.ptr + account.len, rest.len - account.len);
                slice_split(&rest, ':', &wanted->account_ns);
                wanted->short_name = rest;
                wanted->is_account =
                        is_name(wanted->account_ns, DNS_LABEL_MAX, dns_label_problem) &&
                        is_name(rest, DNS_SUBDOMAIN_MAX, dns_subdomain_problem);
        } else if (slice_has_prefix(rest, node)) {
                wanted->short_name = slice_make(rest.ptr + node.len, rest.len - node.len);
                wanted->is_node =
                        is_name(wanted->short_name, DNS_SUBDOMAIN_MAX, dns_subdomain_problem);
        }
}

/* ---- rights ---- */

/* One mode under way. */
struct impersonation_attempt {
        struct api_context *context;
        const struct wanted_user *wanted;
        enum mode mode;
        struct slice verb;
};

static struct access_question attempt_question(const struct impersonation_attempt *attempt,
                                               const char *group, const char *resource,
                                               struct slice name) {
        return (struct access_question){ .user = attempt->context->user.name,
                                         .groups = attempt->context->user.groups,
                                         .group_count = attempt->context->user.group_count,
                                         .verb = attempt->verb,
                                         .group = slice_of(group),
                                         .resource = slice_of(resource),
                                         .name = name };
}

/* Users and groups have no API group in the plain mode, for the sake of old rules. */
static const char *people_group(const struct impersonation_attempt *attempt) {
        return attempt->mode == MODE_PLAIN ? "" : AUTHENTICATION_GROUP;
}

static int check_name(const struct impersonation_attempt *attempt) {
        const struct wanted_user *wanted = attempt->wanted;
        struct access_question question =
                attempt_question(attempt, people_group(attempt), "users", wanted->name);

        if (wanted->is_node && attempt->mode != MODE_PLAIN) {
                question.resource = SLICE_LITERAL("nodes");
                question.name =
                        attempt->mode == MODE_OWN_NODE ? SLICE_LITERAL("*") : wanted->short_name;
        } else if (wanted->is_account) {
                question.resource = SLICE_LITERAL("serviceaccounts");
                question.ns = wanted->account_ns;
                question.name = wanted->short_name;
        }
        return check_access(attempt->context, &question);
}

static int check_uid(const struct impersonation_attempt *attempt) {
        struct access_question question =
                attempt_question(attempt, AUTHENTICATION_GROUP, "uids", attempt->wanted->uid);

        return attempt->wanted->uid.len ? check_access(attempt->context, &question) : 0;
}

/* Whether one right stands for all of many. */
static bool has_right_to_all(const struct impersonation_attempt *attempt,
                             struct access_question question) {
        question.name = SLICE_LITERAL("*");
        return attempt->mode != MODE_PLAIN &&
               access_allows(attempt->context->engine, &question, NULL);
}

static int check_groups(const struct impersonation_attempt *attempt) {
        const struct wanted_user *wanted = attempt->wanted;
        struct access_question question =
                attempt_question(attempt, people_group(attempt), "groups", SLICE_EMPTY);

        for (size_t i = 0; attempt->mode != MODE_PLAIN && i < wanted->group_count; i++) {
                if (wanted->groups[i].len == 0)
                        return fail_access(attempt->context, &question,
                                           "impersonating the empty string group is not allowed");
                if (!is_master(&wanted->groups[i], 1))
                        continue;
                question.name = wanted->groups[i];
                return fail_access(attempt->context, &question,
                                   "impersonating the system:masters group is not allowed");
        }
        if (wanted->group_count >= MANY && has_right_to_all(attempt, question))
                return 0;
        for (size_t i = 0; i < wanted->group_count; i++) {
                question.name = wanted->groups[i];
                if (check_access(attempt->context, &question) < 0)
                        return API_FAILED;
        }
        return 0;
}

/* "example.com/path" */
static bool is_prefixed_path(struct slice key) {
        struct slice rest = key, domain = SLICE_EMPTY;

        slice_split(&rest, '/', &domain);
        if (rest.len == 0 || !is_name(domain, DNS_SUBDOMAIN_MAX, dns_subdomain_problem))
                return false;
        for (size_t i = 0; i < rest.len; i++) {
                if (!isalnum((unsigned char)rest.ptr[i]) &&
                    !memchr("/-._~%!$&'()*+,;=:", rest.ptr[i], 18))
                        return false;
        }
        return true;
}

static const char *extra_problem(const struct user_extra *extra) {
        if (extra->key.len == 0)
                return "impersonating the empty string key in extra is not allowed";
        if (!is_prefixed_path(extra->key))
                return "impersonating an invalid key in extra is not allowed: it must be a domain "
                       "and a path, example.com/path";
        return extra->value.len ? NULL
                                : "impersonating the empty string value in extra is not allowed";
}

static int check_extras(const struct impersonation_attempt *attempt) {
        const struct wanted_user *wanted = attempt->wanted;
        struct access_question question =
                attempt_question(attempt, AUTHENTICATION_GROUP, "userextras", SLICE_EMPTY);

        for (size_t i = 0; attempt->mode != MODE_PLAIN && i < wanted->extra_count; i++) {
                const char *problem = extra_problem(&wanted->extras[i]);

                if (problem)
                        return fail_access(attempt->context, &question, problem);
        }
        if (wanted->extra_count >= MANY) {
                question.subresource = SLICE_LITERAL("*");
                if (has_right_to_all(attempt, question))
                        return 0;
        }
        for (size_t i = 0; i < wanted->extra_count; i++) {
                question.subresource = wanted->extras[i].key;
                question.name = wanted->extras[i].value;
                if (check_access(attempt->context, &question) < 0)
                        return API_FAILED;
        }
        return 0;
}

/* ---- modes ---- */

static bool has_only_name(const struct wanted_user *wanted) {
        return wanted->uid.len == 0 && wanted->group_count == 0 && wanted->extra_count == 0;
}

/* The token was made for a pod of that node. */
static bool is_on_node(const struct api_user *user, struct slice node) {
        const struct user_extra *found = NULL;
        size_t count = 0;

        for (size_t i = 0; i < user->extra_count; i++) {
                if (slice_is(user->extras[i].key, NODE_NAME_EXTRA)) {
                        found = &user->extras[i];
                        count++;
                }
        }
        return count == 1 && slice_eq(found->value, node) &&
               slice_has_prefix(user->name, SLICE_LITERAL("system:serviceaccount:"));
}

static bool mode_applies(const struct impersonation_attempt *attempt) {
        const struct wanted_user *wanted = attempt->wanted;

        switch (attempt->mode) {
        case MODE_OWN_NODE:
                return wanted->is_node && has_only_name(wanted) &&
                       is_on_node(&attempt->context->user, wanted->short_name);
        case MODE_NODE:
                return wanted->is_node && has_only_name(wanted);
        case MODE_ACCOUNT:
                return wanted->is_account && has_only_name(wanted);
        case MODE_USER:
                return !wanted->is_node && !wanted->is_account;
        case MODE_PLAIN:
        case MODE_COUNT:
                break;
        }
        return attempt->mode == MODE_PLAIN;
}

static int check_request(const struct impersonation_attempt *attempt) {
        struct access_question question = route_question(attempt->context);

        if (attempt->mode == MODE_PLAIN)
                return 0;
        question.verb =
                slice_of(arena_printf(attempt->context->arena, "impersonate-on:%s:" SLICE_FMT,
                                      mode_names[attempt->mode], SLICE_ARG(question.verb)));
        return check_access(attempt->context, &question);
}

/* The first mode in which all is allowed; the first refusal otherwise. */
static int find_mode(struct api_context *context, const struct wanted_user *wanted,
                     enum mode *ret_mode) {
        struct api_failure first = { 0 };

        for (enum mode mode = MODE_OWN_NODE; mode < MODE_COUNT; mode++) {
                struct impersonation_attempt attempt = { .context = context,
                                                         .wanted = wanted,
                                                         .mode = mode };

                if (!mode_applies(&attempt))
                        continue;
                attempt.verb = mode == MODE_PLAIN
                                       ? SLICE_LITERAL("impersonate")
                                       : slice_of(arena_printf(context->arena, "impersonate:%s",
                                                               mode_names[mode]));
                if (check_request(&attempt) == 0 && check_name(&attempt) == 0 &&
                    check_uid(&attempt) == 0 && check_groups(&attempt) == 0 &&
                    check_extras(&attempt) == 0) {
                        context->failure = (struct api_failure){ 0 };
                        *ret_mode = mode;
                        return 0;
                }
                if (!first.message)
                        first = context->failure;
        }
        context->failure = first;
        return API_FAILED;
}

/* ---- the new user ---- */

static void add_group(struct api_user *user, struct slice group) {
        for (size_t i = 0; i < user->group_count; i++) {
                if (slice_eq(user->groups[i], group))
                        return;
        }
        user->groups[user->group_count++] = group;
}

static bool user_has_group(const struct api_user *user, const char *group) {
        for (size_t i = 0; i < user->group_count; i++) {
                if (slice_is(user->groups[i], group))
                        return true;
        }
        return false;
}

static void become_wanted(struct api_context *context, const struct wanted_user *wanted,
                          enum mode mode) {
        struct api_user *user = &context->user;

        *user = (struct api_user){ .name = wanted->name,
                                   .uid = wanted->uid,
                                   .extras = wanted->extras,
                                   .extra_count = wanted->extra_count };
        for (size_t i = 0; i < wanted->group_count; i++)
                user->groups[user->group_count++] = wanted->groups[i];
        if (wanted->is_node && mode != MODE_PLAIN)
                add_group(user, SLICE_LITERAL("system:nodes"));
        if (wanted->is_account && wanted->group_count == 0) {
                add_group(user, SLICE_LITERAL("system:serviceaccounts"));
                add_group(user,
                          slice_of(arena_printf(context->arena, "system:serviceaccounts:" SLICE_FMT,
                                                SLICE_ARG(wanted->account_ns))));
        }
        if (slice_is(user->name, "system:anonymous"))
                add_group(user, SLICE_LITERAL(UNAUTHENTICATED));
        else if (!user_has_group(user, UNAUTHENTICATED))
                add_group(user, SLICE_LITERAL(AUTHENTICATED));
}

int impersonate(struct api_context *context) {
        struct wanted_user wanted = { 0 };
        enum mode mode = MODE_PLAIN;

        if (context->request->impersonation.len == 0)
                return 0;
        read_headers(context, &wanted);
        if (wanted.name.len == 0 && (wanted.uid.len || wanted.has_groups || wanted.has_extras))
                return fail_bad_request(context,
                                        "requested a uid, groups or extra values of a user "
                                        "without impersonating a user name");
        if (wanted.name.len == 0)
                return 0;
        if (wanted.group_count > API_GROUPS_MAX - 1 || wanted.extra_count == API_EXTRAS_MAX)
                return fail_bad_request(context,
                                        "requested too many groups or extra values: there may be "
                                        "%d groups and %d values",
                                        API_GROUPS_MAX - 1, API_EXTRAS_MAX - 1);
        name_parse(&wanted);
        if (find_mode(context, &wanted, &mode) < 0)
                return API_FAILED;
        become_wanted(context, &wanted, mode);
        return 0;
}
