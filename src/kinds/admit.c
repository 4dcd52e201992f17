/* Admission of nodes, volumes, ingresses and priority classes; the error all admission ends in. */
#include "kinds/admit.h"
#include "kinds/volume_claim.h"

#include "base/arena.h"
#include "base/go_quote.h"
#include "kinds/defaults.h"
#include <stdio.h>

#define GENERATED_SIZE 5 /* letters behind the first 58 of a prefix */
#define PREFIX_MAX 58

struct slice admitted_name(const struct kind_context *context, const struct json_node *object) {
        const struct json_node *metadata = node_get(object, "metadata");
        struct slice name = node_get_text(metadata, "name");
        struct slice prefix = node_get_text(metadata, "generateName");
        struct slice head =
                slice_make(prefix.ptr, prefix.len < PREFIX_MAX ? prefix.len : PREFIX_MAX);
        bool is_generated = !context->has_name && prefix.len &&
                            name.len == head.len + GENERATED_SIZE && slice_has_prefix(name, head) &&
                            !node_get(metadata, "resourceVersion");

        if (name.len == 0 || is_generated)
                name = prefix;
        return name.len ? name : SLICE_LITERAL("Unknown");
}

int admit_forbid(struct kind_context *context, const struct json_node *object, struct err *err,
                 const char *format, ...) {
        struct slice name = admitted_name(context, object);
        const char *group = context->kind->group;
        struct buf quoted = { 0 };
        char text[ERR_TEXT_MAX];
        va_list args;

        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        go_quote_write(name, &quoted);
        int r = err_set(err, BERTH_ERR_FORBIDDEN, "%s%s%s %s is forbidden: %s",
                        context->kind->plural, group[0] ? "." : "", group, quoted.data, text);
        buf_release(&quoted);
        return r;
}

#define NOT_READY_TAINT "node.kubernetes.io/not-ready"

/* New nodes take no pods until a controller has seen them ready. */
ADMIT_HOOK(node_admit) {
        struct json_node *taint;

        (void)context, (void)old, (void)err;
        if (operation != KIND_CREATE)
                return 0;
        struct json_node *spec = node_need_object(tree, object, "spec");
        struct json_node *taints = node_need_array(tree, spec, "taints");
        struct node_iter iter = node_iter(taints);
        while (node_next(&iter, NULL, &taint))
                if (slice_is(node_get_text(taint, "key"), NOT_READY_TAINT) &&
                    slice_is(node_get_text(taint, "effect"), "NoSchedule"))
                        return 0;
        taint = node_object(tree);
        node_put_string(tree, taint, "key", NOT_READY_TAINT);
        node_put_string(tree, taint, "effect", "NoSchedule");
        node_append(taints, taint);
        return 0;
}

/* ---- volumes in use are not deleted under their users ---- */

void admit_finalizer(struct json_tree *tree, struct json_node *object, const char *name) {
        struct json_node *metadata = node_need_object(tree, object, "metadata");
        struct json_node *finalizers = node_need_array(tree, metadata, "finalizers");

        for (size_t i = 0; i < node_count(finalizers); i++)
                if (slice_is(node_get_slice(node_at(finalizers, i)), name))
                        return;
        node_append(finalizers, node_string(tree, name));
}

ADMIT_HOOK(persistent_volume_admit) {
        (void)context, (void)old, (void)err;
        if (operation == KIND_CREATE)
                admit_finalizer(tree, object, "kubernetes.io/pv-protection");
        return 0;
}

ADMIT_HOOK(volume_attributes_class_admit) {
        (void)context, (void)old, (void)err;
        if (operation == KIND_CREATE)
                admit_finalizer(tree, object, "kubernetes.io/vac-protection");
        return 0;
}

/* ---- default classes ---- */

/* Where a default comes from. */
struct default_source {
        const char *member; /* of the spec, which names the class */
        const char *group, *classes;
        const char *annotations[3]; /* "true" in one of them marks a default; NULL ends them */
};

struct default_class {
        struct arena *arena;
        const struct default_source *source;
        struct slice name, created;
};

static bool is_marked(const struct json *annotations, const char *const *names) {
        for (; *names; names++)
                if (slice_is(json_get_text(annotations, *names), "true"))
                        return true;
        return false;
}

/* The youngest class marked as default wins. */
static bool visit_class(void *context, const struct json *class) {
        const struct json *metadata = json_get(class, "metadata");
        struct default_class *best = context;
        struct slice created = json_get_text(metadata, "creationTimestamp");

        if (!is_marked(json_get(metadata, "annotations"), best->source->annotations) ||
            (best->name.len && slice_compare(created, best->created) <= 0))
                return true;
        best->name = arena_slice(best->arena, json_get_text(metadata, "name"));
        best->created = arena_slice(best->arena, created);
        return true;
}

static void admit_default_class(struct kind_context *context, struct json_tree *tree,
                                struct json_node *object, const struct default_source *source) {
        struct default_class best = { .arena = context->scratch, .source = source };
        struct json_node *spec = node_need_object(tree, object, "spec");

        if (node_get(spec, source->member) || !context->each)
                return;
        context->each(context->engine, source->group, source->classes, SLICE_EMPTY, visit_class,
                      &best);
        if (best.name.len)
                node_put_text(tree, spec, source->member, best.name);
}

/* Whether an annotation of the first versions names a class. */
static bool names_class(const struct json_node *object, const char *annotation) {
        return node_get(node_get(node_get(object, "metadata"), "annotations"), annotation);
}

ADMIT_HOOK(persistent_volume_claim_admit) {
        static const struct default_source source = {
                .member = "storageClassName",
                .group = "storage.k8s.io",
                .classes = "storageclasses",
                .annotations = { "storageclass.kubernetes.io/is-default-class",
                                 "storageclass.beta.kubernetes.io/is-default-class" },
        };

        (void)old, (void)err;
        if (operation != KIND_CREATE)
                return 0;
        admit_finalizer(tree, object, "kubernetes.io/pvc-protection");
        if (!names_class(object, CLASS_ANNOTATION))
                admit_default_class(context, tree, object, &source);
        return 0;
}

ADMIT_HOOK(ingress_admit) {
        static const struct default_source source = {
                .member = "ingressClassName",
                .group = "networking.k8s.io",
                .classes = "ingressclasses",
                .annotations = { "ingressclass.kubernetes.io/is-default-class" },
        };

        (void)old, (void)err;
        if (operation == KIND_CREATE && !names_class(object, "kubernetes.io/ingress.class"))
                admit_default_class(context, tree, object, &source);
        return 0;
}

/* ---- priority classes ---- */

struct default_priority {
        struct arena *arena;
        struct slice own_name, name;
};

static bool visit_priority_class(void *context, const struct json *class) {
        struct default_priority *other = context;
        struct slice name = json_get_text(json_get(class, "metadata"), "name");

        if (!json_get_bool(class, "globalDefault", false) || slice_eq(name, other->own_name))
                return true;
        other->name = arena_slice(other->arena, name);
        return false;
}

JUDGE_HOOK(priority_class_judge) {
        struct default_priority other = {
                .arena = context->scratch,
                .own_name = node_get_text(node_get(object, "metadata"), "name"),
        };

        (void)operation, (void)old;
        if (!node_is_true(node_get(object, "globalDefault")) || !context->each)
                return 0;
        context->each(context->engine, "scheduling.k8s.io", "priorityclasses", SLICE_EMPTY,
                      visit_priority_class, &other);
        if (other.name.len == 0)
                return 0;
        return admit_forbid(context, object, err,
                            "PriorityClass " SLICE_FMT
                            " is already marked as default. Only one default can exist",
                            SLICE_ARG(other.name));
}
