/* Under which address each file of the page is, and as what. */
#include "dashboard/ui_files.h"

#include <stddef.h>

#define SCRIPT "text/javascript; charset=utf-8"

const struct ui_file ui_files[] = {
        { "/", "text/html; charset=utf-8" },
        { "/style.css", "text/css; charset=utf-8" },
        { "/app.js", SCRIPT },
        { "/cluster.js", SCRIPT },
        { "/events.js", SCRIPT },
        { "/feed.js", SCRIPT },
        { "/icon.svg", "image/svg+xml" },
        { "/layout.js", SCRIPT },
        { "/leaving.js", SCRIPT },
        { "/panel.js", SCRIPT },
        { "/planmap.js", SCRIPT },
        { "/pod.js", SCRIPT },
        { "/tiles.js", SCRIPT },
        { "/whatif.js", SCRIPT },
        { "/words.js", SCRIPT },
        { NULL, NULL },
};
