/* The option --kubernetes-version. */
#include "cmd/release_option.h"

/* In order, without a gap: the number of one is that of the first and its place. */
#define FIRST_MINOR 28
static const char *const releases[] = { "1.28", "1.29", "1.30", "1.31", "1.32", "1.33",
                                        "1.34", "1.35", "1.36", "1.37", NULL };

const struct option release_option_table[] = {
        { .name = "kubernetes-version",
          .type = OPTION_CHOICE,
          .value_name = "1.N",
          .choices = releases,
          .fallback = "1.36",
          .help = "play an API server of this version: its groups, fields and answers" },
        { 0 },
};

unsigned release_option_minor(int choice) {
        return FIRST_MINOR + (unsigned)choice;
}
