/* Certificates, tokens and the kubeconfig of a sandbox. */
#include "http/tls_material.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/util.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of bearer tokens (RFC 6750). */
#define TOKEN_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="
#define VALID_S (3650L * 24 * 3600)
#define SERVICE_NAMES                                                                              \
        "DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,"          \
        "DNS:kubernetes.default.svc.cluster.local,IP:127.0.0.1,IP:::1,IP:10.96.0.1"

struct tls_material_pair {
        EVP_PKEY *key;
        X509 *certificate;
};

static void pair_release(struct tls_material_pair *pair) {
        EVP_PKEY_free(pair->key);
        X509_free(pair->certificate);
}

static bool add_extension(X509 *certificate, X509 *issuer, int id, const char *value) {
        X509V3_CTX context;
        X509_EXTENSION *extension;

        X509V3_set_ctx_nodb(&context);
        X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
        extension = X509V3_EXT_conf_nid(NULL, &context, id, value);
        bool is_added = extension && X509_add_ext(certificate, extension, -1) == 1;
        X509_EXTENSION_free(extension);
        return is_added;
}

static bool fill_head(struct tls_material_pair *pair, const char *name) {
        X509 *certificate = pair->certificate;
        X509_NAME *subject = X509_get_subject_name(certificate);
        uint64_t serial = 0;

        return RAND_bytes((unsigned char *)&serial, sizeof(serial)) == 1 &&
               X509_set_version(certificate, 2) == 1 &&
               ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1) == 1 &&
               X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) &&
               X509_gmtime_adj(X509_getm_notAfter(certificate), VALID_S) &&
               X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name,
                                          -1, -1, 0) == 1 &&
               X509_set_pubkey(certificate, pair->key) == 1;
}

static bool pair_make(struct tls_material_pair *pair, const char *name) {
        pair->key = EVP_EC_gen("P-256");
        pair->certificate = X509_new();
        return pair->key && pair->certificate && fill_head(pair, name);
}

static bool ca_make(struct tls_material_pair *ca) {
        X509 *certificate;

        if (!pair_make(ca, "berth sandbox CA"))
                return false;
        certificate = ca->certificate;
        return X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1 &&
               add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE") &&
               add_extension(certificate, certificate, NID_key_usage,
                             "critical,digitalSignature,keyCertSign,cRLSign") &&
               add_extension(certificate, certificate, NID_subject_key_identifier, "hash") &&
               X509_sign(certificate, ca->key, EVP_sha256()) > 0;
}

static char *alternative_names(const char *host) {
        unsigned char address[sizeof(struct in6_addr)];
        struct buf text = { 0 };
        bool is_address = host && (inet_pton(AF_INET, host, address) == 1 ||
                                   inet_pton(AF_INET6, host, address) == 1);

        buf_text(&text, SERVICE_NAMES);
        if (host && *host)
                buf_printf(&text, ",%s:%s", is_address ? "IP" : "DNS", host);
        return buf_take(&text, NULL);
}

static bool server_make(struct tls_material_pair *server, struct tls_material_pair *ca,
                        const char *host) {
        X509 *certificate;

        if (!pair_make(server, "berth sandbox"))
                return false;
        certificate = server->certificate;
        char *names = alternative_names(host);
        bool is_made =
                X509_set_issuer_name(certificate, X509_get_subject_name(ca->certificate)) == 1 &&
                add_extension(certificate, ca->certificate, NID_basic_constraints,
                              "critical,CA:FALSE") &&
                add_extension(certificate, ca->certificate, NID_key_usage,
                              "critical,digitalSignature,keyEncipherment") &&
                add_extension(certificate, ca->certificate, NID_ext_key_usage, "serverAuth") &&
                add_extension(certificate, ca->certificate, NID_subject_key_identifier, "hash") &&
                add_extension(certificate, ca->certificate, NID_authority_key_identifier,
                              "keyid") &&
                add_extension(certificate, ca->certificate, NID_subject_alt_name, names) &&
                X509_sign(certificate, ca->key, EVP_sha256()) > 0;
        free(names);
        return is_made;
}

static char *bio_text(BIO *bio) {
        char *data = NULL;
        long size = BIO_get_mem_data(bio, &data);
        char *copy = size > 0 ? slice_dup(slice_make(data, (size_t)size)) : NULL;

        BIO_free(bio);
        return copy;
}

static char *certificate_text(X509 *first, X509 *second) {
        BIO *bio = BIO_new(BIO_s_mem());

        PEM_write_bio_X509(bio, first);
        if (second)
                PEM_write_bio_X509(bio, second);
        return bio_text(bio);
}

static char *key_text(EVP_PKEY *key) {
        BIO *bio = BIO_new(BIO_s_mem());

        PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
        return bio_text(bio);
}

static int write_all(int fd, struct slice text) {
        while (text.len > 0) {
                ssize_t written = write(fd, text.ptr, text.len);

                if (written < 0 && errno == EINTR)
                        continue;
                if (written < 0)
                        return -1;
                text.ptr += written;
                text.len -= (size_t)written;
        }
        return 0;
}

static int material_of(struct tls_material_pair *ca, const char *host,
                       struct tls_material *ret_material, struct err *err) {
        struct tls_material_pair server = { 0 };
        int r = 0;

        if (server_make(&server, ca, host))
                *ret_material = (struct tls_material){
                        .ca_pem = certificate_text(ca->certificate, NULL),
                        .ca_key_pem = key_text(ca->key),
                        .certificate_pem = certificate_text(server.certificate, ca->certificate),
                        .key_pem = key_text(server.key),
                };
        else
                r = err_set(err, BERTH_ERR_INTERNAL, "cannot make TLS certificates");
        pair_release(&server);
        return r;
}

int tls_material_make(const char *host, struct tls_material *ret_material, struct err *err) {
        struct tls_material_pair ca = { 0 };
        int r = ca_make(&ca) ? material_of(&ca, host, ret_material, err)
                             : err_set(err, BERTH_ERR_INTERNAL, "cannot make TLS certificates");

        pair_release(&ca);
        return r;
}

/* Written beside the target and moved there, so that no reader sees half a file. */
static int file_write(const char *path, struct slice text, struct err *err) {
        CLEANUP(buf_release) struct buf beside = { 0 };
        CLEANUP(cleanup_close) int fd = -1;

        buf_printf(&beside, "%s.new", path);
        fd = open(beside.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (fd < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "cannot write %s", path);
        if (write_all(fd, text) < 0 || fsync(fd) < 0 || rename(beside.data, path) < 0) {
                int code = errno;

                unlink(beside.data);
                return err_set_errno(err, BERTH_ERR_IO, code, "cannot write %s", path);
        }
        return 0;
}

/* A stored file; -1 when there is none. It must be readable by its owner only. */
static int stored_open(const char *path, int *ret_fd, struct err *err) {
        CLEANUP(cleanup_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
        struct stat about;

        *ret_fd = -1;
        if (fd < 0 && errno == ENOENT)
                return 0;
        if (fd < 0 || fstat(fd, &about) < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "cannot read %s", path);
        if (about.st_mode & (S_IRWXG | S_IRWXO))
                return err_set(err, BERTH_ERR_IO,
                               "%s: its mode is %04o, so others could read it; it must be 0600",
                               path, (unsigned)about.st_mode & 07777U);
        *ret_fd = fd;
        fd = -1;
        return 0;
}

/* No key is made when there is no authority at path; an authority that is no good is an error. */
static int ca_load(const char *path, struct tls_material_pair *ca, struct err *err) {
        int fd, r = stored_open(path, &fd, err);
        FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

        if (!file)
                return r;
        ca->key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
        ca->certificate = PEM_read_X509(file, NULL, NULL, NULL);
        fclose(file);
        if (ca->key && ca->certificate && X509_check_private_key(ca->certificate, ca->key) == 1)
                return 0;
        pair_release(ca);
        *ca = (struct tls_material_pair){ 0 };
        return err_set(
                err, BERTH_ERR_IO,
                "%s: damaged: it holds no private key with its certificate; restore it from a "
                "copy, or remove it to have another authority made, which no client knows",
                path);
}

static int ca_save(const char *path, const struct tls_material_pair *ca, struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };
        char *key = key_text(ca->key), *certificate = certificate_text(ca->certificate, NULL);

        buf_printf(&text, "%s%s", key, certificate);
        free(key);
        free(certificate);
        return file_write(path, buf_view(&text), err);
}

int tls_material_keep(const char *directory, const char *host, struct tls_material *ret_material,
                      struct err *err) {
        CLEANUP(buf_release) struct buf path = { 0 };
        struct tls_material_pair ca = { 0 };

        buf_printf(&path, "%s/" TLS_AUTHORITY_FILE, directory);
        int r = ca_load(path.data, &ca, err);
        if (r == 0 && !ca.key)
                r = ca_make(&ca) ? ca_save(path.data, &ca, err)
                                 : err_set(err, BERTH_ERR_INTERNAL, "cannot make TLS certificates");
        if (r == 0)
                r = material_of(&ca, host, ret_material, err);
        pair_release(&ca);
        return r;
}

void tls_material_release(struct tls_material *material) {
        free(material->ca_pem);
        free(material->ca_key_pem);
        free(material->certificate_pem);
        free(material->key_pem);
        *material = (struct tls_material){ 0 };
}

int token_make(char buffer[TOKEN_TEXT_SIZE], struct err *err) {
        static const char digits[] = "0123456789abcdef";
        unsigned char random[(TOKEN_TEXT_SIZE - 1) / 2];

        if (RAND_bytes(random, (int)sizeof(random)) != 1)
                return err_set(err, BERTH_ERR_INTERNAL, "no random numbers for a token");
        for (size_t i = 0; i < sizeof(random); i++) {
                buffer[2 * i] = digits[random[i] >> 4];
                buffer[2 * i + 1] = digits[random[i] & 15];
        }
        buffer[TOKEN_TEXT_SIZE - 1] = '\0';
        return 0;
}

int token_keep(const char *directory, char buffer[TOKEN_TEXT_SIZE], struct err *err) {
        CLEANUP(buf_release) struct buf path = { 0 };
        CLEANUP(cleanup_close) int fd = -1;

        buf_printf(&path, "%s/" TLS_TOKEN_FILE, directory);
        int r = stored_open(path.data, &fd, err);
        if (r < 0)
                return r;
        ssize_t size = fd < 0 ? 0 : read(fd, buffer, TOKEN_TEXT_SIZE - 1);
        buffer[TOKEN_TEXT_SIZE - 1] = '\0';
        if (size == TOKEN_TEXT_SIZE - 1 && strspn(buffer, TOKEN_CHARACTERS) == (size_t)size)
                return 0;
        if (fd >= 0)
                return err_set(err, BERTH_ERR_IO,
                               "%s: damaged: it holds no token of %d characters; restore it from a "
                               "copy, or remove it to have another one made",
                               path.data, TOKEN_TEXT_SIZE - 1);
        r = token_make(buffer, err);
        return r < 0 ? r : file_write(path.data, slice_of(buffer), err);
}

static void kubeconfig_text(const struct kubeconfig *config, struct buf *out) {
        const char *name = config->name ? config->name : "berth";

        buf_text(out, "apiVersion: v1\nkind: Config\nclusters:\n- name: ");
        buf_printf(out, "%s\n  cluster:\n    server: %s\n", name, config->server);
        if (config->ca_pem) {
                buf_text(out, "    certificate-authority-data: ");
                base64_encode(slice_of(config->ca_pem), BASE64_STANDARD, out);
                buf_char(out, '\n');
        }
        buf_printf(out, "users:\n- name: %s\n  user:\n    token: %s\n", name, config->token);
        buf_printf(out,
                   "contexts:\n- name: %s\n  context:\n    cluster: %s\n    user: %s\n"
                   "current-context: %s\n",
                   name, name, name, name);
}

int kubeconfig_write(const char *path, const struct kubeconfig *config, struct err *err) {
        CLEANUP(buf_release) struct buf text = { 0 };

        kubeconfig_text(config, &text);
        return file_write(path, buf_view(&text), err);
}

void tls_material_library_version(struct buf *out) {
        buf_text(out, OpenSSL_version(OPENSSL_VERSION_STRING));
}
