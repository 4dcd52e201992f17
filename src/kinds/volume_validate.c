/* Validation of pod volumes: a name and exactly one source each. */
#include "kinds/check.h"

#include "base/arena.h"
#include "base/util.h"

/* Members that a source cannot do without. */
struct required_member {
        const char *source, *member;
};
static const struct required_member required_members[] = {
        { "hostPath", "path" },
        { "secret", "secretName" },
        { "configMap", "name" },
        { "persistentVolumeClaim", "claimName" },
        { "csi", "driver" },
        { "nfs", "server" },
        { "nfs", "path" },
        { "iscsi", "targetPortal" },
        { "iscsi", "iqn" },
        { "gitRepo", "repository" },
        { "gcePersistentDisk", "pdName" },
        { "awsElasticBlockStore", "volumeID" },
        { "azureFile", "secretName" },
        { "azureFile", "shareName" },
        { "image", "reference" },
        { "flexVolume", "driver" },
        { "ephemeral", "volumeClaimTemplate" },
};

static void check_source(struct checker *checker, const struct at *at, const char *name,
                         const struct json_node *source) {
        static const char *const path_types[] = {
                "BlockDevice", "CharDevice",   "Directory", "DirectoryOrCreate",
                "File",        "FileOrCreate", "Socket",    NULL,
        };
        struct at place = at_member(at, name);

        for (size_t i = 0; i < ARRAY_LEN(required_members); i++)
                if (slice_is(slice_of(name), required_members[i].source))
                        check_required(checker, &place, source, required_members[i].member);
        if (slice_is(slice_of(name), "hostPath"))
                check_choice(checker, &place, source, "type", path_types);
        if (slice_is(slice_of(name), "emptyDir") && node_get_text(source, "sizeLimit").len) {
                struct at limit = at_member(&place, "sizeLimit");

                check_quantity_not_negative(checker, &limit, node_get_text(source, "sizeLimit"));
        }
}

/* In the order in which complaints come. */
static const char *const source_names[] = {
        "emptyDir",
        "hostPath",
        "gitRepo",
        "gcePersistentDisk",
        "awsElasticBlockStore",
        "secret",
        "nfs",
        "iscsi",
        "glusterfs",
        "persistentVolumeClaim",
        "rbd",
        "flexVolume",
        "configMap",
        "downwardAPI",
        "cinder",
        "cephfs",
        "flocker",
        "fc",
        "azureFile",
        "vsphereVolume",
        "quobyte",
        "azureDisk",
        "storageos",
        "projected",
        "portworxVolume",
        "photonPersistentDisk",
        "scaleIO",
        "csi",
        "ephemeral",
        "image",
};

static void check_volume(struct checker *checker, const struct at *at,
                         const struct json_node *volume) {
        size_t count = 0;

        for (size_t i = 0; i < ARRAY_LEN(source_names); i++) {
                const struct json_node *source = node_get(volume, source_names[i]);

                if (!source)
                        continue;
                if (count++)
                        report(checker, FIELD_FORBIDDEN, at, source_names[i], NULL,
                               "may not specify more than 1 volume type");
                else
                        check_source(checker, at, source_names[i], source);
        }
        if (count == 0)
                report(checker, FIELD_REQUIRED, at, NULL, NULL, "must specify a volume type");
}

void check_volumes(struct checker *checker, const struct at *at, const struct json_node *volumes) {
        CLEANUP(text_set_release) struct text_set names = { 0 };

        for (size_t i = 0; i < node_count(volumes); i++) {
                const struct json_node *volume = node_at(volumes, i);
                struct slice name = node_get_text(volume, "name");
                struct at place = at_index(at, i);

                check_volume(checker, &place, volume);
                if (check_required(checker, &place, volume, "name"))
                        check_name(checker, &place, volume, "name", NAME_LABEL);
                if (!text_set_add(&names, name))
                        report(checker, FIELD_DUPLICATE, &place, "name", quoted(checker, name),
                               NULL);
        }
}
