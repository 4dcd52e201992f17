/* Table rows of the smaller groups. */
#include "kinds/row.h"

/* ---- policy, coordination, scheduling, node ---- */

static void cell_int_or_percent(struct row *row, const struct json *value) {
        int64_t number;

        if (json_as_i64(value, &number))
                cell_format(row, "%lld", (long long)number);
        else
                cell_or(row, json_text(value), "N/A");
}

ROW_HOOK(pod_disruption_budget_row) {
        const struct json *spec = json_get(object, "spec");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_int_or_percent(&row, json_get(spec, "minAvailable"));
        cell_int_or_percent(&row, json_get(spec, "maxUnavailable"));
        cell_number(&row, json_get_i64(json_get(object, "status"), "disruptionsAllowed", 0));
        cell_age(&row, object);
        row_end(&row);
}

ROW_HOOK(lease_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_text(&row, json_get_text(json_get(object, "spec"), "holderIdentity"));
        cell_age(&row, object);
        row_end(&row);
}

ROW_HOOK(priority_class_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_number(&row, json_get_i64(object, "value", 0));
        cell_bool(&row, json_get_bool(object, "globalDefault", false));
        cell_age(&row, object);
        cell_text(&row, json_get_text(object, "preemptionPolicy"));
        row_end(&row);
}

ROW_HOOK(scale_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_number(&row, json_get_i64(json_get(object, "spec"), "replicas", 0));
        cell_number(&row, json_get_i64(json_get(object, "status"), "replicas", 0));
        cell_age(&row, object);
        row_end(&row);
}

ROW_HOOK(runtime_class_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_text(&row, json_get_text(object, "handler"));
        cell_age(&row, object);
        row_end(&row);
}

/* ---- RBAC ---- */

static void cell_subjects(struct row *row, const struct json *subjects, const char *kind) {
        struct json_iter iter = json_iter(subjects);
        const struct json *subject;
        struct buf text = { 0 };

        while (json_next(&iter, NULL, &subject)) {
                struct slice ns = json_get_text(subject, "namespace");

                if (!slice_is(json_get_text(subject, "kind"), kind))
                        continue;
                buf_text(&text, text.len ? ", " : "");
                if (slice_is(slice_of(kind), "ServiceAccount"))
                        buf_printf(&text, SLICE_FMT "/", SLICE_ARG(ns));
                buf_slice(&text, json_get_text(subject, "name"));
        }
        cell_text(row, buf_view(&text));
        buf_release(&text);
}

ROW_HOOK(binding_row) {
        const struct json *role = json_get(object, "roleRef");
        const struct json *subjects = json_get(object, "subjects");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_format(&row, SLICE_FMT "/" SLICE_FMT, SLICE_ARG(json_get_text(role, "kind")),
                    SLICE_ARG(json_get_text(role, "name")));
        cell_age(&row, object);
        cell_subjects(&row, subjects, "User");
        cell_subjects(&row, subjects, "Group");
        cell_subjects(&row, subjects, "ServiceAccount");
        row_end(&row);
}

/* ---- storage ---- */

static bool is_default_class(const struct json *class, const char *annotation) {
        return slice_is(
                json_get_text(json_get(json_get(class, "metadata"), "annotations"), annotation),
                "true");
}

static void cell_class_name(struct row *row, const struct json *class, const char *annotation) {
        cell_format(row, SLICE_FMT "%s",
                    SLICE_ARG(json_get_text(json_get(class, "metadata"), "name")),
                    is_default_class(class, annotation) ? " (default)" : "");
}

ROW_HOOK(storage_class_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_class_name(&row, object, "storageclass.kubernetes.io/is-default-class");
        cell_text(&row, json_get_text(object, "provisioner"));
        cell_or(&row, json_get_text(object, "reclaimPolicy"), "Delete");
        cell_or(&row, json_get_text(object, "volumeBindingMode"), "Immediate");
        cell_bool(&row, json_get_bool(object, "allowVolumeExpansion", false));
        cell_age(&row, object);
        row_end(&row);
}

ROW_HOOK(csi_node_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_number(&row, (int64_t)json_count(json_get(json_get(object, "spec"), "drivers")));
        cell_age(&row, object);
        row_end(&row);
}

ROW_HOOK(csi_driver_row) {
        const struct json *spec = json_get(object, "spec"), *request;
        struct json_iter iter = json_iter(json_get(spec, "tokenRequests"));
        struct row row = row_begin(context, cells);
        struct buf audiences = { 0 };

        (void)conditions;
        while (json_next(&iter, NULL, &request))
                buf_printf(&audiences, "%s" SLICE_FMT, audiences.len ? "," : "",
                           SLICE_ARG(json_get_text(request, "audience")));
        cell_name(&row, object);
        cell_bool(&row, json_get_bool(spec, "attachRequired", true));
        cell_bool(&row, json_get_bool(spec, "podInfoOnMount", false));
        cell_bool(&row, json_get_bool(spec, "storageCapacity", false));
        if (json_get(spec, "tokenRequests"))
                cell_text(&row, buf_view(&audiences));
        else
                cell_string(&row, "<unset>");
        cell_bool(&row, json_get_bool(spec, "requiresRepublish", false));
        cell_join(&row, json_get(spec, "volumeLifecycleModes"), "<none>");
        cell_age(&row, object);
        row_end(&row);
        buf_release(&audiences);
}

ROW_HOOK(volume_attachment_row) {
        const struct json *spec = json_get(object, "spec");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_text(&row, json_get_text(spec, "attacher"));
        cell_text(&row, json_get_text(json_get(spec, "source"), "persistentVolumeName"));
        cell_text(&row, json_get_text(spec, "nodeName"));
        cell_bool(&row, json_get_bool(json_get(object, "status"), "attached", false));
        cell_age(&row, object);
        row_end(&row);
}

ROW_HOOK(volume_attributes_class_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_class_name(&row, object, "volumeattributesclass.kubernetes.io/is-default-class");
        cell_text(&row, json_get_text(object, "driverName"));
        cell_age(&row, object);
        row_end(&row);
}

/* ---- networking, discovery ---- */

#define SHOWN_MAX 3

static void group_rows_more(struct buf *out, size_t count) {
        if (count > SHOWN_MAX)
                buf_printf(out, " + %zu more...", count - SHOWN_MAX);
}

static void cell_slice_ports(struct row *row, const struct json *ports) {
        struct json_iter iter = json_iter(ports);
        const struct json *port;
        struct buf text = { 0 };

        for (size_t i = 0; i < SHOWN_MAX && json_next(&iter, NULL, &port); i++) {
                int64_t number;

                buf_text(&text, i ? "," : "");
                if (json_as_i64(json_get(port, "port"), &number))
                        buf_printf(&text, "%lld", (long long)number);
                else
                        buf_char(&text, '*');
        }
        group_rows_more(&text, json_count(ports));
        cell_or(row, buf_view(&text), "<unset>");
        buf_release(&text);
}

static void cell_slice_endpoints(struct row *row, const struct json *endpoints) {
        struct json_iter iter = json_iter(endpoints);
        const struct json *endpoint, *address;
        struct buf text = { 0 };
        size_t count = 0;

        while (json_next(&iter, NULL, &endpoint)) {
                struct json_iter addresses = json_iter(json_get(endpoint, "addresses"));

                while (json_next(&addresses, NULL, &address))
                        if (count++ < SHOWN_MAX)
                                buf_printf(&text, "%s" SLICE_FMT, text.len ? "," : "",
                                           SLICE_ARG(json_text(address)));
        }
        group_rows_more(&text, count);
        cell_or(row, buf_view(&text), "<unset>");
        buf_release(&text);
}

ROW_HOOK(endpoint_slice_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_text(&row, json_get_text(object, "addressType"));
        cell_slice_ports(&row, json_get(object, "ports"));
        cell_slice_endpoints(&row, json_get(object, "endpoints"));
        cell_age(&row, object);
        row_end(&row);
}

static void cell_hosts(struct row *row, const struct json *rules) {
        struct json_iter iter = json_iter(rules);
        const struct json *rule;
        struct buf text = { 0 };

        for (size_t i = 0; i < SHOWN_MAX && json_next(&iter, NULL, &rule); i++)
                if (json_get_text(rule, "host").len)
                        buf_printf(&text, "%s" SLICE_FMT, text.len ? "," : "",
                                   SLICE_ARG(json_get_text(rule, "host")));
        if (text.len)
                group_rows_more(&text, json_count(rules));
        cell_or(row, buf_view(&text), "*");
        buf_release(&text);
}

static void cell_balancer(struct row *row, const struct json *status) {
        struct buf text = { 0 };

        balancer_print(row->context->scratch, status, &text);
        cell_text(row, buf_view(&text));
        buf_release(&text);
}

ROW_HOOK(ingress_row) {
        const struct json *spec = json_get(object, "spec");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_or(&row, json_get_text(spec, "ingressClassName"), "<none>");
        cell_hosts(&row, json_get(spec, "rules"));
        cell_balancer(&row, json_get(object, "status"));
        cell_string(&row, json_count(json_get(spec, "tls")) ? "80, 443" : "80");
        cell_age(&row, object);
        row_end(&row);
}

ROW_HOOK(ingress_class_row) {
        const struct json *spec = json_get(object, "spec");
        const struct json *parameters = json_get(spec, "parameters");
        struct slice group = json_get_text(parameters, "apiGroup");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_class_name(&row, object, "ingressclass.kubernetes.io/is-default-class");
        cell_text(&row, json_get_text(spec, "controller"));
        if (parameters)
                cell_format(&row, SLICE_FMT "%s" SLICE_FMT "/" SLICE_FMT,
                            SLICE_ARG(json_get_text(parameters, "kind")), group.len ? "." : "",
                            SLICE_ARG(group), SLICE_ARG(json_get_text(parameters, "name")));
        else
                cell_string(&row, "<none>");
        cell_age(&row, object);
        row_end(&row);
}

ROW_HOOK(network_policy_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_label_selector(&row, json_get(json_get(object, "spec"), "podSelector"));
        cell_age(&row, object);
        row_end(&row);
}

ROW_HOOK(ip_address_row) {
        const struct json *parent = json_get(json_get(object, "spec"), "parentRef");
        struct slice group = json_get_text(parent, "group"),
                     ns = json_get_text(parent, "namespace");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        if (parent)
                cell_format(&row, SLICE_FMT "%s" SLICE_FMT "%s" SLICE_FMT "/" SLICE_FMT,
                            SLICE_ARG(json_get_text(parent, "resource")), group.len ? "." : "",
                            SLICE_ARG(group), ns.len ? "/" : "", SLICE_ARG(ns),
                            SLICE_ARG(json_get_text(parent, "name")));
        else
                cell_string(&row, "<none>");
        cell_age(&row, object);
        row_end(&row);
}

ROW_HOOK(service_cidr_row) {
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_join(&row, json_get(json_get(object, "spec"), "cidrs"), "");
        cell_age(&row, object);
        row_end(&row);
}

/* ---- devices, certificates ---- */

ROW_HOOK(resource_claim_row) {
        const struct json *status = json_get(object, "status");
        bool is_deleted = json_get(json_get(object, "metadata"), "deletionTimestamp");
        bool is_allocated = json_get(status, "allocation");
        struct row row = row_begin(context, cells);
        struct buf text = { 0 };

        (void)conditions;
        if (is_deleted)
                buf_text(&text, "deleted");
        if (!is_allocated && !is_deleted)
                buf_text(&text, "pending");
        if (is_allocated)
                buf_text(&text, text.len ? ",allocated" : "allocated");
        if (is_allocated && json_count(json_get(status, "reservedFor")))
                buf_text(&text, ",reserved");
        cell_name(&row, object);
        cell_text(&row, buf_view(&text));
        cell_age(&row, object);
        row_end(&row);
        buf_release(&text);
}

ROW_HOOK(resource_slice_row) {
        const struct json *spec = json_get(object, "spec");
        struct row row = row_begin(context, cells);

        (void)conditions;
        cell_name(&row, object);
        cell_text(&row, json_get_text(spec, "nodeName"));
        cell_text(&row, json_get_text(spec, "driver"));
        cell_text(&row, json_get_text(json_get(spec, "pool"), "name"));
        cell_age(&row, object);
        row_end(&row);
}

static const char *request_state(const struct json *status) {
        struct json_iter iter = json_iter(json_get(status, "conditions"));
        const struct json *condition;
        const char *state = "Pending";

        while (json_next(&iter, NULL, &condition)) {
                struct slice type = json_get_text(condition, "type");

                if (slice_is(type, "Denied"))
                        return "Denied";
                if (slice_is(type, "Approved"))
                        state = "Approved";
        }
        return state;
}

ROW_HOOK(certificate_signing_request_row) {
        const struct json *spec = json_get(object, "spec"), *status = json_get(object, "status");
        struct row row = row_begin(context, cells);
        int64_t seconds;
        char text[40];

        (void)conditions;
        cell_name(&row, object);
        cell_age(&row, object);
        cell_or(&row, json_get_text(spec, "signerName"), "<none>");
        cell_text(&row, json_get_text(spec, "username"));
        if (json_as_i64(json_get(spec, "expirationSeconds"), &seconds)) {
                duration_format_human(seconds * NS_PER_S, text);
                cell_string(&row, text);
        } else {
                cell_string(&row, "<none>");
        }
        cell_format(&row, "%s%s", request_state(status),
                    json_get_text(status, "certificate").len ? ",Issued" : "");
        row_end(&row);
}
