/* What the command lines of programs berth stands in for have in common. */
#include "cmd/stand_in.h"

#include "base/log.h"
#include "cmd/daemon_options.h"

#define EVERYTHING_FROM 4

static const char *const stand_in_locks[] = { "leases", NULL };

const struct option stand_in_serving_option_table[] = {
        { .group = serving_option_table },
        { .name = "cert-dir",
          .type = OPTION_TEXT,
          .value_name = "DIR",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "tls-cipher-suites",
          .type = OPTION_TEXT,
          .value_name = "LIST",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "tls-curve-preferences",
          .type = OPTION_TEXT,
          .value_name = "LIST",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "tls-sni-cert-key",
          .type = OPTION_TEXTS,
          .value_name = "PAIR",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "permit-address-sharing",
          .type = OPTION_FLAG,
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "permit-port-sharing",
          .type = OPTION_FLAG,
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "http2-max-streams-per-connection",
          .type = OPTION_I64,
          .value_name = "N",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "disable-http2-serving",
          .type = OPTION_FLAG,
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { 0 },
};

const struct option stand_in_lock_option_table[] = {
        { .name = "leader-elect-resource-lock",
          .type = OPTION_CHOICE,
          .has_no_effect = true,
          .value_name = "KIND",
          .choices = stand_in_locks,
          .fallback = "leases",
          .help = "kind of the lock" },
        { 0 },
};

const struct option stand_in_log_option_table[] = {
        { .name = "v",
          .heading = "Log and help",
          .type = OPTION_I64,
          .letter = 'v',
          .value_name = "LEVEL",
          .max = 100,
          .help = "log level; 4 and above log debugging" },
        { .name = "vmodule",
          .type = OPTION_TEXT,
          .value_name = "LIST",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "logging-format",
          .type = OPTION_TEXT,
          .value_name = "FORMAT",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "log-flush-frequency",
          .type = OPTION_DURATION,
          .value_name = "DURATION",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "log-json-info-buffer-size",
          .type = OPTION_TEXT,
          .value_name = "SIZE",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "log-json-split-stream",
          .type = OPTION_FLAG,
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "log-text-info-buffer-size",
          .type = OPTION_TEXT,
          .value_name = "SIZE",
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { .name = "log-text-split-stream",
          .type = OPTION_FLAG,
          .has_no_effect = true,
          .help = NO_EFFECT_HELP },
        { 0 },
};

int64_t stand_in_verbosity(int64_t level) {
        return level >= EVERYTHING_FROM ? LOG_DEBUG : LOG_INFO;
}
