/* Who may see the page: a token in the address of the first visit, a cookie after it, and only
 * under a name that is this process's own. */
#pragma once

#include "base/err.h"
#include "http/http_message.h"
#include "http/tls_material.h"
#include <stdint.h>

#define DOOR_COOKIE_SIZE 48 /* name of the cookie, with its end */
#define DOOR_HOSTS_MAX 8

struct door {
        char token[TOKEN_TEXT_SIZE], secret[TOKEN_TEXT_SIZE]; /* of the address, of the cookie */
        char cookie[DOOR_COOKIE_SIZE]; /* its name: cookies do not know ports */
        struct slice hosts[DOOR_HOSTS_MAX];
        size_t host_count;
};

enum door_answer {
        DOOR_OPEN,
        DOOR_FIRST_VISIT, /* the token is right: give the cookie */
        DOOR_NO_KEY,      /* neither token nor cookie, or a wrong one */
        DOOR_WRONG_HOST,  /* the page was asked for under a name that may be another's */
        DOOR_WRONG_ORIGIN /* another page asks */
};

/* hosts: further names, comma-separated, NULL = none; they are borrowed. */
int door_init(struct door *door, const char *hosts, struct err *err);
/* Once the port is known. */
void door_name_cookie(struct door *door, uint16_t port);
enum door_answer door_ask(const struct door *door, const struct http_request *request);
/* Localhost, an address in numbers or one of the hosts, with any port. Any other name may be made
 * to point here by whoever owns it (DNS rebinding). */
bool door_knows_host(const struct door *door, struct slice host);
/* Value of Set-Cookie. */
void door_cookie_write(const struct door *door, bool is_secure, struct buf *out);
