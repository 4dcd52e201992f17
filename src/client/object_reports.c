/* Differences between what the consumer has and what a list or a watch brings. Objects are not
 * stored: known_objects has the versions of the consumer. */
#include "client/object_reports.h"

#include "base/arena.h"
#include "base/buf.h"

static void object_reports_tell(struct object_reports *reports, enum reflector_change change,
                                struct arrival *arrival) {
        reports->count++;
        reports->changed(reports->context, change, arrival);
}

/* A deletion of which only the identity is known. */
static void report_gone(void *context, const struct object_identity *identity) {
        CLEANUP(buf_release) struct buf text = { 0 };
        CLEANUP(cleanup_json_doc) struct json_doc *doc = NULL;

        buf_text(&text, "{\"metadata\":{\"name\":");
        buf_json_string(&text, identity->name);
        if (identity->namespace_name.len) {
                buf_text(&text, ",\"namespace\":");
                buf_json_string(&text, identity->namespace_name);
        }
        buf_text(&text, ",\"uid\":");
        buf_json_string(&text, identity->uid);
        buf_text(&text, "}}");
        if (json_parse(buf_view(&text), &doc, NULL) == 0)
                object_reports_tell(context, REFLECTOR_DELETED,
                                    &(struct arrival){ .value = json_doc_root(doc) });
}

static bool object_reports_identify(const struct arrival *arrival,
                                    struct object_identity *ret_identity,
                                    struct slice *ret_version) {
        ret_identity->namespace_name = arrival_namespace(arrival);
        ret_identity->name = arrival_name(arrival);
        ret_identity->uid = arrival_uid(arrival);
        *ret_version = arrival_resource_version(arrival);
        if (ret_identity->uid.len > KNOWN_UID_MAX)
                ret_identity->uid = SLICE_EMPTY;
        return ret_identity->name.len > 0 && ret_identity->name.len <= KNOWN_NAME_MAX &&
               ret_identity->namespace_name.len <= KNOWN_NAME_MAX;
}

void object_reports_take(struct object_reports *reports, struct arrival *arrival) {
        char former_uid[KNOWN_UID_MAX + 1];
        struct object_identity identity;
        struct slice version;

        if (!object_reports_identify(arrival, &identity, &version))
                return;
        switch (known_objects_put(reports->known, &identity, object_version_of(version),
                                  former_uid)) {
        case KNOWN_SAME:
                if (reports->has_all)
                        object_reports_tell(reports, REFLECTOR_SAME, arrival);
                break;
        case KNOWN_REPLACED:
                identity.uid = slice_of(former_uid);
                report_gone(reports, &identity);
                object_reports_tell(reports, REFLECTOR_ADDED, arrival);
                break;
        case KNOWN_NEW:
                object_reports_tell(reports, REFLECTOR_ADDED, arrival);
                break;
        case KNOWN_CHANGED:
                object_reports_tell(reports, REFLECTOR_MODIFIED, arrival);
                break;
        }
}

void object_reports_take_deletion(struct object_reports *reports, struct arrival *arrival) {
        struct object_identity identity;
        struct slice version;

        if (object_reports_identify(arrival, &identity, &version) &&
            known_objects_remove(reports->known, &identity))
                object_reports_tell(reports, REFLECTOR_DELETED, arrival);
}

void object_reports_sweep(struct object_reports *reports) {
        known_objects_sweep(reports->known, report_gone, reports);
}
