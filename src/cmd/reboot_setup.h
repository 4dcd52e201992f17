/* What the options of berth reboot come down to: checked, parsed, with files read. */
#pragma once

#include "roles/reboot_role.h"

struct reboot_options;

struct reboot_setup {
        struct reboot_config agent;
        struct reboot_role_config role;
        char boot_id[64];
        struct regex *alert_regex;
        struct err notify_problem; /* code 0 = none: no reason to leave nodes as they are */
        bool is_host_checked;      /* that commands can enter its namespace */
};

/* Texts live in the arena or the options.  BERTH_ERR_INVALID and others name the option. */
int reboot_setup_make(const struct reboot_options *options, struct arena *arena,
                      struct reboot_setup *ret_setup, struct err *err);
void reboot_setup_release(struct reboot_setup *setup);
