/* Calls admission webhooks over HTTPS for the sandbox's API server. */
#pragma once

#include "port/loop.h"
#include "server/api_server.h"

struct webhook_client;

/* The loop must outlive it. */
struct webhook_client *webhook_client_new(struct loop *loop);
/* After the server that uses it. Accepts NULL. */
void webhook_client_free(struct webhook_client *client);
struct webhook_caller webhook_client_caller(struct webhook_client *client);
