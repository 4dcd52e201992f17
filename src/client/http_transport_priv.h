/* What the files of the HTTP transport share; the only ones that know libcurl. */
#pragma once

#include "base/buf.h"
#include "client/curl_pump.h"
#include "client/http_transport.h"
#include <curl/curl.h>

struct credential;
struct tls_files;
struct tls_texts;

enum request_state { REQUEST_WAITING, REQUEST_RUNNING, REQUEST_CANCELLED };

struct http_call {
        struct api_request caller;
        struct http_transport *http;
        struct http_call *next, *previous;
        enum request_state state;
        CURL *easy;            /* NULL while waiting */
        struct tls_texts *tls; /* that the handle points to; NULL = none */
        struct curl_slist *headers;
        enum api_method method;
        char *path, *content_type, *accept, *body;
        size_t body_size;
        int64_t timeout_ns;
        struct buf answer;
        struct loop_timer idle; /* streams only; reads seen_at when it fires */
        struct mono_time seen_at;
        int status, retry_after_s;
        uint64_t credential_generation; /* of the header it was sent with */
        int64_t date_s;                 /* of the answer; below 1 = none */
        struct mono_time asked_at;      /* when it was sent */
        bool is_linked, is_opened, is_retried, is_too_large;
        bool is_large;                 /* has a connection of its own, in HTTP/1.1 */
        bool is_patient, comes_back;   /* as of the call */
        bool avoids_http2;             /* refused there: libcurl's turn */
        struct http2_session *session; /* that carries it; NULL = libcurl or none */
        struct http_call *finished;    /* the next in the session's list of those over */
        CURLcode result;               /* of those */
        int32_t stream;
        int frame_bytes; /* of its answer */
        int status_seen; /* of headers under way */
        size_t body_sent;
        bool is_completing; /* its receiver is being called now */
        char error_text[CURL_ERROR_SIZE];
};

/* How a request ends, for what carries it; not from inside a callback of libcurl. */
struct http_call_ends {
        void (*free)(struct http_call *request);
        void (*again)(struct http_call *request); /* waits to be sent once more */
        /* The receiver is called, and the request freed. */
        void (*complete)(struct http_call *request, CURLcode result);
};

struct http_transport {
        const struct http_call_ends *ends;
        struct loop *loop;
        struct cluster_access access;
        struct credential *credential;
        struct tls_files *tls; /* NULL = the access has all as text */
        struct curl_pump pump;
        struct loop_timer flush;                  /* starts the waiting, sweeps the cancelled */
        struct http_call *requests;               /* under way or cancelled */
        struct http_call *waiting, *last_waiting; /* oldest first */
        CURL *idle_handles[HTTP_HANDLES_POOLED];
        size_t idle_handle_count;
        bool keeps_handles;
        char *user_agent;
        char *header;      /* one more of every request; NULL = none */
        char *base;        /* URL in front of the paths; its host is the name TLS expects */
        char *host_header; /* set when that is not the server's host */
        struct curl_slist *connect_to;
        bool is_direct; /* a loopback address: the environment's proxy is not for it */
        int64_t timeout_ns, stream_idle_ns;
        size_t body_max;
        bool is_receiving;           /* receivers are called from within a session */
        bool has_answered;           /* the server, in whatever form */
        bool speaks_http2;           /* an answer came that way */
        struct http2_session *http2; /* for new requests; NULL = none */
        struct http2_session *sessions;
        struct mono_time http2_again; /* after a failure not before */
        char date_text[40];           /* the last Date and its time */
        int64_t date_s;
        struct server_clock clock;
};

/* ---- http_handle.c: options of libcurl ---- */

/* A handle with everything set that all requests have in common. */
CURL *http_handle_new(const struct http_transport *http);
/* Sets on the request's handle what is its own. */
void http_handle_set(struct http_call *request);
/* Where the server is in the transport's base: after the scheme, up to the path. */
void http_split_base(const struct http_transport *http, struct slice *ret_host,
                     struct slice *ret_path);

/* ---- http_answer.c: callbacks of libcurl ---- */

void http_take_header(struct http_call *request, struct slice name, struct slice value);
/* All headers of an answer are there. */
void http_begin_answer(struct http_call *request, int status);
/* Callbacks of the handle; their context is the request. */
size_t http_on_header(char *data, size_t size, size_t count, void *context);
size_t http_on_body(char *data, size_t size, size_t count, void *context);
/* Whether a refused credential may be fetched again, once. */
bool http_may_retry_token(const struct http_call *request);
/* Whether the files that TLS needs may have been replaced since they were read. */
bool http_may_be_tls_files(CURLcode result, int status);
/* Calls the receiver of a stream, once, when the stream is open. */
void http_announce(struct http_call *request);
/* The error of a transfer that brought no answer, and that of an answer of 300 and up. */
void http_explain_silence(struct http_call *request, CURLcode result, struct err *err);
void http_explain_refusal(const struct http_call *request, struct err *err);
