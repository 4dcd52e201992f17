/* Claims of volumes. */
#include "kinds/volume_claim.h"

struct slice volume_claim_class(const struct json *claim) {
        const struct json *annotations = json_get(json_get(claim, "metadata"), "annotations");

        return json_get(annotations, CLASS_ANNOTATION)
                       ? json_get_text(annotations, CLASS_ANNOTATION)
                       : json_get_text(json_get(claim, "spec"), "storageClassName");
}
