/* Completion in shells: scripts that ask the program what may stand where the cursor is. */
#pragma once

#include "base/embedded_text.h"
#include "cmd/command.h"

/* The scripts for bash, zsh and fish, in that order; made from src/cmd/completion. */
extern const struct embedded_text completion_scripts[];

/* Appends what may stand in place of the last of words, which follow the name of the program on a
 * command line: one candidate a line, with a tab and its help behind it. The last line is ":0"
 * where files may stand there, too, else ":4", as plugins of kubectl say it. Nothing for a command
 * that there is not. */
void completion_words(const struct program *program, const char *name,
                      const struct arguments *words, struct buf *out);
