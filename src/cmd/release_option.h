/* Which version of Kubernetes an embedded cluster plays. */
#pragma once

#include "cmd/option_table.h"

extern const struct option release_option_table[]; /* of an int */
/* 1.N: its N. */
unsigned release_option_minor(int choice);
