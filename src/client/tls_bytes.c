/* libcurl looks through all its connections before it reads from one, and asks the socket twice for
 * each record; in a list of an API server they are of 4 KiB.  OpenSSL's reading ahead would move
 * all that it has for each record, and its own way to a socket would raise SIGPIPE. */
#include "client/tls_bytes.h"

#include "base/util.h"
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define AHEAD_BYTES ((size_t)64 << 10)

/* What the BIO has. */
struct socket_ahead {
        int fd;
        size_t at, end; /* of the bytes that were read ahead */
        char bytes[AHEAD_BYTES];
};

static bool is_to_wait(ssize_t result) {
        return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

static int on_bio_read(BIO *bio, char *bytes, int size) {
        struct socket_ahead *ahead = BIO_get_data(bio);

        BIO_clear_retry_flags(bio);
        if (ahead->at == ahead->end) {
                ssize_t result = recv(ahead->fd, ahead->bytes, sizeof(ahead->bytes), 0);

                if (is_to_wait(result))
                        BIO_set_retry_read(bio);
                if (result <= 0)
                        return (int)result;
                ahead->at = 0;
                ahead->end = (size_t)result;
        }
        if ((size_t)size > ahead->end - ahead->at)
                size = (int)(ahead->end - ahead->at);
        memcpy(bytes, ahead->bytes + ahead->at, (size_t)size);
        ahead->at += (size_t)size;
        return size;
}

static int on_bio_write(BIO *bio, const char *bytes, int size) {
        const struct socket_ahead *ahead = BIO_get_data(bio);
        ssize_t result = send(ahead->fd, bytes, (size_t)size, MSG_NOSIGNAL);

        BIO_clear_retry_flags(bio);
        if (is_to_wait(result))
                BIO_set_retry_write(bio);
        return (int)result;
}

static long on_bio_control(BIO *bio, int command, long number, void *pointer) {
        (void)bio, (void)number, (void)pointer;
        return command == BIO_CTRL_FLUSH;
}

static int on_bio_destroyed(BIO *bio) {
        free(BIO_get_data(bio));
        return 1;
}

static BIO_METHOD *socket_method(void) {
        static BIO_METHOD *method; /* as long as the process */

        if (method)
                return method;
        method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "socket");
        if (!method)
                return NULL;
        BIO_meth_set_read(method, on_bio_read);
        BIO_meth_set_write(method, on_bio_write);
        BIO_meth_set_ctrl(method, on_bio_control);
        BIO_meth_set_destroy(method, on_bio_destroyed);
        return method;
}

bool tls_bytes_take(SSL *ssl, int fd) {
        BIO_METHOD *method = socket_method();
        BIO *bio = method ? BIO_new(method) : NULL;

        if (!bio)
                return false;
        struct socket_ahead *ahead = xmalloc(sizeof(*ahead));
        ahead->fd = fd;
        ahead->at = ahead->end = 0;
        BIO_set_data(bio, ahead);
        BIO_set_init(bio, 1);
        SSL_set_bio(ssl, bio, bio); /* which frees the maker's */
        SSL_set_read_ahead(ssl, 0);
        SSL_clear_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
        return true;
}

/* What others have left of their errors would be taken for ours. */
static void forget_errors(void) {
        if (ERR_peek_error())
                ERR_clear_error();
}

static enum tls_bytes_result result_of(const SSL *ssl, int result) {
        int error = SSL_get_error(ssl, result);

        return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? TLS_BYTES_LATER
                                                                             : TLS_BYTES_OVER;
}

enum tls_bytes_result tls_bytes_read(SSL *ssl, void *bytes, size_t size, size_t *ret_size) {
        forget_errors();
        int result = SSL_read_ex(ssl, bytes, size, ret_size);
        return result == 1 ? TLS_BYTES_DONE : result_of(ssl, result);
}

enum tls_bytes_result tls_bytes_write(SSL *ssl, const void *bytes, size_t size, size_t *ret_size) {
        forget_errors();
        int result = SSL_write_ex(ssl, bytes, size, ret_size);
        return result == 1 ? TLS_BYTES_DONE : result_of(ssl, result);
}

bool tls_bytes_has_more(SSL *ssl) {
        const struct socket_ahead *ahead = BIO_get_data(SSL_get_rbio(ssl));

        return ahead->at < ahead->end || SSL_has_pending(ssl);
}
