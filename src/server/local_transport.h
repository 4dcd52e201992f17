/* The sandbox's API server as a transport: calls without sockets, answers from the loop. */
#pragma once

#include "port/loop.h"
#include "port/transport.h"
#include "server/api_server.h"

struct local_transport;

/* All calls are made as user, which must outlive the transport. */
struct local_transport *local_transport_new(struct api_server *server, struct loop *loop,
                                            const struct api_user *user, const char *user_agent);
/* Cancels what is under way. Before api_server_free. Accepts NULL. */
void local_transport_free(struct local_transport *local);
struct transport local_transport(struct local_transport *local);
