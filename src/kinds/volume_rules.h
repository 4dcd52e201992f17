/* Rules of volumes and claims that more than one kind embeds. */
#pragma once

#include "kinds/rules.h"

/* The spec of a persistent volume; is_inline: inside an attachment. */
void check_volume_spec(struct checker *checker, const struct at *at, const struct json_node *spec,
                       bool is_inline);
/* The spec of a claim, also inside templates. */
void check_volume_claim_spec(struct checker *checker, const struct at *at,
                             const struct json_node *spec);

/* ---- what volumes and claims both have ---- */
extern const char *const volume_modes[]; /* NULL-ended */
RULE(rule_access_modes);
/* False, with a complaint: zero or below. */
bool check_positive_quantity(struct checker *checker, const struct at *at, struct slice quantity);
