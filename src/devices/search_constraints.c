/* Constraints between the devices of a claim: attributes that match or differ. */
#include "devices/device_search_priv.h"

#include "base/util.h"

/* ---- attributes ---- */

static const struct device_attribute *attribute_named(const struct device *device,
                                                      struct slice name) {
        for (size_t i = 0; i < device->attribute_count; i++) {
                if (slice_eq(device->attributes[i]->name, name))
                        return device->attributes[i];
        }
        return NULL;
}

const struct device_attribute *search_attribute(const struct device *device, struct slice driver,
                                                struct slice name) {
        const struct device_attribute *attribute = attribute_named(device, name);

        if (attribute || name.len <= driver.len || name.ptr[driver.len] != '/' ||
            !slice_has_prefix(name, driver))
                return attribute;
        return attribute_named(device,
                               slice_make(name.ptr + driver.len + 1, name.len - driver.len - 1));
}

static bool is_same_scalar(enum device_value kind, const struct device_scalar *a,
                           const struct device_scalar *b) {
        switch (kind) {
        case DEVICE_BOOL:
                return a->boolean == b->boolean;
        case DEVICE_INT:
                return a->integer == b->integer;
        case DEVICE_NO_VALUE:
                return false;
        default:
                return slice_eq(a->text, b->text);
        }
}

static bool holds_value(const struct device_attribute *attribute, enum device_value kind,
                        const struct device_scalar *value) {
        if (attribute->kind != kind)
                return false;
        if (!attribute->is_list)
                return is_same_scalar(kind, &attribute->scalar, value);
        for (size_t i = 0; i < attribute->item_count; i++) {
                if (is_same_scalar(kind, &attribute->items[i], value))
                        return true;
        }
        return false;
}

static size_t value_count(const struct device_attribute *attribute) {
        return attribute->is_list ? attribute->item_count : 1;
}

static const struct device_scalar *value_at(const struct device_attribute *attribute, size_t at) {
        return attribute->is_list ? &attribute->items[at] : &attribute->scalar;
}

/* Without lists, one that comes is equal to nothing. */
static bool shares_value(const struct device_attribute *a, const struct device_attribute *b,
                         bool has_lists) {
        if (!has_lists && (a->is_list || b->is_list))
                return false;
        for (size_t i = 0; i < value_count(a); i++) {
                if (holds_value(b, a->kind, value_at(a, i)))
                        return true;
        }
        return false;
}

/* ---- picks ---- */

static bool is_listed(const struct device_constraint *constraint,
                      const struct device_request *request, const struct device_request *parent) {
        struct slice base = parent ? parent->name : request->name;

        for (size_t i = 0; i < constraint->request_count; i++) {
                struct slice name = constraint->requests[i];

                if (slice_eq(name, base))
                        return true;
                if (parent && name.len == base.len + 1 + request->name.len &&
                    name.ptr[base.len] == '/' && slice_has_prefix(name, base) &&
                    slice_has_suffix(name, request->name))
                        return true;
        }
        return constraint->request_count == 0;
}

/* Attributes of the devices that were picked under the constraint. */
static size_t picked_attributes(const struct device_allocation *allocation,
                                const struct device_constraint *constraint, struct slice name,
                                const struct device_attribute **ret_attributes) {
        size_t count = 0;

        for (size_t i = 0; i < allocation->pick_count; i++) {
                const struct device_pick *pick = &allocation->picks[i];
                const struct device_attribute *attribute =
                        is_listed(constraint, pick->request, pick->parent)
                                ? search_attribute(pick->device->device, pick->slice->driver, name)
                                : NULL;

                if (attribute)
                        ret_attributes[count++] = attribute;
        }
        return count;
}

/* All of them and the new one have a value in common. */
static bool all_match(const struct device_attribute **picked, size_t count,
                      const struct device_attribute *attribute, bool has_lists) {
        for (size_t i = 0; i < value_count(attribute); i++) {
                size_t holders = 0;

                for (size_t j = 0; j < count; j++)
                        holders += (has_lists || (!picked[j]->is_list && !attribute->is_list)) &&
                                   holds_value(picked[j], attribute->kind, value_at(attribute, i));
                if (holders == count)
                        return true;
        }
        return false;
}

static bool none_matches(const struct device_attribute **picked, size_t count,
                         const struct device_attribute *attribute, bool has_lists) {
        for (size_t i = 0; i < count; i++) {
                if (!has_lists && attribute->is_list)
                        return false;
                if (shares_value(attribute, picked[i], has_lists))
                        return false;
        }
        return true;
}

/* As upstream, which remembers one value for each request, and forgets it when any device of the
 * request is taken back. */
static bool differs_in_parity(const struct search_distinct *distinct, size_t request_count,
                              const struct device_attribute *attribute) {
        for (size_t i = 0; distinct->count && i < request_count; i++) {
                if (distinct->values[i] &&
                    none_matches(&distinct->values[i], 1, attribute, false) == false)
                        return false;
        }
        return true;
}

static bool constraint_holds(const struct search_state *state, size_t claim, size_t at,
                             const struct search_request *request,
                             const struct search_device *device) {
        const struct search_claim *mine = &state->claims[claim];
        const struct device_constraint *constraint = &mine->claim->spec.constraints[at];
        const struct device_gates *gates = &state->search->inventory->gates;
        bool is_match = constraint->match_attribute.len > 0;
        bool has_lists = gates->has_lists && !gates->is_parity;
        struct slice name = is_match ? constraint->match_attribute : constraint->distinct_attribute;
        const struct device_attribute *picked[DEVICE_RESULTS_MAX];

        if (!is_listed(constraint, request->request, request->parent))
                return true;
        const struct device_attribute *attribute =
                search_attribute(device->device->device, device->slice->slice->driver, name);
        if (!attribute)
                return false;
        size_t count = picked_attributes(&state->allocations[claim], constraint, name, picked);
        if (is_match)
                return count == 0 || all_match(picked, count, attribute, has_lists);
        if (gates->is_parity)
                return differs_in_parity(&mine->distinct[at], mine->claim->spec.request_count,
                                         attribute);
        return none_matches(picked, count, attribute, has_lists);
}

/* ---- pools without a value ---- */

/* Two of 63 bits. */
static uint64_t bits_of(enum device_value kind, const struct device_scalar *value) {
        uint64_t hash = kind == DEVICE_BOOL  ? value->boolean
                        : kind == DEVICE_INT ? (uint64_t)value->integer
                                             : slice_hash(value->text);

        hash = hash_bytes(&hash, sizeof(hash), kind);
        return (uint64_t)1 << hash % 63 | (uint64_t)1 << (hash >> 32) % 63;
}

/* Of the devices that the request selects; all bits when an expression fails on one. */
static uint64_t values_in(struct search_state *state, size_t claim, struct search_request *request,
                          struct device_pool *pool, struct slice name) {
        uint64_t bits = 0;
        int selects = 0;

        for (size_t i = 0; selects >= 0 && i < pool->slice_count; i++) {
                const struct inventory_slice *slice = pool->slices[i];

                for (size_t j = 0; selects >= 0 && j < slice->slice->device_count; j++) {
                        const struct search_device device = { pool, slice, &slice->devices[j] };
                        const struct device_attribute *attribute =
                                search_attribute(device.device->device, slice->slice->driver, name);

                        selects = search_selects_quietly(state, &state->claims[claim], request,
                                                         &device);
                        for (size_t k = 0; selects > 0 && attribute && k < value_count(attribute);
                             k++)
                                bits |= bits_of(attribute->kind, value_at(attribute, k));
                }
        }
        return selects < 0 ? UINT64_MAX : bits;
}

static const struct device_constraint *match_for(const struct device_claim_spec *spec,
                                                 const struct search_request *request) {
        for (size_t i = 0; i < spec->constraint_count; i++)
                if (spec->constraints[i].match_attribute.len &&
                    is_listed(&spec->constraints[i], request->request, request->parent))
                        return &spec->constraints[i];
        return NULL;
}

bool search_constraints_exclude(struct search_state *state, size_t claim,
                                struct search_request *request, struct device_pool *pool) {
        const struct device_constraint *constraint =
                match_for(&state->claims[claim].claim->spec, request);
        struct device_memo *memo = state->search->memo;
        const struct device_attribute *picked[DEVICE_RESULTS_MAX];

        /* With parity, what is refused leaves counters behind. */
        if (!constraint || !memo || state->search->inventory->gates.is_parity ||
            picked_attributes(&state->allocations[claim], constraint, constraint->match_attribute,
                              picked) == 0)
                return false;
        uint64_t values = device_memo_values(memo, request->place, pool);
        if (!values) {
                values = values_in(state, claim, request, pool, constraint->match_attribute);
                device_memo_put_values(memo, state->search->inventory, request->place, pool,
                                       values);
        }
        for (size_t i = 0; i < value_count(picked[0]); i++) {
                uint64_t bits = bits_of(picked[0]->kind, value_at(picked[0], i));

                if ((values & bits) == bits)
                        return false;
        }
        return true;
}

/* ---- what parity remembers ---- */

static void search_constraints_remember(struct search_state *state, size_t claim,
                                        const struct search_request *request,
                                        const struct search_device *device) {
        struct search_claim *mine = &state->claims[claim];

        for (size_t i = 0; i < mine->claim->spec.constraint_count; i++) {
                const struct device_constraint *constraint = &mine->claim->spec.constraints[i];

                if (constraint->match_attribute.len ||
                    !is_listed(constraint, request->request, request->parent))
                        continue;
                mine->distinct[i].values[request->index] =
                        search_attribute(device->device->device, device->slice->slice->driver,
                                         constraint->distinct_attribute);
                mine->distinct[i].count++;
        }
}

void search_constraints_remove(struct search_state *state, size_t claim,
                               const struct search_request *request) {
        struct search_claim *mine = &state->claims[claim];

        for (size_t i = 0; i < mine->claim->spec.constraint_count; i++) {
                const struct device_constraint *constraint = &mine->claim->spec.constraints[i];

                if (constraint->match_attribute.len ||
                    !is_listed(constraint, request->request, request->parent))
                        continue;
                mine->distinct[i].values[request->index] = NULL;
                mine->distinct[i].count--;
        }
}

/* A constraint that refuses makes upstream take the device out of those before it, which forgets a
 * value too. */
static void forget_before(struct search_state *state, size_t claim, size_t end,
                          const struct search_request *request) {
        struct search_claim *mine = &state->claims[claim];

        for (size_t i = 0; i < end; i++) {
                const struct device_constraint *constraint = &mine->claim->spec.constraints[i];

                if (!constraint->match_attribute.len &&
                    is_listed(constraint, request->request, request->parent))
                        mine->distinct[i].values[request->index] = NULL;
        }
}

bool search_constraints_add(struct search_state *state, size_t claim,
                            const struct search_request *request,
                            const struct search_device *device) {
        size_t count = state->claims[claim].claim->spec.constraint_count;

        for (size_t i = 0; i < count; i++) {
                if (constraint_holds(state, claim, i, request, device))
                        continue;
                forget_before(state, claim, i, request);
                return false;
        }
        search_constraints_remember(state, claim, request, device);
        return true;
}
