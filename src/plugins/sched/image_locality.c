/* ImageLocality: nodes that already hold the pod's images, weighted by how common they are. */
#include "plugin/cache_hints.h"
#include "plugin/sched_points.h"

#define MEBIBYTE (INT64_C(1) << 20)
#define SUM_MIN (23 * MEBIBYTE)
#define SUM_MAX_PER_CONTAINER (1000 * MEBIBYTE)

/* An image some node has, and what finding it is worth. */
struct known_image {
        struct str_id name;
        int64_t value;
};
struct wanted_images {
        size_t count;
        struct known_image *images;
        int64_t max;
};

/* Without tag or digest an image is its :latest. */
static struct slice full_name(struct arena *arena, struct slice name) {
        size_t colon = 0, slash = 0;
        for (size_t i = 0; i < name.len; i++) {
                if (name.ptr[i] == ':')
                        colon = i + 1;
                if (name.ptr[i] == '/')
                        slash = i + 1;
        }
        if (colon > slash)
                return name;
        return arena_join(arena, 2, (struct slice[]){ name, SLICE_LITERAL(":latest") });
}

static void image_locality_want(const struct sched_cycle *cycle, struct wanted_images *wanted,
                                struct slice name) {
        bool is_known;
        struct str_id id = cluster_str(cycle->cluster, full_name(cycle->scratch, name), &is_known);
        int64_t size_bytes;
        uint32_t node_count;
        if (!is_known || !cluster_image(cycle->cluster, id, &size_bytes, &node_count))
                return;
        double spread = (double)node_count / (double)cluster_node_count(cycle->cluster);
        wanted->images[wanted->count++] =
                (struct known_image){ id, (int64_t)((double)size_bytes * spread) };
}

static struct slice volume_image(const struct volume *volume) {
        return json_get_text(json_get(volume->source, "image"), "reference");
}

static const struct wanted_images *wanted_images(const struct sched_cycle *cycle) {
        const struct pod_spec *spec = &cycle->class->spec;
        size_t containers = spec->init_count + spec->container_count;
        struct wanted_images *wanted = ARENA_NEW(cycle->scratch, struct wanted_images);
        wanted->images =
                ARENA_ARRAY(cycle->scratch, struct known_image, containers + spec->volume_count);
        wanted->max = SUM_MAX_PER_CONTAINER * (int64_t)containers;
        for (size_t i = 0; i < spec->init_count; i++)
                image_locality_want(cycle, wanted, spec->init[i].image);
        for (size_t i = 0; i < spec->container_count; i++)
                image_locality_want(cycle, wanted, spec->containers[i].image);
        for (size_t i = 0; i < spec->volume_count; i++)
                if (!slice_is_empty(volume_image(&spec->volumes[i])))
                        image_locality_want(cycle, wanted, volume_image(&spec->volumes[i]));
        return wanted;
}

static int64_t image_locality_rate(int64_t sum, int64_t max) {
        if (max <= SUM_MIN)
                return 0;
        if (sum < SUM_MIN)
                sum = SUM_MIN;
        if (sum > max)
                sum = max;
        return NODE_SCORE_MAX * (sum - SUM_MIN) / (max - SUM_MIN);
}

static void image_locality_score(const struct sched_cycle *cycle, const void *state,
                                 const void *pod_state, struct node_batch batch,
                                 int64_t *ret_scores) {
        (void)state;
        (void)pod_state;
        const struct wanted_images *wanted = wanted_images(cycle);
        memset(ret_scores, 0, batch.count * sizeof(*ret_scores));
        if (wanted->count == 0)
                return;
        for (size_t i = 0; i < batch.count; i++) {
                int64_t sum = 0;
                for (size_t j = 0; j < wanted->count; j++)
                        if (cluster_node_has_image(cycle->cluster, batch.nodes[i],
                                                   wanted->images[j].name))
                                sum += wanted->images[j].value;
                ret_scores[i] = image_locality_rate(sum, wanted->max);
        }
}

const struct plugin plugin_image_locality = {
        .name = "ImageLocality",
        .sched =
                &(const struct sched_points){
                        .score = image_locality_score,
                        .hints = &(const struct cache_hints){ .score = CACHE_SCOPE_NODE } },
};
