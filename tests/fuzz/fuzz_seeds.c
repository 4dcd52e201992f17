/* The fuzz targets without a fuzzer: every seed of a target's corpus as it is, and many variants of
 * each, so that the tests find a target that no longer agrees with the code. Arguments: the target
 * and the folder of its corpus. */
#include "base/buf.h"
#include "base/rng.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define VARIANTS 200
#define CHANGES_MAX 4

/* One of every target; each file is compiled with the name of its function changed to fuzz_name. */
#define FUZZ_TARGET(name) int fuzz_##name(const uint8_t *data, size_t size);
#include "fuzz_targets.inc"
#undef FUZZ_TARGET

#define FUZZ_TARGET(name) { #name, fuzz_##name },
static const struct fuzz_target {
        const char *name;
        int (*run)(const uint8_t *data, size_t size);
} fuzz_targets[] = {
#include "fuzz_targets.inc"
};

static const struct fuzz_target *find_target(const char *name) {
        for (size_t i = 0; i < sizeof(fuzz_targets) / sizeof(fuzz_targets[0]); i++)
                if (strcmp(fuzz_targets[i].name, name) == 0)
                        return &fuzz_targets[i];
        return NULL;
}

static bool read_seed(const char *path, struct buf *ret_seed) {
        FILE *file = fopen(path, "rb");
        if (!file)
                return false;
        char chunk[4096];
        size_t count;
        while ((count = fread(chunk, 1, sizeof(chunk), file)) > 0)
                buf_append(ret_seed, chunk, count);
        bool is_read = !ferror(file);
        fclose(file);
        return is_read;
}

/* A byte that means something to most parsers, or any. */
static char odd_byte(struct rng *rng) {
        static const char known[] = "\0\n\r\"\\{}[]():,.-!/%09azAZ=<>\x7f\x80\xff";
        uint64_t pick = rng_below(rng, 2 * sizeof(known));
        return pick < sizeof(known) ? known[pick] : (char)rng_below(rng, 256);
}

/* One byte set, a piece left out, or a piece said twice. */
static void change(struct rng *rng, struct buf *text) {
        if (text->len == 0)
                return;
        size_t at = rng_below(rng, text->len), length = 1 + rng_below(rng, text->len - at);
        switch (rng_below(rng, 3)) {
        case 0:
                text->data[at] = odd_byte(rng);
                return;
        case 1:
                memmove(text->data + at, text->data + at + length, text->len - at - length);
                text->len -= length;
                return;
        default:
                buf_reserve(text, length);
                memmove(text->data + at + length, text->data + at, text->len - at);
                text->len += length;
        }
}

/* From memory of just that size, so that reading past the end is seen. */
static void run_target(const struct fuzz_target *target, struct slice input) {
        uint8_t *data = malloc(input.len ? input.len : 1);
        if (!data)
                abort();
        if (input.len)
                memcpy(data, input.ptr, input.len);
        target->run(data, input.len);
        free(data);
}

static void run_seed(const struct fuzz_target *target, struct slice seed) {
        struct rng rng;
        struct buf variant = { 0 };
        rng_init(&rng, seed.len);
        run_target(target, seed);
        for (int i = 0; i < VARIANTS; i++) {
                buf_clear(&variant);
                buf_slice(&variant, seed);
                for (uint64_t n = 1 + rng_below(&rng, CHANGES_MAX); n > 0; n--)
                        change(&rng, &variant);
                run_target(target, buf_view(&variant));
        }
        buf_release(&variant);
}

/* How many seeds ran; -1: one cannot be read. */
static int run_folder(const struct fuzz_target *target, const char *folder) {
        struct dirent **entries;
        int ran = 0, count = scandir(folder, &entries, NULL, alphasort);
        for (int i = 0; i < count; i++) {
                char path[4096];
                struct stat facts;
                struct buf seed = { 0 };
                snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
                if (ran >= 0 && stat(path, &facts) == 0 && S_ISREG(facts.st_mode)) {
                        printf("%s\n", path); /* the last one printed is the one that failed */
                        fflush(stdout);
                        ran = read_seed(path, &seed) ? ran + 1 : -1;
                        run_seed(target, buf_view(&seed));
                }
                buf_release(&seed);
                free(entries[i]);
        }
        if (count >= 0)
                free(entries);
        return ran;
}

int main(int argc, char **argv) {
        const struct fuzz_target *target = argc == 3 ? find_target(argv[1]) : NULL;
        if (!target) {
                fprintf(stderr, "usage: fuzz_seeds TARGET FOLDER, with a target of meson.build\n");
                return 2;
        }
        int ran = run_folder(target, argv[2]);
        if (ran <= 0)
                fprintf(stderr, "%s has no seeds to read\n", argv[2]);
        return ran > 0 ? 0 : 1;
}
