/* One call at a time; a head that is behind is written again. */
#include "roles/audit_anchor.h"

#include "base/log.h"
#include "base/util.h"
#include <stdlib.h>

#define COLLECTION "/api/v1/namespaces/" AUDIT_ANCHOR_NAMESPACE "/configmaps"
#define AGAIN_NS (15 * NS_PER_S) /* after a call that failed */

struct audit_anchor {
        struct audit_anchor_config config;
        struct loop_timer timer;
        struct api_request *call;
        bool is_read, is_absent, was_reported;
        uint64_t resumed; /* seq at which this process went on */
        uint64_t stored, sent;
};

bool audit_anchor_find(const struct json *config_map, const struct audit_chain *chain,
                       struct audit_head *ret_head) {
        char name[AUDIT_CHAIN_NAME_SIZE];

        audit_chain_name(chain, name);
        return name[0] &&
               audit_head_parse(json_get_text(json_get(config_map, "data"), name), ret_head);
}

static void audit_anchor_failed(struct audit_anchor *anchor, const struct api_reply *reply) {
        if (!anchor->was_reported)
                LOG(LOG_WARN, "AuditNotAnchored", log_i64("status", reply->status),
                    log_text("error", reply->error.text));
        anchor->was_reported = true;
        loop_timer_arm(anchor->config.loop, &anchor->timer, AGAIN_NS);
}

static void audit_anchor_judge(struct audit_anchor *anchor, const struct api_reply *reply) {
        struct json_doc *doc = NULL;
        struct audit_head head;

        if (json_parse(reply->body, &doc, NULL) == 0 && anchor->resumed &&
            audit_anchor_find(json_doc_root(doc), anchor->config.chain, &head) &&
            head.seq > anchor->resumed)
                anchor->config.lost(anchor->config.context, &head);
        json_doc_free(doc);
}

static void on_anchor_read(void *context, const struct api_reply *reply) {
        struct audit_anchor *anchor = context;

        anchor->call = NULL;
        anchor->is_absent = reply->status == 404;
        if (reply->status != 200 && !anchor->is_absent) {
                audit_anchor_failed(anchor, reply);
                return;
        }
        anchor->is_read = true;
        if (reply->status == 200)
                audit_anchor_judge(anchor, reply);
        loop_timer_arm(anchor->config.loop, &anchor->timer, 0);
}

static void on_anchor_written(void *context, const struct api_reply *reply) {
        struct audit_anchor *anchor = context;

        anchor->call = NULL;
        if (reply->status == 200 || reply->status == 201) {
                anchor->stored = anchor->sent;
                anchor->is_absent = anchor->was_reported = false;
                if (anchor->stored != anchor->config.chain->seq)
                        audit_anchor_changed(anchor);
                return;
        }
        anchor->is_absent = reply->status == 404;
        audit_anchor_failed(anchor, reply);
}

static void audit_anchor_write(struct audit_anchor *anchor) {
        char name[AUDIT_CHAIN_NAME_SIZE];
        struct buf body = { 0 };

        anchor->sent = anchor->config.chain->seq;
        audit_chain_name(anchor->config.chain, name);
        buf_printf(&body, "{\"metadata\":{\"name\":\"" AUDIT_ANCHOR_NAME "\"},\"data\":{\"%s\":\"",
                   name);
        audit_head_write(anchor->config.chain, &body);
        buf_text(&body, "\"}}");
        anchor->call = transport_call(
                anchor->config.transport,
                &(struct api_call){ .method = anchor->is_absent ? API_POST : API_PATCH,
                                    .path = anchor->is_absent ? SLICE_LITERAL(COLLECTION)
                                                              : SLICE_LITERAL(AUDIT_ANCHOR_PATH),
                                    .content_type =
                                            anchor->is_absent
                                                    ? SLICE_LITERAL("application/json")
                                                    : SLICE_LITERAL("application/merge-patch+json"),
                                    .body = buf_view(&body) },
                on_anchor_written, anchor);
        buf_release(&body);
}

static void audit_anchor_due(void *context) {
        struct audit_anchor *anchor = context;

        if (anchor->call)
                return;
        if (!anchor->is_read)
                anchor->call = transport_call(
                        anchor->config.transport,
                        &(struct api_call){ .path = SLICE_LITERAL(AUDIT_ANCHOR_PATH) },
                        on_anchor_read, anchor);
        else if (anchor->stored != anchor->config.chain->seq)
                audit_anchor_write(anchor);
}

struct audit_anchor *audit_anchor_new(const struct audit_anchor_config *config) {
        struct audit_anchor *anchor = xcalloc(1, sizeof(*anchor));

        anchor->config = *config;
        anchor->resumed = config->chain->seq;
        anchor->timer = (struct loop_timer){ .fired = audit_anchor_due, .context = anchor };
        loop_timer_arm(config->loop, &anchor->timer, 0);
        return anchor;
}

void audit_anchor_free(struct audit_anchor *anchor) {
        if (!anchor)
                return;
        loop_timer_disarm(anchor->config.loop, &anchor->timer);
        if (anchor->call)
                transport_cancel(anchor->config.transport, anchor->call);
        free(anchor);
}

void audit_anchor_changed(struct audit_anchor *anchor) {
        if (anchor && !anchor->call && !loop_timer_is_armed(&anchor->timer))
                loop_timer_arm(anchor->config.loop, &anchor->timer, AUDIT_ANCHOR_NS);
}
