/* Options that the commands of single roles share, as parts of their tables; what differs is an
 * argument.  member is the struct daemon_options among the command's options.  None of them comes
 * from an environment meant for another program. */
#pragma once

#include "cmd/daemon.h"
#include "cmd/option_table.h"

#define CLUSTER_OPTIONS(options_type, member)                                                      \
        { .name = "kubeconfig",                                                                    \
          .heading = "Cluster",                                                                    \
          .type = OPTION_TEXT,                                                                     \
          .offset = offsetof(options_type, member.kubeconfig),                                     \
          .value_name = "FILE",                                                                    \
          .is_file = true,                                                                         \
          .is_not_in_environment = true,                                                           \
          .help = "kubeconfig of the cluster; without it $KUBECONFIG, "                            \
                  "~/.kube/config, or the pod's service account" },                                \
        {                                                                                          \
                .name = "context", .type = OPTION_TEXT,                                            \
                .offset = offsetof(options_type, member.context), .value_name = "NAME",            \
                .is_not_in_environment = true, .help = "context of the kubeconfig"                 \
        }

/* is_elected is "true" or "false"; the three durations are those of the program it stands for. */
#define ELECTION_OPTIONS(options_type, member, is_elected, lease, duration, deadline, retry)       \
        { .name = "leader-elect",                                                                  \
          .heading = "Leader election",                                                            \
          .type = OPTION_FLAG,                                                                     \
          .offset = offsetof(options_type, member.elects),                                         \
          .fallback = is_elected,                                                                  \
          .presence = offsetof(options_type, member.given.elects),                                 \
          .help = "work only while this process holds a Lease" },                                  \
                { .name = "leader-elect-resource-name",                                            \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.lease_name),                             \
                  .presence = offsetof(options_type, member.given.lease_name),                     \
                  .value_name = "NAME",                                                            \
                  .fallback = lease,                                                               \
                  .help = "name of the Lease" },                                                   \
                { .name = "leader-elect-resource-namespace",                                       \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.lease_namespace),                        \
                  .presence = offsetof(options_type, member.given.lease_namespace),                \
                  .value_name = "NAME",                                                            \
                  .fallback = "kube-system",                                                       \
                  .help = "namespace of the Lease" },                                              \
                { .name = "leader-elect-lease-duration",                                           \
                  .type = OPTION_DURATION,                                                         \
                  .offset = offsetof(options_type, member.lease_duration_ns),                      \
                  .presence = offsetof(options_type, member.given.lease_duration),                 \
                  .value_name = "DURATION",                                                        \
                  .fallback = duration,                                                            \
                  .help = "how long other replicas wait before they take the Lease over" },        \
                { .name = "leader-elect-renew-deadline",                                           \
                  .type = OPTION_DURATION,                                                         \
                  .offset = offsetof(options_type, member.lease_renew_deadline_ns),                \
                  .presence = offsetof(options_type, member.given.renew_deadline),                 \
                  .value_name = "DURATION",                                                        \
                  .fallback = deadline,                                                            \
                  .help = "stop working when the Lease was not renewed for so long" },             \
        {                                                                                          \
                .name = "leader-elect-retry-period", .type = OPTION_DURATION,                      \
                .offset = offsetof(options_type, member.lease_retry_period_ns),                    \
                .presence = offsetof(options_type, member.given.retry_period),                     \
                .value_name = "DURATION", .fallback = retry,                                       \
                .help = "time between attempts to take or renew the Lease"                         \
        }

/* port: the default; NULL = 0 */
extern const char *const tls_versions[]; /* as enum http_tls */

#define SERVING_OPTIONS(options_type, member, port)                                                \
        { .name = "bind-address",                                                                  \
          .heading = "Metrics and health",                                                         \
          .type = OPTION_TEXT,                                                                     \
          .offset = offsetof(options_type, member.bind_address),                                   \
          .value_name = "ADDRESS",                                                                 \
          .fallback = "0.0.0.0",                                                                   \
          .help = "address that serves metrics and health" },                                      \
                { .name = "secure-port",                                                           \
                  .type = OPTION_I64,                                                              \
                  .offset = offsetof(options_type, member.secure_port),                            \
                  .value_name = "PORT",                                                            \
                  .fallback = port,                                                                \
                  .max = 65535,                                                                    \
                  .help = "port that serves metrics and health over TLS; 0 serves none" },         \
                { .name = "tls-cert-file",                                                         \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.certificate_path),                       \
                  .value_name = "FILE",                                                            \
                  .is_file = true,                                                                 \
                  .help = "certificate of that port, PEM; without it one is made in "              \
                          "memory" },                                                              \
                { .name = "tls-min-version",                                                       \
                  .type = OPTION_CHOICE,                                                           \
                  .offset = offsetof(options_type, member.tls_minimum),                            \
                  .value_name = "VERSION",                                                         \
                  .choices = tls_versions,                                                         \
                  .fallback = "VersionTLS12",                                                      \
                  .help = "oldest version of TLS that is accepted" },                              \
        {                                                                                          \
                .name = "tls-private-key-file", .type = OPTION_TEXT,                               \
                .offset = offsetof(options_type, member.key_path), .value_name = "FILE",           \
                .is_file = true, .help = "private key of that certificate, PEM"                    \
        }

/* Who may read those pages; member is the struct page_guard_options. */
#define GUARD_OPTIONS(options_type, member)                                                        \
        { .name = "authentication-kubeconfig",                                                     \
          .heading = "Who may read metrics and health",                                            \
          .type = OPTION_TEXT,                                                                     \
          .offset = offsetof(options_type, member.authentication_kubeconfig),                      \
          .value_name = "FILE",                                                                    \
          .is_file = true,                                                                         \
          .help = "cluster that reviews bearer tokens (TokenReview)" },                            \
                { .name = "authentication-skip-lookup",                                            \
                  .type = OPTION_FLAG,                                                             \
                  .offset = offsetof(options_type, member.skips_lookup),                           \
                  .help = "do not read client certificate authorities from the "                   \
                          "ConfigMap extension-apiserver-authentication" },                        \
                { .name = "authentication-tolerate-lookup-failure",                                \
                  .type = OPTION_FLAG,                                                             \
                  .offset = offsetof(options_type, member.tolerates_failure),                      \
                  .fallback = "true",                                                              \
                  .help = "go on when that ConfigMap cannot be read" },                            \
                { .name = "client-ca-file",                                                        \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.client_ca_path),                         \
                  .value_name = "FILE",                                                            \
                  .is_file = true,                                                                 \
                  .help = "authorities of client certificates (CN is the user, O the "             \
                          "groups); without it those of the ConfigMap" },                          \
                { .name = "requestheader-client-ca-file",                                          \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.proxy_ca_path),                          \
                  .value_name = "FILE",                                                            \
                  .is_file = true,                                                                 \
                  .help = "authorities of authenticating proxies; without it, and for "            \
                          "the four options below, those of the ConfigMap" },                      \
                { .name = "requestheader-allowed-names",                                           \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.allowed_names),                          \
                  .value_name = "NAME,...",                                                        \
                  .help = "common names that the certificate of a proxy may have; empty "          \
                          "allows any" },                                                          \
                { .name = "requestheader-username-headers",                                        \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.user_headers),                           \
                  .value_name = "NAME,...",                                                        \
                  .fallback = "x-remote-user",                                                     \
                  .help = "headers in which a proxy sends the user" },                             \
                { .name = "requestheader-uid-headers",                                             \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.uid_headers),                            \
                  .value_name = "NAME,...",                                                        \
                  .help = "headers in which a proxy sends the user's uid" },                       \
                { .name = "requestheader-group-headers",                                           \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.group_headers),                          \
                  .value_name = "NAME,...",                                                        \
                  .fallback = "x-remote-group",                                                    \
                  .help = "headers in which a proxy sends the user's groups" },                    \
                { .name = "requestheader-extra-headers-prefix",                                    \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.extra_prefixes),                         \
                  .value_name = "PREFIX,...",                                                      \
                  .fallback = "x-remote-extra-",                                                   \
                  .help = "prefixes of headers in which a proxy sends more about the "             \
                          "user" },                                                                \
                { .name = "authentication-token-webhook-cache-ttl",                                \
                  .type = OPTION_DURATION,                                                         \
                  .offset = offsetof(options_type, member.token_ttl_ns),                           \
                  .value_name = "DURATION",                                                        \
                  .fallback = "10s",                                                               \
                  .help = "how long the review of a token is kept" },                              \
                { .name = "authorization-kubeconfig",                                              \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.authorization_kubeconfig),               \
                  .value_name = "FILE",                                                            \
                  .is_file = true,                                                                 \
                  .help = "cluster that reviews access to paths (SubjectAccessReview)" },          \
                { .name = "authorization-always-allow-paths",                                      \
                  .type = OPTION_TEXT,                                                             \
                  .offset = offsetof(options_type, member.open_paths),                             \
                  .value_name = "PATH,...",                                                        \
                  .fallback = "/healthz,/readyz,/livez",                                           \
                  .help = "paths that everybody may read; a * at the end stands for any "          \
                          "rest" },                                                                \
                { .name = "authorization-webhook-cache-authorized-ttl",                            \
                  .type = OPTION_DURATION,                                                         \
                  .offset = offsetof(options_type, member.allowed_ttl_ns),                         \
                  .value_name = "DURATION",                                                        \
                  .fallback = "10s",                                                               \
                  .help = "how long an allowed access is kept" },                                  \
        {                                                                                          \
                .name = "authorization-webhook-cache-unauthorized-ttl", .type = OPTION_DURATION,   \
                .offset = offsetof(options_type, member.denied_ttl_ns), .value_name = "DURATION",  \
                .fallback = "10s", .help = "how long a denied access is kept"                      \
        }

#define PARITY_OPTION(options_type, member)                                                        \
        {                                                                                          \
                .name = "parity", .type = OPTION_FLAG, .offset = offsetof(options_type, member),   \
                .is_not_in_environment = true,                                                     \
                .help = "do as upstream does, defects included (docs/parity.md)"                   \
        }

#define VERBOSITY_OPTION(options_type, member, level)                                              \
        {                                                                                          \
                .name = "v", .heading = "Log and help", .type = OPTION_I64,                        \
                .offset = offsetof(options_type, member), .letter = 'v', .value_name = "LEVEL",    \
                .fallback = level, .max = 3, .is_not_in_environment = true,                        \
                .help = "log level: 0 errors, 1 warnings, 2 information, 3 debugging"              \
        }

/* How many evictions are under way at the same time; member is the struct slot_options. */
#define SLOTS_MAX 1000000
#define SLOT_OPTIONS(options_type, member)                                                         \
        { .name = "slots",                                                                         \
          .heading = "Limits of slow evictions",                                                   \
          .type = OPTION_I64,                                                                      \
          .offset = offsetof(options_type, member.total),                                          \
          .value_name = "COUNT",                                                                   \
          .fallback = "50",                                                                        \
          .max = SLOTS_MAX,                                                                        \
          .help = "slow evictions under way at the same time in the cluster; "                     \
                  "the others wait; 0 = no limit" },                                               \
                { .name = "slots-per-node",                                                        \
                  .type = OPTION_I64,                                                              \
                  .offset = offsetof(options_type, member.node),                                   \
                  .value_name = "COUNT",                                                           \
                  .fallback = "5",                                                                 \
                  .max = SLOTS_MAX,                                                                \
                  .help = "the same, for pods of one node; 0 = no limit" },                        \
                { .name = "slots-per-namespace",                                                   \
                  .type = OPTION_I64,                                                              \
                  .offset = offsetof(options_type, member.ns),                                     \
                  .value_name = "COUNT",                                                           \
                  .fallback = "10",                                                                \
                  .max = SLOTS_MAX,                                                                \
                  .help = "the same, for pods of one namespace; 0 = no limit" },                   \
                { .name = "slots-per-owner",                                                       \
                  .type = OPTION_I64,                                                              \
                  .offset = offsetof(options_type, member.owner),                                  \
                  .value_name = "COUNT",                                                           \
                  .fallback = "1",                                                                 \
                  .max = SLOTS_MAX,                                                                \
                  .help = "the same, for pods of one ReplicaSet, StatefulSet or other "            \
                          "owner; 0 = no limit" },                                                 \
        {                                                                                          \
                .name = "slots-for", .type = OPTION_CHOICE,                                        \
                .offset = offsetof(options_type, member.which), .value_name = "WHICH",             \
                .fallback = "slow", .choices = (const char *const[]){ "slow", "all", NULL },       \
                .help = "evictions that count; slow are those of an EvictionPolicy, of virtual "   \
                        "machines, and in the background"                                          \
        }
