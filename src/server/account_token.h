/* Tokens of service accounts. */
#pragma once

#include "server/account_key.h"

#define TOKEN_ISSUER "https://kubernetes.default.svc.cluster.local"

struct api_server;

/* The key they are signed with; made when it is first needed. */
const struct account_key *account_key(struct api_server *server);
