/* The audit log in a file: order, what is recorded, and what becomes of lines on a full disk. */
#include "roles/audit_file.h"

#include "base/log.h"
#include "base/util.h"
#include "loop/event_loop.h"
#include "loop/file_text.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

struct scene {
        char path[40];
        struct event_loop *events;
        struct audit_file *file;
        struct audit_chain chain;
        unsigned recorded, failed;
        struct err failure;
};

static unsigned logged;

static void count_line(void *context, enum log_level level, const char *event,
                       const struct log_field *fields, size_t count) {
        (void)context;
        (void)level;
        (void)fields;
        (void)count;
        logged += strcmp(event, "AuditLineNotWritten") == 0;
}

static void on_recorded(void *context) {
        ((struct scene *)context)->recorded++;
}

static void on_failed(void *context, const struct err *err) {
        struct scene *scene = context;

        scene->failed++;
        scene->failure = *err;
}

static void scene_open(struct scene *scene) {
        static const struct audit_file_events events = { .recorded = on_recorded,
                                                         .failed = on_failed };

        assert_int_equal(audit_file_open(scene->path, &scene->file, &scene->chain, NULL), 0);
        audit_file_begin(scene->file, event_loop_as_loop(scene->events), &events, scene);
}

static void scene_init(struct scene *scene) {
        static const struct log_sink sink = { .write = count_line, .max_level = LOG_ERROR };

        *scene = (struct scene){ .path = "/tmp/berth-audit-XXXXXX" };
        logged = 0;
        log_install(&sink);
        close(mkstemp(scene->path));
        assert_int_equal(event_loop_new(&scene->events, NULL), 0);
        scene_open(scene);
}

static void scene_release(struct scene *scene) {
        audit_file_close(scene->file);
        event_loop_free(scene->events);
        unlink(scene->path);
        log_install(NULL);
}

static void append(struct scene *scene, unsigned count) {
        for (unsigned i = 0; i < count; i++) {
                struct buf line = { 0 };

                audit_chain_append(&scene->chain,
                                   &(struct audit_record){ .op = SLICE_LITERAL("test") },
                                   (struct wall_time){ 0 }, &line);
                audit_file_append(scene->file, buf_view(&line));
                buf_release(&line);
        }
}

static void run_until(struct scene *scene, const unsigned *count, unsigned wanted) {
        while (*count < wanted)
                assert_int_equal(event_loop_run_once(scene->events, -1, NULL), 0);
}

/* The chain of the file ends with this line. */
static void expect_lines(const struct scene *scene, uint64_t count) {
        struct audit_chain chain = { 0 };
        struct buf text = { 0 };

        assert_int_equal(file_text_read(scene->path, &text, NULL), 0);
        assert_int_equal(audit_chain_verify(&chain, buf_view(&text), NULL), 0);
        assert_int_equal(chain.seq, count);
        buf_release(&text);
}

static void test_lines_are_recorded(void **state) {
        struct scene scene;

        (void)state;
        scene_init(&scene);
        assert_true(audit_file_is_recorded(scene.file));
        append(&scene, 1);
        assert_false(audit_file_is_recorded(scene.file));
        append(&scene, 5); /* together, after the first */
        run_until(&scene, &scene.recorded, 1);
        assert_true(audit_file_is_recorded(scene.file));
        expect_lines(&scene, 6);
        /* The end waits for lines under way, and the next process goes on behind them. */
        append(&scene, 2);
        append(&scene, 1);
        audit_file_close(scene.file);
        expect_lines(&scene, 9);
        scene_open(&scene);
        append(&scene, 1);
        audit_file_end(scene.file);
        expect_lines(&scene, 10);
        assert_int_equal(logged, 0);
        append(&scene, 2); /* too late */
        assert_int_equal(logged, 2);
        assert_int_equal(scene.failed, 0);
        scene_release(&scene);
}

/* A limit on the size of files stands in for a full disk. */
static void test_full_disk(void **state) {
        struct rlimit before, limit;
        struct scene scene;

        (void)state;
        scene_init(&scene);
        signal(SIGXFSZ, SIG_IGN);
        append(&scene, 2);
        run_until(&scene, &scene.recorded, 1);
        getrlimit(RLIMIT_FSIZE, &before);
        limit = before;
        limit.rlim_cur = 500; /* within the fourth line or so */
        setrlimit(RLIMIT_FSIZE, &limit);
        append(&scene, 1);
        append(&scene, 9);
        run_until(&scene, &scene.failed, 1);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_non_null(strstr(scene.failure.text, scene.path));
        assert_non_null(strstr(scene.failure.text, "File too large"));
        assert_false(audit_file_is_recorded(scene.file));
        /* Whole lines are in the file, all others in the log. */
        expect_lines(&scene, 12 - logged);
        assert_in_range(logged, 1, 10);
        append(&scene, 1);
        assert_int_equal(event_loop_run_once(scene.events, 0, NULL), 0);
        assert_int_equal(scene.failed, 1);
        audit_file_end(scene.file);
        expect_lines(&scene, 13 - logged);
        scene_release(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_lines_are_recorded),
                cmocka_unit_test(test_full_disk),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
