/* Questions about what would be: their limits, and the frame of the answer. */
#include "base/util.h"
#include "dashboard/address_query.h"
#include "dashboard/dashboard_priv.h"

static bool is_json(struct slice type) {
        struct slice name = SLICE_EMPTY;

        slice_split(&type, ';', &name);
        return slice_is(slice_trim(name), "application/json");
}

/* Why it is not answered; 0 = it is. */
static int plan_refusal(const struct dashboard *dashboard, const struct http_request *request,
                        const char **ret_text) {
        bool is_question = slice_is(request->method, "POST");
        const struct {
                bool holds;
                int status;
                const char *text;
        } cases[] = {
                { !dashboard->plan, 404, "there is no such page\n" },
                { dashboard->is_ready && !dashboard->is_ready(dashboard->context), 503,
                  "the cluster is still being listed\n" },
                { request->body.len > DASHBOARD_QUESTION_MAX, 413,
                  "the question is larger than 1 MiB\n" },
                /* A form of another page cannot send this type. */
                { is_question && !is_json(request->content_type), 415,
                  "expected application/json\n" },
                { is_question && !request->body.len, 400, "expected a JSON object\n" },
        };

        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
                if (cases[i].holds) {
                        *ret_text = cases[i].text;
                        return cases[i].status;
                }
        return 0;
}

void plan_answer_write(struct dashboard *dashboard, const struct http_request *request,
                       struct slice query, struct http_response *response) {
        CLEANUP(buf_release) struct buf as = { 0 };
        CLEANUP(buf_release) struct buf body = { 0 };
        struct dashboard_answer answer = { 200, "application/json", &body };
        const char *text;
        int status = plan_refusal(dashboard, request, &text);

        if (status) {
                response->status = status;
                response->content_type = "text/plain; charset=utf-8";
                buf_text(&response->body, text);
                return;
        }
        address_text(query, "as", &as);
        dashboard->plan(dashboard->plan_context,
                        slice_is(request->method, "POST") ? request->body : SLICE_EMPTY,
                        buf_view(&as), &answer);
        response->status = answer.status;
        response->content_type = answer.type;
        bool is_whole = answer.status != 200 || !is_json(slice_of(answer.type));
        if (!is_whole) {
                buf_char(&response->body, '{');
                dashboard_members(dashboard, &response->body);
                buf_char(&response->body, ',');
        }
        buf_slice(&response->body, buf_view(&body));
        buf_text(&response->body, is_whole ? "" : "}\n");
}
