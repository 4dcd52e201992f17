/* The subcommands, one file each; listed for help in commands.c. */
#pragma once

struct command;

extern const struct command command_up;
extern const struct command command_sandbox;
extern const struct command command_dashboard;
extern const struct command command_top;
extern const struct command command_scheduler;
extern const struct command command_descheduler;
extern const struct command command_reboot;
extern const struct command command_run;
extern const struct command command_explain;
extern const struct command command_plan;
extern const struct command command_replay;
extern const struct command command_help_entry;
extern const struct command command_version;
extern const struct command command_completion;
extern const struct command command_evictions;
extern const struct command command_evict;
extern const struct command command_audit;
extern const struct command command_bench;
extern const struct command command_simulate;
extern const struct command command_config;
