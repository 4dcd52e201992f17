/* Finds what an input refers to and does not have, and stands in for it where that is possible. */
#include "cmd/up_missing.h"

#include "api/json.h"
#include "base/map.h"
#include "base/util.h"
#include "sandbox/sandbox_import.h"

#define NAMES_SHOWN 3

struct up_reference {
        bool is_present;
        size_t users;      /* objects that refer to it */
        struct slice name; /* for people */
        struct slice text; /* what to create, as JSON; "" = nothing stands in for it */
};

static const struct {
        const char *kind;          /* of objects that are one; NULL = by uid */
        const char *noun, *plural; /* for people */
} referents[REFERENT_COUNT] = {
        [REFERENT_NAMESPACE] = { "Namespace", "namespace", "namespaces" },
        [REFERENT_PRIORITY_CLASS] = { "PriorityClass", "priority class", "priority classes" },
        [REFERENT_RUNTIME_CLASS] = { "RuntimeClass", "runtime class", "runtime classes" },
        [REFERENT_NODE] = { "Node", "node", "nodes" },
        [REFERENT_OWNER] = { NULL, "owner", "owners" },
};

void up_missing_init(struct up_missing *missing) {
        arena_init(&missing->arena, 0);
        for (size_t i = 0; i < REFERENT_COUNT; i++)
                missing->references[i] = map_new();
}

void up_missing_release(struct up_missing *missing) {
        for (size_t i = 0; i < REFERENT_COUNT; i++)
                map_free(missing->references[i]);
        arena_release(&missing->arena);
}

/* ---- noting ---- */

static struct up_reference *need_reference(struct up_missing *missing, enum up_referent referent,
                                           struct slice name) {
        struct up_reference *reference = map_get(missing->references[referent], name);

        if (reference)
                return reference;
        reference = ARENA_NEW(&missing->arena, struct up_reference);
        *reference = (struct up_reference){ .name = arena_slice(&missing->arena, name) };
        map_put(missing->references[referent], name, reference);
        return reference;
}

/* Something refers to it. Returns the reference when it has no text yet and may get one. */
static struct up_reference *note_user(struct up_missing *missing, enum up_referent referent,
                                      struct slice name) {
        if (!name.len)
                return NULL;
        struct up_reference *reference = need_reference(missing, referent, name);
        reference->users++;
        return reference->text.len ? NULL : reference;
}

static void note_owners(struct up_missing *missing, const struct json *metadata) {
        struct json_iter iter = json_iter(json_get(metadata, "ownerReferences"));
        struct slice ns = json_get_text(metadata, "namespace");
        const struct json *owner;

        while (json_next(&iter, NULL, &owner)) {
                struct up_reference *reference =
                        note_user(missing, REFERENT_OWNER, json_get_text(owner, "uid"));

                if (reference)
                        reference->name = slice_of(arena_printf(
                                &missing->arena, SLICE_FMT " " SLICE_FMT "%s" SLICE_FMT,
                                SLICE_ARG(json_get_text(owner, "kind")), SLICE_ARG(ns),
                                ns.len ? "/" : "", SLICE_ARG(json_get_text(owner, "name"))));
        }
}

static void note_namespace(struct up_missing *missing, struct slice name) {
        struct up_reference *reference = note_user(missing, REFERENT_NAMESPACE, name);
        CLEANUP(buf_release) struct buf text = { 0 };

        if (!reference)
                return;
        buf_text(&text, "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":");
        buf_json_string(&text, name);
        buf_text(&text, "}}");
        reference->text = arena_slice(&missing->arena, buf_view(&text));
}

/* A pod that an API server has admitted tells what its class is worth. */
static void note_priority_class(struct up_missing *missing, const struct json *spec) {
        struct slice name = json_get_text(spec, "priorityClassName");
        struct slice preemption = json_get_text(spec, "preemptionPolicy");
        CLEANUP(buf_release) struct buf text = { 0 };
        int64_t value;

        if (!json_as_i64(json_get(spec, "priority"), &value))
                return;
        struct up_reference *reference = note_user(missing, REFERENT_PRIORITY_CLASS, name);
        if (!reference)
                return;
        buf_text(&text, "{\"apiVersion\":\"scheduling.k8s.io/v1\",\"kind\":\"PriorityClass\","
                        "\"metadata\":{\"name\":");
        buf_json_string(&text, name);
        buf_printf(&text, "},\"value\":%lld", (long long)value);
        if (preemption.len) {
                buf_text(&text, ",\"preemptionPolicy\":");
                buf_json_string(&text, preemption);
        }
        buf_char(&text, '}');
        reference->text = arena_slice(&missing->arena, buf_view(&text));
}

static void note_runtime_class(struct up_missing *missing, const struct json *spec) {
        struct slice name = json_get_text(spec, "runtimeClassName");
        const struct json *overhead = json_get(spec, "overhead");
        struct up_reference *reference = note_user(missing, REFERENT_RUNTIME_CLASS, name);
        CLEANUP(buf_release) struct buf text = { 0 };

        if (!reference)
                return;
        buf_text(&text, "{\"apiVersion\":\"node.k8s.io/v1\",\"kind\":\"RuntimeClass\","
                        "\"metadata\":{\"name\":");
        buf_json_string(&text, name);
        buf_text(&text, "},\"handler\":");
        buf_json_string(&text, name);
        if (json_type(overhead) == JSON_OBJECT) {
                buf_text(&text, ",\"overhead\":{\"podFixed\":");
                json_write(overhead, &text);
                buf_char(&text, '}');
        }
        buf_char(&text, '}');
        reference->text = arena_slice(&missing->arena, buf_view(&text));
}

void up_missing_have_node(struct up_missing *missing, const char *name) {
        need_reference(missing, REFERENT_NODE, slice_of(name))->is_present = true;
}

void up_missing_note(struct up_missing *missing, struct slice kind, const struct json *object) {
        const struct json *metadata = json_get(object, "metadata");
        const struct json *spec = json_get(object, "spec");
        struct slice uid = json_get_text(metadata, "uid");
        struct slice name = json_get_text(metadata, "name");

        for (size_t i = 0; i < REFERENT_COUNT; i++)
                if (referents[i].kind && name.len && slice_is(kind, referents[i].kind))
                        need_reference(missing, (enum up_referent)i, name)->is_present = true;
        if (uid.len)
                need_reference(missing, REFERENT_OWNER, uid)->is_present = true;
        note_owners(missing, metadata);
        note_namespace(missing, json_get_text(metadata, "namespace"));
        if (!slice_is(kind, "Pod"))
                return;
        note_priority_class(missing, spec);
        if (uid.len)
                note_runtime_class(missing, spec);
        note_user(missing, REFERENT_NODE, json_get_text(spec, "nodeName"));
}

/* ---- telling ---- */

bool up_missing_lacks(const struct up_missing *missing, enum up_referent referent) {
        struct up_reference *reference;
        size_t at = 0;

        while (map_next(missing->references[referent], &at, NULL, (void **)&reference))
                if (!reference->is_present)
                        return true;
        return false;
}

static void list_name(struct buf *out, size_t number, const char *noun, struct slice name) {
        if (number < NAMES_SHOWN)
                buf_printf(out, "%s%s%s" SLICE_FMT, out->len ? ", " : "", noun, *noun ? " " : "",
                           SLICE_ARG(name));
}

static void list_rest(struct buf *out, size_t count, const char *plural) {
        if (count > NAMES_SHOWN)
                buf_printf(out, " and %zu more%s%s", count - NAMES_SHOWN, *plural ? " " : "",
                           plural);
}

size_t up_missing_list(const struct up_missing *missing, enum up_referent referent,
                       struct buf *out) {
        struct up_reference *reference;
        size_t at = 0, count = 0, users = 0;

        while (map_next(missing->references[referent], &at, NULL, (void **)&reference)) {
                if (reference->is_present)
                        continue;
                list_name(out, count++, "", reference->name);
                users += reference->users;
        }
        list_rest(out, count, "");
        return users;
}

static void create_missing(struct up_missing *missing, enum up_referent referent,
                           struct sandbox_import *import, struct buf *out) {
        struct up_reference *reference;
        size_t at = 0, count = 0;

        while (map_next(missing->references[referent], &at, NULL, (void **)&reference)) {
                if (reference->is_present || !reference->text.len ||
                    sandbox_import_new_text(import, reference->text, NULL) < 0)
                        continue; /* there already, or its pods will say what is wrong */
                list_name(out, count++, referents[referent].noun, reference->name);
        }
        list_rest(out, count, referents[referent].plural);
}

void up_missing_create(struct up_missing *missing, struct sandbox_import *import, struct buf *out) {
        create_missing(missing, REFERENT_NAMESPACE, import, out);
        create_missing(missing, REFERENT_PRIORITY_CLASS, import, out);
        create_missing(missing, REFERENT_RUNTIME_CLASS, import, out);
}
