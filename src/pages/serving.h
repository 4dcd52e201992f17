/* The HTTP pages of a daemon: metrics, health, configuration, decisions. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "http/http_front.h"
#include "port/loop.h"
#include <stdbool.h>
#include <stdint.h>

struct metrics;
struct page_access;
struct serving;

struct health_check {
        const char *name; /* leaderElection */
        /* NULL when well, else what is wrong. */
        const char *(*check)(void *context);
        void *context;
        bool is_for_health, is_for_life, is_for_readiness; /* healthz, livez, readyz */
};
#define HEALTH_CHECKS_MAX 8

struct serving_page {
        const char *path;         /* /configz */
        const char *content_type; /* static */
        void (*write)(void *context, struct buf *out);
        void *context;
        bool is_local; /* only for clients on this machine, unless the cluster says who may read */
};
#define SERVING_PAGES_MAX 8

struct serving_config {
        const char *address; /* "0.0.0.0:10259"; port 0 = any */
        /* PEM files; both or none: then a certificate is made in memory. */
        const char *certificate_path, *key_path;
        enum http_tls tls_minimum;
        struct metrics *metrics; /* NULL = no /metrics */
        bool allows_reset;       /* DELETE /metrics, as Descheduler has it */
        /* Asked before every page; NULL = all may read. */
        struct page_access *access;
};

/* Texts are copied; metrics, access and the contexts of pages must outlive it. */
int serving_new(const struct serving_config *config, struct loop *loop,
                struct serving **ret_serving, struct err *err);
void serving_free(struct serving *serving); /* accepts NULL */
void serving_add_check(struct serving *serving, const struct health_check *check);
void serving_add_page(struct serving *serving, const struct serving_page *page);
uint16_t serving_port(const struct serving *serving);
