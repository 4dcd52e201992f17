/* Common ways to bring raw scores to 0..NODE_SCORE_MAX (upstream: DefaultNormalizeScore). */
#include "plugins/sched/normalize.h"
#include "plugin/sched_points.h"

void normalize_by_max(int64_t *scores, size_t count, bool is_reversed) {
        int64_t max = 0;
        for (size_t i = 0; i < count; i++)
                if (scores[i] > max)
                        max = scores[i];
        for (size_t i = 0; i < count; i++) {
                int64_t score = max == 0 ? 0 : NODE_SCORE_MAX * scores[i] / max;
                scores[i] = is_reversed ? NODE_SCORE_MAX - score : score;
        }
}
