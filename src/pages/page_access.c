/* Token and access reviews in front of a daemon's pages, cached for a short time. Tokens are stored
 * as digests only, and nothing of them is logged. */
#include "pages/page_access.h"

#include "api/json.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/sha256.h"
#include "base/util.h"
#include "pages/page_identity.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define REVIEW_TIMEOUT_NS (10 * NS_PER_S)
#define REMEMBERED_MAX 256 /* per kind of answer; beyond it the oldest go */
#define VISITS_MAX 64      /* that wait for answers */
#define TOKEN_REVIEWS "/apis/authentication.k8s.io/v1/tokenreviews"
#define ACCESS_REVIEWS "/apis/authorization.k8s.io/v1/subjectaccessreviews"
#define AUTHORITIES "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"
#define AUTHORITIES_TTL_NS (10 * NS_PER_S)
#define ANONYMOUS "system:anonymous"
#define UNAUTHENTICATED_GROUP "system:unauthenticated"
#define AUTHENTICATED_GROUP "system:authenticated"
#define MASTERS_GROUP "system:masters"

/* An answer of the cluster; the text is the user of a token, empty when it has none. */
struct remembered {
        struct remembered *next;
        uint8_t key[SHA256_SIZE];
        struct mono_time until;
        bool is_good;
        char *user;
};

struct memory {
        struct remembered *first; /* newest first */
        size_t count;
};

struct page_access {
        struct page_access_config config;
        char *open_paths;
        struct memory tokens, decisions;
        size_t waiting;
        struct mono_time authorities_until; /* what is known of them counts */
        struct api_request *lookup;         /* the one at the start */
        void (*lookup_failed)(void *context, const struct err *err);
        void *lookup_context;
};

struct page_visit {
        struct page_access *access;
        char *method, *path; /* the verb is the method in lower case */
        struct buf token, certificates, headers;
        uint8_t key[SHA256_SIZE];
        char *user; /* a spec of SubjectAccessReview, without what is asked */
        struct transport *asked;
        struct api_request *request; /* NULL: nothing under way */
        int status;
        struct buf message;
        bool is_waiting; /* counted; ready is to be called */
        void (*ready)(void *context);
        void *context;
};

/* ---- memory ---- */

static void remembered_free(struct remembered *entry) {
        free(entry->user);
        free(entry);
}

static void forget_all(struct memory *memory) {
        while (memory->first) {
                struct remembered *entry = memory->first;

                memory->first = entry->next;
                remembered_free(entry);
        }
}

/* Drops what is over on the way. */
static const struct remembered *page_access_recall(struct memory *memory, const struct loop *loop,
                                                   const uint8_t key[SHA256_SIZE]) {
        struct mono_time now = loop_mono(loop);

        for (struct remembered **link = &memory->first; *link;) {
                struct remembered *entry = *link;

                if (entry->until.ns <= now.ns) {
                        *link = entry->next;
                        memory->count--;
                        remembered_free(entry);
                        continue;
                }
                if (memcmp(entry->key, key, SHA256_SIZE) == 0)
                        return entry;
                link = &entry->next;
        }
        return NULL;
}

static void page_access_remember(struct memory *memory, const struct page_visit *visit,
                                 int64_t ttl_ns, const struct remembered *answer) {
        struct remembered *entry, **link = &memory->first;

        if (ttl_ns <= 0)
                return;
        entry = xcalloc(1, sizeof(*entry));
        memcpy(entry->key, visit->key, SHA256_SIZE);
        entry->until.ns = loop_mono(visit->access->config.loop).ns + ttl_ns;
        entry->is_good = answer->is_good;
        entry->user = answer->user ? slice_dup(slice_of(answer->user)) : NULL;
        entry->next = memory->first;
        memory->first = entry;
        if (++memory->count <= REMEMBERED_MAX)
                return;
        while ((*link)->next)
                link = &(*link)->next;
        remembered_free(*link);
        *link = NULL;
        memory->count--;
}

/* ---- deciding ---- */

static void page_access_decide(struct page_visit *visit, int status, const char *message) {
        visit->status = status;
        buf_text(&visit->message, message);
        if (!visit->is_waiting)
                return;
        visit->is_waiting = false;
        visit->access->waiting--;
        visit->ready(visit->context);
}

static void page_access_deny(struct page_visit *visit) {
        struct json_tree *tree = NULL;
        struct err err = { 0 };

        buf_text(&visit->message, "forbidden: User ");
        if (json_tree_parse(slice_of(visit->user), &tree, &err) == 0)
                buf_json_string(&visit->message, node_get_text(json_tree_root(tree), "user"));
        buf_printf(&visit->message, " cannot %s path ", visit->method);
        buf_json_string(&visit->message, slice_of(visit->path));
        json_tree_free(tree);
        page_access_decide(visit, 403, "");
}

/* Without a body the path is read. */
static void page_access_ask(struct page_visit *visit, struct transport *transport, const char *path,
                            const struct buf *body,
                            void (*done)(void *context, const struct api_reply *reply)) {
        if (!visit->is_waiting && visit->access->waiting >= VISITS_MAX) {
                page_access_decide(visit, 429,
                                   "too many requests wait for reviews, try again later");
                return;
        }
        visit->access->waiting += !visit->is_waiting;
        visit->is_waiting = true;
        visit->asked = transport;
        visit->request =
                transport_call(transport,
                               &(struct api_call){ .method = body ? API_POST : API_GET,
                                                   .path = slice_of(path),
                                                   .body = body ? buf_view(body) : SLICE_EMPTY,
                                                   .timeout_ns = REVIEW_TIMEOUT_NS },
                               done, visit);
}

/* ---- what the user may do ---- */

static bool is_open_path(const struct page_access *access, const char *path) {
        struct slice rest = slice_of(access->open_paths), open, wanted = slice_of(path);

        wanted = slice_make(wanted.ptr + 1, wanted.len - 1);
        while (slice_split(&rest, ',', &open)) {
                open = slice_trim(open);
                if (slice_has_prefix(open, SLICE_LITERAL("/")))
                        open = slice_make(open.ptr + 1, open.len - 1);
                if (slice_has_suffix(open, SLICE_LITERAL("*")) &&
                    slice_has_prefix(wanted, slice_make(open.ptr, open.len - 1)))
                        return true;
                if (open.len && slice_eq(open, wanted))
                        return true;
        }
        return false;
}

static bool is_master(const struct json_node *user) {
        const struct json_node *groups = node_get(user, "groups");

        for (size_t i = 0; i < node_count(groups); i++)
                if (slice_is(node_get_slice(node_at(groups, i)), MASTERS_GROUP))
                        return true;
        return false;
}

static void on_access(void *context, const struct api_reply *reply) {
        struct page_visit *visit = context;
        struct page_access *access = visit->access;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct err err = { 0 };

        visit->request = NULL;
        if (reply->status / 100 != 2 || json_parse(reply->body, &doc, &err) < 0) {
                buf_printf(&visit->message, "Internal Server Error: \"%s\": ", visit->path);
                page_access_decide(visit, 500, reply->error.code ? reply->error.text : err.text);
                return;
        }
        bool is_allowed = json_get_bool(json_get(json_doc_root(doc), "status"), "allowed", false);
        page_access_remember(&access->decisions, visit,
                             is_allowed ? access->config.allowed_ttl_ns
                                        : access->config.denied_ttl_ns,
                             &(struct remembered){ .is_good = is_allowed });
        if (is_allowed)
                page_access_decide(visit, 200, "");
        else
                page_access_deny(visit);
}

static void compose_access(const struct page_visit *visit, struct json_tree *tree,
                           struct json_node *user, struct buf *out) {
        struct json_node *root = node_object(tree), *attributes = node_object(tree);

        node_put_string(tree, attributes, "path", visit->path);
        node_put_string(tree, attributes, "verb", visit->method);
        node_put(tree, user, "nonResourceAttributes", attributes);
        node_put_string(tree, root, "kind", "SubjectAccessReview");
        node_put_string(tree, root, "apiVersion", "authorization.k8s.io/v1");
        node_put(tree, root, "spec", user);
        node_write(root, out);
}

static void page_access_authorize(struct page_visit *visit) {
        struct page_access *access = visit->access;
        CLEANUP(cleanup_json_tree) struct json_tree *tree = NULL;
        CLEANUP(buf_release) struct buf body = { 0 };
        struct err err = { 0 };

        if (json_tree_parse(slice_of(visit->user), &tree, &err) < 0) {
                page_access_decide(visit, 500, "Internal Server Error");
                return;
        }
        if (is_open_path(access, visit->path) || is_master(json_tree_root(tree))) {
                page_access_decide(visit, 200, "");
                return;
        }
        compose_access(visit, tree, json_tree_root(tree), &body);
        sha256(buf_view(&body), visit->key);
        const struct remembered *known =
                page_access_recall(&access->decisions, access->config.loop, visit->key);
        if (known && known->is_good)
                page_access_decide(visit, 200, "");
        else if (known || !access->config.authorization.ops)
                page_access_deny(visit);
        else
                page_access_ask(visit, &access->config.authorization, ACCESS_REVIEWS, &body,
                                on_access);
}

/* ---- who the user is ---- */

/* The spec of a SubjectAccessReview calls the name "user". */
static char *user_text(const struct json *info) {
        static const char *const copied[] = { "uid", "groups", "extra" };
        struct json_tree *tree = json_tree_new();
        struct json_node *user = node_object(tree), *groups;
        struct buf text = { 0 };
        bool is_listed = false;

        node_put_text(tree, user, "user", json_get_text(info, "username"));
        for (size_t i = 0; i < ARRAY_LEN(copied); i++)
                if (json_get(info, copied[i]))
                        node_put(tree, user, copied[i],
                                 node_import(tree, json_get(info, copied[i])));
        groups = node_need_array(tree, user, "groups");
        for (size_t i = 0; i < node_count(groups); i++)
                is_listed |= slice_is(node_get_slice(node_at(groups, i)), AUTHENTICATED_GROUP);
        if (!is_listed)
                node_append(groups, node_string(tree, AUTHENTICATED_GROUP));
        node_write(user, &text);
        json_tree_free(tree);
        return buf_take(&text, NULL);
}

static void on_token(void *context, const struct api_reply *reply) {
        struct page_visit *visit = context;
        struct page_access *access = visit->access;
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct err err = { 0 };

        visit->request = NULL;
        if (reply->status / 100 != 2 || json_parse(reply->body, &doc, &err) < 0) {
                page_access_decide(visit, 401,
                                   "Unauthorized"); /* not remembered: the next one asks again */
                return;
        }
        const struct json *status = json_get(json_doc_root(doc), "status");
        if (json_get_bool(status, "authenticated", false))
                visit->user = user_text(json_get(status, "user"));
        page_access_remember(&access->tokens, visit, access->config.token_ttl_ns,
                             &(struct remembered){ .is_good = visit->user, .user = visit->user });
        if (visit->user)
                page_access_authorize(visit);
        else
                page_access_decide(visit, 401, "Unauthorized");
}

/* The token of "Bearer TOKEN"; empty when it is something else. */
static struct slice bearer_token(struct slice header) {
        static const char scheme[] = "bearer";
        struct slice rest = slice_trim(header), word = SLICE_EMPTY;

        if (!slice_split(&rest, ' ', &word) || word.len != sizeof(scheme) - 1)
                return SLICE_EMPTY;
        for (size_t i = 0; i < word.len; i++)
                if (tolower((unsigned char)word.ptr[i]) != scheme[i])
                        return SLICE_EMPTY;
        return slice_trim(rest);
}

static void review_token(struct page_visit *visit) {
        struct page_access *access = visit->access;
        struct slice token = buf_view(&visit->token);
        CLEANUP(buf_release) struct buf body = { 0 };

        sha256(token, visit->key);
        const struct remembered *known =
                page_access_recall(&access->tokens, access->config.loop, visit->key);
        if (known && known->is_good) {
                visit->user = slice_dup(slice_of(known->user));
                page_access_authorize(visit);
        } else if (known) {
                page_access_decide(visit, 401, "Unauthorized");
        } else {
                buf_text(&body,
                         "{\"kind\":\"TokenReview\",\"apiVersion\":\"authentication.k8s.io/v1\","
                         "\"spec\":{\"token\":");
                buf_json_string(&body, token);
                buf_text(&body, "}}");
                page_access_ask(visit, &access->config.authentication, TOKEN_REVIEWS, &body,
                                on_token);
        }
}

/* ---- certificates ---- */

static enum page_proof page_access_prove(struct page_visit *visit) {
        const struct page_access *access = visit->access;
        struct page_evidence evidence = { buf_view(&visit->certificates),
                                          buf_view(&visit->headers) };
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        CLEANUP(buf_release) struct buf user = { 0 };
        enum page_proof proof = PAGE_PROOF_NONE;
        struct err err = { 0 };

        if (access->config.identity && evidence.certificates.len)
                proof = page_identity_prove(access->config.identity, &evidence,
                                            loop_wall(access->config.loop), &user);
        if (proof != PAGE_PROOF_GOOD)
                return proof;
        if (json_parse(buf_view(&user), &doc, &err) < 0)
                return PAGE_PROOF_WRONG;
        visit->user = user_text(json_doc_root(doc));
        return PAGE_PROOF_GOOD;
}

/* Only a request without credentials is anonymous; one with an invalid token or certificate is
 * refused. */
static void page_access_authenticate(struct page_visit *visit) {
        enum page_proof proof = page_access_prove(visit);

        if (proof == PAGE_PROOF_GOOD) {
                page_access_authorize(visit);
        } else if (visit->token.len && visit->access->config.authentication.ops) {
                review_token(visit);
        } else if (proof == PAGE_PROOF_WRONG) {
                page_access_decide(visit, 401, "Unauthorized");
        } else {
                visit->user = slice_dup(SLICE_LITERAL(
                        "{\"user\":\"" ANONYMOUS "\",\"groups\":[\"" UNAUTHENTICATED_GROUP "\"]}"));
                page_access_authorize(visit);
        }
}

/* What was known before stays when there is nothing better. */
static int page_access_learn(struct page_access *access, const struct api_reply *reply,
                             struct err *err) {
        access->authorities_until.ns = loop_mono(access->config.loop).ns + AUTHORITIES_TTL_NS;
        if (reply->status / 100 != 2)
                return err_set(err, reply->error.code ? reply->error.code : BERTH_ERR_UNAVAILABLE,
                               "cannot read the cluster's configuration of authentication: %s",
                               reply->error.text);
        return page_identity_learn(access->config.identity, reply->body, err);
}

static void on_authorities(void *context, const struct api_reply *reply) {
        struct page_visit *visit = context;
        struct err err = { 0 };

        visit->request = NULL;
        if (page_access_learn(visit->access, reply, &err) < 0)
                LOG(LOG_WARN, "AuthoritiesUnknown", log_text("error", err.text));
        page_access_authenticate(visit);
}

static bool looks_up(const struct page_access *access) {
        return access->config.identity && access->config.looks_up &&
               access->config.authentication.ops;
}

static void page_access_begin(struct page_visit *visit) {
        struct page_access *access = visit->access;
        bool is_known = loop_mono(access->config.loop).ns < access->authorities_until.ns;

        if (!visit->certificates.len || !access->config.identity || is_known) {
                page_access_authenticate(visit);
                return;
        }
        page_identity_refresh(access->config.identity);
        if (looks_up(access)) {
                page_access_ask(visit, &access->config.authentication, AUTHORITIES, NULL,
                                on_authorities);
                return;
        }
        access->authorities_until.ns = loop_mono(access->config.loop).ns + AUTHORITIES_TTL_NS;
        page_access_authenticate(visit);
}

bool page_access_takes_certificates(const struct page_access *access) {
        return access->config.identity;
}

static void on_looked_up(void *context, const struct api_reply *reply) {
        struct page_access *access = context;
        struct err err = { 0 };

        access->lookup = NULL;
        if (page_access_learn(access, reply, &err) == 0)
                return;
        LOG(LOG_WARN, "AuthoritiesUnknown", log_text("error", err.text));
        if (access->lookup_failed)
                access->lookup_failed(access->lookup_context, &err);
}

void page_access_look_up(struct page_access *access,
                         void (*failed)(void *context, const struct err *err), void *context) {
        if (!looks_up(access))
                return;
        access->lookup_failed = failed;
        access->lookup_context = context;
        access->lookup = transport_call(
                &access->config.authentication,
                &(struct api_call){ .method = API_GET, .path = SLICE_LITERAL(AUTHORITIES) },
                on_looked_up, access);
}

/* ---- life ---- */

struct page_access *page_access_new(const struct page_access_config *config) {
        struct page_access *access = xcalloc(1, sizeof(*access));

        access->config = *config;
        access->open_paths = slice_dup(config->open_paths);
        return access;
}

void page_access_free(struct page_access *access) {
        if (!access)
                return;
        if (access->lookup)
                transport_cancel(&access->config.authentication, access->lookup);
        forget_all(&access->tokens);
        forget_all(&access->decisions);
        free(access->open_paths);
        free(access);
}

struct page_visit *page_visit_new(struct page_access *access, const struct page_question *question,
                                  void (*ready)(void *context), void *context) {
        struct page_visit *visit = xcalloc(1, sizeof(*visit));

        visit->access = access;
        visit->ready = ready;
        visit->context = context;
        visit->method = slice_dup(question->method);
        for (char *c = visit->method; *c; c++)
                *c = (char)tolower((unsigned char)*c);
        visit->path = slice_dup(question->path.len ? question->path : SLICE_LITERAL("/"));
        buf_slice(&visit->token, bearer_token(question->authorization));
        buf_slice(&visit->certificates, question->certificates);
        buf_slice(&visit->headers, question->headers);
        page_access_begin(visit);
        return visit;
}

void page_visit_free(struct page_visit *visit) {
        if (!visit)
                return;
        if (visit->request)
                transport_cancel(visit->asked, visit->request);
        if (visit->is_waiting)
                visit->access->waiting--;
        free(visit->method);
        free(visit->path);
        free(visit->user);
        buf_release(&visit->token);
        buf_release(&visit->certificates);
        buf_release(&visit->headers);
        buf_release(&visit->message);
        free(visit);
}

int page_visit_status(const struct page_visit *visit) {
        return visit->status;
}

struct slice page_visit_message(const struct page_visit *visit) {
        return buf_view(&visit->message);
}
