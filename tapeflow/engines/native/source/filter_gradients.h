/* What leads back from a convolution to its filters: for each element of the window and channel, products with the
   result's gradient, summed over all points.

   The points are split into shares with sums of their own, which are added in order in the end: how many there are
   depends on sizes alone, so that the result does not depend on the number of threads. */

#define CHUNK 96             /* points at a time: their panel stays in the first cache */
#define MOST_SUMS (4 << 20)  /* floats of all shares */

typedef struct {
    View view;
    Panels panels;
    Runs runs;
    const float *dy;
    float *sums, *out; /* of all shares, in panels; the result */
    int64_t rows;      /* of the result as a matrix */
    int depthwise;
    int64_t shares, together;
    _Atomic int *failed; /* there was no memory */
} Gathering;

/* Adds up what the points of a block have for a panel, beginning with pixel `next` of the gradient. */
static void gather_panel(const Gathering *g, int64_t panel, const float *seen, const int64_t *at, int64_t n,
                         const float *next, float *dy, float *out) {
    const int64_t vectors = panel_vectors(&g->panels, panel), width = vectors * WIDTH;
    const int64_t channels = panel_channels(&g->panels, panel), start = panel_start(&g->panels, panel);
    next += start;
    out += start * g->rows;
    for (int64_t from = 0; from < n; from += CHUNK) {
        const int64_t points = least(CHUNK, n - from);
        for (int64_t i = 0; i < points; i++, next += g->panels.channels) {
            memcpy(dy + i * width, next, (size_t)channels * sizeof(float));
            memset(dy + i * width + channels, 0, (size_t)(width - channels) * sizeof(float));
        }
        if (g->depthwise) {
            depthwise_sums_of(seen + start, at + from, points, &g->runs, dy, out, width);
            continue;
        }
        float *sum = out;
        for (int64_t t = 0; t < g->runs.count; t++)
            for (int64_t k = g->runs.start[t], end = g->runs.end[t]; k < end;) {
                const int64_t rows = parts_of(end - k, parts_of(end - k, ROWS)); /* as even as can be */
                sums[vectors - 1][rows - 1](seen + k, at + from, points, dy, sum);
                sum += rows * width;
                k += rows;
            }
    }
}

/* Some panels of some shares: an item has `together` panels. */
static void gather_shares(const void *job, int64_t from, int64_t to) {
    const Gathering *g = job;
    const View *v = &g->view;
    float *strip = floats(strip_size(v)), *dy = floats(CHUNK * VECTORS * WIDTH);
    int64_t *at = counts(most_points(v));
    const int64_t size = panels_size(&g->panels, g->rows), items = parts_of(g->panels.count, g->together);
    for (int64_t item = from; item < to; item++) {
        if (!strip || !dy || !at) {
            *g->failed = 1;
            break;
        }
        const int64_t share = item / items, first = item % items * g->together, last = first + g->together;
        const int64_t begin = panel_start(&g->panels, first) * g->rows, end = panel_start(&g->panels, last) * g->rows;
        float *out = g->sums + share * size;
        memset(out + begin, 0, (size_t)(end - begin) * sizeof(float));
        for (int64_t b = share * v->blocks / g->shares; b < (share + 1) * v->blocks / g->shares; b++) {
            const Place place = place_of(v, b);
            const float *seen = look(v, &place, strip);
            const int64_t n = points_at(v, &place, place.rows, v->columns, at);
            const float *next = g->dy + (place.example * v->rows + place.row) * v->columns * g->panels.channels;
            for (int64_t panel = first; panel < last; panel++) gather_panel(g, panel, seen, at, n, next, dy, out);
        }
    }
    free(strip), free(dy), free(at);
}

/* Some rows of the result, from all shares. */
static void add_shares(const void *job, int64_t from, int64_t to) {
    const Gathering *g = job;
    const int64_t size = panels_size(&g->panels, g->rows);
    for (int64_t p = 0; p < g->panels.count; p++) {
        const int64_t start = panel_start(&g->panels, p), width = panel_vectors(&g->panels, p) * WIDTH;
        const int64_t channels = panel_channels(&g->panels, p);
        for (int64_t row = from; row < to; row++) {
            const float *sum = g->sums + start * g->rows + row * width;
            float *restrict out = g->out + row * g->panels.channels + start;
            memcpy(out, sum, (size_t)channels * sizeof(float));
            for (int64_t share = 1; share < g->shares; share++) {
                sum += size;
                for (int64_t i = 0; i < channels; i++) out[i] += sum[i];
            }
        }
    }
}

static int gather(const Convolution *c, const float *x, const float *dy, float *out, int depthwise) {
    _Atomic int failed = 0;
    const int64_t window = c->tall * c->wide;
    Gathering g = {.view = forward_view(c, x), .panels = panels_of(c->outputs), .dy = dy, .out = out};
    g.depthwise = depthwise, g.failed = &failed;
    g.together = depthwise ? g.panels.count : 1; /* what is seen is little work for a channel, and much to copy */
    g.rows = depthwise ? window : window * c->channels;
    if (depthwise) g.view.repeats = c->outputs / c->channels, g.view.overruns = c->outputs % WIDTH > 0;
    Tap *taps = malloc((size_t)window * sizeof(Tap));
    int64_t *runs = counts(2 * window);
    if (taps && runs) {
        window_taps(&g.view, c, taps);
        settle(&g.view, g.panels.count / g.together);
        g.runs = runs_of(&g.view, taps, window, runs, !depthwise);
        const int64_t size = panels_size(&g.panels, g.rows);
        g.shares = most(1, least(least(g.view.blocks, parts_of(SHARES, g.panels.count / g.together)), MOST_SUMS / size));
        g.sums = floats(g.shares * size);
    }
    if (g.sums) {
        const int64_t items = g.shares * g.panels.count / g.together;
        const int64_t work = c->examples * c->rows * c->columns * g.rows * c->outputs / items;
        in_pieces(gather_shares, &g, items, 1 + BUSY / (work + 1));
        if (!failed) in_pieces(add_shares, &g, g.rows, 1 + WORTH / (g.shares * c->outputs));
    } else
        failed = 1;
    free(taps), free(runs), free(g.sums);
    return failed;
}

#include "winograd_filters.h"

KERNEL int conv_filter_grad(const float *x, const float *dy, float *out, const Convolution *c) {
    const int fits = c->channels <= DEEPEST && for_winograd(c, c->rows, c->columns);
    return fits && !winograd_filters(c, x, dy, out) ? 0 : gather(c, x, dy, out, 0);
}

KERNEL int conv_depthwise_filter_grad(const float *x, const float *dy, float *out, const Convolution *c) {
    return gather(c, x, dy, out, 1);
}
