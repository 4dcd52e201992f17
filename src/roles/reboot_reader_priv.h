/* What the readings of an agent share: how they ask, and what they keep between answers. */
#pragma once

#include "base/util.h"
#include "host/host_command.h"
#include "roles/reboot_reader.h"

#define READ_TIMEOUT_NS (10 * NS_PER_S)
#define OWNERS_MAX                                                                                 \
        256 /* DaemonSets remembered from the look before the lock to the drain's end              \
             */

struct owner_seen {
        char *name; /* ns/name */
        enum drain_owner state;
};

/* In this order; those that were not asked for are passed over. */
enum health_reading { HEALTH_PODS, HEALTH_COMMAND, HEALTH_URL, HEALTH_BUDGETS, HEALTH_DONE };

struct reboot_reader {
        struct runtime *runtime;
        const struct reboot_role_config *config;
        struct reboot_agent *agent;
        void (*answered)(void *context);
        void *context;
        struct http_transport *prometheus;
        struct transport prometheus_carrier;
        struct api_request *request; /* NULL = none under way */
        struct transport *carrier;   /* of the request */
        struct host_command *command;
        struct thread_job *look; /* at the sentinel file, under way; NULL = none */
        bool awaits_look;        /* the agent does */
        bool is_required;        /* as the last look found */
        size_t selector;         /* of the blocking ones, being asked */
        bool is_get_retried;     /* Prometheus refused the POST */
        bool budgets_refused, nodes_refused, is_draining;
        enum health_reading health; /* under way */
        bool is_uncordoned;
        struct http_transport *probe;
        struct transport probe_carrier;
        bool knows_eviction, lacks_eviction; /* of the cluster */
        struct owner_seen owners[OWNERS_MAX];
        size_t owner_count;
        char *asked_owner;  /* the one being asked for */
        struct arena arena; /* of the pods being put together */
        struct drain_pods pods;
        bool pods_are_copy; /* taken from the model */
};

struct reader_call {
        enum api_method method;
        struct slice path, body;
        void (*done)(void *context, const struct api_reply *reply);
        int64_t timeout_ns; /* 0 = READ_TIMEOUT_NS */
};

/* One request at a time; done gets the reader and forgets the request first. */
void reader_call(struct reboot_reader *reader, struct transport *carrier,
                 const struct reader_call *what);
void reader_get(struct reboot_reader *reader, const char *path,
                void (*done)(void *context, const struct api_reply *reply));
void reader_list_own_pods(struct reboot_reader *reader,
                          void (*done)(void *context, const struct api_reply *reply));
int reader_reply_code(const struct api_reply *reply);
/* ret_doc is the caller's to free. */
int reader_reply_document(const struct api_reply *reply, struct json_doc **ret_doc);
/* Why there is no document: the error of the call, the status, or what is wrong with the text. */
void reader_print_failure(const struct api_reply *reply, const char *unreadable, struct buf *out);
/* The agent has the answer: the reading is over. */
void reader_finish(struct reboot_reader *reader);

void reader_ask_blockers(struct reboot_reader *reader);
void reader_ask_pods(struct reboot_reader *reader, bool is_last_look);
void reader_forget_owners(struct reboot_reader *reader);
void reader_ask_health(struct reboot_reader *reader, bool is_uncordoned);
