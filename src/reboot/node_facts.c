/* Decodes nodes and writes their patches. */
#include "reboot/node_facts.h"

#include "reboot/reboot_config.h"

static bool is_our_taint(const struct json *taint, struct slice key) {
        return slice_eq(json_get_text(taint, "key"), key) &&
               slice_is(json_get_text(taint, "effect"), "PreferNoSchedule");
}

static bool has_taint(const struct json *spec, struct slice key) {
        struct json_iter iter = json_iter(json_get(spec, "taints"));
        const struct json *taint;

        while (json_next(&iter, NULL, &taint))
                if (key.len > 0 && is_our_taint(taint, key))
                        return true;
        return false;
}

static bool is_ready(const struct json *status) {
        struct json_iter iter = json_iter(json_get(status, "conditions"));
        const struct json *condition;

        while (json_next(&iter, NULL, &condition))
                if (slice_is(json_get_text(condition, "type"), "Ready"))
                        return slice_is(json_get_text(condition, "status"), "True");
        return false;
}

void node_facts_take(struct node_facts *facts, struct json_doc *doc, struct slice taint_key,
                     struct arena *arena) {
        const struct json *root = json_doc_root(doc);
        const struct json *meta = json_get(root, "metadata"), *spec = json_get(root, "spec");
        const struct json *status = json_get(root, "status");
        const struct json *annotations = json_get(meta, "annotations");

        node_facts_release(facts);
        facts->doc = doc;
        facts->version = json_get_text(meta, "resourceVersion");
        facts->boot_id = json_get_text(json_get(status, "nodeInfo"), "bootID");
        facts->is_cordoned = json_get_bool(spec, "unschedulable", false);
        facts->is_ready = is_ready(status);
        facts->has_taint = has_taint(spec, taint_key);
        facts->has_in_progress = json_get(annotations, IN_PROGRESS_ANNOTATION);
        facts->is_held = slice_is(json_get_text(annotations, REBOOT_HOLD_ANNOTATION), "true");
        facts->is_ignored = slice_is(json_get_text(annotations, REBOOT_IGNORE_ANNOTATION), "true");
        facts->is_forced = slice_is(json_get_text(annotations, REBOOT_FORCE_ANNOTATION), "true");
        reboot_record_parse(json_get_text(annotations, REBOOT_RECORD_ANNOTATION), arena,
                            &facts->record);
        facts->has_former_taint = !slice_eq(facts->record.taint_key, taint_key) &&
                                  has_taint(spec, facts->record.taint_key);
}

void node_facts_release(struct node_facts *facts) {
        json_doc_free(facts->doc);
        *facts = (struct node_facts){ 0 };
}

static void print_member(struct buf *out, const char *name, struct slice value, bool *is_first) {
        buf_text(out, *is_first ? "" : ",");
        *is_first = false;
        buf_json_string(out, slice_of(name));
        buf_char(out, ':');
        if (value.ptr)
                buf_json_string(out, value);
        else
                buf_text(out, "null");
}

static void print_annotations(const struct node_change *change, struct buf *out) {
        struct buf record = { 0 };
        char now[WALL_TIME_TEXT_MAX], took[DURATION_TEXT_MAX];
        bool is_first = true;

        wall_time_format(change->now, now);
        buf_text(out, ",\"annotations\":{");
        if (change->record) {
                if (change->record->phase != REBOOT_IDLE)
                        reboot_record_print(change->record, &record);
                print_member(out, REBOOT_RECORD_ANNOTATION, buf_view(&record), &is_first);
        }
        if (change->in_progress != MARK_KEEP)
                print_member(out, IN_PROGRESS_ANNOTATION,
                             change->in_progress == MARK_SET ? slice_of(now) : SLICE_EMPTY,
                             &is_first);
        if (change->took_ns > 0) {
                duration_format_human(change->took_ns, took);
                print_member(out, REBOOT_TOOK_ANNOTATION, slice_of(took), &is_first);
        }
        if (change->drops_force)
                print_member(out, REBOOT_FORCE_ANNOTATION, SLICE_EMPTY, &is_first);
        if (change->sets_most_recent)
                print_member(out, MOST_RECENT_ANNOTATION, slice_of(now), &is_first);
        buf_char(out, '}');
        buf_release(&record);
}

static void print_labels(const struct node_change *change, struct buf *out) {
        if (change->labels.count == 0)
                return;
        buf_text(out, ",\"labels\":{");
        for (size_t i = 0; i < change->labels.count; i++) {
                buf_text(out, i ? "," : "");
                buf_json_string(out, change->labels.items[i].key);
                buf_char(out, ':');
                buf_json_string(out, change->labels.items[i].value);
        }
        buf_char(out, '}');
}

/* A taint of ours that does not stay as it is. */
static bool is_replaced(const struct node_facts *facts, const struct node_change *change,
                        const struct json *taint) {
        return (change->taint != MARK_KEEP && is_our_taint(taint, change->taint_key)) ||
               (facts->has_former_taint && is_our_taint(taint, facts->record.taint_key));
}

/* A merge patch replaces lists whole: all other taints are repeated unchanged. */
static void print_taints(const struct node_facts *facts, const struct node_change *change,
                         struct buf *out) {
        const struct json *spec = json_get(json_doc_root(facts->doc), "spec");
        struct json_iter iter = json_iter(json_get(spec, "taints"));
        const struct json *taint;
        bool is_first = true;

        buf_text(out, "\"taints\":[");
        while (json_next(&iter, NULL, &taint)) {
                if (is_replaced(facts, change, taint))
                        continue;
                buf_text(out, is_first ? "" : ",");
                is_first = false;
                json_write(taint, out);
        }
        if (change->taint == MARK_SET) {
                buf_text(out, is_first ? "{\"key\":" : ",{\"key\":");
                buf_json_string(out, change->taint_key);
                buf_text(out, ",\"effect\":\"PreferNoSchedule\"}");
        }
        buf_char(out, ']');
}

void node_change_print(const struct node_facts *facts, const struct node_change *change,
                       struct buf *out) {
        bool prints_taints = change->taint != MARK_KEEP || facts->has_former_taint;

        buf_text(out, "{\"metadata\":{\"resourceVersion\":");
        buf_json_string(out, facts->version);
        print_annotations(change, out);
        print_labels(change, out);
        buf_char(out, '}');
        if (change->cordon != MARK_KEEP || prints_taints) {
                buf_text(out, ",\"spec\":{");
                if (change->cordon != MARK_KEEP)
                        buf_printf(out, "\"unschedulable\":%s",
                                   change->cordon == MARK_SET ? "true" : "null");
                if (prints_taints) {
                        buf_text(out, change->cordon != MARK_KEEP ? "," : "");
                        print_taints(facts, change, out);
                }
                buf_char(out, '}');
        }
        buf_char(out, '}');
}
