/* What the API server knows of each resource: one static table row per resource (<group>.c),
 * read by the request engine, discovery, tables, patches and selectors. A new resource is a new
 * row, not new code in the engine. */
#pragma once

#include "api/json.h"
#include "base/err.h"
#include "base/time.h"
#include "schema/field_error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kind_info;
struct number_annotation;
struct kind_context;

enum kind_verbs {
        VERB_CREATE = 1,
        VERB_DELETE = 2,
        VERB_DELETE_COLLECTION = 4,
        VERB_GET = 8,
        VERB_LIST = 16,
        VERB_PATCH = 32,
        VERB_UPDATE = 64,
        VERB_WATCH = 128,
        VERB_STANDARD = 255,
        VERB_READ = VERB_GET | VERB_LIST | VERB_WATCH,
};
enum kind_flags {
        KIND_NAMESPACED = 1,
        KIND_GENERATION = 2,    /* metadata.generation maintained ("gen") */
        KIND_UNCONDITIONAL = 4, /* PUT without resourceVersion allowed ("unc") */
        KIND_DELETE_OBJECT =
                8, /* body of a completed DELETE is the object, not a Status ("del" O) */
        KIND_CREATE_ON_UPDATE = 16, /* PUT to a missing object creates it */
        KIND_STATUS = 32,           /* has /status */
        KIND_SCALE = 64,            /* has /scale */
        KIND_REVIEW = 128,          /* create only, answered and not stored (reviews) */
        KIND_HIDDEN = 256,          /* reachable, not in discovery */
        KIND_STATUS_METADATA =
                512, /* /status writes take labels, annotations, finalizers, owners */
        KIND_ANNOTATION_GENERATION =
                1024,                 /* an annotation change bumps generation too (deployments) */
        KIND_FIXED_GENERATION = 2048, /* generation stays 1 (priorityclasses) */
        KIND_LABEL_GENERATION = 4096, /* a change of labels bumps generation too (endpointslices) */
        KIND_ORPHANS = 8192,          /* deletion orphans dependents unless asked otherwise */
        KIND_NAMED_BY_UUID = 32768,   /* without a name, a uuid becomes it (limitranges) */
        KIND_WARN_OF_CHANGES = 65536, /* an update that bumps no generation warns of nothing */
        KIND_EXACT_GENERATION = 131072, /* an empty list where none was bumps generation, too */
        KIND_READ_DEFAULTS = 262144,    /* defaults set as it is read back from the store show */
        KIND_EARLY_GENERATION =
                524288,               /* what is dropped of a change counts as one, too (slices) */
        KIND_OWNED_STATUS = 1048576,  /* writes of the object own the status they bring, too */
        KIND_REPORTED_ONCE = 2097152, /* of equal complaints one is shown */
        KIND_WARN_OF_NEW = 4194304,   /* an update warns of what the stored object does not */
        KIND_WARN_OF_TEMPLATE = 8388608, /* an update that leaves its template warns of nothing */
        KIND_UNCOLLECTED = 16384, /* no garbage collection: the policy of a deletion is unread */
};

/* Gates that upstream has off, of kind_info.gates and kind_context.gates. */
enum kind_gates {
        GATE_GROUPS = 1,         /* GenericWorkload: groups of pods */
        GATE_GROUP_TOPOLOGY = 2, /* TopologyAwareWorkloadScheduling */
        GATE_GROUP_CLAIMS = 4,   /* DRAWorkloadResourceClaims */
        GATE_GROUP_PRIORITY = 8, /* WorkloadAwarePreemption */
};

struct table_column {
        const char *name, *type /* string, integer, boolean, date */, *format /* "" or name */;
        int priority; /* 0, or 1 for -o wide */
};

/* Strategic-merge rule of one list or map field, by path of field names from the object's root. */
struct merge_rule {
        const char *path; /* "spec.template.spec.containers" (list elements add no segment) */
        const char *key;  /* merge key; "" = primitive list merged by value; NULL = map */
        bool is_retain_keys, is_replace;
};

/* Syntax of metadata.name; the engine checks it, as it does all of metadata (labels, annotations,
 * owners, finalizers, immutable members). `validate` is for the rest. */
enum kind_name_rule {
        NAME_SUBDOMAIN, /* RFC 1123 subdomain */
        NAME_LABEL,     /* RFC 1123 label: namespaces, services */
        NAME_SEGMENT,   /* any path segment: RBAC */
        NAME_ADDRESS,   /* an address in canonical form: ipaddresses */
};

/* What is wrong with a name, in upstream's words; NULL when nothing is. Two complaints are joined
 * by
 * "; ". is_prefix: a generateName. */
const char *segment_problem(struct slice name, bool is_prefix);
const char *name_problem(enum kind_name_rule rule, struct slice name, bool is_prefix);
const char *config_key_problems(struct slice key); /* of config maps and secrets */

/* Which rules of metadata upstream's validation of a kind goes through, in order, in addition to
 * those for all kinds: "c" the rules of creation, "u" those of updates; capitals also want
 * finalizers without a domain to be Kubernetes' own. */
struct metadata_rules {
        const char *create, *update, *status; /* status: updates through /status */
};
const struct metadata_rules *kind_metadata_rules(const struct kind_info *kind);

enum kind_operation { KIND_CREATE, KIND_UPDATE, KIND_UPDATE_STATUS };

/* All hooks may be NULL. `object` as a node is complete JSON with apiVersion and kind; `old`, and
 * every `const struct json *object`, is a stored object: without them. `old` is NULL on create. */
struct kind_info {
        const char *group, *version; /* "" for core */
        const char *plural, *singular, *kind;
        const char *const *short_names, *const *categories; /* NULL-ended; NULL = none */
        unsigned verbs, flags;
        const char *const *more_subresources; /* beyond status and scale: "binding", "eviction", ...
                                                 NULL-ended */
        /* Minor versions of Kubernetes that brought them (kinds/release.h); 0 = all have them. */
        uint8_t since, generation_since, later_since;
        unsigned gates;                    /* that have to be on; 0 = none */
        const char *later_subresource;     /* one of them, since later_since; NULL = none */
        const struct kind_info *stored_as; /* another version or view of the same store
                                                 (events.k8s.io); NULL = own */

        void (*apply_defaults)(struct json_tree *tree, struct json_node *object);
        /* Resets or keeps what a client may not write (status on the main path, immutable metadata
         * is the engine's). */
        void (*prepare)(struct kind_context *context, enum kind_operation operation,
                        struct json_tree *tree, struct json_node *object, const struct json *old);
        /* Mutating and validating admission; errors are ready Status errors (403 ...). */
        int (*admit)(struct kind_context *context, enum kind_operation operation,
                     struct json_tree *tree, struct json_node *object, const struct json *old,
                     struct err *err);
        void (*validate)(struct kind_context *context, enum kind_operation operation,
                         const struct json_node *object, const struct json *old,
                         struct field_errors *errors);
        /* Warning header texts for a write. */
        void (*warn)(enum kind_operation operation, const struct json_node *object,
                     void (*emit)(void *context, const char *text), void *context);
        /* The same for what is warned of at every write, whatever it changes, and by what was
         * there; old is NULL on create. */
        void (*warn_each)(enum kind_operation operation, const struct json_node *object,
                          const struct json *old, void (*emit)(void *context, const char *text),
                          void *context);

        const char *const *field_selectors; /* besides metadata.name/namespace; NULL-ended */
        bool has_own_field_table; /* decides the text of the 400 for an unknown field label */
        /* Value of a selectable field as text in buffer (256 bytes); the default walks the dotted
         * path. */
        struct slice (*field_value)(const struct json *object, struct slice field, char *buffer);

        const struct table_column *columns;
        size_t column_count;
        /* Appends one JSON array of cells; and, when the row has conditions, sets *ret_conditions
         * (JSON text in the buffer). */
        void (*table_row)(struct kind_context *context, const struct json *object,
                          struct buf *cells, struct buf *conditions);

        /* Only for kinds without generated field tables: the engine takes merge keys from
         * schema/schema.h first. */
        const struct merge_rule *merge_rules;
        size_t merge_rule_count;
        enum kind_name_rule name_rule;
        /* Instead of the rule: the complaint about a name that does not follow from the spec; NULL
         * = it does. */
        bool has_free_prefix; /* a generateName is looked at when all else is right */
        const char *(*name_of_spec)(struct arena *arena, const struct json_node *object,
                                    struct slice name);
        const char *orphan_warning; /* of KIND_ORPHANS: what a deletion that orphans says (jobs) */
        const char *deprecation;    /* Warning on every request; NULL = none */
        /* An annotation that is a number of the server's own type (kinds/number_annotation.h); NULL
         * = none. */
        const struct number_annotation *number;

        /* Refuses a valid object that is created or changed; NULL = never. old: the stored one,
         * NULL at create. */
        int (*judge)(struct kind_context *context, enum kind_operation operation,
                     const struct json_node *object, const struct json *old, struct err *err);

        /* KIND_REVIEW rows: fills in the answer (status) of a posted object. What is wrong with the
         * question goes to errors; the result is an error for anything else. */
        int (*review)(struct kind_context *context, struct json_tree *tree,
                      struct json_node *object, struct field_errors *errors, struct err *err);
        /* Kinds without field tables: prunes and reports what the object may not have. An error
         * says where a member of an embedded object has another type; the rest is done then, too.
         */
        int (*prune)(const struct kind_info *kind, struct json_tree *tree, struct json_node *object,
                     void (*unknown)(void *context, const char *path), void *context,
                     struct err *err);
        /* The same kinds: their OpenAPI type, appended as one JSON object. */
        void (*openapi)(const struct kind_info *kind, struct buf *out);
        const char *const *scale_paths; /* replicas asked for, there, selector text; NULL = usual */
        /* Rows with stored_as: rewrite an object of this version into the stored one and back, in
         * place (apiVersion included). */
        void (*to_stored)(struct json_tree *tree, struct json_node *object);
        void (*from_stored)(struct json_tree *tree, struct json_node *object);
};

/* What the engine does before any hook runs, from the generated field tables (schema/schema.h:
 * every field of every k8s.io/api type with its JSON type, omitempty, protobuf number, merge key
 * and list type): checks JSON types and times (400), prunes or reports unknown fields, drops nulls
 * and empty omitempty values, canonicalises quantities and writes the zero values that Go always
 * prints. Hooks therefore see well-typed objects and need none of that. After the hooks it
 * normalises once more. Protobuf decoding can be written over the same tables. */

/* A question to the authorizer. */
struct access_question {
        struct slice user;
        const struct slice *groups;
        size_t group_count;
        struct slice verb;
        struct slice ns, group, resource, subresource, name; /* resource requests */
        struct slice path;                                   /* non-resource requests when set */
};

/* One value of what else is known of a user; several values may have one key. */
struct user_extra {
        struct slice key, value;
};
struct user_info {
        struct slice name, uid;
        const struct slice *groups;
        size_t group_count;
        const struct user_extra *extras; /* those of one key stand together */
        size_t extra_count;
};

/* Services that hooks may use; filled by the engine per request. */
struct kind_context {
        const struct kind_info *kind;
        struct wall_time now;
        struct arena *scratch;
        struct slice subresource; /* of a write; empty = the object itself */
        struct user_info user;
        bool has_eviction_responders; /* the field of pods is served */
        unsigned minor;               /* version of Kubernetes that is served */
        unsigned gates;               /* enum kind_gates that are on */
        bool is_dry_run;
        bool has_name;        /* of a write: a name that is generated is there by now */
        bool has_labels;      /* of a write: of its own, not those of its template by default */
        bool has_raw_changes; /* members kept as bytes are the same values in other bytes */
        bool is_allocated;    /* of a write: what the server gives out is there, and was checked */
        const char *cause;    /* of a refusal: reason of a cause in its details; NULL = none */
        void *engine;
        /* Another object of the store as JSON (valid until the request ends); NULL when absent. ns
         * empty = cluster. */
        const struct json *(*lookup)(void *engine, const char *group, const char *plural,
                                     struct slice ns, struct slice name);
        /* Calls visit for every object of a resource in one namespace (empty = all); stops when
         * visit returns false. */
        void (*each)(void *engine, const char *group, const char *plural, struct slice ns,
                     bool (*visit)(void *context, const struct json *object), void *context);
        /* With the reason, or with the roles that were not found; "" = none. */
        bool (*authorize)(void *engine, const struct access_question *question,
                          const char **ret_reason);
        /* Calls visit for every rule that holds for the user in a namespace; returns the roles that
         * were not found, "" = none. */
        const char *(*each_rule)(void *engine, const struct user_info *user, struct slice ns,
                                 void (*visit)(void *context, const struct json *rule),
                                 void *context);
        /* Adds a Warning to the answer; NULL = warnings go nowhere. */
        void (*warn)(void *engine, const char *text);
        /* Who is behind a bearer token; false when unknown. */
        bool (*authenticate)(void *engine, struct slice token, struct user_info *ret_user);
};

/* The registry: every resource, in discovery order; groups appear in the order of their first row.
 */
size_t kind_count(void);
/* Adds kinds behind the table's own for kind_count and kind_at, until it is called with none, and
 * says which release the documents are for (kinds/release.h) and which gates are on. Only around
 * the making of documents: all of it depends on the server. */
void kind_extend(const struct kind_info *const *kinds, size_t count, unsigned minor,
                 unsigned gates);
unsigned kind_minor(void); /* RELEASE_DEFAULT outside of that */
unsigned kind_gates(void);
const struct kind_info *kind_at(size_t index);
const struct kind_info *kind_find(struct slice group, struct slice version,
                                  struct slice plural); /* NULL when unknown */
/* What /scale shows of other kinds; not in the registry. */
extern const struct kind_info kind_scale;
const struct kind_info *kind_find_by_kind(struct slice api_version, struct slice kind);
#define KIND_API_VERSION_MAX 320 /* a group of 253 bytes and a version of 63 */
struct slice kind_api_version(const struct kind_info *kind, char *buffer); /* "v1", "apps/v1" */

/* Objects that exist from the start, in the order they have to be created: namespaces, priority
 * classes, ... Each goes through the ordinary create path with admission off. */
struct bootstrap_object {
        const char *path; /* collection: "/api/v1/namespaces" */
        const char *json;
};
const struct bootstrap_object *kinds_bootstrap_objects(size_t *ret_count);
