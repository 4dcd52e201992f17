/* Writes of controllers that admission webhooks are to judge first. Controllers never wait: the
 * write is given up, with everything that its reconcile would do further, and the key rests until
 * the answers are there; then it is looked at again, and the same write, asked for once more, goes
 * on where it stopped. */
#pragma once

#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

struct api_server;
struct api_server_request;
struct http_response;
struct controller_run;

struct write_waits;

/* The server must outlive it. wake(context) when a write aside can go on: write_waits_run_aside is
 * then to be called soon. */
struct write_waits *write_waits_new(struct api_server *server, void (*wake)(void *context),
                                    void *context);
void write_waits_free(struct write_waits *waits); /* gives all up; accepts NULL */
size_t write_waits_count(const struct write_waits *waits);

/* Goes on with writes aside whose answers have come. */
void write_waits_run_aside(struct write_waits *waits);

/* Before a key is looked at; false: it rests. */
bool write_waits_enter(struct write_waits *waits, struct controller_run *run, struct slice ns,
                       struct slice name);
/* After; true when it was given up and is not to count as failed. */
bool write_waits_leave(struct write_waits *waits);

/* Answers a write of the key that is looked at; an error, and no response, when it waits, or when
 * one before it in the same look does. A write that is_aside (events) gets no answer where it has
 * to wait: then the response is empty, with status 202. */
int write_waits_ask(struct write_waits *waits, const struct api_server_request *request,
                    bool is_aside, struct http_response *ret_response, struct err *err);
