/* The lines of /metrics/resources for pods of every shape. */
#include "pages/pod_resources.h"

#include "sched_test.h"
#include <string.h>

static const struct {
        const char *name, *node, *spec, *status;
        const char *lines[5]; /* behind the family's name and the pod's labels */
} pods[] = {
        { "plain",
          "n1",
          "\"priority\":7,\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":"
          "\"250m\","
          "\"memory\":\"1Ki\"},\"limits\":{\"cpu\":\"1\",\"memory\":\"2Ki\",\"x.com/"
          "gpu\":\"2\"}}}]",
          "{}",
          { "request{P,node=\"n1\",S,priority=\"7\",resource=\"cpu\",unit=\"cores\"} 0.25\n",
            "request{P,node=\"n1\",S,priority=\"7\",resource=\"memory\",unit=\"bytes\"} 1024\n",
            "limit{P,node=\"n1\",S,priority=\"7\",resource=\"cpu\",unit=\"cores\"} 1\n",
            "limit{P,node=\"n1\",S,priority=\"7\",resource=\"memory\",unit=\"bytes\"} 2048\n",
            "limit{P,node=\"n1\",S,priority=\"7\",resource=\"x.com/gpu\",unit=\"integer\"} 2\n" } },
        { "waits",
          "",
          "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"hugepages-2Mi\":\"4Mi\"}}"
          "}]",
          "{}",
          { "request{P,node=\"\",S,priority=\"\",resource=\"hugepages-2Mi\",unit=\"bytes\"} "
            "4194304\n" } },
        { "starts",
          "n1",
          "\"overhead\":{\"cpu\":\"100m\",\"memory\":\"1Ki\"},\"initContainers\":[{\"name\":\"i\","
          "\"resources\":{"
          "\"limits\":{\"cpu\":\"3\"}}}],\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":"
          "{"
          "\"cpu\":\"1\"}}}]",
          "{}",
          { "limit{P,node=\"n1\",S,priority=\"\",resource=\"cpu\",unit=\"cores\"} 3.1\n",
            "request{P,node=\"n1\",S,priority=\"\",resource=\"cpu\",unit=\"cores\"} 0.1\n",
            "request{P,node=\"n1\",S,priority=\"\",resource=\"memory\",unit=\"bytes\"} 1024\n" } },
        { "asks-nothing", "n1", "\"containers\":[{\"name\":\"c\"}]", "{}", { NULL } },
        { "is-over",
          "n1",
          "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]",
          "{\"phase\":\"Succeeded\"}",
          { NULL } },
};

/* P and S stand for the labels of the pod and its scheduler. */
static void expand(const char *line, const char *pod, struct buf *out) {
        buf_text(out, "kube_pod_resource_");
        for (const char *c = line; *c; c++)
                if (*c == 'P' && c[-1] == '{')
                        buf_printf(out, "namespace=\"shop\",pod=\"%s\"", pod);
                else if (*c == 'S' && c[-1] == ',')
                        buf_text(out, "scheduler=\"default-scheduler\"");
                else
                        buf_char(out, *c);
        buf_char(out, '\0');
}

static size_t lines_of(const char *text, const char *pod) {
        char label[64];
        size_t count = 0;

        snprintf(label, sizeof(label), "pod=\"%s\"", pod);
        while ((text = strstr(text, label))) {
                text++;
                count++;
        }
        return count;
}

static void every_shape_has_its_lines(void **state) {
        CLEANUP(buf_release) struct buf page = { 0 };
        struct sched_test test;

        (void)state;
        sched_test_init(&test, NULL);
        put_node(&test, "n1", 4000);
        for (size_t i = 0; i < ARRAY_LEN(pods); i++)
                apply(&test, OBJECT_POD, CHANGE_ADDED,
                      "{\"metadata\":{\"namespace\":\"shop\",\"name\":\"%s\",\"uid\":\"u%zu\"},"
                      "\"spec\":{\"nodeName\":\"%s\",%s},\"status\":%s}",
                      pods[i].name, i, pods[i].node, pods[i].spec, pods[i].status);
        pod_resources_write(test.cluster, &page);
        buf_char(&page, '\0');
        for (size_t i = 0; i < ARRAY_LEN(pods); i++) {
                size_t count = 0;

                while (count < ARRAY_LEN(pods[i].lines) && pods[i].lines[count]) {
                        struct buf line = { 0 };

                        expand(pods[i].lines[count++], pods[i].name, &line);
                        if (!strstr(page.data, line.data))
                                fail_msg("missing: %sin:\n%s", line.data, page.data);
                        buf_release(&line);
                }
                assert_int_equal(lines_of(page.data, pods[i].name), count);
        }
        sched_test_release(&test);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_shape_has_its_lines),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
