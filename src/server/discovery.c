/* Discovery documents: which groups, versions, resources and verbs there are. */
#include "server/documents_priv.h"

#include "base/base64.h"
#include "base/util.h"
#include "kinds/release.h"
#include <openssl/sha.h>

/* ---- facts ---- */

struct verb_name {
        unsigned verb;
        const char *name;
};
#define VERB_NAMES 8

static void verb_names_write(const struct verb_name *names, unsigned verbs, struct buf *out) {
        size_t count = 0;

        buf_char(out, '[');
        for (size_t i = 0; i < VERB_NAMES; i++)
                if (verbs & names[i].verb)
                        buf_printf(out, "%s\"%s\"", count++ ? "," : "", names[i].name);
        buf_char(out, ']');
}

void verbs_write(unsigned verbs, struct buf *out) {
        static const struct verb_name names[VERB_NAMES] = {
                { VERB_CREATE, "create" },
                { VERB_DELETE, "delete" },
                { VERB_DELETE_COLLECTION, "deletecollection" },
                { VERB_GET, "get" },
                { VERB_LIST, "list" },
                { VERB_PATCH, "patch" },
                { VERB_UPDATE, "update" },
                { VERB_WATCH, "watch" },
        };

        verb_names_write(names, verbs, out);
}

/* Those of custom resources come in another order. */
static void kind_verbs_write(const struct kind_info *kind, struct buf *out) {
        static const struct verb_name names[VERB_NAMES] = {
                { VERB_DELETE, "delete" }, { VERB_DELETE_COLLECTION, "deletecollection" },
                { VERB_GET, "get" },       { VERB_LIST, "list" },
                { VERB_PATCH, "patch" },   { VERB_CREATE, "create" },
                { VERB_UPDATE, "update" }, { VERB_WATCH, "watch" },
        };

        if (kind->prune)
                verb_names_write(names, kind->verbs, out);
        else
                verbs_write(kind->verbs, out);
}

#define VERBS_VIEW (VERB_GET | VERB_PATCH | VERB_UPDATE)
#define VERBS_STREAM (VERB_CREATE | VERB_GET)
#define VERBS_PROXY (VERB_CREATE | VERB_DELETE | VERB_GET | VERB_PATCH | VERB_UPDATE)

/* parent: plural it belongs to, NULL = any. kind NULL = the parent's own. */
static const struct {
        const char *name, *parent, *group, *version, *kind;
        unsigned verbs;
} known_subresources[] = {
        { "approval", NULL, NULL, NULL, NULL, VERBS_VIEW },
        { "attach", NULL, NULL, NULL, "PodAttachOptions", VERBS_STREAM },
        { "binding", NULL, NULL, NULL, "Binding", VERB_CREATE },
        { "ephemeralcontainers", NULL, NULL, NULL, NULL, VERBS_VIEW },
        { "eviction", NULL, "policy", "v1", "Eviction", VERB_CREATE },
        { "exec", NULL, NULL, NULL, "PodExecOptions", VERBS_STREAM },
        { "finalize", NULL, NULL, NULL, NULL, VERB_UPDATE },
        { "log", NULL, NULL, NULL, NULL, VERB_GET },
        { "portforward", NULL, NULL, NULL, "PodPortForwardOptions", VERBS_STREAM },
        { "proxy", "pods", NULL, NULL, "PodProxyOptions", VERBS_PROXY },
        { "proxy", "nodes", NULL, NULL, "NodeProxyOptions", VERBS_PROXY },
        { "proxy", "services", NULL, NULL, "ServiceProxyOptions", VERBS_PROXY },
        { "resize", NULL, NULL, NULL, NULL, VERBS_VIEW },
        { "scale", NULL, "autoscaling", "v1", "Scale", VERBS_VIEW },
        { "status", NULL, NULL, NULL, NULL, VERBS_VIEW },
        { "token", NULL, "authentication.k8s.io", "v1", "TokenRequest", VERB_CREATE },
};

size_t subresources_of(const struct kind_info *kind, struct subresource subresources[]) {
        size_t count = 0;

        for (size_t i = 0; i < ARRAY_LEN(known_subresources); i++) {
                const char *parent = known_subresources[i].parent;

                if (!release_has_subresource(kind_minor(), kind,
                                             slice_of(known_subresources[i].name)) ||
                    (parent && !slice_is(slice_of(parent), kind->plural)))
                        continue;
                subresources[count++] = (struct subresource){
                        .name = known_subresources[i].name,
                        .group = known_subresources[i].group,
                        .version = known_subresources[i].version,
                        .kind = known_subresources[i].kind ? known_subresources[i].kind
                                                           : kind->kind,
                        .verbs = known_subresources[i].verbs,
                };
        }
        return count;
}

static bool is_listed(const struct kind_info *kind) {
        return !(kind->flags & KIND_HIDDEN);
}

/* ---- legacy form ---- */

void api_versions_write(struct slice address, struct buf *out) {
        buf_text(out, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],"
                      "\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\","
                      "\"serverAddress\":");
        buf_json_string(out, address);
        buf_text(out, "}]}\n");
}

static void group_version_write(const char *group, const char *version, struct buf *out) {
        buf_printf(out, "{\"groupVersion\":\"%s/%s\",\"version\":\"%s\"}", group, version, version);
}

/* Members of an APIGroup without its type. */
static void group_members_write(const struct catalogue_group *group, struct buf *out) {
        buf_printf(out, "\"name\":\"%s\",\"versions\":[", group->name);
        for (const struct catalogue_version *each = group->first; each; each = each->next) {
                buf_text(out, each == group->first ? "" : ",");
                group_version_write(group->name, each->name, out);
        }
        buf_text(out, "],\"preferredVersion\":");
        group_version_write(group->name, group->first->name, out);
}

void group_list_write(const struct api_catalogue *catalogue, struct buf *out) {
        size_t written = 0;

        buf_text(out, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[");
        for (const struct catalogue_group *each = catalogue->first; each; each = each->next) {
                if (!*each->name)
                        continue;
                buf_text(out, written++ ? ",{" : "{");
                group_members_write(each, out);
                buf_char(out, '}');
        }
        buf_text(out, "]}\n");
}

void group_write(const struct catalogue_group *group, struct buf *out) {
        buf_text(out, "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",");
        group_members_write(group, out);
        buf_text(out, "}\n");
}

static void names_write(const char *member, const char *const *names, struct buf *out) {
        if (!names)
                return;
        buf_printf(out, ",\"%s\":[", member);
        for (size_t i = 0; names[i]; i++)
                buf_printf(out, "%s\"%s\"", i ? "," : "", names[i]);
        buf_char(out, ']');
}

#define STORAGE_HASH_BYTES 8

/* Clients compare this to notice that a kind is stored in another version. */
static void storage_hash_write(const struct kind_info *kind, struct buf *out) {
        const struct kind_info *stored = kind->stored_as ? kind->stored_as : kind;
        unsigned char digest[SHA256_DIGEST_LENGTH];
        struct buf text = { 0 };

        buf_printf(&text, "%s/%s/%s", stored->group, stored->version, stored->kind);
        SHA256((const unsigned char *)text.data, text.len, digest);
        buf_text(out, ",\"storageVersionHash\":\"");
        base64_encode(slice_make((const char *)digest, STORAGE_HASH_BYTES), BASE64_STANDARD, out);
        buf_char(out, '"');
        buf_release(&text);
}

static void resource_write(const struct kind_info *kind, struct buf *out) {
        bool is_namespaced = kind->flags & KIND_NAMESPACED;
        struct subresource subresources[SUBRESOURCES_MAX];
        size_t count = subresources_of(kind, subresources);

        buf_printf(out,
                   "{\"name\":\"%s\",\"singularName\":\"%s\",\"namespaced\":%s,\"kind\":\"%s\","
                   "\"verbs\":",
                   kind->plural, kind->singular, is_namespaced ? "true" : "false", kind->kind);
        kind_verbs_write(kind, out);
        names_write("shortNames", kind->short_names, out);
        names_write("categories", kind->categories, out);
        if (kind->verbs & VERB_WATCH)
                storage_hash_write(kind, out);
        buf_char(out, '}');
        for (size_t i = 0; i < count; i++) {
                /* Custom resources tell of their status first. */
                const struct subresource *sub = &subresources[kind->prune ? count - 1 - i : i];

                buf_printf(out, ",{\"name\":\"%s/%s\",\"singularName\":\"\",\"namespaced\":%s,",
                           kind->plural, sub->name, is_namespaced ? "true" : "false");
                if (sub->group)
                        buf_printf(out, "\"group\":\"%s\",\"version\":\"%s\",", sub->group,
                                   sub->version);
                buf_printf(out, "\"kind\":\"%s\",\"verbs\":", sub->kind);
                verbs_write(sub->verbs, out);
                buf_char(out, '}');
        }
}

bool resource_list_write(const struct api_catalogue *catalogue, struct slice group,
                         struct slice version, struct buf *out) {
        const struct catalogue_version *found = catalogue_version(catalogue, group, version);
        size_t written = 0;

        for (const struct catalogue_kind *each = found ? found->first : NULL; each;
             each = each->next) {
                const struct kind_info *kind = each->kind;

                if (!is_listed(kind))
                        continue;
                if (!written++)
                        buf_printf(out,
                                   "{\"kind\":\"APIResourceList\",%s\"groupVersion\":\"%s%s%s\","
                                   "\"resources\":[",
                                   kind->group[0] ? "\"apiVersion\":\"v1\"," : "", kind->group,
                                   kind->group[0] ? "/" : "", kind->version);
                else
                        buf_char(out, ',');
                resource_write(kind, out);
        }
        if (written)
                buf_text(out, "]}\n");
        return written > 0;
}

/* ---- aggregated form ---- */

static void response_kind_write(const char *group, const char *version, const char *kind,
                                struct buf *out) {
        buf_printf(out, "\"responseKind\":{\"group\":\"%s\",\"version\":\"%s\",\"kind\":\"%s\"}",
                   group ? group : "", version ? version : "", kind);
}

static void aggregated_resource_write(const struct kind_info *kind, struct buf *out) {
        struct subresource subresources[SUBRESOURCES_MAX];
        size_t count = subresources_of(kind, subresources);

        buf_printf(out, "{\"resource\":\"%s\",", kind->plural);
        response_kind_write(NULL, NULL, kind->kind, out);
        buf_printf(out, ",\"scope\":\"%s\",\"singularResource\":\"%s\",\"verbs\":",
                   kind->flags & KIND_NAMESPACED ? "Namespaced" : "Cluster", kind->singular);
        kind_verbs_write(kind, out);
        names_write("shortNames", kind->short_names, out);
        names_write("categories", kind->categories, out);
        for (size_t i = 0; i < count; i++) {
                buf_printf(out, "%s{\"subresource\":\"%s\",", i ? "," : ",\"subresources\":[",
                           subresources[i].name);
                response_kind_write(subresources[i].group, subresources[i].version,
                                    subresources[i].kind, out);
                buf_text(out, ",\"verbs\":");
                verbs_write(subresources[i].verbs, out);
                buf_char(out, '}');
        }
        buf_text(out, count ? "]}" : "}");
}

static void aggregated_version_write(const struct catalogue_version *version, struct buf *out) {
        size_t written = 0;

        buf_printf(out, "{\"version\":\"%s\",\"resources\":[", version->name);
        for (const struct catalogue_kind *each = version->first; each; each = each->next) {
                if (!is_listed(each->kind))
                        continue;
                buf_text(out, written++ ? "," : "");
                aggregated_resource_write(each->kind, out);
        }
        buf_text(out, "],\"freshness\":\"Current\"}");
}

static void aggregated_group_write(const struct catalogue_group *group, struct buf *out) {
        if (*group->name)
                buf_printf(out, "{\"metadata\":{\"name\":\"%s\"},\"versions\":[", group->name);
        else
                buf_text(out, "{\"metadata\":{},\"versions\":[");
        for (const struct catalogue_version *each = group->first; each; each = each->next) {
                buf_text(out, each == group->first ? "" : ",");
                aggregated_version_write(each, out);
        }
        buf_text(out, "]}");
}

void aggregated_write(const struct api_catalogue *catalogue, bool is_core, const char *version,
                      struct buf *out) {
        size_t written = 0;

        buf_printf(out,
                   "{\"kind\":\"APIGroupDiscoveryList\","
                   "\"apiVersion\":\"apidiscovery.k8s.io/%s\",\"metadata\":{},\"items\":[",
                   version);
        for (const struct catalogue_group *each = catalogue->first; each; each = each->next) {
                if (is_core != (*each->name == '\0'))
                        continue;
                buf_text(out, written++ ? "," : "");
                aggregated_group_write(each, out);
        }
        buf_text(out, "]}\n");
}
