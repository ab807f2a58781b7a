/* Convolutions of images (examples, height, width, channels) with filters (tall, wide, channels, channels out), and
   what leads back to the images. */

#include "tiles.h"
#include "depthwise.h"
#include "views.h"

#define BUSY 500000 /* multiplications that are worth a thread */

typedef struct {
    int64_t examples, height, width, channels; /* of the images */
    int64_t rows, columns, outputs;            /* of the result */
    int64_t tall, wide;                        /* the window */
    int64_t step_y, step_x, apart_y, apart_x;  /* strides and dilations */
    int64_t above, left;                       /* padding */
} Convolution;

/* One element of the window: the pixel that it multiplies, from a point of the grid on; its place in its phase. */
typedef struct {
    int64_t y, x, element, phase, index;
} Tap;

/* Their runs in a strip: taps that are side by side are one, if they may be. `numbers` has room for two of each. */
static Runs runs_of(const View *v, const Tap *taps, int64_t count, int64_t *numbers, int join) {
    int64_t *start = numbers, *end = numbers + count, n = 0;
    const int64_t pixel = v->channels * v->repeats;
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = (taps[i].y - v->top) * v->line + (taps[i].x - v->left) * pixel;
        if (!n || !join || end[n - 1] != place) start[n++] = place;
        end[n - 1] = place + pixel;
    }
    return (Runs){start, end, n};
}

/* Some taps of a phase, whose filters stay in the second cache; results of one part are added to those before. */
typedef struct {
    int64_t first; /* of its taps */
    Runs runs;
} Part;

#define PART (64 * 1024) /* floats of filters in a panel */

/* Pixels of the result that see the same taps: all of them in a convolution; on the way back to the images those at one
   distance from the last multiple of the strides. */
typedef struct {
    int64_t y, x, rows, columns; /* the first pixel, and how many there are of an image */
    int64_t taps;
    float *filters; /* in panels: number by number that a point sees, the vectors of channels */
    Part *parts;
    int64_t part_count;
} Phase;

typedef struct {
    View view;
    Panels panels;
    const float *w;
    int back;      /* filters are turned round, and their two axes of channels change places */
    int depthwise; /* each channel has filters of its own */
    int64_t inner; /* numbers that a tap has for a channel of the result */
    float *out;
    int64_t height, width;    /* of the result */
    int64_t every_y, every_x; /* pixels between those of a phase */
    Tap *taps;
    Phase *phases;
    int64_t tap_count, phase_count;
    _Atomic int *failed; /* there was no memory */
} Convolving;

/* ---- a block of points and a panel of filters */

static void convolve_phase(const Convolving *c, const Phase *f, const Place *place, int64_t panel, const float *seen,
                           int64_t *at, int64_t *to) {
    const View *v = &c->view;
    const int64_t vectors = panel_vectors(&c->panels, panel), start = panel_start(&c->panels, panel);
    const int64_t rows = least(place->rows, f->rows - place->row), n = points_at(v, place, rows, f->columns, at);
    if (rows <= 0) return;
    const tile compute = (c->depthwise ? depthwise_tiles : tiles)[vectors];
    const int64_t points = c->depthwise ? DEPTHWISE_POINTS : points_of(vectors);
    if (c->depthwise) seen += start;
    int64_t *next = to;
    for (int64_t e = place->example; e < place->example + place->images; e++)
        for (int64_t j = place->row; j < place->row + rows; j++)
            for (int64_t i = 0; i < f->columns; i++)
                *next++ = ((e * c->height + f->y + j * c->every_y) * c->width + f->x + i * c->every_x) *
                          c->panels.channels;
    for (int64_t i = n; i < n + SPARE; i++) at[i] = at[n - 1], to[i] = to[n - 1]; /* the last tile is a whole one */
    for (const Part *k = f->parts; k < f->parts + f->part_count; k++) {
        const float *filters = f->filters + (start * f->taps + k->first * vectors * WIDTH) * c->inner;
        for (int64_t i = 0; i < n; i += points)
            compute(seen, at + i, filters, &k->runs, c->out + start, to + i, panel_channels(&c->panels, panel),
                    k > f->parts);
    }
}

static void convolve_blocks(const void *job, int64_t from, int64_t to) {
    const Convolving *c = job;
    const View *v = &c->view;
    const int64_t points = most_points(v) + SPARE;
    const float *seen = 0;
    float *strip = floats(strip_size(v));
    int64_t *at = counts(2 * points);
    for (int64_t item = from; item < to; item++) {
        if (!strip || !at) {
            *c->failed = 1;
            break;
        }
        const Place place = place_of(v, item / c->panels.count);
        const int64_t panel = item % c->panels.count;
        if (!panel || item == from) seen = look(v, &place, strip);
        for (int64_t f = 0; f < c->phase_count; f++)
            convolve_phase(c, c->phases + f, &place, panel, seen, at, at + points);
    }
    free(strip), free(at);
}

/* ---- filters in panels */

static void split_taps(const Convolving *c, Phase *f, const Tap *taps, Part *parts, int64_t *numbers) {
    const int64_t width = panel_vectors(&c->panels, 0) * WIDTH;
    const int64_t fit = most(1, PART / (width * c->inner));
    f->parts = parts, f->part_count = parts_of(f->taps, fit);
    const int64_t each = parts_of(f->taps, f->part_count);
    f->part_count = parts_of(f->taps, each);
    for (int64_t i = 0; i < f->part_count; i++) {
        const int64_t first = i * each;
        parts[i] = (Part){first, runs_of(&c->view, taps + first, least(each, f->taps - first), numbers + 2 * first,
                                         !c->depthwise)};
    }
}

static void pack_taps(const void *job, int64_t from, int64_t to) {
    const Convolving *c = job;
    const int64_t inner = c->inner, outer = c->panels.channels;
    for (const Tap *t = c->taps + from; t < c->taps + to; t++)
        for (int64_t p = 0; p < c->panels.count; p++) {
            const Phase *f = c->phases + t->phase;
            const int64_t start = panel_start(&c->panels, p), width = panel_vectors(&c->panels, p) * WIDTH;
            const int64_t channels = panel_channels(&c->panels, p);
            const float *w = c->w + t->element * inner * outer + (c->back ? start * inner : start);
            const int64_t down = c->back ? 1 : outer, right = c->back ? inner : 1;
            float *out = f->filters + (start * f->taps + t->index * width) * inner;
            for (int64_t k = 0; k < inner; k++, out += width) {
                for (int64_t i = 0; i < channels; i++) out[i] = w[k * down + i * right];
                for (int64_t i = channels; i < width; i++) out[i] = 0;
            }
        }
}

/* ---- the two ways: which phases there are, and what they see */

/* What there is to see reaches as far as a tap, too. */
static void reach_for(View *v, int first, int64_t y, int64_t x) {
    v->top = first ? y : least(v->top, y), v->bottom = first ? y : most(v->bottom, y);
    v->left = first ? x : least(v->left, x), v->right = first ? x : most(v->right, x);
}

static View forward_view(const Convolution *g, const float *x) {
    return (View){
        .x = x, .examples = g->examples, .height = g->height, .width = g->width, .channels = g->channels,
        .rows = g->rows, .columns = g->columns, .step_y = g->step_y, .step_x = g->step_x, .repeats = 1,
    };
}

static View backward_view(const Convolution *g, const float *dy) {
    return (View){
        .x = dy, .examples = g->examples, .height = g->rows, .width = g->columns, .channels = g->outputs,
        .rows = parts_of(g->height, g->step_y), .columns = parts_of(g->width, g->step_x), .step_y = 1, .step_x = 1,
        .repeats = 1,
    };
}

static void window_taps(View *v, const Convolution *g, Tap *taps) {
    for (int64_t i = 0, n = 0; i < g->tall; i++)
        for (int64_t j = 0; j < g->wide; j++, n++) {
            taps[n] = (Tap){i * g->apart_y - g->above, j * g->apart_x - g->left, n, 0, n};
            reach_for(v, !n, taps[n].y, taps[n].x);
        }
}

static void forward_taps(Convolving *c, const Convolution *g) {
    window_taps(&c->view, g, c->taps);
    c->phases[c->phase_count++] = (Phase){.rows = g->rows, .columns = g->columns, .taps = g->tall * g->wide};
    c->tap_count = g->tall * g->wide;
}

static int64_t modulo(int64_t a, int64_t b) { return (a % b + b) % b; }

/* Row y of the images is row (y + above - i * apart_y) / step_y of the result by element i, where that is whole. */
static void backward_taps(Convolving *c, const Convolution *g) {
    for (int64_t y = 0; y < least(g->step_y, g->height); y++)
        for (int64_t x = 0; x < least(g->step_x, g->width); x++) {
            const int64_t rows = parts_of(g->height - y, g->step_y), columns = parts_of(g->width - x, g->step_x);
            int64_t found = 0;
            for (int64_t i = g->tall - 1; i >= 0; i--)
                for (int64_t j = g->wide - 1; j >= 0; j--) {
                    const int64_t row = y + g->above - i * g->apart_y, column = x + g->left - j * g->apart_x;
                    if (modulo(row, g->step_y) || modulo(column, g->step_x)) continue;
                    if (!found++) c->phases[c->phase_count++] = (Phase){.y = y, .x = x, .rows = rows, .columns = columns};
                    const Tap t = {row / g->step_y, column / g->step_x, i * g->wide + j, c->phase_count - 1, found - 1};
                    reach_for(&c->view, !c->tap_count, t.y, t.x);
                    c->taps[c->tap_count++] = t;
                    c->phases[c->phase_count - 1].taps = found;
                }
        }
}

/* Computes either; 0 if all went well, 1 if there was no memory. */
static int convolve(const Convolution *g, const float *images, const float *w, float *out, int back, int depthwise) {
    _Atomic int failed = 0;
    const int64_t window = g->tall * g->wide;
    Convolving c = {.w = w, .out = out, .back = back, .depthwise = depthwise, .failed = &failed};
    c.view = back ? backward_view(g, images) : forward_view(g, images);
    c.panels = panels_of(back ? g->channels : g->outputs);
    c.height = back ? g->height : g->rows, c.width = back ? g->width : g->columns;
    c.every_y = back ? g->step_y : 1, c.every_x = back ? g->step_x : 1;
    c.inner = depthwise ? 1 : c.view.channels;
    if (depthwise) c.view.repeats = c.panels.channels / c.view.channels, c.view.overruns = c.panels.channels % WIDTH > 0;
    float *filters = floats(panels_size(&c.panels, window * c.inner));
    int64_t *runs = counts(2 * window);
    Part *parts = malloc((size_t)window * sizeof(Part));
    c.taps = malloc((size_t)window * sizeof(Tap));
    c.phases = malloc((size_t)window * sizeof(Phase));
    if (filters && runs && parts && c.taps && c.phases) {
        (back ? backward_taps : forward_taps)(&c, g);
        settle(&c.view, c.panels.count);
        if (c.phase_count < c.every_y * c.every_x)
            memset(out, 0, (size_t)(g->examples * c.height * c.width * c.panels.channels) * sizeof(float));
        for (int64_t p = 0, t = 0; p < c.phase_count; t += c.phases[p++].taps) {
            c.phases[p].filters = filters + panels_size(&c.panels, t * c.inner);
            split_taps(&c, c.phases + p, c.taps + t, parts + t, runs + 2 * t);
        }
        in_pieces(pack_taps, &c, c.tap_count, 1 + WORTH / (c.inner * c.panels.channels));
        const int64_t items = c.view.blocks * c.panels.count;
        const int64_t work = g->examples * g->rows * g->columns * window * c.inner * c.panels.channels / items;
        in_pieces(convolve_blocks, &c, items, 1 + BUSY / (work + 1));
    } else
        failed = 1;
    free(filters), free(runs), free(parts), free(c.taps), free(c.phases);
    return failed;
}

#include "winograd.h"

KERNEL int conv(const float *x, const float *w, float *out, const Convolution *g) {
    return for_winograd(g, g->rows, g->columns) && !winograd(g, x, w, out, 0) ? 0 : convolve(g, x, w, out, 0, 0);
}

KERNEL int conv_input_grad(const float *dy, const float *w, float *out, const Convolution *g) {
    return for_winograd(g, g->height, g->width) && !winograd(g, dy, w, out, 1) ? 0 : convolve(g, dy, w, out, 1, 0);
}

KERNEL int conv_depthwise(const float *x, const float *w, float *out, const Convolution *g) {
    return convolve(g, x, w, out, 0, 1);
}

/* Of one filter for each channel. */
KERNEL int conv_depthwise_input_grad(const float *dy, const float *w, float *out, const Convolution *g) {
    return convolve(g, dy, w, out, 1, 1);
}

#include "filter_gradients.h"
