/* What the command lines of programs berth stands in for have in common. */
#pragma once

#include "cmd/daemon_options.h"
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

/* First in the options of every stand-in. */
struct stand_in_values {
        struct unused_values unused;
        int64_t verbosity;
};

extern const char *const stand_in_locks[];

/* Kubernetes' -v 0 and 1 tell what we call information; from 4 on everything. */
int64_t stand_in_verbosity(int64_t level);

#define NO_EFFECT(flag, kind, value)                                                               \
        {                                                                                          \
                .name = flag, .type = kind,                                                        \
                .offset = offsetof(struct stand_in_values, unused.kind##_value),                   \
                .value_name = value, .help = "taken for compatibility, without effect"             \
        }
#define DEPRECATED(flag, kind, value)                                                              \
        {                                                                                          \
                .name = flag, .type = kind,                                                        \
                .offset = offsetof(struct stand_in_values, unused.kind##_value),                   \
                .value_name = value, .warning = "deprecated, without effect",                      \
                .help = "deprecated upstream, without effect"                                      \
        }

#define STAND_IN_SERVING_OPTIONS(options_type, member, port)                                       \
        SERVING_OPTIONS(options_type, member, port), NO_EFFECT("cert-dir", OPTION_TEXT, "DIR"),    \
                NO_EFFECT("tls-cipher-suites", OPTION_TEXT, "LIST"),                               \
                NO_EFFECT("tls-curve-preferences", OPTION_TEXT, "LIST"),                           \
                NO_EFFECT("tls-sni-cert-key", OPTION_TEXTS, "PAIR"),                               \
                NO_EFFECT("permit-address-sharing", OPTION_FLAG, NULL),                            \
                NO_EFFECT("permit-port-sharing", OPTION_FLAG, NULL),                               \
                NO_EFFECT("http2-max-streams-per-connection", OPTION_I64, "N"),                    \
                NO_EFFECT("disable-http2-serving", OPTION_FLAG, NULL)

/* The only kind of lock there is. */
#define STAND_IN_LOCK_OPTION                                                                       \
        {                                                                                          \
                .name = "leader-elect-resource-lock", .type = OPTION_CHOICE,                       \
                .offset = offsetof(struct stand_in_values, unused.OPTION_CHOICE_value),            \
                .value_name = "KIND", .choices = stand_in_locks, .fallback = "leases",             \
                .help = "kind of the lock"                                                         \
        }

#define STAND_IN_LOG_OPTIONS                                                                       \
        { .name = "v",                                                                             \
          .heading = "Log and help",                                                               \
          .type = OPTION_I64,                                                                      \
          .offset = offsetof(struct stand_in_values, verbosity),                                   \
          .letter = 'v',                                                                           \
          .value_name = "LEVEL",                                                                   \
          .max = 100,                                                                              \
          .help = "log level; 4 and above log debugging" },                                        \
                NO_EFFECT("vmodule", OPTION_TEXT, "LIST"),                                         \
                NO_EFFECT("logging-format", OPTION_TEXT, "FORMAT"),                                \
                NO_EFFECT("log-flush-frequency", OPTION_DURATION, "DURATION"),                     \
                NO_EFFECT("log-json-info-buffer-size", OPTION_TEXT, "SIZE"),                       \
                NO_EFFECT("log-json-split-stream", OPTION_FLAG, NULL),                             \
                NO_EFFECT("log-text-info-buffer-size", OPTION_TEXT, "SIZE"),                       \
                NO_EFFECT("log-text-split-stream", OPTION_FLAG, NULL)
