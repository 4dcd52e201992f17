/* Differences by lines: the longest common block, then the same on both sides of it. */
#include "base/line_diff.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/util.h"
#include <stdlib.h>

#define CONTEXT 3
#define POPULAR_FROM 200 /* lines from which very common ones do not begin a block */

struct lines {
        struct slice *texts;
        size_t *ids; /* alike where the texts are */
        size_t count;
};

/* Lines of before [a, a + size) are those of after from b on. */
struct block {
        size_t a, b, size;
};

struct line_diff {
        struct lines before, after;
        /* For each id the lines of after that have it, in order: the first, and after each the
         * next; SIZE_MAX = none. */
        size_t *first, *next;
        /* Lengths of common runs that end at a line of after, for two lines of before in turn,
         * valid where the stamp is that line's. */
        size_t *runs[2], *stamps[2];
        size_t stamp;
        struct block *blocks;
        size_t block_count, block_capacity;
};

/* ---- lines ---- */

static void lines_split(struct lines *lines, struct slice text, struct map *ids) {
        size_t capacity = 1;
        const char *end;

        for (size_t i = 0; i < text.len; i++)
                capacity += text.ptr[i] == '\n';
        lines->texts = xcalloc(capacity, sizeof(*lines->texts));
        lines->ids = xcalloc(capacity, sizeof(*lines->ids));
        while (lines->count < capacity) {
                end = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
                struct slice line = slice_make(text.ptr, end ? (size_t)(end - text.ptr) : text.len);
                uintptr_t id = (uintptr_t)map_get(ids, line);

                if (id == 0) {
                        id = map_count(ids) + 1;
                        map_put(ids, line, (void *)id);
                }
                lines->texts[lines->count] = line;
                lines->ids[lines->count++] = id - 1;
                if (end)
                        text = slice_make(end + 1, text.len - line.len - 1);
        }
}

/* Chains the lines of after by id, without those that are too common to tell anything. */
static void diff_index(struct line_diff *diff, size_t id_count) {
        size_t count = diff->after.count;
        CLEANUP(cleanup_free) size_t *often = xcalloc(id_count, sizeof(*often));

        diff->first = xcalloc(id_count, sizeof(*diff->first));
        diff->next = xcalloc(count, sizeof(*diff->next));
        for (size_t i = 0; i < id_count; i++)
                diff->first[i] = SIZE_MAX;
        for (size_t j = count; j > 0; j--) {
                size_t id = diff->after.ids[j - 1];

                diff->next[j - 1] = diff->first[id];
                diff->first[id] = j - 1;
                often[id]++;
        }
        for (size_t i = 0; i < id_count && count >= POPULAR_FROM; i++)
                if (often[i] > count / 100 + 1)
                        diff->first[i] = SIZE_MAX;
}

/* ---- blocks ---- */

static bool is_same_line(const struct line_diff *diff, size_t a, size_t b) {
        return diff->before.ids[a] == diff->after.ids[b];
}

/* Very common lines belong to a block that they stand beside. */
static void block_extend(const struct line_diff *diff, struct block from, struct block to,
                         struct block *best) {
        while (best->a > from.a && best->b > from.b && is_same_line(diff, best->a - 1, best->b - 1))
                *best = (struct block){ best->a - 1, best->b - 1, best->size + 1 };
        while (best->a + best->size < to.a && best->b + best->size < to.b &&
               is_same_line(diff, best->a + best->size, best->b + best->size))
                best->size++;
}

/* The first of the longest between two places. */
static struct block longest_block(struct line_diff *diff, struct block from, struct block to) {
        struct block best = { from.a, from.b, 0 };

        diff->stamp++; /* what came before is not the line above */
        for (size_t i = from.a; i < to.a; i++) {
                size_t side = ++diff->stamp & 1;
                size_t *runs = diff->runs[side], *above = diff->runs[!side];

                for (size_t j = diff->first[diff->before.ids[i]]; j < to.b; j = diff->next[j]) {
                        if (j < from.b)
                                continue;
                        bool goes_on = j > 0 && diff->stamps[!side][j - 1] == diff->stamp - 1;
                        size_t run = (goes_on ? above[j - 1] : 0) + 1;

                        runs[j] = run;
                        diff->stamps[side][j] = diff->stamp;
                        if (run > best.size)
                                best = (struct block){ i + 1 - run, j + 1 - run, run };
                }
        }
        block_extend(diff, from, to, &best);
        return best;
}

static void block_push(struct line_diff *diff, struct block block) {
        if (diff->block_count == diff->block_capacity) {
                diff->block_capacity = diff->block_capacity * 2 + 16;
                diff->blocks =
                        xreallocarray(diff->blocks, diff->block_capacity, sizeof(*diff->blocks));
        }
        diff->blocks[diff->block_count++] = block;
}

/* Blocks that touch are one. */
static void block_add(struct line_diff *diff, struct block block) {
        struct block *last = diff->block_count ? &diff->blocks[diff->block_count - 1] : NULL;

        if (last && last->a + last->size == block.a && last->b + last->size == block.b)
                last->size += block.size;
        else
                block_push(diff, block);
}

static void find_blocks(struct line_diff *diff, struct block from, struct block to) {
        while (from.a < to.a && from.b < to.b) {
                struct block best = longest_block(diff, from, to);

                if (best.size == 0)
                        return;
                find_blocks(diff, from, best);
                block_add(diff, best);
                from = (struct block){ best.a + best.size, best.b + best.size, 0 };
        }
}

/* What both begin and end with. */
static void find_ends(struct line_diff *diff) {
        size_t a = diff->before.count, b = diff->after.count, head = 0, tail = 0;

        while (head < a && head < b && is_same_line(diff, head, head))
                head++;
        while (tail < a - head && tail < b - head && is_same_line(diff, a - tail - 1, b - tail - 1))
                tail++;
        if (head)
                block_add(diff, (struct block){ 0, 0, head });
        if (tail)
                block_add(diff, (struct block){ a - tail, b - tail, tail });
}

/* ---- hunks ---- */

static void write_range(size_t start, size_t end, struct buf *out) {
        size_t length = end - start;

        if (length == 1)
                buf_printf(out, "%zu", start + 1);
        else
                buf_printf(out, "%zu,%zu", length ? start + 1 : start, length);
}

static void write_lines(const struct lines *lines, size_t start, size_t end, char mark,
                        struct buf *out) {
        for (size_t i = start; i < end; i++)
                buf_printf(out, "%c" SLICE_FMT "\n", mark, SLICE_ARG(lines->texts[i]));
}

/* Changes between blocks [first, last]; the texts before and behind all blocks have empty ones. */
static void write_hunk(const struct line_diff *diff, size_t first, size_t last, struct buf *out) {
        const struct block *head = &diff->blocks[first], *tail = &diff->blocks[last];
        size_t around = head->size < CONTEXT ? head->size : CONTEXT;
        size_t behind = tail->size < CONTEXT ? tail->size : CONTEXT;
        size_t a = head->a + head->size - around, b = head->b + head->size - around;

        buf_text(out, "@@ -");
        write_range(a, tail->a + behind, out);
        buf_text(out, " +");
        write_range(b, tail->b + behind, out);
        buf_text(out, " @@\n");
        for (size_t i = first; i <= last; i++) {
                const struct block *block = &diff->blocks[i];
                size_t size = i == last ? behind : block->size;

                if (i > first) {
                        write_lines(&diff->before, a, block->a, '-', out);
                        write_lines(&diff->after, b, block->b, '+', out);
                        a = block->a, b = block->b;
                }
                write_lines(&diff->before, a, block->a + size, ' ', out);
                b += block->a + size - a;
                a = block->a + size;
        }
}

/* A long block ends a hunk and begins the next. */
static void write_hunks(const struct line_diff *diff, struct buf *out) {
        size_t first = 0;

        for (size_t i = 1; i < diff->block_count; i++) {
                if (i + 1 < diff->block_count && diff->blocks[i].size <= 2 * CONTEXT)
                        continue;
                write_hunk(diff, first, i, out);
                first = i;
        }
}

/* Empty blocks before all and behind all, where there is no other. */
static void add_edges(struct line_diff *diff) {
        const struct block *first = diff->block_count ? &diff->blocks[0] : NULL;
        size_t a = diff->before.count, b = diff->after.count;

        if (!first || first->a > 0 || first->b > 0) {
                block_push(diff, (struct block){ 0 }); /* makes room */
                memmove(diff->blocks + 1, diff->blocks,
                        (diff->block_count - 1) * sizeof(*diff->blocks));
                diff->blocks[0] = (struct block){ 0, 0, 0 };
        }
        const struct block *last = &diff->blocks[diff->block_count - 1];
        if (last->a + last->size < a || last->b + last->size < b)
                block_push(diff, (struct block){ a, b, 0 });
}

void line_diff_write(struct slice before, struct slice after, struct buf *out) {
        struct line_diff diff = { 0 };
        struct map *ids = map_new();

        lines_split(&diff.before, before, ids);
        lines_split(&diff.after, after, ids);
        for (size_t i = 0; i < 2; i++) {
                diff.runs[i] = xcalloc(diff.after.count, sizeof(size_t));
                diff.stamps[i] = xcalloc(diff.after.count, sizeof(size_t));
        }
        diff_index(&diff, map_count(ids));
        if (diff.before.count > LINE_DIFF_LINES_MAX || diff.after.count > LINE_DIFF_LINES_MAX)
                find_ends(&diff);
        else
                find_blocks(&diff, (struct block){ 0, 0, 0 },
                            (struct block){ diff.before.count, diff.after.count, 0 });
        add_edges(&diff);
        write_hunks(&diff, out);
        for (size_t i = 0; i < 2; i++) {
                free(diff.runs[i]);
                free(diff.stamps[i]);
        }
        free(diff.before.texts);
        free(diff.before.ids);
        free(diff.after.texts);
        free(diff.after.ids);
        free(diff.first);
        free(diff.next);
        free(diff.blocks);
        map_free(ids);
}
