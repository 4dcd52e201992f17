/* Looking up descriptions: by the type's own name, or by the longest ending that has the field. */
#include "schema/description.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int description_order(const void *key, const void *row) {
        const struct schema_description *wanted = key, *found = row;
        int order = strcmp(wanted->type, found->type);

        return order ? order : strcmp(wanted->field, found->field);
}

static bool ends_with(const char *text, const char *ending) {
        size_t length = strlen(text), wanted = strlen(ending);

        return length >= wanted && strcmp(text + length - wanted, ending) == 0;
}

const char *schema_description_find(const char *type, const char *field) {
        struct schema_description wanted = { .type = type, .field = field };
        const struct schema_description *found =
                bsearch(&wanted, schema_descriptions, schema_description_count, sizeof(*found),
                        description_order);

        if (found)
                return found->text;
        /* '*' sorts before letters, so endings come first. Of those that fit the longest counts. */
        for (size_t i = 0; i < schema_description_count; i++) {
                const struct schema_description *row = &schema_descriptions[i];

                if (row->type[0] != '*')
                        break;
                if (strcmp(row->field, field) == 0 && ends_with(type, row->type + 1) &&
                    (!found || strlen(row->type) > strlen(found->type)))
                        found = row;
        }
        return found ? found->text : NULL;
}
