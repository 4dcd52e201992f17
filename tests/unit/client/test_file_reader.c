/* Work beside the loop, and files that are read there. */
#include "client/file_reader.h"

#include "base/util.h"
#include "loop/event_loop.h"
#include "port/thread_job.h"
#include "port/virtual_loop.h"
#include <fcntl.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- jobs ---- */

struct scene {
        struct event_loop *events;
        struct loop *loop;
        unsigned ended, late, not_run, made;
};

/* What a thread waits for, until the test lets it go. */
struct gate {
        sem_t open, released;
};

static void gate_init(struct gate *gate) {
        sem_init(&gate->open, 0, 0);
        sem_init(&gate->released, 0, 0);
}

static void gate_wait(void *data) {
        struct gate *gate = data;

        while (sem_wait(&gate->open) < 0)
                continue;
}

static void gate_release(void *data) {
        sem_post(&((struct gate *)data)->released);
}

static void on_ended(void *context, void *data, bool was_run) {
        struct scene *scene = context;

        (void)data;
        scene->ended++;
        scene->not_run += !was_run;
}

static void on_late(void *context) {
        ((struct scene *)context)->late++;
}

static struct thread_job *start_waiting(struct scene *scene, struct gate *gate, int64_t limit_ns) {
        return thread_job_start(scene->loop,
                                &(struct thread_job_work){ .file = "/dead",
                                                           .run = gate_wait,
                                                           .ended = on_ended,
                                                           .late = on_late,
                                                           .release = gate_release,
                                                           .limit_ns = limit_ns },
                                gate, scene);
}

static void scene_init(struct scene *scene) {
        *scene = (struct scene){ 0 };
        assert_int_equal(event_loop_new(&scene->events, NULL), 0);
        scene->loop = event_loop_as_loop(scene->events);
}

static void run_until(struct scene *scene, const unsigned *count, unsigned wanted) {
        while (*count < wanted)
                assert_int_equal(event_loop_run_once(scene->events, -1, NULL), 0);
}

static void await(sem_t *semaphore) {
        while (sem_wait(semaphore) < 0)
                continue;
}

static void test_job_ends(void **state) {
        struct scene scene;
        struct gate gate;

        (void)state;
        scene_init(&scene);
        gate_init(&gate);
        sem_post(&gate.open);
        start_waiting(&scene, &gate, 3600 * NS_PER_S);
        run_until(&scene, &scene.ended, 1);
        await(&gate.released);
        assert_int_equal(scene.late, 0);
        assert_int_equal(scene.not_run, 0);
        event_loop_free(scene.events);
}

/* The limit is reported once; what comes after it counts. */
static void test_job_is_late(void **state) {
        struct scene scene;
        struct gate gate;

        (void)state;
        scene_init(&scene);
        gate_init(&gate);
        struct thread_job *job = start_waiting(&scene, &gate, 1);
        run_until(&scene, &scene.late, 1);
        assert_true(thread_job_is_late(job));
        assert_int_equal(thread_jobs_late(), 1);
        assert_false(thread_job_wait(job, 0));
        sem_post(&gate.open);
        run_until(&scene, &scene.ended, 1);
        await(&gate.released);
        assert_int_equal(scene.late, 1);
        assert_int_equal(scene.not_run, 0);
        event_loop_free(scene.events);
}

static void test_job_is_abandoned(void **state) {
        struct scene scene;
        struct gate gate;

        (void)state;
        scene_init(&scene);
        gate_init(&gate);
        thread_job_abandon(start_waiting(&scene, &gate, 3600 * NS_PER_S));
        event_loop_free(scene.events);
        sem_post(&gate.open); /* after the loop has gone */
        await(&gate.released);
        assert_int_equal(scene.ended + scene.late, 0);
        thread_job_abandon(NULL);
}

static void test_job_is_waited_for(void **state) {
        struct scene scene;
        struct gate gate;

        (void)state;
        scene_init(&scene);
        gate_init(&gate);
        struct thread_job *job = start_waiting(&scene, &gate, 3600 * NS_PER_S);
        sem_post(&gate.open);
        assert_true(thread_job_wait(job, -1));
        assert_int_equal(scene.ended, 1);
        await(&gate.released);
        event_loop_free(scene.events);
}

/* Threads do not pile up: what is beyond their number is not run, and said so. */
static void test_jobs_are_limited(void **state) {
        static struct gate gates[THREAD_JOBS_MAX + 1];
        struct scene scene;

        (void)state;
        scene_init(&scene);
        for (size_t i = 0; i < ARRAY_LEN(gates); i++) {
                gate_init(&gates[i]);
                start_waiting(&scene, &gates[i], 3600 * NS_PER_S);
        }
        run_until(&scene, &scene.ended, 1);
        assert_int_equal(scene.not_run, 1);
        for (size_t i = 0; i < THREAD_JOBS_MAX; i++)
                sem_post(&gates[i].open);
        run_until(&scene, &scene.ended, THREAD_JOBS_MAX + 1);
        for (size_t i = 0; i < ARRAY_LEN(gates); i++)
                await(&gates[i].released);
        assert_int_equal(scene.not_run, 1);
        event_loop_free(scene.events);
}

static void test_job_in_virtual_time(void **state) {
        struct virtual_loop *virtual = virtual_loop_new();
        struct scene scene = { .loop = virtual_loop_get(virtual) };
        struct gate gate;

        (void)state;
        gate_init(&gate);
        sem_post(&gate.open);
        start_waiting(&scene, &gate, 0);
        assert_int_equal(scene.ended, 0);
        virtual_loop_advance(virtual, NS_PER_MS);
        assert_int_equal(scene.ended, 1);
        assert_int_equal(scene.not_run, 0);
        virtual_loop_free(virtual);
}

/* ---- files ---- */

struct reader_scene {
        struct scene base;
        unsigned reads, late;
        struct file_content last[FILE_READER_MAX];
};

static void wipe_all(struct reader_scene *scene) {
        for (size_t i = 0; i < FILE_READER_MAX; i++)
                file_content_wipe(&scene->last[i]);
}

static void on_read(void *context, struct file_content contents[FILE_READER_MAX]) {
        struct reader_scene *scene = context;

        wipe_all(scene);
        scene->reads++;
        memcpy(scene->last, contents, sizeof(scene->last));
        memset(contents, 0, sizeof(scene->last));
}

static void write_file(const char *path, const char *text) {
        FILE *file = fopen(path, "w");

        assert_non_null(file);
        fputs(text, file);
        fclose(file);
}

static void test_files_are_read(void **state) {
        struct reader_scene scene = { 0 };
        char first[] = "/tmp/berth-reader-XXXXXX", second[] = "/tmp/berth-reader-XXXXXX";

        (void)state;
        scene_init(&scene.base);
        close(mkstemp(first));
        close(mkstemp(second));
        struct file_reader *reader = file_reader_new(
                &(struct file_reader_config){
                        .paths = { first, NULL, second }, .read = on_read, .context = &scene },
                scene.base.loop);
        write_file(first, "one");
        file_reader_start(reader);
        file_reader_start(reader); /* is under way */
        assert_true(file_reader_is_reading(reader));
        run_until(&scene.base, &scene.reads, 1);
        assert_false(file_reader_is_reading(reader));
        assert_string_equal(scene.last[0].text, "one");
        assert_int_equal(scene.last[0].size, 3);
        assert_null(scene.last[1].text);
        assert_string_equal(scene.last[2].text, "");
        unlink(first);
        file_reader_start(reader);
        run_until(&scene.base, &scene.reads, 2);
        assert_null(scene.last[0].text);
        assert_int_equal(scene.last[0].err.code, BERTH_ERR_NOT_FOUND);
        assert_non_null(scene.last[2].text);
        unlink(second);
        wipe_all(&scene);
        file_reader_free(reader);
        file_reader_free(NULL);
        event_loop_free(scene.base.events);
}

/* A pipe that nobody writes to holds up open(), as a mount that is gone does. */
static void test_file_hangs(void **state) {
        struct reader_scene scene = { 0 };
        char path[] = "/tmp/berth-reader-XXXXXX";

        (void)state;
        scene_init(&scene.base);
        close(mkstemp(path));
        unlink(path);
        assert_int_equal(mkfifo(path, 0600), 0);
        struct file_reader *reader = file_reader_new(
                &(struct file_reader_config){
                        .paths = { path }, .read = on_read, .context = &scene },
                scene.base.loop);
        file_reader_start(reader);
        for (int i = 0; i < 10; i++) { /* the loop goes on, and there is one read */
                assert_int_equal(event_loop_run_once(scene.base.events, 0, NULL), 0);
                file_reader_start(reader);
        }
        assert_int_equal(scene.reads, 0);
        assert_false(file_reader_is_late(reader));
        int fd = open(path, O_WRONLY);
        assert_int_equal(write(fd, "here", 4), 4);
        close(fd);
        run_until(&scene.base, &scene.reads, 1);
        assert_string_equal(scene.last[0].text, "here");
        /* Freed while it hangs. */
        file_reader_start(reader);
        file_reader_free(reader);
        event_loop_free(scene.base.events);
        close(open(path, O_WRONLY));
        unlink(path);
        wipe_all(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_job_ends),         cmocka_unit_test(test_job_is_late),
                cmocka_unit_test(test_job_is_abandoned), cmocka_unit_test(test_job_is_waited_for),
                cmocka_unit_test(test_jobs_are_limited), cmocka_unit_test(test_job_in_virtual_time),
                cmocka_unit_test(test_files_are_read),   cmocka_unit_test(test_file_hangs),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
