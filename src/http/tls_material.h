/* Certificates, tokens and the kubeconfig of a sandbox. */
#pragma once

#include "base/err.h"
#include <stddef.h>

/* Names of files in the folder of the certificates. */
#define TLS_AUTHORITY_FILE "authority.pem" /* key and certificate */
#define TLS_TOKEN_FILE "token"

struct tls_material {
        /* malloc'ed; the certificate is followed by the CA's */
        char *ca_pem, *ca_key_pem, *certificate_pem, *key_pem;
};

/* A certification authority and a server certificate for 127.0.0.1, ::1, localhost, the names of
 * the in-cluster service, and host (a name or an address; NULL = none). */
int tls_material_make(const char *host, struct tls_material *ret_material, struct err *err);
/* The same with an authority that is stored in a folder, so that clients of an earlier start trust
 * this one. A file that holds none, or that others can read, is an error. */
int tls_material_keep(const char *directory, const char *host, struct tls_material *ret_material,
                      struct err *err);
void tls_material_release(struct tls_material *material); /* accepts a zeroed struct */

#define TOKEN_TEXT_SIZE 49
/* Random bearer token from the system's generator. */
int token_make(char buffer[TOKEN_TEXT_SIZE], struct err *err);
/* The same, stored in a folder; a file that holds no bearer token of this length is an error. */
int token_keep(const char *directory, char buffer[TOKEN_TEXT_SIZE], struct err *err);

struct kubeconfig {
        const char *server; /* https://127.0.0.1:6443 */
        const char *ca_pem; /* NULL for plain http */
        const char *token;
        const char *name; /* of cluster, context and user; NULL = "berth" */
};
/* Writes the file readable by its owner only. */
int kubeconfig_write(const char *path, const struct kubeconfig *config, struct err *err);
struct buf;
/* The version of OpenSSL that runs, such as "3.0.15". */
void tls_material_library_version(struct buf *out);
