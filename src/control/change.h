/* One change of the store, parsed at the first use. */
#pragma once

#include "api/json.h"
#include "store/store.h"

struct change {
        int resource;
        const struct store_event *event;
        struct json_doc *now, *before; /* of the object and the previous one, once parsed */
};

/* The new state; the last one of something deleted. */
const struct json *change_object(struct change *change);
/* NULL for an object that was added. */
const struct json *change_previous(struct change *change);
void change_release(struct change *change);
/* Whether the raw text contains a string: saves parsing. */
bool object_mentions(const struct store_object *object, const char *text);
