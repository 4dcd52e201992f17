/* Sessions of GnuTLS. The only file that knows it. */
#include "http/tls_session.h"

#include <gnutls/gnutls.h>
#include <stddef.h>

static const char *const tls_priorities[] = {
        [HTTP_TLS_1_0] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:+VERS-TLS1.1:+VERS-TLS1.0",
        [HTTP_TLS_1_1] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:+VERS-TLS1.1",
        [HTTP_TLS_1_2] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2",
        [HTTP_TLS_1_3] = "NORMAL:-VERS-ALL:+VERS-TLS1.3",
};

const char *tls_session_priorities(enum http_tls minimum) {
        return tls_priorities[minimum];
}

void tls_session_ask_certificate(void *session) {
        gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST);
}

void tls_session_certificates(void *session, struct buf *out) {
        unsigned count = 0;
        const gnutls_datum_t *chain =
                session ? gnutls_certificate_get_peers(session, &count) : NULL;

        for (unsigned i = 0; chain && i < count; i++)
                buf_append(out, chain[i].data, chain[i].size);
}

void tls_session_library_version(struct buf *out) {
        buf_text(out, gnutls_check_version(NULL));
}
