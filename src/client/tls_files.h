/* Authorities, certificate and key of an access that are in files: read at the start and again
 * every minute, beside the loop, since libcurl would read them on it. */
#pragma once

#include "client/cluster_access.h"
#include "client/file_reader.h"
#include <stddef.h>

#define TLS_FILES_PERIOD_NS (60 * NS_PER_S)

enum tls_file { TLS_FILE_CA, TLS_FILE_CERTIFICATE, TLS_FILE_KEY, TLS_FILE_COUNT };

/* What was read at one time; stays as long as somebody uses it. */
struct tls_texts {
        size_t users;
        struct file_content files[TLS_FILE_COUNT]; /* text NULL = no such file */
};
struct tls_texts *tls_texts_ref(struct tls_texts *texts); /* accepts NULL */
void tls_texts_unref(struct tls_texts *texts);            /* accepts NULL */

struct tls_files;
/* What is given as text needs no file. ret_files is NULL when none is needed. changed runs, from
 * the loop, when there are other texts. */
int tls_files_new(const struct cluster_access *access, struct loop *loop,
                  void (*changed)(void *context), void *context, struct tls_files **ret_files,
                  struct err *err);
void tls_files_free(struct tls_files *files); /* accepts NULL */
/* Borrowed; NULL without files. */
struct tls_texts *tls_files_texts(const struct tls_files *files); /* accepts NULL */
/* Reads them again when they are due, or at once. */
void tls_files_renew(struct tls_files *files, bool is_urgent); /* accepts NULL */
