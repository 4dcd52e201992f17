/* Pods first, then the ConfigMaps and files they mount, one after the other. */
#include "roles/scheduler_search.h"

#include "base/arena.h"
#include "base/util.h"
#include "client/file_reader.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES_MAX 8
#define SOURCE_TEXT_MAX 1100
#define PODS_PATH                                                                                  \
        "/api/v1/namespaces/kube-system/"                                                          \
        "pods?labelSelector=component%20in%20%28kube-scheduler%2Cberth-scheduler%29"

struct scheduler_search {
        struct transport *transport;
        struct loop *loop;
        struct api_request *request; /* NULL between requests */
        struct file_reader *reader;  /* of a file of the node; NULL between files */
        const struct scheduler_search_events *events;
        void *context;
        size_t count, next;
        struct scheduler_source sources[SOURCES_MAX];
};

/* ---- where a pod has it ---- */

static void copy_text(char *to, size_t size, struct slice text) {
        snprintf(to, size, SLICE_FMT, SLICE_ARG(text));
}

/* "--config=PATH", or "--config" and then PATH; also "--scheduler.config" of berth run. */
static bool take_word(struct slice word, bool *is_next, struct slice *ret_path) {
        static const char *const names[] = { "--config", "--scheduler.config" };

        if (*is_next) {
                *ret_path = word;
                return true;
        }
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
                struct slice name = slice_of(names[i]);

                if (slice_eq(word, name))
                        *is_next = true;
                if (word.len <= name.len || word.ptr[name.len] != '=' ||
                    !slice_eq(slice_make(word.ptr, name.len), name))
                        continue;
                *ret_path = slice_make(word.ptr + name.len + 1, word.len - name.len - 1);
                return true;
        }
        return false;
}

static struct slice config_path(const struct json *container) {
        static const char *const lists[] = { "command", "args" };
        struct slice path = SLICE_EMPTY;
        bool is_next = false;

        for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
                struct json_iter iter = json_iter(json_get(container, lists[i]));
                const struct json *word;

                while (json_next(&iter, NULL, &word))
                        if (take_word(json_text(word), &is_next, &path))
                                return path;
        }
        return path;
}

/* The part of path below folder; empty when it is not there. */
static struct slice path_below(struct slice path, struct slice folder) {
        while (folder.len > 1 && folder.ptr[folder.len - 1] == '/')
                folder.len--;
        if (path.len <= folder.len + 1 || path.ptr[folder.len] != '/' ||
            !slice_eq(slice_make(path.ptr, folder.len), folder))
                return SLICE_EMPTY;
        return slice_make(path.ptr + folder.len + 1, path.len - folder.len - 1);
}

struct mounted_file {
        struct slice volume, below, sub_path;
        bool is_whole; /* the mount is the file itself */
};

/* The innermost mount wins. */
static bool find_mount(const struct json *container, struct slice path,
                       struct mounted_file *ret_file) {
        struct json_iter iter = json_iter(json_get(container, "volumeMounts"));
        const struct json *mount;
        size_t longest = 0;

        while (json_next(&iter, NULL, &mount)) {
                struct slice at = json_get_text(mount, "mountPath"), below = path_below(path, at);
                bool is_whole = slice_eq(at, path);

                if ((slice_is_empty(below) && !is_whole) || at.len < longest)
                        continue;
                longest = at.len;
                *ret_file = (struct mounted_file){ .volume = json_get_text(mount, "name"),
                                                   .below = below,
                                                   .sub_path = json_get_text(mount, "subPath"),
                                                   .is_whole = is_whole };
        }
        return longest > 0;
}

static const struct json *find_volume(const struct json *pod, struct slice name) {
        struct json_iter iter = json_iter(json_get(json_get(pod, "spec"), "volumes"));
        const struct json *volume;

        while (json_next(&iter, NULL, &volume))
                if (slice_eq(json_get_text(volume, "name"), name))
                        return volume;
        return NULL;
}

/* Keys may have other names as files. */
static struct slice key_of_file(const struct json *config_map, struct slice file) {
        struct json_iter iter = json_iter(json_get(config_map, "items"));
        const struct json *item;

        while (json_next(&iter, NULL, &item))
                if (slice_eq(json_get_text(item, "path"), file))
                        return json_get_text(item, "key");
        return file;
}

static void note_volume(const struct json *pod, const struct json *volume,
                        const struct mounted_file *file, struct scheduler_source *source) {
        const struct json *config_map = json_get(volume, "configMap");
        const struct json *host = json_get(volume, "hostPath");
        struct slice inner = file->is_whole ? file->sub_path : file->below;

        if (config_map) {
                source->kind = SCHEDULER_SOURCE_CONFIG_MAP;
                copy_text(source->ns, sizeof(source->ns),
                          json_get_text(json_get(pod, "metadata"), "namespace"));
                copy_text(source->name, sizeof(source->name), json_get_text(config_map, "name"));
                copy_text(source->path, sizeof(source->path), key_of_file(config_map, inner));
        } else if (host) {
                struct slice folder = json_get_text(host, "path");

                source->kind = SCHEDULER_SOURCE_HOST;
                if (slice_is_empty(inner))
                        copy_text(source->path, sizeof(source->path), folder);
                else
                        snprintf(source->path, sizeof(source->path), SLICE_FMT "/" SLICE_FMT,
                                 SLICE_ARG(folder), SLICE_ARG(inner));
        }
}

void scheduler_source_of(const struct json *pod, struct scheduler_source *ret_source) {
        struct json_iter iter = json_iter(json_get(json_get(pod, "spec"), "containers"));
        const struct json *container;

        *ret_source = (struct scheduler_source){ .kind = SCHEDULER_SOURCE_NONE };
        while (json_next(&iter, NULL, &container)) {
                struct slice path = config_path(container);
                struct mounted_file file;

                if (slice_is_empty(path))
                        continue;
                ret_source->kind = SCHEDULER_SOURCE_OTHER;
                copy_text(ret_source->path, sizeof(ret_source->path), path);
                if (find_mount(container, path, &file))
                        note_volume(pod, find_volume(pod, file.volume), &file, ret_source);
                return;
        }
}

/* ---- reading what was found ---- */

static void source_text(const struct scheduler_source *source, char *ret_text) {
        if (source->kind == SCHEDULER_SOURCE_CONFIG_MAP)
                snprintf(ret_text, SOURCE_TEXT_MAX, "ConfigMap %s/%s, key %s", source->ns,
                         source->name, source->path);
        else
                snprintf(ret_text, SOURCE_TEXT_MAX, "file %s", source->path);
}

static void scheduler_search_next(struct scheduler_search *search);

static void tell_found(const struct scheduler_search *search, const struct scheduler_source *source,
                       struct slice text) {
        char name[SOURCE_TEXT_MAX];

        source_text(source, name);
        search->events->found(search->context, name, text);
}

static void tell_failed(const struct scheduler_search *search,
                        const struct scheduler_source *source, const char *error) {
        char name[SOURCE_TEXT_MAX];

        source_text(source, name);
        search->events->failed(search->context, name, error);
}

static void on_config_map(void *context, const struct api_reply *reply) {
        struct scheduler_search *search = context;
        const struct scheduler_source *source = &search->sources[search->next++];
        struct json_doc *doc = NULL;

        search->request = NULL;
        if (reply->status != 200 || json_parse(reply->body, &doc, NULL) < 0) {
                tell_failed(search, source, reply->error.text);
        } else {
                struct slice text =
                        json_get_text(json_get(json_doc_root(doc), "data"), source->path);

                if (slice_is_empty(text))
                        tell_failed(search, source, "the ConfigMap has no such key");
                else
                        tell_found(search, source, text);
                json_doc_free(doc);
        }
        scheduler_search_next(search);
}

static void end_host_file(struct scheduler_search *search) {
        file_reader_free(search->reader);
        search->reader = NULL;
        scheduler_search_next(search);
}

static void on_host_file(void *context, struct file_content contents[FILE_READER_MAX]) {
        struct scheduler_search *search = context;
        const struct scheduler_source *source = &search->sources[search->next++];

        if (contents[0].text)
                tell_found(search, source, slice_make(contents[0].text, contents[0].size));
        else
                tell_failed(search, source, contents[0].err.text);
        end_host_file(search);
}

static void on_host_file_late(void *context) {
        struct scheduler_search *search = context;

        tell_failed(search, &search->sources[search->next++], "the file does not answer");
        end_host_file(search);
}

static void read_host_file(struct scheduler_search *search, const char *path) {
        search->reader = file_reader_new(&(struct file_reader_config){ .paths = { path },
                                                                       .read = on_host_file,
                                                                       .late = on_host_file_late,
                                                                       .context = search },
                                         search->loop);
        file_reader_start(search->reader);
}

static void scheduler_search_next(struct scheduler_search *search) {
        while (search->next < search->count) {
                const struct scheduler_source *source = &search->sources[search->next];
                char path[640];

                if (source->kind == SCHEDULER_SOURCE_CONFIG_MAP) {
                        snprintf(path, sizeof(path), "/api/v1/namespaces/%s/configmaps/%s",
                                 source->ns, source->name);
                        search->request = transport_call(
                                search->transport,
                                &(struct api_call){ .method = API_GET, .path = slice_of(path) },
                                on_config_map, search);
                        return;
                }
                if (source->kind == SCHEDULER_SOURCE_HOST) {
                        read_host_file(search, source->path);
                        return;
                }
                search->next++;
                tell_failed(search, source, "it comes from no ConfigMap and no folder of the node");
        }
        const struct scheduler_search_events *events = search->events;
        void *context = search->context;

        scheduler_search_free(search);
        events->done(context);
}

/* ---- finding ---- */

static bool is_kube_scheduler(const struct json *pod) {
        const struct json *labels = json_get(json_get(pod, "metadata"), "labels");

        return slice_is(json_get_text(labels, "component"), "kube-scheduler");
}

/* Replicas have the same. */
static void add_source(struct scheduler_search *search, const struct scheduler_source *source) {
        if (source->kind == SCHEDULER_SOURCE_NONE || search->count == SOURCES_MAX)
                return;
        for (size_t i = 0; i < search->count; i++)
                if (search->sources[i].kind == source->kind &&
                    strcmp(search->sources[i].ns, source->ns) == 0 &&
                    strcmp(search->sources[i].name, source->name) == 0 &&
                    strcmp(search->sources[i].path, source->path) == 0)
                        return;
        search->sources[search->count++] = *source;
}

static void on_pods(void *context, const struct api_reply *reply) {
        struct scheduler_search *search = context;
        struct json_doc *doc = NULL;

        search->request = NULL;
        if (reply->status != 200 || json_parse(reply->body, &doc, NULL) < 0)
                search->events->failed(search->context, "pods of kube-system", reply->error.text);
        for (int round = 0; doc && round < 2; round++) {
                struct json_iter iter = json_iter(json_get(json_doc_root(doc), "items"));
                const struct json *pod;

                while (json_next(&iter, NULL, &pod)) {
                        struct scheduler_source source;

                        if (is_kube_scheduler(pod) != (round == 0))
                                continue;
                        scheduler_source_of(pod, &source);
                        add_source(search, &source);
                }
        }
        json_doc_free(doc);
        scheduler_search_next(search);
}

struct scheduler_search *scheduler_search_new(struct transport *transport, struct loop *loop,
                                              const struct scheduler_search_events *events,
                                              void *context) {
        struct scheduler_search *search = xcalloc(1, sizeof(*search));

        *search = (struct scheduler_search){
                .transport = transport, .loop = loop, .events = events, .context = context
        };
        search->request = transport_call(
                transport,
                &(struct api_call){ .method = API_GET, .path = SLICE_LITERAL(PODS_PATH) }, on_pods,
                search);
        return search;
}

void scheduler_search_free(struct scheduler_search *search) {
        if (!search)
                return;
        if (search->request)
                transport_cancel(search->transport, search->request);
        file_reader_free(search->reader);
        free(search);
}
