/* Table rows of the core kinds other than pods and workloads. */
#include "kinds/row.h"

#include "base/arena.h"
#include <ctype.h>
#include <stdlib.h>

ROW_HOOK(name_age_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_age(&row, object);
        row_end(&row);
}

/* ---- nodes ---- */

static int compare_slices(const void *a, const void *b) {
        return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

#define ROLE_PREFIX "node-role.kubernetes.io/"

/* Roles are labels: the rest of one with the prefix, or the value of an older one. */
static void cell_roles(struct row *row, const struct json *node) {
        const struct json *labels = json_get(json_get(node, "metadata"), "labels"), *value;
        struct slice *roles =
                ARENA_ARRAY(row->context->scratch, struct slice, json_count(labels) + 1);
        struct slice prefix = SLICE_LITERAL(ROLE_PREFIX), key;
        struct json_iter iter = json_iter(labels);
        struct buf text = { 0 };
        size_t count = 0;

        while (json_next(&iter, &key, &value)) {
                if (slice_has_prefix(key, prefix) && key.len > prefix.len)
                        roles[count++] = slice_make(key.ptr + prefix.len, key.len - prefix.len);
                else if (slice_is(key, "kubernetes.io/role") && json_text(value).len)
                        roles[count++] = json_text(value);
        }
        qsort(roles, count, sizeof(roles[0]), compare_slices);
        for (size_t i = 0; i < count; i++)
                if (i == 0 || !slice_eq(roles[i], roles[i - 1]))
                        buf_printf(&text, "%s" SLICE_FMT, i ? "," : "", SLICE_ARG(roles[i]));
        cell_or(row, buf_view(&text), "<none>");
        buf_release(&text);
}

static const struct json *element_of_type(const struct json *list, const char *type) {
        struct json_iter iter = json_iter(list);
        const struct json *element;

        while (json_next(&iter, NULL, &element))
                if (slice_is(json_get_text(element, "type"), type))
                        return element;
        return NULL;
}

static void cell_readiness(struct row *row, const struct json *node) {
        const struct json *ready =
                element_of_type(json_get(json_get(node, "status"), "conditions"), "Ready");
        const char *word = "Unknown";

        if (ready)
                word = slice_is(json_get_text(ready, "status"), "True") ? "Ready" : "NotReady";
        cell_format(row, "%s%s", word,
                    json_get_bool(json_get(node, "spec"), "unschedulable", false)
                            ? ",SchedulingDisabled"
                            : "");
}

static void cell_kernel(struct row *row, const struct json *info) {
        struct slice version = json_get_text(info, "kernelVersion");
        struct slice machine = json_get_text(info, "architecture");

        if (version.len == 0)
                version = SLICE_LITERAL("<unknown>");
        if (machine.len)
                cell_format(row, SLICE_FMT " (" SLICE_FMT ")", SLICE_ARG(version),
                            SLICE_ARG(machine));
        else
                cell_text(row, version);
}

ROW_HOOK(node_row) {
        const struct json *status = json_get(object, "status"),
                          *info = json_get(status, "nodeInfo");
        const struct json *addresses = json_get(status, "addresses");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_readiness(&row, object);
        cell_roles(&row, object);
        cell_age(&row, object);
        cell_text(&row, json_get_text(info, "kubeletVersion"));
        cell_or(&row, json_get_text(element_of_type(addresses, "InternalIP"), "address"), "<none>");
        cell_or(&row, json_get_text(element_of_type(addresses, "ExternalIP"), "address"), "<none>");
        cell_or(&row, json_get_text(info, "osImage"), "<unknown>");
        cell_kernel(&row, info);
        cell_or(&row, json_get_text(info, "containerRuntimeVersion"), "<unknown>");
        row_end(&row);
}

ROW_HOOK(namespace_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_text(&row, json_get_text(json_get(object, "status"), "phase"));
        cell_age(&row, object);
        row_end(&row);
}

/* ---- events ---- */

/* Either view of an event names the same things differently. */
static const struct json *core_rows_either(const struct json *event, const char *a, const char *b) {
        const struct json *value = json_get(event, a);

        return value ? value : json_get(event, b);
}

static struct slice first_of(struct slice a, struct slice b) {
        return a.len ? a : b;
}

static void cell_target(struct row *row, const struct json *target) {
        struct slice name = json_get_text(target, "name"), kind = json_get_text(target, "kind");
        struct buf text = { 0 };

        for (size_t i = 0; i < kind.len; i++)
                buf_char(&text, (char)tolower((unsigned char)kind.ptr[i]));
        if (name.len)
                buf_printf(&text, "/" SLICE_FMT, SLICE_ARG(name));
        cell_text(row, buf_view(&text));
        buf_release(&text);
}

static void cell_source(struct row *row, const struct json *event) {
        const struct json *source = core_rows_either(event, "source", "deprecatedSource");
        const struct json *controller =
                core_rows_either(event, "reportingComponent", "reportingController");
        struct slice component =
                first_of(json_get_text(source, "component"), json_text(controller));
        struct slice host =
                first_of(json_get_text(source, "host"), json_get_text(event, "reportingInstance"));

        if (host.len)
                cell_format(row, SLICE_FMT ", " SLICE_FMT, SLICE_ARG(component), SLICE_ARG(host));
        else
                cell_text(row, component);
}

ROW_HOOK(event_row) {
        const struct json *target = core_rows_either(object, "involvedObject", "regarding");
        const struct json *series = json_get(object, "series");
        struct slice first =
                json_text(core_rows_either(object, "firstTimestamp", "deprecatedFirstTimestamp"));
        struct slice last =
                json_text(core_rows_either(object, "lastTimestamp", "deprecatedLastTimestamp"));
        struct slice message = json_text(core_rows_either(object, "message", "note"));
        struct row row = row_begin(context, cells);
        int64_t count = 1;

        (void)conditions;
        first = first_of(first, json_get_text(object, "eventTime"));
        last = first_of(last, first);
        json_as_i64(core_rows_either(object, "count", "deprecatedCount"), &count);
        if (series) {
                last = json_get_text(series, "lastObservedTime");
                count = json_get_i64(series, "count", 0);
        }
        cell_since(&row, last, "<unknown>");
        cell_text(&row, json_get_text(object, "type"));
        cell_text(&row, json_get_text(object, "reason"));
        cell_target(&row, target);
        cell_text(&row, json_get_text(target, "fieldPath"));
        cell_source(&row, object);
        cell_text(&row, slice_trim(message));
        cell_since(&row, first, "<unknown>");
        cell_number(&row, count ? count : 1);
        cell_name(&row, object);
        row_end(&row);
}

/* ---- configuration ---- */

ROW_HOOK(config_map_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_number(&row, (int64_t)(json_count(json_get(object, "data")) +
                                    json_count(json_get(object, "binaryData"))));
        cell_age(&row, object);
        row_end(&row);
}

ROW_HOOK(secret_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_text(&row, json_get_text(object, "type"));
        cell_number(&row, (int64_t)json_count(json_get(object, "data")));
        cell_age(&row, object);
        row_end(&row);
}

static int compare_members(const void *a, const void *b) {
        return slice_compare(((const struct json_member *)a)->key,
                             ((const struct json_member *)b)->key);
}

/* Sorted by name; *ret_count says how many. From malloc. */
static struct json_member *amounts_by_name(const struct json *amounts, size_t *ret_count) {
        struct json_member *members = json_members(amounts, ret_count);

        if (members)
                qsort(members, *ret_count, sizeof(*members), compare_members);
        return members;
}

/* "requests.cpu: 1/2", limits and requests apart. */
static void write_amounts(const struct json *status, struct buf *requests, struct buf *limits) {
        size_t count, used_count, j = 0;
        struct json_member *hard = amounts_by_name(json_get(status, "hard"), &count);
        struct json_member *used = amounts_by_name(json_get(status, "used"), &used_count);

        for (size_t i = 0; i < count; i++) {
                struct slice name = hard[i].key, amount = SLICE_EMPTY;
                struct buf *out =
                        slice_has_prefix(name, SLICE_LITERAL("limits.")) ? limits : requests;

                while (j < used_count && slice_compare(used[j].key, name) < 0)
                        j++;
                if (j < used_count && slice_eq(used[j].key, name))
                        amount = json_text(used[j].value);
                buf_printf(out, "%s" SLICE_FMT ": " SLICE_FMT "/" SLICE_FMT, out->len ? ", " : "",
                           SLICE_ARG(name), SLICE_ARG(amount.len ? amount : SLICE_LITERAL("0")),
                           SLICE_ARG(json_text(hard[i].value)));
        }
        free(hard);
        free(used);
}

ROW_HOOK(resource_quota_row) {
        struct row row = row_begin(context, cells);
        struct buf requests = { 0 }, limits = { 0 };

        (void)conditions;
        write_amounts(json_get(object, "status"), &requests, &limits);
        cell_name(&row, object);
        cell_text(&row, buf_view(&requests));
        cell_text(&row, buf_view(&limits));
        cell_age(&row, object);
        row_end(&row);
        buf_release(&requests);
        buf_release(&limits);
}

/* ---- services ---- */

static void cell_external_address(struct row *row, const struct json *service) {
        const struct json *spec = json_get(service, "spec"), *address;
        struct json_iter iter = json_iter(json_get(spec, "externalIPs"));
        struct slice type = json_get_text(spec, "type");
        bool is_balanced = slice_is(type, "LoadBalancer");
        struct buf text = { 0 };

        if (slice_is(type, "ExternalName")) {
                cell_text(row, json_get_text(spec, "externalName"));
                return;
        }
        if (is_balanced)
                balancer_print(row->context->scratch, json_get(service, "status"), &text);
        while (json_next(&iter, NULL, &address))
                buf_printf(&text, "%s" SLICE_FMT, text.len ? "," : "",
                           SLICE_ARG(json_text(address)));
        cell_or(row, buf_view(&text), is_balanced ? "<pending>" : "<none>");
        buf_release(&text);
}

static void cell_service_ports(struct row *row, const struct json *ports) {
        struct json_iter iter = json_iter(ports);
        const struct json *port;
        struct buf text = { 0 };

        while (json_next(&iter, NULL, &port)) {
                int64_t node_port = json_get_i64(port, "nodePort", 0);

                buf_printf(&text, "%s%lld", text.len ? "," : "",
                           (long long)json_get_i64(port, "port", 0));
                if (node_port)
                        buf_printf(&text, ":%lld", (long long)node_port);
                buf_printf(&text, "/" SLICE_FMT, SLICE_ARG(json_get_text(port, "protocol")));
        }
        cell_or(row, buf_view(&text), "<none>");
        buf_release(&text);
}

ROW_HOOK(service_row) {
        const struct json *spec = json_get(object, "spec");
        const struct json *address = json_at(json_get(spec, "clusterIPs"), 0);
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_text(&row, json_get_text(spec, "type"));
        cell_or(&row, json_text(address), "<none>");
        cell_external_address(&row, object);
        cell_service_ports(&row, json_get(spec, "ports"));
        cell_age(&row, object);
        cell_labels(&row, json_get(spec, "selector"));
        row_end(&row);
}

#define ENDPOINTS_SHOWN 3

struct endpoint_list {
        struct buf text;
        size_t shown, count;
};

/* port 0: addresses alone. */
static void add_addresses(struct endpoint_list *list, const struct json *addresses, int64_t port) {
        struct json_iter iter = json_iter(addresses);
        const struct json *address;

        list->count += json_count(addresses);
        while (list->shown < ENDPOINTS_SHOWN && json_next(&iter, NULL, &address)) {
                struct slice ip = json_get_text(address, "ip");
                bool is_six = ip.len && memchr(ip.ptr, ':', ip.len);

                buf_printf(&list->text, "%s%s" SLICE_FMT "%s", list->shown++ ? "," : "",
                           is_six && port ? "[" : "", SLICE_ARG(ip), is_six && port ? "]" : "");
                if (port)
                        buf_printf(&list->text, ":%lld", (long long)port);
        }
}

ROW_HOOK(endpoints_row) {
        struct json_iter subsets = json_iter(json_get(object, "subsets"));
        struct row row = row_begin(context, cells);
        struct endpoint_list list = { 0 };
        const struct json *subset, *port;

        (void)conditions;
        while (json_next(&subsets, NULL, &subset)) {
                struct json_iter ports = json_iter(json_get(subset, "ports"));

                if (json_count(json_get(subset, "ports")) == 0)
                        add_addresses(&list, json_get(subset, "addresses"), 0);
                while (json_next(&ports, NULL, &port))
                        add_addresses(&list, json_get(subset, "addresses"),
                                      json_get_i64(port, "port", 0));
        }
        if (list.count > list.shown)
                buf_printf(&list.text, " + %zu more...", list.count - list.shown);
        cell_name(&row, object);
        cell_or(&row, buf_view(&list.text),
                json_count(json_get(object, "subsets")) ? "" : "<none>");
        cell_age(&row, object);
        row_end(&row);
        buf_release(&list.text);
}

/* ---- volumes ---- */

static void cell_access_modes(struct row *row, const struct json *modes) {
        static const char *const names[][2] = {
                { "ReadWriteOnce", "RWO" },
                { "ReadOnlyMany", "ROX" },
                { "ReadWriteMany", "RWX" },
                { "ReadWriteOncePod", "RWOP" },
        };
        struct buf text = { 0 };

        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                struct json_iter iter = json_iter(modes);
                const struct json *mode;
                bool is_there = false;

                while (json_next(&iter, NULL, &mode))
                        is_there |= slice_is(json_text(mode), names[i][0]);
                if (is_there)
                        buf_printf(&text, "%s%s", text.len ? "," : "", names[i][1]);
        }
        cell_text(row, buf_view(&text));
        buf_release(&text);
}

static void cell_phase(struct row *row, const struct json *object) {
        bool is_deleted = json_get(json_get(object, "metadata"), "deletionTimestamp");

        cell_text(row, is_deleted ? SLICE_LITERAL("Terminating")
                                  : json_get_text(json_get(object, "status"), "phase"));
}

ROW_HOOK(persistent_volume_row) {
        const struct json *spec = json_get(object, "spec"), *claim = json_get(spec, "claimRef");
        struct slice size = json_get_text(json_get(spec, "capacity"), "storage");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_or(&row, size, "0");
        cell_access_modes(&row, json_get(spec, "accessModes"));
        cell_text(&row, json_get_text(spec, "persistentVolumeReclaimPolicy"));
        cell_phase(&row, object);
        if (claim)
                cell_format(&row, SLICE_FMT "/" SLICE_FMT,
                            SLICE_ARG(json_get_text(claim, "namespace")),
                            SLICE_ARG(json_get_text(claim, "name")));
        else
                cell_string(&row, "");
        cell_text(&row, json_get_text(spec, "storageClassName"));
        cell_or(&row, json_get_text(spec, "volumeAttributesClassName"), "<unset>");
        cell_text(&row, json_get_text(json_get(object, "status"), "reason"));
        cell_age(&row, object);
        cell_or(&row, json_get_text(spec, "volumeMode"), "<unset>");
        row_end(&row);
}

ROW_HOOK(persistent_volume_claim_row) {
        const struct json *spec = json_get(object, "spec"), *status = json_get(object, "status");
        struct slice volume = json_get_text(spec, "volumeName");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_phase(&row, object);
        cell_text(&row, volume);
        if (volume.len)
                cell_or(&row, json_get_text(json_get(status, "capacity"), "storage"), "0");
        else
                cell_string(&row, "");
        cell_access_modes(&row, volume.len ? json_get(status, "accessModes") : NULL);
        cell_text(&row, json_get_text(spec, "storageClassName"));
        cell_or(&row, json_get_text(spec, "volumeAttributesClassName"), "<unset>");
        cell_age(&row, object);
        cell_or(&row, json_get_text(spec, "volumeMode"), "<unset>");
        row_end(&row);
}
