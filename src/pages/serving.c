/* Pages of a daemon over HTTPS, and over plain HTTP for this machine. */
#include "pages/serving.h"

#include "base/arena.h"
#include "base/util.h"
#include "http/http_front.h"
#include "http/tls_material.h"
#include "loop/file_text.h"
#include "pages/metrics.h"
#include "pages/page_access.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN_TEXT "text/plain; charset=utf-8"

enum health_kind { HEALTH, LIFE, READINESS, HEALTH_KINDS };
static const char *const health_paths[] = { "/healthz", "/livez", "/readyz" };
static const char *const health_names[] = { "healthz", "livez", "readyz" };

/* Outcomes of a check on one of the three pages. */
struct check_count {
        uint64_t successes, errors;
        bool is_well; /* the last time */
};

struct serving {
        struct http_front *front;
        struct metrics *metrics;
        struct page_access *access;
        bool allows_reset;
        size_t check_count, page_count;
        struct health_check checks[HEALTH_CHECKS_MAX];
        struct check_count counts[HEALTH_KINDS][HEALTH_CHECKS_MAX + 1]; /* that of ping last */
        struct serving_page pages[SERVING_PAGES_MAX];
};

struct serving_answer {
        struct serving *serving;
        const struct http_request *request;
        struct http_response *response;
        struct slice path, query;
};

static void serving_refuse(struct serving_answer *answer, int status, const char *text) {
        answer->response->status = status;
        answer->response->content_type = PLAIN_TEXT;
        buf_clear(&answer->response->body);
        buf_text(&answer->response->body, text);
}

/* ---- health ---- */

static bool is_of(const struct health_check *check, enum health_kind kind) {
        return kind == HEALTH ? check->is_for_health
               : kind == LIFE ? check->is_for_life
                              : check->is_for_readiness;
}

static void count_check(struct check_count *count, bool is_well) {
        count->is_well = is_well;
        count->successes += is_well;
        count->errors += !is_well;
}

/* One line per check, as kube-apiserver and its kin write them. */
static bool run_checks(struct serving *serving, enum health_kind kind, struct slice only,
                       struct buf *lines) {
        bool is_well = true;

        if (only.len == 0 || slice_is(only, "ping")) {
                buf_text(lines, "[+]ping ok\n");
                count_check(&serving->counts[kind][HEALTH_CHECKS_MAX], true);
        }
        for (size_t i = 0; i < serving->check_count; i++) {
                const struct health_check *check = &serving->checks[i];

                if (!is_of(check, kind) || (only.len && !slice_is(only, check->name)))
                        continue;
                const char *problem = check->check(check->context);
                if (problem)
                        buf_printf(lines, "[-]%s failed: %s\n", check->name, problem);
                else
                        buf_printf(lines, "[+]%s ok\n", check->name);
                is_well &= !problem;
                count_check(&serving->counts[kind][i], !problem);
        }
        return is_well;
}

static bool is_check(const struct serving *serving, enum health_kind kind, struct slice name) {
        for (size_t i = 0; i < serving->check_count; i++)
                if (is_of(&serving->checks[i], kind) && slice_is(name, serving->checks[i].name))
                        return true;
        return slice_is(name, "ping");
}

static void serve_health(struct serving_answer *answer, enum health_kind kind, struct slice only) {
        CLEANUP(buf_release) struct buf lines = { 0 };
        struct buf *body = &answer->response->body;
        bool is_well = run_checks(answer->serving, kind, only, &lines);

        answer->response->content_type = PLAIN_TEXT;
        if (!is_well) {
                answer->response->status = 500;
                buf_slice(body, buf_view(&lines));
                buf_printf(body, "%s check failed\n", health_names[kind]);
        } else if (slice_contains(answer->query, SLICE_LITERAL("verbose"))) {
                buf_slice(body, buf_view(&lines));
                buf_printf(body, "%s check passed\n", health_names[kind]);
        } else {
                buf_text(body, "ok");
        }
}

/* /readyz and /readyz/NAME */
static bool try_health(struct serving_answer *answer) {
        for (size_t i = 0; i < ARRAY_LEN(health_paths); i++) {
                struct slice root = slice_of(health_paths[i]), rest = answer->path;

                if (!slice_has_prefix(rest, root))
                        continue;
                rest.ptr += root.len;
                rest.len -= root.len;
                if (rest.len && rest.ptr[0] != '/')
                        continue;
                if (rest.len) {
                        rest.ptr++;
                        rest.len--;
                }
                if (rest.len && !is_check(answer->serving, (enum health_kind)i, rest))
                        serving_refuse(answer, 404, "404 page not found\n");
                else
                        serve_health(answer, (enum health_kind)i, rest);
                return true;
        }
        return false;
}

/* ---- other pages ---- */

static bool try_metrics(struct serving_answer *answer) {
        const struct serving *serving = answer->serving;

        if (!serving->metrics || !slice_is(answer->path, "/metrics"))
                return false;
        if (slice_is(answer->request->method, "DELETE") && serving->allows_reset) {
                metrics_reset(serving->metrics);
                serving_refuse(answer, 200, "metrics reset\n");
                return true;
        }
        metrics_write(serving->metrics, &answer->response->body);
        answer->response->content_type = METRICS_CONTENT_TYPE;
        return true;
}

/* Lines of one page; status NULL: how it was the last time. */
static void write_checks(const struct serving *serving, enum health_kind kind, const char *status,
                         struct buf *out) {
        for (size_t i = 0; i <= HEALTH_CHECKS_MAX; i++) {
                const struct check_count *count = &serving->counts[kind][i];
                const char *name = i == HEALTH_CHECKS_MAX ? "ping" : serving->checks[i].name;
                bool is_error = status && strcmp(status, "error") == 0;
                uint64_t times = is_error ? count->errors : count->successes;
                const struct metric_label plain[] = { { "name", slice_of(name) },
                                                      { "type", slice_of(health_names[kind]) } };
                const struct metric_label counted[] = {
                        plain[0], { "status", slice_of(status ? status : "") }, plain[1]
                };

                if (count->successes + count->errors == 0)
                        continue;
                if (!status)
                        metric_text_sample(out, "kubernetes_healthcheck",
                                           (struct metric_labels){ plain, ARRAY_LEN(plain) },
                                           count->is_well);
                else if (times)
                        metric_text_sample(out, "kubernetes_healthchecks_total",
                                           (struct metric_labels){ counted, ARRAY_LEN(counted) },
                                           (double)times);
        }
}

/* Results of the checks so far, in the form of Kubernetes' components. */
static bool try_slis(struct serving_answer *answer) {
        struct buf *body = &answer->response->body;

        if (!answer->serving->metrics || !slice_is(answer->path, "/metrics/slis"))
                return false;
        answer->response->content_type = METRICS_CONTENT_TYPE;
        metric_text_family(body, "kubernetes_healthcheck", METRIC_GAUGE,
                           "Whether the last check passed.");
        for (int kind = 0; kind < HEALTH_KINDS; kind++)
                write_checks(answer->serving, (enum health_kind)kind, NULL, body);
        metric_text_family(body, "kubernetes_healthchecks_total", METRIC_COUNTER,
                           "Looks, by what they found.");
        for (int kind = 0; kind < HEALTH_KINDS; kind++) {
                write_checks(answer->serving, (enum health_kind)kind, "success", body);
                write_checks(answer->serving, (enum health_kind)kind, "error", body);
        }
        return true;
}

static bool try_page(struct serving_answer *answer) {
        for (size_t i = 0; i < answer->serving->page_count; i++) {
                const struct serving_page *page = &answer->serving->pages[i];

                if (!slice_is(answer->path, page->path))
                        continue;
                answer->response->content_type = page->content_type;
                if (page->is_local && !answer->serving->access && !answer->request->is_local)
                        serving_refuse(answer, 403, "shown on this machine only\n");
                else
                        page->write(page->context, &answer->response->body);
                return true;
        }
        return false;
}

static bool is_reading(struct slice method) {
        return slice_is(method, "GET") || slice_is(method, "HEAD");
}

/* Splits the target into path and query. */
static struct serving_answer answer_of(struct serving *serving, const struct http_request *request,
                                       struct http_response *response) {
        struct serving_answer answer = { serving, request, response, request->target, SLICE_EMPTY };
        const char *mark =
                request->target.len ? memchr(request->target.ptr, '?', request->target.len) : NULL;

        *response = (struct http_response){ .status = 200, .retry_after_s = -1 };
        if (mark) {
                answer.path.len = (size_t)(mark - request->target.ptr);
                answer.query = slice_make(mark + 1, request->target.len - answer.path.len - 1);
        }
        return answer;
}

static void serving_handle(struct serving_answer *answer) {
        const struct http_request *request = answer->request;
        bool resets = answer->serving->allows_reset && slice_is(request->method, "DELETE");

        if (!is_reading(request->method) && !(resets && slice_is(answer->path, "/metrics")))
                serving_refuse(answer, 405, "Method Not Allowed\n");
        else if (!try_metrics(answer) && !try_slis(answer) && !try_health(answer) &&
                 !try_page(answer))
                serving_refuse(answer, 404, "404 page not found\n");
}

/* ---- who may read ---- */

/* A request that waits for the cluster's word, with a copy of what counts of it. */
struct visitor {
        struct serving *serving;
        struct page_visit *visit;
        char *method, *target;
        bool is_local;
};

static void visitor_free(void *pending) {
        struct visitor *visitor = pending;

        page_visit_free(visitor->visit);
        free(visitor->method);
        free(visitor->target);
        free(visitor);
}

/* As API servers refuse: a Status. */
static void refuse_visit(const struct page_visit *visit, struct http_response *response) {
        static const struct {
                int status;
                const char *reason;
        } reasons[] = {
                { 401, "Unauthorized" },
                { 403, "Forbidden" },
                { 429, "TooManyRequests" },
                { 500, "InternalError" },
        };
        struct buf *body = &response->body;

        response->status = page_visit_status(visit);
        response->content_type = "application/json";
        buf_text(body, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                       "\"status\":\"Failure\",\"message\":");
        buf_json_string(body, page_visit_message(visit));
        for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
                if (reasons[i].status == response->status)
                        buf_printf(body, ",\"reason\":\"%s\"", reasons[i].reason);
        buf_printf(body, ",\"code\":%d}", response->status);
}

static void serving_admit(struct serving_answer *answer, const struct page_visit *visit) {
        if (page_visit_status(visit) == 200)
                serving_handle(answer);
        else
                refuse_visit(visit, answer->response);
}

static void *begin_page(void *context, const struct http_request *request,
                        struct http_response *ret_response, void (*ready)(void *context),
                        void *ready_context) {
        struct serving *serving = context;
        struct serving_answer answer = answer_of(serving, request, ret_response);
        struct page_question question = { .authorization = request->authorization,
                                          .method = request->method,
                                          .path = answer.path,
                                          .certificates = request->client_certificates,
                                          .headers = request->headers };
        struct visitor *visitor;

        if (!serving->access) {
                serving_handle(&answer);
                return NULL;
        }
        struct page_visit *visit = page_visit_new(serving->access, &question, ready, ready_context);
        if (page_visit_status(visit)) {
                serving_admit(&answer, visit);
                page_visit_free(visit);
                return NULL;
        }
        visitor = xcalloc(1, sizeof(*visitor));
        *visitor = (struct visitor){ .serving = serving,
                                     .visit = visit,
                                     .method = slice_dup(request->method),
                                     .target = slice_dup(request->target),
                                     .is_local = request->is_local };
        return visitor;
}

static void *resume_page(void *pending, struct http_response *ret_response) {
        struct visitor *visitor = pending;
        struct http_request request = { .method = slice_of(visitor->method),
                                        .target = slice_of(visitor->target),
                                        .is_local = visitor->is_local };
        struct serving_answer answer = answer_of(visitor->serving, &request, ret_response);

        serving_admit(&answer, visitor->visit);
        visitor_free(visitor);
        return NULL;
}

/* ---- life ---- */

static int read_pem(const char *path, char **ret_text, struct err *err) {
        struct buf text = { 0 };

        if (file_text_read(path, &text, err) < 0)
                return err->code;
        if (!slice_contains(buf_view(&text), SLICE_LITERAL("-----BEGIN "))) {
                buf_release(&text);
                return err_set(err, BERTH_ERR_INVALID, "%s: expected PEM", path);
        }
        *ret_text = buf_take(&text, NULL);
        return 0;
}

static int load_material(const struct serving_config *config, struct tls_material *material,
                         struct err *err) {
        if (!config->certificate_path != !config->key_path)
                return err_set(err, BERTH_ERR_USAGE,
                               "expected a certificate file and a private key file, found only "
                               "one of them");
        if (!config->certificate_path)
                return tls_material_make(NULL, material, err);
        if (read_pem(config->certificate_path, &material->certificate_pem, err) < 0)
                return err->code;
        return read_pem(config->key_path, &material->key_pem, err);
}

int serving_new(const struct serving_config *config, struct loop *loop,
                struct serving **ret_serving, struct err *err) {
        struct serving *serving = xcalloc(1, sizeof(*serving));
        struct tls_material material = { 0 };

        serving->metrics = config->metrics;
        serving->access = config->access;
        serving->allows_reset = config->allows_reset;
        int code = load_material(config, &material, err);
        if (code == 0)
                code = http_front_new(
                        &(struct http_front_config){
                                .address = config->address,
                                .key_pem = material.key_pem,
                                .certificate_pem = material.certificate_pem,
                                .tls_minimum = config->tls_minimum,
                                .asks_for_certificates =
                                        config->access &&
                                        page_access_takes_certificates(config->access) },
                        &(struct http_handler){ begin_page, resume_page, visitor_free, serving },
                        loop, &serving->front, err);
        tls_material_release(&material);
        if (code < 0) {
                free(serving);
                return code;
        }
        *ret_serving = serving;
        return 0;
}

void serving_free(struct serving *serving) {
        if (!serving)
                return;
        http_front_free(serving->front);
        free(serving);
}

void serving_add_check(struct serving *serving, const struct health_check *check) {
        assert(serving->check_count < HEALTH_CHECKS_MAX);
        serving->checks[serving->check_count++] = *check;
}

void serving_add_page(struct serving *serving, const struct serving_page *page) {
        assert(serving->page_count < SERVING_PAGES_MAX);
        serving->pages[serving->page_count++] = *page;
}

uint16_t serving_port(const struct serving *serving) {
        return http_front_port(serving->front);
}
