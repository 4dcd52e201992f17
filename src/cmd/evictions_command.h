/* The command line of berth evictions. */
#pragma once

#include "cmd/daemon.h"
#include "cmd/option_table.h"

struct evictions_options {
        struct daemon_options daemon;
        const char *audit_path, *hook_directory;
        struct option_texts requesters; /* NAME=USER */
        const char *webhook_address, *webhook_certificate, *webhook_key;
        bool may_delete, has_no_evictor, keeps_definitions, is_audit_quiet;
        int mode;
};

extern const struct option evictions_options_table[]; /* of struct evictions_options */
