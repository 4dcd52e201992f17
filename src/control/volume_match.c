/* Matching volumes and claims. */
#include "control/volume_match.h"

#include "api/quantity.h"
#include "api/selector.h"
#include "control/pod_owner.h"

static struct slice capacity_of(const struct json *volume) {
        return json_get_text(json_get(json_get(volume, "spec"), "capacity"), "storage");
}

static struct slice request_of(const struct json *claim) {
        const struct json *resources = json_get(json_get(claim, "spec"), "resources");

        return json_get_text(json_get(resources, "requests"), "storage");
}

static bool has_modes(const struct json *volume, const struct json *claim) {
        const struct json *offered = json_get(json_get(volume, "spec"), "accessModes");
        struct json_iter iter = json_iter(json_get(json_get(claim, "spec"), "accessModes"));
        const struct json *mode;

        while (json_next(&iter, NULL, &mode)) {
                if (!json_array_has(offered, json_text(mode)))
                        return false;
        }
        return true;
}

static struct slice mode_of(const struct json *object) {
        struct slice mode = json_get_text(json_get(object, "spec"), "volumeMode");

        return mode.len ? mode : SLICE_LITERAL("Filesystem");
}

static bool is_selected(const struct json *volume, const struct json *claim, struct arena *arena) {
        const struct json *wanted = json_get(json_get(claim, "spec"), "selector");
        struct selector selector;

        if (!wanted)
                return true;
        return selector_decode(wanted, arena, &selector, NULL) == 0 &&
               selector_matches(
                       &selector,
                       label_list_decode(json_get(json_get(volume, "metadata"), "labels"), arena));
}

bool volume_suits(const struct json *volume, const struct json *claim, struct slice storage_class,
                  struct arena *arena) {
        const struct json *spec = json_get(volume, "spec");
        int order;

        if (json_get(spec, "claimRef") || object_is_deleted(volume) ||
            !slice_eq(json_get_text(spec, "storageClassName"), storage_class) ||
            !slice_eq(mode_of(volume), mode_of(claim)) || !has_modes(volume, claim))
                return false;
        if (quantity_compare(capacity_of(volume), request_of(claim), &order, NULL) < 0 || order < 0)
                return false;
        return is_selected(volume, claim, arena);
}

bool volume_is_meant_for(const struct json *volume, const struct json *claim) {
        const struct json *reference = json_get(json_get(volume, "spec"), "claimRef");
        struct slice uid = json_get_text(reference, "uid");

        return reference && slice_eq(json_get_text(reference, "name"), object_name(claim)) &&
               slice_eq(json_get_text(reference, "namespace"), object_namespace(claim)) &&
               (uid.len == 0 || slice_eq(uid, object_uid(claim)));
}

bool volume_is_smaller(const struct json *a, const struct json *b) {
        int order;

        return quantity_compare(capacity_of(a), capacity_of(b), &order, NULL) == 0 && order < 0;
}
