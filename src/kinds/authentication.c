/* Resources of group authentication.k8s.io, v1: answered, never stored. */
#include "kinds/kinds.h"
#include "kinds/reviews.h"

static const struct kind_info rows[] = {
        {
                .group = "authentication.k8s.io",
                .version = "v1",
                .plural = "selfsubjectreviews",
                .singular = "selfsubjectreview",
                .kind = "SelfSubjectReview",
                .verbs = VERB_CREATE,
                .flags = KIND_REVIEW,
                .review = self_review,
        },
        {
                .group = "authentication.k8s.io",
                .version = "v1",
                .plural = "tokenreviews",
                .singular = "tokenreview",
                .kind = "TokenReview",
                .verbs = VERB_CREATE,
                .flags = KIND_REVIEW,
                .review = token_review,
        },
};

const struct kind_group kind_group_authentication = { rows, ARRAY_LEN(rows) };
