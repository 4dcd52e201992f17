/* Ownership of the texts of an access. */
#include "client/cluster_access.h"

#include "base/util.h"
#include "client/exec_plugin.h"
#include <stdlib.h>
#include <string.h>

void cluster_access_release(struct cluster_access *access) {
        char *texts[] = {
                access->server,           access->unix_socket,
                access->ca_pem,           access->certificate_pem,
                access->key_pem,          access->tls_server_name,
                access->proxy_url,        access->token,
                access->token_file,       access->ca_file,
                access->certificate_file, access->key_file,
                access->username,         access->password,
                access->impersonate_user, access->namespace_name,
                access->context_name,
        };

        /* Secrets do not stay behind in freed memory. */
        if (access->token)
                explicit_bzero(access->token, strlen(access->token));
        if (access->password)
                explicit_bzero(access->password, strlen(access->password));
        if (access->key_pem)
                explicit_bzero(access->key_pem, strlen(access->key_pem));
        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
                free(texts[i]);
        for (size_t i = 0; i < access->impersonate_group_count; i++)
                free(access->impersonate_groups[i]);
        exec_plugin_free(access->exec);
        *access = (struct cluster_access){ 0 };
}
