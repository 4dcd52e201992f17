/* Who may read a daemon's pages, as for components of Kubernetes: a certificate or a TokenReview
 * gives the user, a SubjectAccessReview says whether this user may read the path. */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include "port/loop.h"
#include "port/transport.h"
#include <stdbool.h>
#include <stdint.h>

struct page_access;
struct page_identity;
struct page_visit;

struct page_access_config {
        struct loop *loop;
        /* Where to ask; ops NULL = nowhere. Without authentication all users are anonymous; without
         * authorization all but open paths are for system:masters only. */
        struct transport authentication, authorization;
        /* Which certificates count; NULL = none. */
        struct page_identity *identity;
        bool looks_up; /* the cluster's ConfigMap says more about that, asked by authentication */
        struct slice open_paths; /* comma-separated; a "*" at the end stands for any rest */
        /* How long answers count; 0 = for the one request only. */
        int64_t token_ttl_ns, allowed_ttl_ns, denied_ttl_ns;
};

struct page_question {
        struct slice authorization; /* the header; empty = none */
        struct slice method, path;
        /* What the client showed: see struct page_evidence. Empty = no certificate. */
        struct slice certificates, headers;
};

/* The configuration's texts are copied. */
struct page_access *page_access_new(const struct page_access_config *config);
void page_access_free(struct page_access *access); /* after its visits; accepts NULL */
/* Whether clients are to be asked for certificates. */
bool page_access_takes_certificates(const struct page_access *access);
/* Reads the ConfigMap, if it is to be looked up at all; failed may be NULL. Later it is read again
 * whenever a certificate is shown and what is known of it is older than ten seconds. */
void page_access_look_up(struct page_access *access,
                         void (*failed)(void *context, const struct err *err), void *context);

/* Begins a visit. ready runs once, from the loop, unless the visit is decided at once
 * (page_visit_status not 0). The question is copied. */
struct page_visit *page_visit_new(struct page_access *access, const struct page_question *question,
                                  void (*ready)(void *context), void *context);
void page_visit_free(struct page_visit *visit); /* also an undecided one; accepts NULL */
/* 200, 401, 403, 429 (too many visits at once), 500 (the cluster could not say); 0 = not yet. */
int page_visit_status(const struct page_visit *visit);
/* What is wrong, for people; empty when nothing is. */
struct slice page_visit_message(const struct page_visit *visit);
