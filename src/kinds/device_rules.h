/* Rules that claims and slices of devices share (upstream: pkg/apis/resource/validation). */
#pragma once

#include "kinds/rules.h"

#define DEVICE_REQUESTS_MAX 32
#define DEVICE_CONFIG_MAX 32
#define DEVICE_SELECTORS_MAX 32
#define DEVICE_TAINTS_MAX 16

extern const char *const device_taint_effects[];

RULE(rule_pool_name);
RULE(rule_device_selector);
RULE(rule_device_config);
RULE(rule_device_toleration);
RULE(rule_device_taint);
RULE(rule_device_full_name);   /* of an attribute: DOMAIN/NAME */
RULE(rule_binding_conditions); /* of the object that has them */
void check_device_name(struct checker *checker, const struct at *at, struct slice name);
/* JSON that has to be an object of so many bytes at most. */
void check_raw_object(struct checker *checker, const struct at *at, const struct json_node *value,
                      size_t max);
bool check_extended_resource_name(struct checker *checker, struct slice name);
/* data: NULL. Uids in their usual form. */
RULE(rule_uuid);
