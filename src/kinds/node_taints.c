/* Taints of nodes. */
#include "kinds/node_check.h"

#include "base/text_set.h"

void check_node_taints(struct checker *checker, const struct at *list,
                       const struct json_node *taints) {
        CLEANUP(text_set_release) struct text_set pairs = { 0 };

        for (size_t i = 0; i < node_count(taints); i++) {
                const struct json_node *taint = node_at(taints, i);
                struct slice key = node_get_text(taint, "key"),
                             value = node_get_text(taint, "value");
                struct slice effect = node_get_text(taint, "effect");
                struct at place = at_index(list, i);

                check_label_key(checker, &place, "key", key);
                check_joined_value(checker, &place, "value", value);
                check_taint_effect(checker, &place, taint, false);
                if (!text_set_add(&pairs, pair_text(checker, key, effect)))
                        report_typed(checker, FIELD_DUPLICATE, &place, "core.v1.Taint", taint,
                                     "taints must be unique by key and effect pair");
        }
}
