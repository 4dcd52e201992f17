/* Counts what of an input was not loaded. */
#include "cmd/up_omission.h"

struct up_omission {
        enum up_omission_cause cause;
        struct slice api_version, kind;
        const char *first;
        size_t count;
};

void up_omissions_init(struct up_omissions *omissions) {
        *omissions = (struct up_omissions){ 0 };
        arena_init(&omissions->arena, 0);
}

void up_omissions_release(struct up_omissions *omissions) {
        arena_release(&omissions->arena);
}

static struct up_omission *find_omission(const struct up_omissions *omissions,
                                         enum up_omission_cause cause, struct slice api_version,
                                         struct slice kind) {
        for (size_t i = 0; i < omissions->count; i++) {
                struct up_omission *omission = &omissions->items[i];

                if (omission->cause == cause && slice_eq(omission->kind, kind) &&
                    slice_eq(omission->api_version, api_version))
                        return omission;
        }
        return NULL;
}

bool up_omissions_has(const struct up_omissions *omissions, enum up_omission_cause cause,
                      struct slice api_version, struct slice kind) {
        return find_omission(omissions, cause, api_version, kind);
}

void up_omissions_add(struct up_omissions *omissions, enum up_omission_cause cause,
                      struct slice api_version, struct slice kind, const char *text) {
        struct up_omission *known = find_omission(omissions, cause, api_version, kind);

        if (known) {
                known->count++;
                return;
        }
        omissions->items = arena_grow(&omissions->arena, omissions->items, omissions->count,
                                      &omissions->cap, sizeof(*omissions->items));
        omissions->items[omissions->count++] = (struct up_omission){
                .cause = cause,
                .api_version = arena_slice(&omissions->arena, api_version),
                .kind = arena_slice(&omissions->arena, kind),
                .first = arena_printf(&omissions->arena, "%s", text),
                .count = 1,
        };
}

static void print_kind(const struct up_omission *omission, struct buf *out) {
        buf_printf(out, "%zu " SLICE_FMT, omission->count, SLICE_ARG(omission->kind));
        if (omission->cause == OMITTED_UNSERVED)
                buf_printf(out, " (" SLICE_FMT ")", SLICE_ARG(omission->api_version));
        if (omission->cause == OMITTED_REFUSED)
                buf_printf(out, " (%s%s)", omission->count > 1 ? "the first: " : "",
                           omission->first);
}

void up_omissions_print(const struct up_omissions *omissions, struct buf *out) {
        static const char *const causes[OMITTED_CAUSE_COUNT] = {
                [OMITTED_UNSERVED] = "not loaded, of kinds that have no place here: ",
                [OMITTED_EXISTING] = "not loaded, as every cluster has its own: ",
                [OMITTED_WEBHOOK] = "not loaded, as they would call the cluster of the input: ",
                [OMITTED_REFUSED] = "not loaded, refused: ",
        };

        for (size_t cause = 0; cause < OMITTED_CAUSE_COUNT; cause++) {
                size_t shown = 0;

                for (size_t i = 0; i < omissions->count; i++) {
                        if (omissions->items[i].cause != cause)
                                continue;
                        buf_text(out, shown++ ? ", " : causes[cause]);
                        print_kind(&omissions->items[i], out);
                }
                if (shown)
                        buf_char(out, '\n');
        }
}
