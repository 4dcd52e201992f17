/* What the command lines of programs berth stands in for have in common. */
#pragma once

#include "cmd/option_table.h"

extern const struct command stand_in_kube_scheduler, stand_in_descheduler;

/* Where options that do nothing put their values: they are checked all the same. */
struct unused_values {
        bool OPTION_FLAG_value;
        int OPTION_CHOICE_value;
        const char *OPTION_TEXT_value;
        int64_t OPTION_I64_value, OPTION_DURATION_value;
        double OPTION_F64_value;
        struct option_texts OPTION_TEXTS_value;
};

extern const char *const stand_in_locks[];

/* Kubernetes' -v 0 and 1 tell what we call information; from 4 on everything. */
int64_t stand_in_verbosity(int64_t level);

/* Needs verbosity and unused in the struct. */
#define STAND_IN_LOG_OPTIONS(holder)                                                               \
        { .name = "v",                                                                             \
          .type = OPTION_I64,                                                                      \
          .offset = offsetof(struct holder, verbosity),                                            \
          .letter = 'v',                                                                           \
          .value_name = "LEVEL",                                                                   \
          .max = 100,                                                                              \
          .help = "log level; from 4 on everything" },                                             \
                NO_EFFECT("vmodule", OPTION_TEXT, "LIST"),                                         \
                NO_EFFECT("logging-format", OPTION_TEXT, "FORMAT"),                                \
                NO_EFFECT("log-flush-frequency", OPTION_DURATION, "DURATION"),                     \
                NO_EFFECT("log-json-info-buffer-size", OPTION_TEXT, "SIZE"),                       \
                NO_EFFECT("log-json-split-stream", OPTION_FLAG, NULL),                             \
                NO_EFFECT("log-text-info-buffer-size", OPTION_TEXT, "SIZE"),                       \
                NO_EFFECT("log-text-split-stream", OPTION_FLAG, NULL)
