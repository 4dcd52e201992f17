/* Progress for people. */
#include "show/progress_line.h"

#include "base/arena.h"
#include "show/amount.h"
#include "show/cells.h"

/* By the mean so far. */
static double left_s(const struct progress_state *state) {
        double elapsed = (double)state->elapsed_ns / 1e9;

        if (!state->done || state->total <= state->done)
                return -1;
        return elapsed * (double)(state->total - state->done) / (double)state->done;
}

void progress_line_write(struct buf *out, const struct progress_state *state, size_t columns) {
        double elapsed = (double)state->elapsed_ns / 1e9, left = left_s(state);
        CLEANUP(buf_release) struct buf line = { 0 };

        buf_slice(&line, state->doing);
        buf_text(&line, ": ");
        amount_count(&line, (int64_t)state->done);
        if (state->total) {
                buf_text(&line, " of ");
                amount_many(&line, (int64_t)state->total, state->noun);
        } else {
                buf_printf(&line, " %s%s", state->noun, state->done == 1 ? "" : "s");
        }
        if (state->done && elapsed > 0) {
                buf_text(&line, ", ");
                amount_measure(&line, (double)state->done / elapsed);
                buf_text(&line, " a second");
        }
        if (left >= 0) {
                buf_text(&line, ", ");
                amount_span(&line, (int64_t)(left + 0.5));
                buf_text(&line, " left");
        } else if (!state->total) {
                buf_text(&line, ", ");
                amount_span(&line, state->elapsed_ns / 1000000000);
        }
        cells_put(out, buf_view(&line), columns, true);
}
