/* Which Evictions ask for a reservation, and what is reserved for them. */
#include "evict/reservation_ledger.h"

#include "base/map.h"
#include "base/util.h"
#include "evict/eviction_request.h"
#include "evict/reservation_pod.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum reservation_state { RESERVATION_WANTED, RESERVATION_HELD, RESERVATION_OVER };

struct reservation_entry {
        char *uid, *ns, *eviction, *pod, *pod_uid;
        char owner[64], scheduler[254], name[128], node[RESERVATION_NODE_MAX];
        enum reservation_state state;
        int64_t patience_ns;
        struct mono_time renewed; /* of what is held */
        struct mono_time due;     /* ROOM_WANTED: of the next look */
        bool is_reading;
        /* What the Eviction is to say, and whether it is being written. */
        char reported_node[RESERVATION_NODE_MAX], reported_refusal[RESERVATION_NODE_MAX + 16];
        bool has_to_report, is_explainer, is_reported;
        struct mono_time report_due;
};

/* What happened between two steps. */
struct news {
        enum reservation_effect_kind kind;
        char *uid, *ns, *pod, *node;
        const char *reason;
};

struct reservation_ledger {
        struct reservation_ledger_config config;
        struct map *entries; /* uid of the Eviction -> struct reservation_entry */
        struct news *news;
        size_t news_count, news_cap;
};

/* ---- effects ---- */

void reservation_effects_init(struct reservation_effects *effects) {
        *effects = (struct reservation_effects){ 0 };
        arena_init(&effects->arena, 0);
}

void reservation_effects_release(struct reservation_effects *effects) {
        arena_release(&effects->arena);
        free(effects->items);
}

void reservation_effects_clear(struct reservation_effects *effects) {
        arena_clear(&effects->arena);
        effects->count = 0;
}

static struct slice reservation_ledger_keep(struct reservation_effects *effects, const char *text) {
        return slice_of(arena_string(&effects->arena, slice_of(text ? text : "")));
}

static struct reservation_effect *add_effect(struct reservation_effects *effects,
                                             enum reservation_effect_kind kind, const char *uid) {
        if (effects->count == effects->cap) {
                effects->cap = effects->cap ? effects->cap * 2 : 16;
                effects->items =
                        xreallocarray(effects->items, effects->cap, sizeof(effects->items[0]));
        }
        effects->items[effects->count] =
                (struct reservation_effect){ .kind = kind,
                                             .uid = reservation_ledger_keep(effects, uid) };
        return &effects->items[effects->count++];
}

static void reservation_ledger_note(struct reservation_ledger *ledger,
                                    const struct reservation_entry *entry,
                                    enum reservation_effect_kind kind, const char *reason) {
        if (ledger->news_count == ledger->news_cap) {
                ledger->news_cap = ledger->news_cap ? ledger->news_cap * 2 : 8;
                ledger->news =
                        xreallocarray(ledger->news, ledger->news_cap, sizeof(ledger->news[0]));
        }
        ledger->news[ledger->news_count++] =
                (struct news){ .kind = kind,
                               .uid = slice_dup(slice_of(entry->uid)),
                               .ns = slice_dup(slice_of(entry->ns)),
                               .pod = slice_dup(slice_of(entry->pod)),
                               .node = slice_dup(slice_of(entry->node)),
                               .reason = reason };
}

static void news_release(struct news *news) {
        free(news->uid);
        free(news->ns);
        free(news->pod);
        free(news->node);
}

static void report_news(struct reservation_ledger *ledger, struct reservation_effects *out) {
        for (size_t i = 0; i < ledger->news_count; i++) {
                struct news *news = &ledger->news[i];
                struct reservation_effect *effect = add_effect(out, news->kind, news->uid);

                effect->ns = reservation_ledger_keep(out, news->ns);
                effect->name = reservation_ledger_keep(out, news->pod);
                effect->node = reservation_ledger_keep(out, news->node);
                effect->reason = reservation_ledger_keep(out, news->reason);
                news_release(news);
        }
        ledger->news_count = 0;
}

/* ---- holding ---- */

/* The Eviction has to say this: the node, or why there is none. */
static void reservation_ledger_say(struct reservation_entry *entry, const char *node,
                                   const char *none) {
        snprintf(entry->reported_node, sizeof(entry->reported_node), "%s", node);
        snprintf(entry->reported_refusal, sizeof(entry->reported_refusal), "%s", none);
        entry->has_to_report = true;
        entry->is_reported = false;
}

static void reservation_ledger_release(struct reservation_ledger *ledger,
                                       struct reservation_entry *entry, const char *why) {
        bool was_held = entry->state == RESERVATION_HELD;
        char text[RESERVATION_NODE_MAX + 16];

        entry->state = RESERVATION_OVER;
        if (!was_held)
                return;
        cluster_remove_pod(ledger->config.cluster, slice_of(entry->ns), slice_of(entry->name));
        snprintf(text, sizeof(text), "%s %s", why, entry->node);
        reservation_ledger_say(entry, "", text);
        reservation_ledger_note(ledger, entry, RESERVATION_RELEASED, why);
}

static void reservation_entry_free(struct reservation_entry *entry) {
        free(entry->uid);
        free(entry->ns);
        free(entry->eviction);
        free(entry->pod);
        free(entry->pod_uid);
        free(entry);
}

/* Chooses as the scheduler would, and stays with it. */
static bool choose_node(struct reservation_ledger *ledger, struct reservation_entry *entry) {
        struct cluster *cluster = ledger->config.cluster;
        struct pod_id id = cluster_find_pod(cluster, slice_of(entry->ns), slice_of(entry->name));

        if (pod_id_is_none(id) || !ledger->config.choose(ledger->config.context, id,
                                                         slice_of(entry->scheduler), entry->node))
                return false;
        cluster_nominate(cluster, id, slice_of(entry->node));
        return true;
}

/* Puts the pod of the reservation into the model; it stays when a node fits it. */
static bool reservation_ledger_hold(struct reservation_ledger *ledger,
                                    struct reservation_entry *entry, struct slice pod_json) {
        struct cluster *cluster = ledger->config.cluster;
        struct json_doc *doc = NULL;
        struct buf text = { 0 };

        reservation_pod_write(pod_json, slice_of(entry->name), &text);
        bool is_in =
                json_parse(buf_view(&text), &doc, NULL) == 0 &&
                cluster_apply(cluster, OBJECT_POD, CHANGE_ADDED, json_doc_root(doc), NULL) == 0;
        json_doc_free(doc);
        buf_release(&text);
        if (!is_in || choose_node(ledger, entry))
                return is_in;
        cluster_remove_pod(cluster, slice_of(entry->ns), slice_of(entry->name));
        return false;
}

static struct slice controller_of(const struct json *meta) {
        struct json_iter iter = json_iter(json_get(meta, "ownerReferences"));
        const struct json *owner;

        while (json_next(&iter, NULL, &owner))
                if (json_get_bool(owner, "controller", false))
                        return json_get_text(owner, "uid");
        return SLICE_EMPTY;
}

/* True when a replacement will come that needs capacity. */
static bool read_pod(struct reservation_entry *entry, const struct json *pod) {
        const struct json *meta = json_get(pod, "metadata");

        snprintf(entry->owner, sizeof(entry->owner), SLICE_FMT, SLICE_ARG(controller_of(meta)));
        snprintf(entry->scheduler, sizeof(entry->scheduler), SLICE_FMT,
                 SLICE_ARG(json_get_text(json_get(pod, "spec"), "schedulerName")));
        return slice_is(json_get_text(meta, "uid"), entry->pod_uid) &&
               !json_get_text(meta, "deletionTimestamp").len && entry->owner[0];
}

static void try_to_hold(struct reservation_ledger *ledger, struct reservation_entry *entry,
                        struct slice pod_json, struct mono_time now) {
        bool is_reported_none = strcmp(entry->reported_refusal, EVICTION_NOT_RESERVED) == 0;

        if (reservation_ledger_hold(ledger, entry, pod_json)) {
                entry->state = RESERVATION_HELD;
                entry->renewed = now;
                reservation_ledger_say(entry, entry->node, "");
                reservation_ledger_note(ledger, entry, RESERVATION_MADE, "");
                return;
        }
        entry->due.ns = now.ns + RESERVATION_RETRY_NS;
        if (is_reported_none)
                return;
        reservation_ledger_say(entry, "", EVICTION_NOT_RESERVED);
        reservation_ledger_note(ledger, entry, RESERVATION_REFUSED, "");
}

void reservation_ledger_read(struct reservation_ledger *ledger, struct slice eviction_uid,
                             struct slice pod_json, struct mono_time now) {
        struct reservation_entry *entry = map_get(ledger->entries, eviction_uid);
        struct json_doc *doc = NULL;

        if (!entry || !entry->is_reading)
                return;
        entry->is_reading = false;
        if (entry->state != RESERVATION_WANTED)
                return;
        if (json_parse(pod_json, &doc, NULL) < 0)
                entry->due.ns = now.ns + RESERVATION_RETRY_NS;
        else if (!read_pod(entry, json_doc_root(doc)))
                entry->state = RESERVATION_OVER; /* too late, or no replacement will come */
        else
                try_to_hold(ledger, entry, pod_json, now);
        json_doc_free(doc);
}

/* ---- Evictions ---- */

/* "Required 450s", "BestEffort 1h": how long it is held without a change. */
static bool read_demand(struct slice text, int64_t *ret_patience_ns) {
        struct slice word;

        return slice_split(&text, ' ', &word) && duration_parse(text, ret_patience_ns) &&
               *ret_patience_ns > 0;
}

static void reservation_ledger_begin(struct reservation_ledger *ledger,
                                     const struct eviction *eviction, int64_t patience_ns,
                                     struct mono_time now) {
        const struct eviction_object *object = &eviction->object;
        struct reservation_entry *entry = xcalloc(1, sizeof(*entry));

        entry->uid = slice_dup(object->uid);
        entry->ns = slice_dup(object->ns);
        entry->eviction = slice_dup(object->name);
        entry->pod = slice_dup(object->target_name);
        entry->pod_uid = slice_dup(object->target_uid);
        entry->patience_ns = patience_ns;
        entry->due = now;
        snprintf(entry->name, sizeof(entry->name), "reserved-%s", entry->uid);
        map_put(ledger->entries, object->uid, entry);
}

void reservation_ledger_remove(struct reservation_ledger *ledger, struct slice eviction_uid) {
        struct reservation_entry *entry = map_remove(ledger->entries, eviction_uid);

        if (!entry)
                return;
        reservation_ledger_release(ledger, entry, "end");
        reservation_entry_free(entry);
}

/* The controller removed the note that the reservation expired or was taken: it waits for another.
 */
static bool asks_again(const struct reservation_entry *entry, const struct eviction *eviction) {
        return entry->state == RESERVATION_OVER && entry->is_reported &&
               entry->reported_refusal[0] &&
               strcmp(entry->reported_refusal, EVICTION_NOT_RESERVED) != 0 &&
               !eviction->reserved_node.len && !eviction->reserve_refusal.len;
}

static void want_again(struct reservation_entry *entry, struct mono_time now) {
        entry->state = RESERVATION_WANTED;
        entry->due = now;
        entry->reported_refusal[0] = '\0';
}

/* A sign of life; and a word of ours that got lost is said again. */
static void reservation_ledger_renew(struct reservation_entry *entry,
                                     const struct eviction *eviction, struct mono_time now) {
        bool is_said = slice_is(eviction->reserved_node, entry->reported_node) &&
                       slice_is(eviction->reserve_refusal, entry->reported_refusal);

        if (asks_again(entry, eviction)) {
                want_again(entry, now);
                return;
        }
        if (entry->state == RESERVATION_HELD)
                entry->renewed = now;
        if ((entry->reported_node[0] || entry->reported_refusal[0]) && !entry->is_explainer)
                entry->has_to_report = !is_said;
}

void reservation_ledger_put(struct reservation_ledger *ledger, const struct json *object,
                            struct mono_time now) {
        struct slice demand = json_get_text(json_get(json_get(object, "metadata"), "annotations"),
                                            EVICTION_RESERVE_KEY);
        struct eviction *eviction = NULL;
        int64_t patience_ns;

        if (eviction_decode(object, &eviction, NULL) < 0)
                return;
        struct reservation_entry *entry = map_get(ledger->entries, eviction->object.uid);
        if (eviction->object.is_deleting ||
            eviction_outcome_is_final(eviction->object.conditions.outcome))
                reservation_ledger_remove(ledger, eviction->object.uid);
        else if (entry)
                reservation_ledger_renew(entry, eviction, now);
        else if (read_demand(demand, &patience_ns))
                reservation_ledger_begin(ledger, eviction, patience_ns, now);
        eviction_free(eviction);
}

/* ---- the replacement ---- */

bool reservation_ledger_arrived(struct reservation_ledger *ledger, const struct json *pod) {
        const struct json *meta = json_get(pod, "metadata");
        struct slice owner = controller_of(meta), key;
        struct cluster *cluster = ledger->config.cluster;
        struct pod_id id;
        void *value;
        size_t at = 0;

        if (json_get_text(json_get(pod, "spec"), "nodeName").len)
                return false;
        while (owner.len && map_next(ledger->entries, &at, &key, &value)) {
                struct reservation_entry *entry = value;

                if (entry->state != RESERVATION_HELD || !slice_is(owner, entry->owner) ||
                    !slice_is(json_get_text(meta, "namespace"), entry->ns))
                        continue;
                id = cluster_find_pod(cluster, slice_of(entry->ns), json_get_text(meta, "name"));
                reservation_ledger_release(ledger, entry, "taken");
                if (!pod_id_is_none(id))
                        cluster_nominate(cluster, id, slice_of(entry->node));
                return true;
        }
        return false;
}

/* ---- steps ---- */

static void write_member(struct buf *out, const char *key, const char *value) {
        buf_json_string(out, slice_of(key));
        buf_char(out, ':');
        if (value[0])
                buf_json_string(out, slice_of(value));
        else
                buf_text(out, "null");
}

static void reservation_ledger_report(struct reservation_entry *entry,
                                      struct reservation_effects *out) {
        struct reservation_effect *effect = add_effect(out, RESERVATION_REPORT, entry->uid);
        struct buf body = { 0 };

        buf_text(&body, "{\"metadata\":{\"annotations\":{");
        write_member(&body, EVICTION_RESERVED_KEY, entry->reported_node);
        buf_char(&body, ',');
        write_member(&body, EVICTION_NOT_RESERVED_KEY, entry->reported_refusal);
        buf_text(&body, "}}}");
        effect->ns = reservation_ledger_keep(out, entry->ns);
        effect->name = reservation_ledger_keep(out, entry->eviction);
        effect->body = arena_slice(&out->arena, buf_view(&body));
        buf_release(&body);
        entry->has_to_report = false;
        entry->is_explainer = true;
}

void reservation_ledger_reported(struct reservation_ledger *ledger, struct slice eviction_uid,
                                 bool is_done, struct mono_time now) {
        struct reservation_entry *entry = map_get(ledger->entries, eviction_uid);

        if (!entry || !entry->is_explainer)
                return;
        entry->is_explainer = false;
        entry->is_reported = is_done && !entry->has_to_report;
        if (is_done)
                return;
        entry->has_to_report = true;
        entry->report_due.ns = now.ns + RESERVATION_RETRY_NS;
}

static struct mono_time end_of(const struct reservation_entry *entry) {
        return (struct mono_time){ entry->renewed.ns + entry->patience_ns };
}

static void step_entry(struct reservation_ledger *ledger, struct reservation_entry *entry,
                       struct mono_time now, struct reservation_effects *out) {
        if (entry->state == RESERVATION_HELD && end_of(entry).ns <= now.ns)
                reservation_ledger_release(ledger, entry, "expired");
        if (entry->state == RESERVATION_WANTED && !entry->is_reading && entry->due.ns <= now.ns) {
                struct reservation_effect *effect =
                        add_effect(out, RESERVATION_READ_POD, entry->uid);

                effect->ns = reservation_ledger_keep(out, entry->ns);
                effect->name = reservation_ledger_keep(out, entry->pod);
                entry->is_reading = true;
        }
        if (entry->has_to_report && !entry->is_explainer && entry->report_due.ns <= now.ns)
                reservation_ledger_report(entry, out);
}

void reservation_ledger_step(struct reservation_ledger *ledger, struct mono_time now,
                             struct reservation_effects *out) {
        struct slice key;
        void *value;
        size_t at = 0;

        while (map_next(ledger->entries, &at, &key, &value))
                step_entry(ledger, value, now, out);
        report_news(ledger, out);
}

static void reservation_ledger_consider(struct mono_time due, bool *has_due,
                                        struct mono_time *ret_due) {
        if (!*has_due || due.ns < ret_due->ns)
                *ret_due = due;
        *has_due = true;
}

bool reservation_ledger_next_due(const struct reservation_ledger *ledger,
                                 struct mono_time *ret_due) {
        bool has_due = ledger->news_count > 0;
        struct slice key;
        void *value;
        size_t at = 0;

        if (has_due)
                *ret_due = (struct mono_time){ 0 }; /* long past */
        while (map_next(ledger->entries, &at, &key, &value)) {
                const struct reservation_entry *entry = value;

                if (entry->state == RESERVATION_HELD)
                        reservation_ledger_consider(end_of(entry), &has_due, ret_due);
                if (entry->state == RESERVATION_WANTED && !entry->is_reading)
                        reservation_ledger_consider(entry->due, &has_due, ret_due);
                if (entry->has_to_report && !entry->is_explainer)
                        reservation_ledger_consider(entry->report_due, &has_due, ret_due);
        }
        return has_due;
}

/* ---- life ---- */

struct reservation_ledger *reservation_ledger_new(const struct reservation_ledger_config *config) {
        struct reservation_ledger *ledger = xcalloc(1, sizeof(*ledger));

        ledger->config = *config;
        ledger->entries = map_new();
        return ledger;
}

void reservation_ledger_free(struct reservation_ledger *ledger) {
        struct slice key;
        void *value;
        size_t at = 0;

        if (!ledger)
                return;
        while (map_next(ledger->entries, &at, &key, &value)) {
                reservation_ledger_release(ledger, value, "end");
                reservation_entry_free(value);
        }
        for (size_t i = 0; i < ledger->news_count; i++)
                news_release(&ledger->news[i]);
        free(ledger->news);
        map_free(ledger->entries);
        free(ledger);
}

bool reservation_ledger_next(const struct reservation_ledger *ledger, size_t *at,
                             struct held_reservation *ret_reservation) {
        struct slice key;
        void *value;

        while (map_next(ledger->entries, at, &key, &value)) {
                const struct reservation_entry *entry = value;

                if (entry->state != RESERVATION_HELD)
                        continue;
                *ret_reservation = (struct held_reservation){ .eviction_uid = slice_of(entry->uid),
                                                              .ns = slice_of(entry->ns),
                                                              .name = slice_of(entry->name),
                                                              .node = slice_of(entry->node),
                                                              .renewed = entry->renewed,
                                                              .patience_ns = entry->patience_ns };
                return true;
        }
        return false;
}

size_t reservation_ledger_held(const struct reservation_ledger *ledger) {
        struct held_reservation entry;
        size_t at = 0, count = 0;

        while (reservation_ledger_next(ledger, &at, &entry))
                count++;
        return count;
}
