/* Objects of berth's own definitions to begin with, made from the schemas of deploy/crds. */
#pragma once

struct field_template;

/* An object of a kind that is defined there. */
void config_default_schema(struct field_template *template, const char *kind);
