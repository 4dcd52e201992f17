/* Chains audit lines by their hashes. */
#include "evict/audit_chain.h"

#include "api/json.h"
#include <stdio.h>
#include <string.h>

static void text_member(struct buf *out, const char *name, struct slice value) {
        if (value.len == 0)
                return;
        buf_printf(out, ",\"%s\":", name);
        buf_json_string(out, value);
}

void audit_chain_append(struct audit_chain *chain, const struct audit_record *record,
                        struct wall_time now, struct buf *out) {
        const struct {
                const char *name;
                struct slice value;
        } members[] = {
                { "actor", slice_of(chain->actor) },
                { "mode", slice_of(chain->mode) },
                { "op", record->op },
                { "ns", record->ns },
                { "er", record->request },
                { "eviction", record->eviction },
                { "pod", record->pod },
                { "podUID", record->uid },
                { "node", record->node },
                { "requester", record->requester },
                { "user", record->user },
                { "responder", record->responder },
                { "stage", record->stage },
                { "from", record->from },
                { "to", record->to },
                { "reason", record->reason },
                { "msg", record->message },
        };
        char time[WALL_TIME_TEXT_MAX];
        size_t start = buf_view(out).len;

        wall_time_format_micro(now, time);
        buf_printf(out, "{\"ts\":\"%s\",\"seq\":%llu,\"prev\":\"%s\"", time,
                   (unsigned long long)++chain->seq, chain->prev);
        for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
                text_member(out, members[i].name, members[i].value);
        if (record->http)
                buf_printf(out, ",\"http\":%d", record->http);
        buf_char(out, '}');
        sha256_text(slice_make(buf_view(out).ptr + start, buf_view(out).len - start), chain->prev);
        if (chain->seq == 1)
                memcpy(chain->first, chain->prev, sizeof(chain->first));
        buf_char(out, '\n');
}

static int verify_line(const struct audit_chain *chain, struct slice line, struct err *err) {
        uint64_t expected = chain->seq + 1;
        struct json_doc *doc = NULL;

        if (json_parse(line, &doc, NULL) < 0)
                return err_set(err, BERTH_ERR_INVALID, "line %llu of the audit log is not JSON",
                               (unsigned long long)expected);
        const struct json *root = json_doc_root(doc);
        bool has_seq = json_get_i64(root, "seq", 0) == (int64_t)expected;
        bool has_prev = slice_is(json_get_text(root, "prev"), chain->prev);
        json_doc_free(doc);
        if (has_seq && has_prev)
                return 0;
        if (has_seq && chain->seq) /* this line knows the one before as it was */
                return err_set(err, BERTH_ERR_INVALID, "the line of seq %llu was changed",
                               (unsigned long long)chain->seq);
        return err_set(err, BERTH_ERR_INVALID, "the chain is broken at seq %llu",
                       (unsigned long long)expected);
}

static bool is_other_line(const struct audit_chain *chain, const struct audit_head *head) {
        return chain->seq == head->seq && strcmp(chain->prev, head->hash) != 0;
}

int audit_chain_verify_head(struct audit_chain *chain, struct slice lines,
                            const struct audit_head *head, struct err *err) {
        struct slice rest = lines, line;

        while (rest.ptr && slice_split(&rest, '\n', &line)) {
                if (line.len == 0 && !rest.ptr)
                        break;
                if (!rest.ptr)
                        return err_set(err, BERTH_ERR_INVALID, "the line of seq %llu is torn",
                                       (unsigned long long)chain->seq + 1);
                if (verify_line(chain, line, err) < 0)
                        return BERTH_ERR_INVALID;
                sha256_text(line, chain->prev);
                if (++chain->seq == 1)
                        memcpy(chain->first, chain->prev, sizeof(chain->first));
                if (is_other_line(chain, head))
                        return err_set(err, BERTH_ERR_INVALID,
                                       "the line of seq %llu is not the one that was anchored",
                                       (unsigned long long)chain->seq);
        }
        if (chain->seq < head->seq)
                return err_set(err, BERTH_ERR_INVALID,
                               "the end is lost: the last line has seq %llu, and seq %llu was "
                               "anchored",
                               (unsigned long long)chain->seq, (unsigned long long)head->seq);
        return 0;
}

int audit_chain_verify(struct audit_chain *chain, struct slice lines, struct err *err) {
        return audit_chain_verify_head(chain, lines, &(struct audit_head){ 0 }, err);
}

/* ---- heads ---- */

void audit_head_write(const struct audit_chain *chain, struct buf *out) {
        buf_printf(out, "%llu %s", (unsigned long long)chain->seq, chain->prev);
}

bool audit_head_parse(struct slice text, struct audit_head *ret_head) {
        struct slice rest = text, number;
        struct audit_head head = { 0 };

        if (!slice_split(&rest, ' ', &number) || !slice_to_u64(number, &head.seq) ||
            head.seq == 0 || rest.len != sizeof(head.hash) - 1)
                return false;
        memcpy(head.hash, rest.ptr, rest.len);
        *ret_head = head;
        return true;
}

void audit_chain_name(const struct audit_chain *chain, char out[AUDIT_CHAIN_NAME_SIZE]) {
        snprintf(out, AUDIT_CHAIN_NAME_SIZE, "%.16s", chain->first);
}
