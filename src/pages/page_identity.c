/* Authorities of clients and of proxies, from files or from the cluster, and what they prove. */
#include "pages/page_identity.h"

#include "api/json.h"
#include "base/arena.h"
#include "base/log.h"
#include "base/util.h"
#include "client/file_reader.h"
#include "client/text_file.h"
#include "http/client_certificate.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CREDENTIAL_KEY "authentication.kubernetes.io/credential-id"

struct names {
        char **items;
        size_t count;
};

enum { ALLOWED, USER, UID, GROUP, EXTRA, LISTS };
static const char *const list_keys[LISTS] = {
        [ALLOWED] = "requestheader-allowed-names",
        [USER] = "requestheader-username-headers",
        [UID] = "requestheader-uid-headers",
        [GROUP] = "requestheader-group-headers",
        [EXTRA] = "requestheader-extra-headers-prefix",
};

/* The two kinds of authority; a pool that is NULL authenticates nobody. */
enum { CLIENTS, PROXIES, POOLS };
static const char *const pool_keys[POOLS] = { "client-ca-file", "requestheader-client-ca-file" };

struct page_identity {
        const char *paths[POOLS];   /* NULL = the cluster says */
        struct file_reader *reader; /* NULL = there are no files */
        struct certificate_pool *pools[POOLS];
        struct names lists[LISTS];
};

/* ---- lists ---- */

static void names_release(struct names *names) {
        for (size_t i = 0; i < names->count; i++)
                free(names->items[i]);
        free(names->items);
        *names = (struct names){ 0 };
}

static void names_add(struct names *names, struct slice name) {
        names->items = xrealloc(names->items, (names->count + 1) * sizeof(*names->items));
        names->items[names->count++] = slice_dup(name);
}

static void names_split(struct names *names, const char *text) {
        struct slice rest = slice_of(text ? text : ""), name;

        while (slice_split(&rest, ',', &name))
                if (slice_trim(name).len)
                        names_add(names, slice_trim(name));
}

static int names_parse(struct names *ret_names, struct slice json, struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;
        struct names names = { 0 };
        const struct json *item;
        struct json_iter iter;

        if (json.len && json_parse(json, &doc, err) < 0)
                return err->code;
        if (doc) {
                iter = json_iter(json_doc_root(doc));
                while (json_next(&iter, NULL, &item))
                        names_add(&names, json_text(item));
        }
        names_release(ret_names);
        *ret_names = names;
        return 0;
}

static bool names_has(const struct names *names, const char *name) {
        for (size_t i = 0; i < names->count; i++)
                if (strcmp(names->items[i], name) == 0)
                        return true;
        return false;
}

/* ---- where authorities come from ---- */

static int replace_pool(struct page_identity *identity, size_t at, struct slice pem,
                        struct err *err) {
        struct certificate_pool *pool = NULL;

        if (certificate_pool_new(pem, &pool, err) < 0)
                return err->code;
        certificate_pool_free(identity->pools[at]);
        identity->pools[at] = pool;
        return 0;
}

static int take_file(struct page_identity *identity, size_t at, const struct file_content *file,
                     struct err *err) {
        if (replace_pool(identity, at, slice_make(file->text, file->size), err) < 0)
                return err_wrap(err, "%s", identity->paths[at]);
        return 0;
}

static int read_file(struct page_identity *identity, size_t at, struct err *err) {
        struct file_content file = { 0 };
        int code = text_file_read(identity->paths[at], &file.text, &file.size, err);

        if (code == 0)
                code = take_file(identity, at, &file, err);
        file_content_wipe(&file);
        return code;
}

static int read_files(struct page_identity *identity, struct err *err) {
        for (size_t i = 0; i < POOLS; i++)
                if (identity->paths[i] && read_file(identity, i, err) < 0)
                        return err->code;
        return 0;
}

static void on_authorities_read(void *context, struct file_content contents[FILE_READER_MAX]) {
        struct page_identity *identity = context;

        for (size_t i = 0; i < POOLS; i++) {
                struct err err = contents[i].err;

                if (identity->paths[i] &&
                    (!contents[i].text || take_file(identity, i, &contents[i], &err) < 0))
                        LOG(LOG_WARN, "AuthoritiesUnreadable", log_text("error", err.text));
        }
}

int page_identity_new(const struct page_identity_config *config,
                      struct page_identity **ret_identity, struct err *err) {
        struct page_identity *identity = xcalloc(1, sizeof(*identity));
        const char *const paths[POOLS] = { config->client_ca_path, config->proxy_ca_path };
        const char *const lists[LISTS] = {
                [ALLOWED] = config->allowed_names, [USER] = config->user_headers,
                [UID] = config->uid_headers,       [GROUP] = config->group_headers,
                [EXTRA] = config->extra_prefixes,
        };

        for (size_t i = 0; i < POOLS; i++)
                identity->paths[i] = paths[i] && *paths[i] ? paths[i] : NULL;
        for (size_t i = 0; i < LISTS; i++)
                if (identity->paths[PROXIES])
                        names_split(&identity->lists[i], lists[i]);
        if (read_files(identity, err) < 0) {
                page_identity_free(identity);
                return err->code;
        }
        if (identity->paths[CLIENTS] || identity->paths[PROXIES])
                identity->reader = file_reader_new(
                        &(struct file_reader_config){
                                .paths = { identity->paths[CLIENTS], identity->paths[PROXIES] },
                                .read = on_authorities_read,
                                .context = identity },
                        config->loop);
        *ret_identity = identity;
        return 0;
}

void page_identity_free(struct page_identity *identity) {
        if (!identity)
                return;
        file_reader_free(identity->reader);
        for (size_t i = 0; i < POOLS; i++)
                certificate_pool_free(identity->pools[i]);
        for (size_t i = 0; i < LISTS; i++)
                names_release(&identity->lists[i]);
        free(identity);
}

void page_identity_refresh(struct page_identity *identity) {
        if (identity->reader)
                file_reader_start(identity->reader);
}

/* A ConfigMap without an authority: no client certificate is accepted. */
static int learn_pool(struct page_identity *identity, const struct json *data, size_t at,
                      struct err *err) {
        struct slice pem = json_get_text(data, pool_keys[at]);

        if (identity->paths[at])
                return 0;
        if (pem.len) {
                if (replace_pool(identity, at, pem, err) < 0)
                        return err_wrap(err, "%s", pool_keys[at]);
                return 0;
        }
        certificate_pool_free(identity->pools[at]);
        identity->pools[at] = NULL;
        return 0;
}

static int learn_lists(struct page_identity *identity, const struct json *data, struct err *err) {
        for (size_t i = 0; i < LISTS; i++)
                if (names_parse(&identity->lists[i], json_get_text(data, list_keys[i]), err) < 0)
                        return err_wrap(err, "%s", list_keys[i]);
        return 0;
}

/* Lists first: an authority of proxies must not stand there without the names it is good for. */
int page_identity_learn(struct page_identity *identity, struct slice config_map, struct err *err) {
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

        if (json_parse(config_map, &doc, err) < 0)
                return err->code;
        const struct json *data = json_get(json_doc_root(doc), "data");
        if (learn_pool(identity, data, CLIENTS, err) < 0)
                return err->code;
        if (!identity->paths[PROXIES] && learn_lists(identity, data, err) < 0)
                return err->code;
        return learn_pool(identity, data, PROXIES, err);
}

/* ---- users ---- */

/* A user under construction, in the form of TokenReview. */
struct user {
        struct json_tree *tree;
        struct json_node *root;
};

static struct user user_make(struct slice name, struct slice uid) {
        struct user user = { .tree = json_tree_new() };

        user.root = node_object(user.tree);
        node_put_text(user.tree, user.root, "username", name);
        if (uid.len)
                node_put_text(user.tree, user.root, "uid", uid);
        return user;
}

static void user_add_group(struct user *user, struct slice group) {
        node_append(node_need_array(user->tree, user->root, "groups"),
                    node_text(user->tree, group));
}

static void user_add_extra(struct user *user, const char *key, struct slice value) {
        struct json_node *extra = node_need_object(user->tree, user->root, "extra");

        node_append(node_need_array(user->tree, extra, key), node_text(user->tree, value));
}

static void user_finish(struct user *user, struct buf *ret_user) {
        node_write(user->root, ret_user);
        json_tree_free(user->tree);
}

/* ---- proxies ---- */

static bool next_header(struct slice *rest, struct slice *ret_name, struct slice *ret_value) {
        return slice_split(rest, '\0', ret_name) && slice_split(rest, '\0', ret_value);
}

static bool is_header(struct slice name, const char *wanted) {
        return name.len == strlen(wanted) && strncasecmp(name.ptr, wanted, name.len) == 0;
}

/* The value of the first name in the list that has one. */
static struct slice first_value(struct slice headers, const struct names *wanted) {
        for (size_t i = 0; i < wanted->count; i++) {
                struct slice rest = headers, name, value;

                while (next_header(&rest, &name, &value))
                        if (value.len && is_header(name, wanted->items[i]))
                                return value;
        }
        return SLICE_EMPTY;
}

static void add_groups(struct user *user, struct slice headers, const struct names *wanted) {
        for (size_t i = 0; i < wanted->count; i++) {
                struct slice rest = headers, name, value;

                while (next_header(&rest, &name, &value))
                        if (value.len && is_header(name, wanted->items[i]))
                                user_add_group(user, value);
        }
}

static int hex_digit(char c) {
        if (c >= '0' && c <= '9')
                return c - '0';
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Lower case, %-escapes undone; as it stands when one of them is broken. */
static char *extra_key(struct slice escaped) {
        CLEANUP(buf_release) struct buf plain = { 0 };
        char *lower = slice_dup(escaped);

        for (char *c = lower; *c; c++)
                *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
        for (const char *c = lower; *c; c++) {
                if (*c != '%') {
                        buf_char(&plain, *c);
                        continue;
                }
                int high = hex_digit(c[1]);
                int low = high < 0 ? -1 : hex_digit(c[2]);
                if (low < 0 || high + low == 0)
                        return lower;
                buf_char(&plain, (char)(high * 16 + low));
                c += 2;
        }
        free(lower);
        return slice_dup(buf_view(&plain));
}

static void add_extras(struct user *user, struct slice headers, const struct names *prefixes) {
        struct slice name, value;

        while (next_header(&headers, &name, &value))
                for (size_t i = 0; i < prefixes->count; i++) {
                        size_t length = strlen(prefixes->items[i]);

                        if (name.len < length ||
                            strncasecmp(name.ptr, prefixes->items[i], length) != 0)
                                continue;
                        char *key = extra_key(slice_make(name.ptr + length, name.len - length));
                        user_add_extra(user, key, value);
                        free(key);
                }
}

static enum page_proof prove_by_proxy(const struct page_identity *identity, const char *proxy,
                                      struct slice headers, struct buf *ret_user) {
        struct slice name = first_value(headers, &identity->lists[USER]);

        if (identity->lists[ALLOWED].count && !names_has(&identity->lists[ALLOWED], proxy))
                return PAGE_PROOF_WRONG;
        if (!name.len)
                return PAGE_PROOF_NONE;
        struct user user = user_make(name, first_value(headers, &identity->lists[UID]));
        add_groups(&user, headers, &identity->lists[GROUP]);
        add_extras(&user, headers, &identity->lists[EXTRA]);
        user_finish(&user, ret_user);
        return PAGE_PROOF_GOOD;
}

/* ---- proving ---- */

static enum page_proof prove_by_subject(const struct client_certificate *certificate,
                                        struct buf *ret_user) {
        CLEANUP(buf_release) struct buf digest = { 0 };

        if (!*certificate->common_name)
                return PAGE_PROOF_NONE;
        struct user user =
                user_make(slice_of(certificate->common_name), slice_of(certificate->uid));
        for (size_t i = 0; i < certificate->organization_count; i++)
                user_add_group(&user, slice_of(certificate->organizations[i]));
        buf_printf(&digest, "X509SHA256=%s", certificate->digest);
        user_add_extra(&user, CREDENTIAL_KEY, buf_view(&digest));
        user_finish(&user, ret_user);
        return PAGE_PROOF_GOOD;
}

/* As upstream: the proxy's word goes first, and what one way does not accept another one may. */
enum page_proof page_identity_prove(const struct page_identity *identity,
                                    const struct page_evidence *evidence, struct wall_time now,
                                    struct buf *ret_user) {
        enum page_proof proofs[POOLS] = { PAGE_PROOF_NONE, PAGE_PROOF_NONE };
        struct client_certificate certificate;
        struct err err = { 0 };

        if (!evidence->certificates.len || (!identity->pools[CLIENTS] && !identity->pools[PROXIES]))
                return PAGE_PROOF_NONE;
        if (client_certificate_read(evidence->certificates, &certificate, &err) < 0)
                return PAGE_PROOF_WRONG;
        for (size_t i = POOLS; i-- > 0 && proofs[PROXIES] != PAGE_PROOF_GOOD;) {
                if (!identity->pools[i])
                        continue;
                if (certificate_pool_verify(identity->pools[i], evidence->certificates,
                                            now.ns / NS_PER_S, &err) < 0)
                        proofs[i] = PAGE_PROOF_WRONG;
                else if (i == PROXIES)
                        proofs[i] = prove_by_proxy(identity, certificate.common_name,
                                                   evidence->headers, ret_user);
                else
                        proofs[i] = prove_by_subject(&certificate, ret_user);
        }
        client_certificate_release(&certificate);
        for (size_t i = 0; i < POOLS; i++)
                if (proofs[i] == PAGE_PROOF_GOOD)
                        return PAGE_PROOF_GOOD;
        return proofs[CLIENTS] == PAGE_PROOF_WRONG || proofs[PROXIES] == PAGE_PROOF_WRONG
                       ? PAGE_PROOF_WRONG
                       : PAGE_PROOF_NONE;
}
