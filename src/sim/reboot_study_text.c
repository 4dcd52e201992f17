/* A study as text for people and as a value for programs. */
#include "sim/reboot_study.h"

#include "base/util.h"
#include <stdio.h>

/* ---- text ---- */

static void print_base(const struct study_point *base, struct buf *out) {
        buf_printf(out, "%-15s", "base setting");
        for (int arm = 0; arm < TRIAL_ARM_COUNT; arm++)
                buf_printf(out, "  %16s", trial_arm_name((enum trial_arm)arm));
        buf_char(out, '\n');
        for (int measure = 0; measure < MEASURE_COUNT; measure++) {
                char name[32];

                snprintf(name, sizeof(name), "%s %s", trial_measures[measure].name,
                         trial_measures[measure].unit);
                buf_printf(out, "%-15s", name);
                for (int arm = 0; arm < TRIAL_ARM_COUNT; arm++) {
                        char cell[40];

                        snprintf(cell, sizeof(cell), "%.4g +-%.2g", base->cells[arm][measure].mean,
                                 base->cells[arm][measure].half);
                        buf_printf(out, "  %16s", cell);
                }
                buf_char(out, '\n');
        }
}

static void print_change(const struct study_point *point, enum trial_arm arm,
                         const struct study_claim *claim, struct buf *out) {
        const struct study_difference *d = &point->cells[arm][claim->measure].from_late;
        enum study_verdict verdict = study_judge(point, arm, claim);
        char cell[64];

        if (verdict == VERDICT_MOOT)
                snprintf(cell, sizeof(cell), "-");
        else
                snprintf(cell, sizeof(cell), "%+.0f%% +-%.0f %-5s", d->percent, d->percent_half,
                         study_verdict_name(verdict));
        buf_printf(out, "  %20s", cell);
}

static void print_changes(const struct reboot_study *study, enum trial_arm arm, struct buf *out) {
        char head[64];

        snprintf(head, sizeof(head), "%s against late", trial_arm_name(arm));
        buf_printf(out, "\n%-24s", head);
        for (size_t i = 0; i < STUDY_CLAIMS; i++)
                buf_printf(out, "  %20s", study_claims[i].name);
        buf_char(out, '\n');
        for (size_t k = 0; k < study->point_count; k++) {
                const struct study_point *point = &study->points[k];

                snprintf(head, sizeof(head), "%s%s%s", point->factor ? point->factor->name : "",
                         point->factor ? " " : "", point->value);
                buf_printf(out, "%-24s", head);
                for (size_t i = 0; i < STUDY_CLAIMS; i++)
                        print_change(point, arm, &study_claims[i], out);
                buf_char(out, '\n');
        }
}

void reboot_study_write_text(const struct reboot_study *study, struct buf *out) {
        buf_printf(out,
                   "%llu rollouts, %u seeds for each arm; intervals of 95%%, changes from paired "
                   "differences\n\n",
                   (unsigned long long)study->trials, study->config.seeds);
        print_base(&study->points[0], out);
        print_changes(study, TRIAL_EARLY, out);
        if (study->point_count > 1)
                return;
        print_changes(study, TRIAL_NONE, out);
        print_changes(study, TRIAL_AHEAD, out);
        print_changes(study, TRIAL_DESCHEDULE, out);
        print_changes(study, TRIAL_HARD, out);
}

/* ---- a value ---- */

static struct json_node *cell_json(const struct study_cell *cell, struct json_tree *tree) {
        struct json_node *node = node_object(tree), *from = node_object(tree);

        node_put(tree, node, "mean", node_f64(tree, cell->mean));
        node_put(tree, node, "half", node_f64(tree, cell->half));
        node_put(tree, from, "mean", node_f64(tree, cell->from_late.mean));
        node_put(tree, from, "half", node_f64(tree, cell->from_late.half));
        if (cell->from_late.has_percent) {
                node_put(tree, from, "percent", node_f64(tree, cell->from_late.percent));
                node_put(tree, from, "percentHalf", node_f64(tree, cell->from_late.percent_half));
        }
        node_put(tree, node, "fromLate", from);
        return node;
}

static struct json_node *arm_json(const struct study_point *point, enum trial_arm arm,
                                  struct json_tree *tree) {
        struct json_node *node = node_object(tree), *measures = node_object(tree);
        struct json_node *claims = node_object(tree);

        node_put_string(tree, node, "arm", trial_arm_name(arm));
        for (int i = 0; i < MEASURE_COUNT; i++)
                node_put(tree, measures, trial_measures[i].name,
                         cell_json(&point->cells[arm][i], tree));
        node_put(tree, node, "measures", measures);
        for (size_t i = 0; i < STUDY_CLAIMS && arm != TRIAL_LATE; i++)
                node_put_string(tree, claims, trial_measures[study_claims[i].measure].name,
                                study_verdict_name(study_judge(point, arm, &study_claims[i])));
        node_put(tree, node, "claims", claims);
        return node;
}

static struct json_node *point_json(const struct study_point *point, struct json_tree *tree) {
        struct json_node *node = node_object(tree), *arms = node_array(tree);

        node_put_string(tree, node, "factor", point->factor ? point->factor->name : "");
        node_put_string(tree, node, "value", point->value);
        for (int arm = 0; arm < TRIAL_ARM_COUNT; arm++)
                node_append(arms, arm_json(point, (enum trial_arm)arm, tree));
        node_put(tree, node, "arms", arms);
        return node;
}

struct json_node *reboot_study_json(const struct reboot_study *study, struct json_tree *tree) {
        struct json_node *node = node_object(tree), *points = node_array(tree);

        node_put_i64(tree, node, "seeds", study->config.seeds);
        node_put_i64(tree, node, "firstSeed", (int64_t)study->config.first_seed);
        node_put_i64(tree, node, "rollouts", (int64_t)study->trials);
        for (size_t i = 0; i < study->point_count; i++)
                node_append(points, point_json(&study->points[i], tree));
        node_put(tree, node, "points", points);
        return node;
}
