/* Where an API server is and how one proves who one is: what a kubeconfig context or the mounted
 * service account come down to. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define ACCESS_GROUPS_MAX 16

struct exec_plugin;

/* Every text comes from malloc and may be NULL. */
struct cluster_access {
        char *server;      /* https://host:6443, with a path where the API is served below one */
        char *unix_socket; /* path of a socket to connect to instead of the server's address */
        /* Each as text, or as a file that is read again from time to time. */
        char *ca_pem, *ca_file; /* neither = the system's authorities */
        char *certificate_pem, *certificate_file;
        char *key_pem, *key_file;
        char *tls_server_name; /* expected in the certificate instead of the host */
        char *proxy_url;
        char *token;
        char *token_file;         /* read again from time to time; goes before token */
        struct exec_plugin *exec; /* run for a token or certificate; NULL = none */
        char *username, *password;
        char *impersonate_user;
        char *impersonate_groups[ACCESS_GROUPS_MAX];
        size_t impersonate_group_count;
        char *namespace_name; /* of the context; NULL = default */
        char *context_name;
        bool is_insecure; /* certificates are not verified */
};

void cluster_access_release(struct cluster_access *access); /* leaves it zeroed */
