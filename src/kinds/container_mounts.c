/* Validation of containers: what they mount, as files and as block devices. */
#include "kinds/workload_check.h"

/* Names and paths of a list of mounts or devices, for the other list to keep away from: of those
 * that share a name only the last path, as upstream. */
struct taken_places {
        struct text_set names, paths;
};

static void taken_places_collect(struct taken_places *places, const struct json_node *list,
                                 const char *path_member) {
        for (size_t i = node_count(list); i-- > 0;)
                if (text_set_add(&places->names, node_get_text(node_at(list, i), "name")))
                        text_set_add(&places->paths, node_get_text(node_at(list, i), path_member));
}

static void taken_places_release(struct taken_places *places) {
        text_set_release(&places->names);
        text_set_release(&places->paths);
}

/* Places of these are of the list: upstream leaves out which element it is. */
static void check_mount_paths(struct checker *checker, const struct at *at, const struct at *place,
                              const struct json_node *mount) {
        static const struct rule below[] = { { "subPath", rule_path_below }, RULES_END };
        static const struct rule below_expression[] = { { "subPathExpr", rule_path_below },
                                                        RULES_END };

        check_rules(checker, at, mount, below);
        if (node_get_text(mount, "subPathExpr").len && node_get_text(mount, "subPath").len)
                report_text(checker, place, "subPathExpr", node_get_text(mount, "subPathExpr"),
                            "subPathExpr and subPath are mutually exclusive");
        check_rules(checker, at, mount, below_expression);
}

static void check_propagation(struct checker *checker, const struct at *at,
                              const struct json_node *mount, const struct json_node *container) {
        static const char *const modes[] = { "Bidirectional", "HostToContainer", "None", NULL };
        static const char *const recursions[] = { "Disabled", "Enabled", "IfPossible", NULL };
        static const struct rule rules[] = {
                { "mountPropagation", rule_choice, RULE_PRESENT, .data = modes },
                RULES_END,
        };
        static const struct rule recursion_rules[] = {
                { "recursiveReadOnly", rule_choice, RULE_PRESENT, .data = recursions },
                RULES_END,
        };
        struct slice mode = node_get_text(mount, "mountPropagation");
        struct slice recursion = node_get_text(mount, "recursiveReadOnly");
        const struct json_node *security = node_get(container, "securityContext");

        check_rules(checker, at, mount, rules);
        if (slice_is(mode, "Bidirectional") && !node_is_true(node_get(security, "privileged")))
                report(checker, FIELD_FORBIDDEN, at, "mountPropagation", NULL,
                       "Bidirectional mount propagation is available only to privileged "
                       "containers");
        check_rules(checker, at, mount, recursion_rules);
        if (!slice_is(recursion, "Enabled") && !slice_is(recursion, "IfPossible"))
                return;
        if (!node_is_true(node_get(mount, "readOnly")))
                report(checker, FIELD_FORBIDDEN, at, "recursiveReadOnly", NULL,
                       "may only be specified when readOnly is true");
        if (node_get(mount, "mountPropagation") && !slice_is(mode, "None"))
                report(checker, FIELD_FORBIDDEN, at, "recursiveReadOnly", NULL,
                       "may only be specified when mountPropagation is None or not specified");
}

void check_mounts(struct container_check *check, const struct at *at,
                  const struct json_node *container) {
        const struct json_node *mounts = node_get(container, "volumeMounts");
        CLEANUP(text_set_release) struct text_set paths = { 0 };
        struct checker *checker = check->checker;
        struct taken_places devices = { 0 };

        taken_places_collect(&devices, node_get(container, "volumeDevices"), "devicePath");
        for (size_t i = 0; i < node_count(mounts); i++) {
                const struct json_node *mount = node_at(mounts, i);
                struct at place = at_index(at, i);
                struct slice name = node_get_text(mount, "name");
                struct slice path = node_get_text(mount, "mountPath");

                check_required(checker, &place, mount, "name");
                if (!map_get(check->volumes, name))
                        report(checker, FIELD_NOT_FOUND, &place, "name", quoted(checker, name),
                               NULL);
                check_required(checker, &place, mount, "mountPath");
                if (!text_set_add(&paths, path))
                        report_text(checker, &place, "mountPath", path, "must be unique");
                if (text_set_has(&devices.names, name))
                        report_text(checker, &place, "name", name,
                                    "must not already exist in volumeDevices");
                if (text_set_has(&devices.paths, path))
                        report_text(checker, &place, "mountPath", path,
                                    "must not already exist as a path in volumeDevices");
                check_mount_paths(checker, at, &place, mount);
                check_propagation(checker, at, mount, container);
        }
        taken_places_release(&devices);
}

static bool has_backsteps(struct slice path) {
        struct slice part;

        while (slice_split(&path, '/', &part))
                if (slice_is(part, ".."))
                        return true;
        return false;
}

/* Names and paths of the devices so far, and of the mounts. */
struct device_check {
        struct container_check *check;
        struct taken_places seen, mounts;
};

static void check_device_name(struct device_check *devices, const struct at *place,
                              const struct json_node *device) {
        struct checker *checker = devices->check->checker;
        struct slice name = node_get_text(device, "name");
        const struct json_node *volume = map_get(devices->check->volumes, name);

        check_required(checker, place, device, "name");
        if (text_set_has(&devices->seen.names, name))
                report_text(checker, place, "name", name, "must be unique");
        if (volume && !node_get(volume, "persistentVolumeClaim") && !node_get(volume, "ephemeral"))
                report_text(checker, place, "name", name,
                            "can only use volume source type of PersistentVolumeClaim or Ephemeral "
                            "for block mode");
        if (!volume)
                report(checker, FIELD_NOT_FOUND, place, "name", quoted(checker, name), NULL);
}

static void check_device_path(struct device_check *devices, const struct at *place,
                              const struct json_node *device) {
        struct checker *checker = devices->check->checker;
        struct slice path = node_get_text(device, "devicePath");

        check_required(checker, place, device, "devicePath");
        if (text_set_has(&devices->seen.paths, path))
                report_text(checker, place, "devicePath", path, "must be unique");
        if (has_backsteps(path))
                report_text(checker, place, "devicePath", path, "can not contain backsteps ('..')");
        else
                text_set_add(&devices->seen.paths, path);
}

void check_devices(struct container_check *check, const struct at *at,
                   const struct json_node *container) {
        const struct json_node *list = node_get(container, "volumeDevices");
        struct device_check devices = { .check = check };

        taken_places_collect(&devices.mounts, node_get(container, "volumeMounts"), "mountPath");
        for (size_t i = 0; i < node_count(list); i++) {
                const struct json_node *device = node_at(list, i);
                struct slice name = node_get_text(device, "name");
                struct slice path = node_get_text(device, "devicePath");
                struct at place = at_index(at, i);

                check_device_name(&devices, &place, device);
                check_device_path(&devices, &place, device);
                if (text_set_has(&devices.mounts.names, name))
                        report_text(check->checker, &place, "name", name,
                                    "must not already exist in volumeMounts");
                if (text_set_has(&devices.mounts.paths, path))
                        report_text(check->checker, &place, "devicePath", path,
                                    "must not already exist as a path in volumeMounts");
                if (name.len)
                        text_set_add(&devices.seen.names, name);
        }
        taken_places_release(&devices.seen);
        taken_places_release(&devices.mounts);
}
