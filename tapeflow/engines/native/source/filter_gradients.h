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
    int64_t shares;
    int *failed;
} Gathering;

/* The sums of one share and panel. */
static void gather_block(const Gathering *g, int64_t block, int64_t panel, float *strip, int64_t *at, float *dy,
                         float *out) {
    const View *v = &g->view;
    const Place place = place_of(v, block);
    const float *seen = look(v, &place, strip);
    const int64_t n = points_at(v, &place, place.rows, v->columns, at);
    const int64_t vectors = panel_vectors(&g->panels, panel), width = vectors * WIDTH;
    const int64_t channels = panel_channels(&g->panels, panel), all = g->panels.channels;
    const float *next = g->dy + (place.example * v->rows + place.row) * v->columns * all + panel_start(&g->panels, panel);
    for (int64_t from = 0; from < n; from += CHUNK) {
        const int64_t points = least(CHUNK, n - from);
        for (int64_t i = 0; i < points; i++, next += all) {
            memcpy(dy + i * width, next, (size_t)channels * sizeof(float));
            memset(dy + i * width + channels, 0, (size_t)(width - channels) * sizeof(float));
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

static void gather_shares(const void *job, int64_t from, int64_t to) {
    const Gathering *g = job;
    float *strip = floats(strip_size(&g->view)), *dy = floats(CHUNK * VECTORS * WIDTH);
    int64_t *at = counts(most_points(&g->view));
    for (int64_t item = from; item < to; item++) {
        if (!strip || !dy || !at) {
            *g->failed = 1;
            break;
        }
        const int64_t share = item / g->panels.count, panel = item % g->panels.count;
        float *out = g->sums + share * panels_size(&g->panels, g->rows) + panel_start(&g->panels, panel) * g->rows;
        memset(out, 0, (size_t)(panel_vectors(&g->panels, panel) * WIDTH * g->rows) * sizeof(float));
        const int64_t end = (share + 1) * g->view.blocks / g->shares;
        for (int64_t block = share * g->view.blocks / g->shares; block < end; block++)
            gather_block(g, block, panel, strip, at, dy, out);
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

KERNEL int conv_filter_grad(const float *x, const float *dy, float *out, const Convolution *c) {
    int failed = 0;
    const int64_t window = c->tall * c->wide;
    Gathering g = {.view = forward_view(c, x), .panels = panels_of(c->outputs), .dy = dy, .out = out, .failed = &failed};
    g.rows = window * c->channels;
    Tap *taps = malloc((size_t)window * sizeof(Tap));
    int64_t *runs = counts(2 * window);
    if (taps && runs) {
        window_taps(&g.view, c, taps);
        settle(&g.view, g.panels.count);
        g.runs = runs_of(&g.view, taps, window, runs);
        const int64_t size = panels_size(&g.panels, g.rows);
        g.shares = most(1, least(least(g.view.blocks, parts_of(SHARES, g.panels.count)), MOST_SUMS / size));
        g.sums = floats(g.shares * size);
    }
    if (g.sums) {
        const int64_t work = c->examples * c->rows * c->columns * g.rows * c->outputs / (g.shares * g.panels.count);
        in_pieces(gather_shares, &g, g.shares * g.panels.count, 1 + BUSY / (work + 1));
        if (!failed) in_pieces(add_shares, &g, g.rows, 1 + WORTH / (g.shares * c->outputs));
    } else
        failed = 1;
    free(taps), free(runs), free(g.sums);
    return failed;
}
