/* Tokens by which a list goes on. */
#include "server/continue_token.h"

#include "base/base64.h"
#include "base/buf.h"
#include "base/util.h"
#include <inttypes.h>

#define FORM "meta.k8s.io/v1"
#define INVALID "continue key is not valid"

/* ---- making ---- */

char *continue_token_make(struct arena *arena, const struct continue_token *token) {
        struct buf key = { 0 }, json = { 0 }, text = { 0 };

        if (token->is_of_all && token->ns.len)
                buf_printf(&key, SLICE_FMT "/", SLICE_ARG(token->ns));
        buf_slice(&key, token->name);
        if (token->is_behind)
                buf_char(&key, 0);
        buf_printf(&json, "{\"v\":\"" FORM "\",\"rv\":%" PRId64 ",\"start\":", token->revision);
        buf_json_string(&json, buf_view(&key));
        buf_char(&json, '}');
        base64_encode(buf_view(&json), BASE64_URL, &text);
        char *copy = arena_string(arena, buf_view(&text));
        buf_release(&key);
        buf_release(&json);
        buf_release(&text);
        return copy;
}

/* ---- reading ---- */

/* As path.Clean would leave it: no empty part, none of dots alone. */
static bool is_clean(struct slice key) {
        struct slice part;

        while (slice_split(&key, '/', &part))
                if (part.len == 0 || slice_is(part, ".") || slice_is(part, ".."))
                        return false;
        return true;
}

static void split_key(struct slice key, struct continue_token *token) {
        token->is_behind = key.len && key.ptr[key.len - 1] == 0;
        key.len -= token->is_behind;
        token->name = key;
        if (!token->is_of_all)
                return;
        (void)slice_split(&key, '/', &token->ns);
        if (!key.ptr) /* in front of all objects of the namespace: `/` sorts behind the NUL */
                token->is_behind = false;
        token->name = key.ptr ? key : SLICE_EMPTY;
}

const char *continue_token_read(struct arena *arena, const struct json *json,
                                struct continue_token *token) {
        struct slice form = json_get_text(json, "v"), start = json_get_text(json, "start");
        int64_t revision = 0;

        if (json_type(json) != JSON_OBJECT)
                return INVALID;
        if (!slice_is(form, FORM))
                return arena_printf(arena,
                                    INVALID
                                    ": server does not recognize this encoded version " SLICE_FMT,
                                    SLICE_ARG(form));
        if (json_get(json, "rv") && !json_as_i64(json_get(json, "rv"), &revision))
                return INVALID;
        if (revision == 0)
                return INVALID ": incorrect encoded start resourceVersion (version " FORM ")";
        if (start.len == 0)
                return INVALID ": encoded start key empty (version " FORM ")";
        struct slice key = start.ptr[0] == '/' ? slice_make(start.ptr + 1, start.len - 1) : start;
        if (key.len == 0 || !is_clean(key))
                return arena_printf(arena, INVALID ": " SLICE_FMT, SLICE_ARG(start));
        token->revision = revision;
        split_key(key, token);
        return NULL;
}
