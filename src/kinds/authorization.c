/* Resources of group authorization.k8s.io, v1: answered, never stored. */
#include "kinds/kinds.h"
#include "kinds/reviews.h"

static const struct kind_info rows[] = {
        {
                .group = "authorization.k8s.io",
                .version = "v1",
                .plural = "localsubjectaccessreviews",
                .singular = "localsubjectaccessreview",
                .kind = "LocalSubjectAccessReview",
                .verbs = VERB_CREATE,
                .flags = KIND_REVIEW | KIND_NAMESPACED,
                .review = local_access_review,
        },
        {
                .group = "authorization.k8s.io",
                .version = "v1",
                .plural = "selfsubjectaccessreviews",
                .singular = "selfsubjectaccessreview",
                .kind = "SelfSubjectAccessReview",
                .verbs = VERB_CREATE,
                .flags = KIND_REVIEW,
                .review = self_access_review,
        },
        {
                .group = "authorization.k8s.io",
                .version = "v1",
                .plural = "selfsubjectrulesreviews",
                .singular = "selfsubjectrulesreview",
                .kind = "SelfSubjectRulesReview",
                .verbs = VERB_CREATE,
                .flags = KIND_REVIEW,
                .review = self_rules_review,
        },
        {
                .group = "authorization.k8s.io",
                .version = "v1",
                .plural = "subjectaccessreviews",
                .singular = "subjectaccessreview",
                .kind = "SubjectAccessReview",
                .verbs = VERB_CREATE,
                .flags = KIND_REVIEW,
                .review = access_review,
        },
};

const struct kind_group kind_group_authorization = { rows, ARRAY_LEN(rows) };
