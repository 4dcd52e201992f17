/* The record as JSON. */
#include "reboot/reboot_record.h"

#include "api/json.h"

static const char *const phase_names[REBOOT_PHASE_COUNT] = {
        [REBOOT_IDLE] = "Idle",           [REBOOT_WANTED] = "Wanted",
        [REBOOT_BLOCKED] = "Blocked",     [REBOOT_QUEUED] = "Queued",
        [REBOOT_CLAIMED] = "Claimed",     [REBOOT_DRAINING] = "Draining",
        [REBOOT_READY] = "Ready",         [REBOOT_REBOOTING] = "Rebooting",
        [REBOOT_RELEASING] = "Releasing", [REBOOT_ROLLBACK] = "Rollback",
};

const char *reboot_phase_name(enum reboot_phase phase) {
        return phase_names[phase];
}

static struct wall_time read_time(const struct json *object, const char *name) {
        struct wall_time time;

        return wall_time_parse(json_get_text(object, name), &time) ? time : WALL_TIME_UNSET;
}

void reboot_record_parse(struct slice annotation, struct arena *arena,
                         struct reboot_record *ret_record) {
        struct reboot_record record = { .need_since = WALL_TIME_UNSET,
                                        .taint_since = WALL_TIME_UNSET,
                                        .not_before = WALL_TIME_UNSET,
                                        .claimed = WALL_TIME_UNSET };
        struct json_doc *doc = NULL;

        *ret_record = record;
        if (annotation.len == 0 || json_parse(annotation, &doc, NULL) < 0)
                return;
        const struct json *root = json_doc_root(doc);
        for (int phase = 1; phase < REBOOT_PHASE_COUNT; phase++)
                if (slice_is(json_get_text(root, "phase"), phase_names[phase]))
                        record.phase = (enum reboot_phase)phase;
        record.boot_id = arena_slice(arena, json_get_text(root, "bootID"));
        record.reason = arena_slice(arena, json_get_text(root, "reason"));
        record.failure = arena_slice(arena, json_get_text(root, "failure"));
        record.taint_key = arena_slice(arena, json_get_text(root, "taintKey"));
        record.need_since = read_time(root, "needSince");
        record.taint_since = read_time(root, "taintSince");
        record.not_before = read_time(root, "notBefore");
        record.claimed = read_time(root, "claimedAt");
        record.is_cordoned_by_us = json_get_bool(root, "cordonedByUs", false);
        record.attempt = (uint32_t)json_get_i64(root, "attempt", 0);
        json_doc_free(doc);
        if (record.phase != REBOOT_IDLE)
                *ret_record = record;
}

static void print_time(struct buf *out, const char *name, struct wall_time time) {
        char text[WALL_TIME_TEXT_MAX];

        if (!wall_time_is_set(time))
                return;
        wall_time_format(time, text);
        buf_printf(out, ",\"%s\":\"%s\"", name, text);
}

static void print_text(struct buf *out, const char *name, struct slice text) {
        if (text.len == 0)
                return;
        buf_printf(out, ",\"%s\":", name);
        buf_json_string(out, text);
}

void reboot_record_print(const struct reboot_record *record, struct buf *out) {
        buf_printf(out, "{\"phase\":\"%s\"", phase_names[record->phase]);
        print_text(out, "bootID", record->boot_id);
        print_time(out, "needSince", record->need_since);
        print_time(out, "taintSince", record->taint_since);
        print_time(out, "notBefore", record->not_before);
        print_time(out, "claimedAt", record->claimed);
        if (record->is_cordoned_by_us)
                buf_text(out, ",\"cordonedByUs\":true");
        if (record->attempt)
                buf_printf(out, ",\"attempt\":%u", record->attempt);
        print_text(out, "reason", record->reason);
        print_text(out, "failure", record->failure);
        print_text(out, "taintKey", record->taint_key);
        buf_char(out, '}');
}
