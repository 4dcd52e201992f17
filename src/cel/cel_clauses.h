/* Clauses of string.format(), such as %.2f: what they are, and which values they take. The words
 * are upstream's (cel-go, ext/formatting.go). */
#pragma once

#include "base/buf.h"
#include "cel/cel_value.h"

#define CLAUSE_DIGITS 6 /* behind the point, where the clause does not say it */

struct cel_clause {
        char letter;
        int digits; /* behind the point */
};

/* Copies what is no clause; out may be NULL. True when a clause follows, behind its percent sign.
 */
bool cel_clause_find(struct slice *rest, struct buf *out);
/* Reads what follows a percent sign, which is not empty. False appends what is wrong with it. */
bool cel_clause_read(struct slice *rest, struct cel_clause *ret_clause, struct buf *complaint);
/* Whether values of a kind may stand for it; those of an unknown one may. */
bool cel_clause_takes(char letter, enum cel_kind kind);
/* What is said of other kinds, up to their name. */
const char *cel_clause_refusal(char letter);
