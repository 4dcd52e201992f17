/* Texts of a kind as one. */
#include "cmd/dashboard_cache.h"

#include "base/arena.h"

void dashboard_cache_join(const struct dashboard_cache *cache, enum cache_kind kind,
                          struct buf *out) {
        size_t at = 0;
        void *text;

        buf_clear(out);
        while (map_next(cache->texts[kind], &at, NULL, &text))
                buf_printf(out, "%s%s", out->len ? "," : "", (const char *)text);
}

struct json_doc *dashboard_cache_list(const struct dashboard_cache *cache, enum cache_kind kind) {
        CLEANUP(buf_release) struct buf items = { 0 };
        CLEANUP(buf_release) struct buf list = { 0 };
        struct json_doc *doc = NULL;

        dashboard_cache_join(cache, kind, &items);
        buf_printf(&list, "{\"items\":[" SLICE_FMT "]}", SLICE_ARG(buf_view(&items)));
        return json_parse(buf_view(&list), &doc, NULL) == 0 ? doc : NULL;
}
