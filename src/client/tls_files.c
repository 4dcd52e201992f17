/* A new set of texts takes the place of the old one only when every file could be read. */
#include "client/tls_files.h"

#include "base/log.h"
#include "base/util.h"
#include "client/text_file.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct tls_files {
        struct loop *loop;
        struct file_reader *reader;
        struct tls_texts *texts;
        const char *paths[TLS_FILE_COUNT];
        struct mono_time read_at;
        void (*changed)(void *context);
        void *context;
};

static_assert((int)TLS_FILE_COUNT <= FILE_READER_MAX, "one reader for all of them");

struct tls_texts *tls_texts_ref(struct tls_texts *texts) {
        if (texts)
                texts->users++;
        return texts;
}

void tls_texts_unref(struct tls_texts *texts) {
        if (!texts || --texts->users > 0)
                return;
        for (size_t i = 0; i < TLS_FILE_COUNT; i++)
                file_content_wipe(&texts->files[i]);
        free(texts);
}

static bool is_content_equal(const struct file_content *a, const struct file_content *b) {
        return slice_eq(slice_make(a->text, a->size), slice_make(b->text, b->size));
}

static bool tls_files_have(const struct tls_files *files, const struct file_content *contents) {
        for (size_t i = 0; i < TLS_FILE_COUNT; i++)
                if (!is_content_equal(&files->texts->files[i], &contents[i]))
                        return false;
        return true;
}

/* Takes the contents out. */
static void tls_files_take(struct tls_files *files, struct file_content *contents) {
        struct tls_texts *texts = xcalloc(1, sizeof(*texts));

        texts->users = 1;
        for (size_t i = 0; i < TLS_FILE_COUNT; i++) {
                texts->files[i] = contents[i];
                contents[i] = (struct file_content){ 0 };
        }
        tls_texts_unref(files->texts);
        files->texts = texts;
}

/* A file that is being written may be empty still. */
static bool is_whole(struct file_content *content, const char *path) {
        if (!content->text)
                return false;
        if (slice_contains(slice_make(content->text, content->size), SLICE_LITERAL("-----BEGIN ")))
                return true;
        err_set(&content->err, BERTH_ERR_INVALID, "%s: expected PEM", path);
        return false;
}

static void on_tls_files_read(void *context, struct file_content contents[FILE_READER_MAX]) {
        struct tls_files *files = context;

        for (size_t i = 0; i < TLS_FILE_COUNT; i++)
                if (files->paths[i] && !is_whole(&contents[i], files->paths[i])) {
                        LOG(LOG_WARN, "TLSFileNotRead", log_text("error", contents[i].err.text));
                        return;
                }
        if (tls_files_have(files, contents))
                return;
        tls_files_take(files, contents);
        files->changed(files->context);
}

static int read_first(struct tls_files *files, struct err *err) {
        struct file_content contents[TLS_FILE_COUNT] = { 0 };

        for (size_t i = 0; i < TLS_FILE_COUNT; i++) {
                if (!files->paths[i] ||
                    text_file_read(files->paths[i], &contents[i].text, &contents[i].size, err) == 0)
                        continue;
                for (size_t j = 0; j < i; j++)
                        file_content_wipe(&contents[j]);
                return err->code;
        }
        tls_files_take(files, contents);
        return 0;
}

int tls_files_new(const struct cluster_access *access, struct loop *loop,
                  void (*changed)(void *context), void *context, struct tls_files **ret_files,
                  struct err *err) {
        struct file_reader_config config = { .read = on_tls_files_read };
        const char *const paths[] = {
                [TLS_FILE_CA] = access->ca_pem ? NULL : access->ca_file,
                [TLS_FILE_CERTIFICATE] = access->certificate_pem ? NULL : access->certificate_file,
                [TLS_FILE_KEY] = access->key_pem ? NULL : access->key_file,
        };
        struct err reason = { 0 };

        if (!paths[TLS_FILE_CA] && !paths[TLS_FILE_CERTIFICATE] && !paths[TLS_FILE_KEY]) {
                *ret_files = NULL;
                return 0;
        }
        struct tls_files *files = xcalloc(1, sizeof(*files));
        files->loop = loop;
        files->changed = changed;
        files->context = context;
        files->read_at = loop_mono(loop);
        for (size_t i = 0; i < TLS_FILE_COUNT; i++)
                files->paths[i] = config.paths[i] = paths[i];
        config.context = files;
        files->reader = file_reader_new(&config, loop);
        if (read_first(files, &reason) < 0) {
                tls_files_free(files);
                if (err)
                        *err = reason;
                return reason.code;
        }
        *ret_files = files;
        return 0;
}

void tls_files_free(struct tls_files *files) {
        if (!files)
                return;
        file_reader_free(files->reader);
        tls_texts_unref(files->texts);
        free(files);
}

struct tls_texts *tls_files_texts(const struct tls_files *files) {
        return files ? files->texts : NULL;
}

void tls_files_renew(struct tls_files *files, bool is_urgent) {
        if (!files ||
            (!is_urgent && loop_mono(files->loop).ns - files->read_at.ns < TLS_FILES_PERIOD_NS))
                return;
        files->read_at = loop_mono(files->loop);
        file_reader_start(files->reader);
}
