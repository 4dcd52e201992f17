/* Amounts of quotas as texts: the sums that quota_use.c has as numbers, with their suffixes. */
#include "kinds/quota_text.h"

#include "api/quantity.h"
#include "base/arena.h"
#include <string.h>

/* Empty when there is none. */
struct amount {
        char text[QUANTITY_TEXT_MAX];
};

static struct slice amount_text(const struct amount *amount) {
        return slice_of(amount->text);
}

static void amount_take(struct amount *amount, const struct buf *text) {
        if (text->len == 0 || text->len >= sizeof(amount->text))
                return;
        memcpy(amount->text, text->data, text->len);
        amount->text[text->len] = '\0';
}

static void amount_set(struct amount *amount, struct slice text) {
        CLEANUP(buf_release) struct buf canonical = { 0 };

        if (text.len && quantity_canonical(text, &canonical, NULL) == 0)
                amount_take(amount, &canonical);
}

static void amount_add(struct amount *amount, struct slice text, bool is_subtract) {
        CLEANUP(buf_release) struct buf sum = { 0 };

        if (text.len == 0)
                return;
        if (!*amount->text && !is_subtract)
                amount_set(amount, text);
        else if (quantity_sum(*amount->text ? amount_text(amount) : SLICE_LITERAL("0"), text,
                              is_subtract, &sum, NULL) == 0)
                amount_take(amount, &sum);
}

static void amount_raise(struct amount *amount, const struct amount *other) {
        int order = 0;

        if (!*other->text)
                return;
        if (*amount->text)
                quantity_compare(amount_text(other), amount_text(amount), &order, NULL);
        if (!*amount->text || order > 0)
                *amount = *other;
}

/* ---- pods ---- */

/* One resource among the requests or the limits of containers. */
struct summed {
        struct slice name;
        const char *list;
};

static struct slice amount_of(const struct summed *summed, const struct json *holder) {
        const struct json *resources = json_get(holder, "resources");

        return json_text(json_get_slice(json_get(resources, summed->list), summed->name));
}

static struct amount containers_amount(const struct summed *summed, const struct json *spec) {
        struct json_iter iter = json_iter(json_get(spec, "containers"));
        struct amount sum = { 0 }, beside = { 0 }, before = { 0 };
        const struct json *container;

        while (json_next(&iter, NULL, &container))
                amount_add(&sum, amount_of(summed, container), false);
        iter = json_iter(json_get(spec, "initContainers"));
        while (json_next(&iter, NULL, &container)) {
                struct slice own = amount_of(summed, container);
                struct amount during = { 0 };

                if (slice_is(json_get_text(container, "restartPolicy"), "Always")) {
                        amount_add(&sum, own, false);
                        amount_add(&beside, own, false);
                        during = beside;
                } else {
                        amount_add(&during, own, false);
                        amount_add(&during, amount_text(&beside), false);
                }
                amount_raise(&before, &during);
        }
        amount_raise(&sum, &before);
        return sum;
}

static struct amount pod_amount(struct slice key, const struct json *pod) {
        const struct json *spec = json_get(pod, "spec");
        struct summed summed = { .list = "requests" };
        bool is_limit = false;

        if (!quota_summed_resource(key, &summed.name, &is_limit))
                return (struct amount){ 0 };
        if (is_limit)
                summed.list = "limits";
        struct amount amount = containers_amount(&summed, spec);
        if (amount_of(&summed, spec).len)
                amount_set(&amount, amount_of(&summed, spec));
        if (!is_limit || *amount.text)
                amount_add(&amount,
                           json_text(json_get_slice(json_get(spec, "overhead"), summed.name)),
                           false);
        return amount;
}

/* ---- claims of volumes ---- */

/* Whole bytes. */
static void amount_round(struct amount *amount) {
        struct quantity_info info;

        if (*amount->text && quantity_describe(amount_text(amount), &info, NULL) == 0 &&
            info.milli % 1000 != 0)
                quantity_format_units(info.value, info.format, amount->text);
}

static struct amount claim_amount(const struct json *claim) {
        const struct json *resources = json_get(json_get(claim, "spec"), "resources");
        const struct json *given = json_get(json_get(claim, "status"), "allocatedResources");
        struct amount amount = { 0 }, allocated = { 0 };

        amount_set(&amount, json_get_text(json_get(resources, "requests"), "storage"));
        amount_set(&allocated, json_get_text(given, "storage"));
        amount_raise(&amount, &allocated);
        amount_round(&amount);
        return amount;
}

/* ---- any object ---- */

/* Without a text where a number is counted. */
static struct amount object_amount(const struct kind_info *kind, struct slice key,
                                   const struct json *object) {
        if (quota_is_core_kind(kind, "pods"))
                return pod_amount(key, object);
        if (quota_is_core_kind(kind, "persistentvolumeclaims") &&
            slice_has_suffix(key, SLICE_LITERAL("requests.storage")))
                return claim_amount(object);
        return (struct amount){ 0 };
}

static struct amount wanted_amount(const struct kind_info *kind, const struct limited *limited,
                                   const struct json *object, const struct json *old) {
        struct amount amount = object_amount(kind, limited->key, object);

        if (!*amount.text)
                quantity_format_milli(limited->wanted_milli, amount.text);
        else if (old)
                amount_add(&amount, slice_of(object_amount(kind, limited->key, old).text), true);
        return amount;
}

void quota_wanted_write(const struct kind_info *kind, const struct limited *limited,
                        const struct json *object, const struct json *old, struct buf *out) {
        struct amount amount = wanted_amount(kind, limited, object, old);

        buf_text(out, amount.text);
}

void quota_used_write(const struct kind_info *kind, const struct limited *limited,
                      const struct json *object, const struct json *old, struct buf *out) {
        struct amount used = { 0 };

        amount_set(&used, limited->used);
        struct amount wanted = wanted_amount(kind, limited, object, old);
        amount_add(&used, amount_text(&wanted), false);
        buf_text(out, used.text);
}
