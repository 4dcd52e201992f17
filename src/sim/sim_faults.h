/* A transport that fails: calls that are lost on the way or back, answers that are late, refused or
 * broken, watches that are cut, repeat events or fall behind. Which kinds happen, and how often, is
 * drawn for every seed (swarm), so that each is seen with and without the others. */
#pragma once

#include "base/rng.h"
#include "port/loop.h"
#include "port/transport.h"

enum sim_fault {
        SIM_LOSE_CALL,    /* never arrives; no answer */
        SIM_LOSE_ANSWER,  /* done, but the caller cannot know */
        SIM_CONFLICT,     /* 409 */
        SIM_BUSY,         /* 429 with Retry-After */
        SIM_BREAK,        /* 500 */
        SIM_LATE_ANSWER,  /* up to a minute */
        SIM_CUT_WATCH,    /* the stream ends in the middle; what was on the way is lost */
        SIM_REPEAT_EVENT, /* the same records again */
        SIM_LATE_EVENT,   /* this and all that follow come later */
        SIM_KILL,         /* the process dies at this call, before or after it was made */
        SIM_OUTAGE,       /* the API server is away for a while */
        SIM_CLOCK_STEP,   /* the wall clock is set, up to an hour either way */
        SIM_DELETE_POD,   /* underneath, with no regard for anything */
        SIM_FAULT_COUNT
};
const char *sim_fault_name(enum sim_fault fault); /* "lose-call" */

struct sim_faults;

/* percent scales how often; 0 = never. kill runs (from inside a call) when the process has to die:
 * it must only take a note. */
struct sim_faults *sim_faults_new(struct transport inner, struct loop *loop, uint64_t seed,
                                  unsigned percent, void (*kill)(void *context), void *context);
void sim_faults_free(struct sim_faults *faults); /* accepts NULL; after everything was cancelled */
struct transport sim_faults_transport(struct sim_faults *faults);
/* No more faults from now on. */
void sim_faults_stop(struct sim_faults *faults);
/* Whether this kind happens now, counting it; for faults outside of the transport. */
bool sim_faults_draw(struct sim_faults *faults, enum sim_fault fault);
/* Every call fails until the time is over. */
void sim_faults_begin_outage(struct sim_faults *faults, int64_t duration_ns);
/* Every write is answered with a conflict until the time is over. */
void sim_faults_begin_conflicts(struct sim_faults *faults, int64_t duration_ns);
/* Every nth write of a status is answered with a conflict; 0 = none. */
void sim_faults_conflict_every(struct sim_faults *faults, unsigned nth);
/* The process dies at the next call of this method whose path ends like this, once the call was
 * made; texts stay. */
void sim_faults_kill_at(struct sim_faults *faults, enum api_method method, const char *suffix);
/* Writes whose path ends like this are answered as done and change nothing, as a dry run is; NULL =
 * none any more. The text stays. */
void sim_faults_dry_run(struct sim_faults *faults, const char *suffix);
uint64_t sim_faults_count(const struct sim_faults *faults, enum sim_fault fault);
uint64_t sim_faults_calls(const struct sim_faults *faults);
/* Sees every call before its fate. */
void sim_faults_watch(struct sim_faults *faults,
                      void (*seen)(void *context, const struct api_call *call), void *context);
