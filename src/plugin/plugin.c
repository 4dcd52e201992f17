/* Looking up plugins. */
#include "plugin/plugin.h"

const struct plugin *plugin_find(const struct plugin *const *registry, struct slice name) {
        for (; *registry; registry++)
                if (slice_is(name, (*registry)->name))
                        return *registry;
        return NULL;
}
