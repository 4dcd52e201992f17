/* Functions of URLs. Values are stored as valid text. */
#include "cel/cel_function.h"
#include "cel/cel_version.h"

#include "base/util.h"
#include "cel/go_url.h"
#include <ctype.h>

#define SCRATCH_BYTES ((size_t)1 << 10)

const char *cel_url_problem(struct cel_run *run, struct slice text) {
        return go_url_problem(run->arena, text, URL_REQUEST);
}

static struct url parts_of(const struct cel_value *args) {
        struct url url;

        (void)url_parse(args[0].as.text, URL_ANY, &url);
        return url;
}

static struct cel_value cel_url_made(struct cel_run *run, struct buf *out) {
        struct cel_value value = cel_text(CEL_STRING, arena_slice(run->arena, buf_view(out)));

        buf_release(out);
        return value;
}

FUNCTION(url_of) {
        const char *problem = cel_url_problem(run, args[0].as.text);

        if (!problem) /* the part behind # is a part of its own here */
                problem = go_url_problem(run->arena, args[0].as.text, URL_ANY);
        if (!problem)
                return cel_text(CEL_URL, args[0].as.text);
        return cel_text(
                CEL_ERROR,
                arena_join(run->arena, 2,
                           (struct slice[]){ SLICE_LITERAL("URL parse error during conversion from "
                                                           "string: "),
                                             slice_of(problem) }));
}

FUNCTION(url_is) {
        CLEANUP(arena_release) struct arena scratch;

        (void)run;
        arena_init(&scratch, SCRATCH_BYTES);
        return cel_bool(!go_url_problem(&scratch, args[0].as.text, URL_REQUEST));
}

FUNCTION(scheme) {
        struct slice text = parts_of(args).scheme;
        struct buf out = { 0 };

        for (size_t i = 0; i < text.len; i++)
                buf_char(&out, (char)tolower((unsigned char)text.ptr[i]));
        return cel_url_made(run, &out);
}

/* ---- the host ---- */

static struct slice host_of(struct cel_run *run, const struct cel_value *args) {
        struct buf out = { 0 };

        (void)url_unescape(parts_of(args).host, false, &out);
        return cel_url_made(run, &out).as.text;
}

/* Position of the colon in front of the port; the length when there is none. */
static size_t port_at(struct slice host) {
        size_t at = host.len;

        while (at > 0 && host.ptr[at - 1] != ':' && host.ptr[at - 1] != ']')
                at--;
        return at > 0 && host.ptr[at - 1] == ':' ? at - 1 : host.len;
}

FUNCTION(host) {
        return cel_text(CEL_STRING, host_of(run, args));
}

FUNCTION(hostname) {
        struct slice text = host_of(run, args);

        text.len = port_at(text);
        if (text.len > 1 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']')
                text = slice_make(text.ptr + 1, text.len - 2);
        return cel_text(CEL_STRING, text);
}

FUNCTION(port) {
        struct slice text = host_of(run, args);
        size_t at = port_at(text);

        return cel_text(CEL_STRING, at == text.len
                                            ? SLICE_EMPTY
                                            : slice_make(text.ptr + at + 1, text.len - at - 1));
}

/* ---- path and query ---- */

FUNCTION(escaped_path) {
        struct buf out = { 0 };

        url_escape_path(parts_of(args).path, &out);
        return cel_url_made(run, &out);
}

static bool cel_url_unescaped(struct cel_run *run, struct slice text, struct cel_value *ret_value) {
        struct buf out = { 0 };

        if (!url_unescape(text, true, &out))
                return false;
        *ret_value = cel_url_made(run, &out);
        return true;
}

/* Names in the order in which they come, each with its values. */
struct query {
        struct cel_builder names;
        struct cel_builder *values;
        size_t cap;
};

static struct cel_builder *values_of(struct cel_run *run, struct query *query,
                                     const struct cel_value *name) {
        size_t i = 0;

        while (i < query->names.count && !slice_eq(query->names.items[i].as.text, name->as.text) &&
               cel_spend(run, 1))
                i++;
        if (i == query->names.count) {
                cel_push(run, &query->names, name);
                query->values = arena_grow(run->arena, query->values, i, &query->cap,
                                           sizeof(*query->values));
                query->values[i] = (struct cel_builder){ 0 };
        }
        return &query->values[i];
}

/* Pairs that cannot be read are left out, as upstream does. */
FUNCTION(query_of) {
        struct slice rest = parts_of(args).query, name, item;
        struct cel_builder pairs = { 0 };
        struct query query = { 0 };
        struct cel_value key, value;

        while (slice_split(&rest, '&', &item)) {
                if (item.len == 0 || memchr(item.ptr, ';', item.len) || !cel_spend(run, 1))
                        continue;
                name = SLICE_EMPTY;
                slice_split(&item, '=', &name);
                if (cel_url_unescaped(run, name, &key) && cel_url_unescaped(run, item, &value))
                        cel_push(run, values_of(run, &query, &key), &value);
        }
        for (size_t i = 0; i < query.names.count; i++) {
                struct cel_value list = cel_list(query.values[i].items, query.values[i].count);

                cel_push(run, &pairs, &query.names.items[i]);
                cel_push(run, &pairs, &list);
        }
        return (struct cel_value){ .kind = CEL_MAP,
                                   .as.items = pairs.items,
                                   .is_made = true,
                                   .count = query.names.count };
}

static const struct cel_function rows[] = {
        { "url", false, CEL_URL, url_of, 1, { CEL_STRING } },
        { "isURL", false, CEL_BOOL, url_is, 1, { CEL_STRING } },
        { "getScheme", true, CEL_STRING, scheme, 1, { CEL_URL } },
        { "getHost", true, CEL_STRING, host, 1, { CEL_URL } },
        { "getHostname", true, CEL_STRING, hostname, 1, { CEL_URL } },
        { "getPort", true, CEL_STRING, port, 1, { CEL_URL } },
        { "getEscapedPath", true, CEL_STRING, escaped_path, 1, { CEL_URL } },
        { "getQuery", true, CEL_MAP_OF_STRINGS, query_of, 1, { CEL_URL } },
};
const struct cel_function_set cel_url_functions = { rows, ARRAY_LEN(rows) };
