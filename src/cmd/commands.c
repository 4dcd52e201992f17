/* The program: every subcommand, in the order of help, and the programs it stands in for. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/stand_in.h"

static const struct command *const commands[] = {
        &command_up,          &command_sandbox,    &command_scheduler,
        &command_descheduler, &command_reboot,     &command_run,
        &command_dashboard,   &command_top,        &command_plan,
        &command_explain,     &command_evictions,  &command_evict,
        &command_audit,       &command_config,     &command_simulate,
        &command_bench,       &command_replay,     &command_version,
        &command_completion,  &command_help_entry, NULL,
};

static const struct command *const stand_ins[] = {
        &stand_in_kube_scheduler,
        &stand_in_descheduler,
        NULL,
};

const struct program program_berth = { commands, stand_ins };
