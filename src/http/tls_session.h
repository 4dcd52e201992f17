/* Sessions of the TLS library below our HTTP library. */
#pragma once

#include "base/buf.h"

/* The oldest TLS that is spoken; upstream's default first. */
enum http_tls { HTTP_TLS_1_2, HTTP_TLS_1_0, HTTP_TLS_1_1, HTTP_TLS_1_3 };

/* The versions from this one on, as the library writes them. */
const char *tls_session_priorities(enum http_tls minimum);
/* Before the handshake. Any certificate will do: with a list of authorities clients would keep back
 * those of an authority that is known only later. */
void tls_session_ask_certificate(void *session);
/* Appends the client's certificates, DER, its own first. The handshake has shown that it has the
 * key of that one; nothing else is known. NULL, for plain HTTP, has none. */
void tls_session_certificates(void *session, struct buf *out);
/* The version of GnuTLS that runs, such as "3.7.9". */
void tls_session_library_version(struct buf *out);
