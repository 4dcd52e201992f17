/* Bytes over TLS that somebody else has set up, straight from and to its socket. */
#pragma once

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

enum tls_bytes_result { TLS_BYTES_DONE, TLS_BYTES_LATER, TLS_BYTES_OVER };

/* From now on reads and writes do not pass through who made it, who still ends it.  The socket does
 * not block, and stays the maker's. */
bool tls_bytes_take(SSL *ssl, int fd);
/* Some bytes; LATER: when the socket is ready. */
enum tls_bytes_result tls_bytes_read(SSL *ssl, void *bytes, size_t size, size_t *ret_size);
enum tls_bytes_result tls_bytes_write(SSL *ssl, const void *bytes, size_t size, size_t *ret_size);
/* There is more to read, of which the socket says nothing. */
bool tls_bytes_has_more(SSL *ssl);
