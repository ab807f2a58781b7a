/* Convolutions with windows of 3x3 and strides of 1 by Winograd's F(2x2, 3x3): four pixels of the result take 16
   multiplications in place of 36.

   Tiles of 4x4 pixels and the filters are transformed, 16 numbers each, multiplied number by number (matrix products
   over the channels), and the products are transformed back to 2x2 pixels. (S. Winograd, Arithmetic Complexity of
   Computations, 1980; A. Lavin, S. Gray, Fast Algorithms for Convolutional Neural Networks, 2016.) Transforms add and
   halve, so that errors are no larger than those of the direct way; but they go by the largest number that a pixel sees,
   also where its own filter is 0. An infinity, or sums near the largest number, would come out as NaN in a whole tile:
   where a result is not finite, all is computed directly. */

#define WAVES 16     /* numbers of a tile */
#define TOGETHER 48  /* tiles at a time, at most */
#define SMALLEST 4   /* rows and columns of images and results */
#define DEEP 32      /* channels, on both sides, from which on it pays */

typedef struct {
    View view; /* its points are tiles */
    Panels panels;
    const float *w;
    float *filters; /* for each panel, wave by wave, channel by channel, the panel's vectors */
    const float *dy;
    float *out, *sums;
    int64_t height, width; /* of the result, or of `dy` */
    int64_t tiles, line;   /* tiles at a time; floats of one */
    int64_t shares, together; /* of sums, and panels that are summed together */
    int back;
    _Atomic int *failed; /* there was no memory, or not the numbers for it */
} Winograd;

/* Whether it pays for a result of so many rows and columns, which tiles should not overlap much. In very small images
   some elements of the window see hardly more than padding: the errors of the others would be large beside them. */
static int for_winograd(const Convolution *g, int64_t rows, int64_t columns) {
    const int plain = g->tall == 3 && g->wide == 3 && g->step_y == 1 && g->step_x == 1 && g->apart_y == 1 &&
                      g->apart_x == 1 && g->channels >= DEEP && g->outputs >= DEEP;
    return plain && least(least(g->height, g->width), least(g->rows, g->columns)) >= SMALLEST &&
           3 * rows * columns >= 7 * parts_of(rows, 2) * parts_of(columns, 2);
}

/* Tiles as points of a view that see 4x4 pixels. */
static void prepare_tiles(Winograd *w, int64_t rows, int64_t columns, int64_t top, int64_t left) {
    View *v = &w->view;
    v->rows = parts_of(rows, 2), v->columns = parts_of(columns, 2);
    v->step_y = v->step_x = 2;
    v->top = top, v->bottom = top + 3, v->left = left, v->right = left + 3;
    v->overruns = v->channels % WIDTH > 0;
    w->height = rows, w->width = columns;
    w->line = parts_of(v->channels, WIDTH) * WIDTH;
    w->tiles = TOGETHER;
}

/* Floats from wave to wave of so many rows: not a power of two, whose lines would meet in the caches. */
static int64_t wave_size(int64_t rows, int64_t width) { return rows * width + 3 * WIDTH; }

/* What a tile of the result is of its images: where its first pixel is, and how many rows and columns it has. */
typedef struct {
    int64_t at, rows, columns;
} Corner;

static void corners_of(const Winograd *w, const Place *p, Corner *corners) {
    const View *v = &w->view;
    for (int64_t e = p->example; e < p->example + p->images; e++)
        for (int64_t j = p->row; j < p->row + p->rows; j++)
            for (int64_t i = 0; i < v->columns; i++)
                *corners++ = (Corner){((e * w->height + 2 * j) * w->width + 2 * i) * w->panels.channels,
                                      least(2, w->height - 2 * j), least(2, w->width - 2 * i)};
}

/* ---- transforms */

/* 4x4 pixels of a tile: rows, then columns, become (a - c, b + c, c - b, b - d). */
static void transform_tiles(const Winograd *w, const float *seen, const int64_t *at, int64_t count, float *out) {
    const View *v = &w->view;
    const int64_t size = wave_size(w->tiles, w->line);
    for (int64_t t = 0; t < count; t++)
        for (int64_t c = 0; c < v->channels; c += WIDTH) {
            vec x[4][4];
            for (int j = 0; j < 4; j++) {
                const float *from = seen + at[t] + j * v->channels + c;
                const vec d0 = *(const vec *)from, d1 = *(const vec *)(from + v->line);
                const vec d2 = *(const vec *)(from + 2 * v->line), d3 = *(const vec *)(from + 3 * v->line);
                x[0][j] = d0 - d2, x[1][j] = d1 + d2, x[2][j] = d2 - d1, x[3][j] = d1 - d3;
            }
            float *to = out + t * w->line + c;
            for (int i = 0; i < 4; i++, to += 4 * size) {
                *(vec *)to = x[i][0] - x[i][2];
                *(vec *)(to + size) = x[i][1] + x[i][2];
                *(vec *)(to + 2 * size) = x[i][2] - x[i][1];
                *(vec *)(to + 3 * size) = x[i][1] - x[i][3];
            }
        }
}

#define FILTERS 8 /* channels at a time: what lies side by side of them is read at once */

typedef float Filters[9][VECTORS * WIDTH];

/* Filters of some channels that are seen, from `first` on, as they are in the window: turned round on the way back. */
static void read_filters(const Winograd *w, int64_t first, int64_t count, int64_t start, int64_t channels,
                         Filters *out) {
    const int64_t inner = w->view.channels, outer = w->panels.channels;
    for (int64_t j = 0; j < 9; j++)
        if (w->back)
            for (int64_t i = 0; i < channels; i++)
                for (int64_t k = 0; k < count; k++)
                    out[k][j][i] = w->w[((8 - j) * outer + start + i) * inner + first + k];
        else
            for (int64_t k = 0; k < count; k++)
                memcpy(out[k][j], w->w + (j * inner + first + k) * outer + start, (size_t)channels * sizeof(float));
}

/* A filter of 3x3 to 16 numbers: (a, (a + b + c) / 2, (a - b + c) / 2, c). By channels that are seen. */
static void transform_filters(const void *job, int64_t from, int64_t to) {
    const Winograd *w = job;
    const int64_t inner = w->view.channels;
    Filters block[FILTERS] = {{{0}}};
    for (int64_t p = 0; p < w->panels.count; p++) {
        const int64_t start = panel_start(&w->panels, p), width = panel_vectors(&w->panels, p) * WIDTH;
        const int64_t channels = panel_channels(&w->panels, p);
        for (int64_t k = from; k < to; k++) {
            float (*const a)[VECTORS * WIDTH] = block[(k - from) % FILTERS];
            if ((k - from) % FILTERS == 0) read_filters(w, k, least(FILTERS, to - k), start, channels, block);
            for (int64_t i = 0; i < width; i += WIDTH) {
                float *out = w->filters + start * WAVES * inner + k * width + i;
                vec b[4][3];
                for (int j = 0; j < 3; j++) {
                    const vec top = *(vec *)(a[j] + i), bottom = *(vec *)(a[6 + j] + i);
                    const vec ends = (top + bottom) * 0.5f, middle = *(vec *)(a[3 + j] + i) * 0.5f;
                    b[0][j] = top, b[1][j] = ends + middle, b[2][j] = ends - middle, b[3][j] = bottom;
                }
                for (int j = 0; j < 4; j++, out += 4 * inner * width) {
                    const vec ends = (b[j][0] + b[j][2]) * 0.5f, middle = b[j][1] * 0.5f;
                    *(vec *)out = b[j][0], *(vec *)(out + inner * width) = ends + middle;
                    *(vec *)(out + 2 * inner * width) = ends - middle, *(vec *)(out + 3 * inner * width) = b[j][2];
                }
            }
        }
    }
}

/* Sixteen products back to 2x2 pixels: (a + b + c, b - c - d). Whether all of them are finite. */
static int transform_back(const Winograd *w, const float *products, const Corner *corners, int64_t count,
                          int64_t panel) {
    const int64_t start = panel_start(&w->panels, panel), width = panel_vectors(&w->panels, panel) * WIDTH;
    const int64_t channels = panel_channels(&w->panels, panel), size = wave_size(w->tiles, width);
    vec zero = {0};
    for (int64_t t = 0; t < count; t++)
        for (int64_t c = 0; c < channels; c += WIDTH) {
            vec m[2][4], y[2][2];
            for (int j = 0; j < 4; j++) {
                const float *from = products + j * size + t * width + c;
                const vec a = *(const vec *)from, b = *(const vec *)(from + 4 * size);
                const vec e = *(const vec *)(from + 8 * size), d = *(const vec *)(from + 12 * size);
                m[0][j] = a + b + e, m[1][j] = b - e - d;
            }
            for (int i = 0; i < 2; i++)
                y[i][0] = m[i][0] + m[i][1] + m[i][2], y[i][1] = m[i][1] - m[i][2] - m[i][3];
            const Corner *corner = corners + t;
            for (int i = 0; i < corner->rows; i++)
                for (int j = 0; j < corner->columns; j++) {
                    float *out = w->out + corner->at + (i * w->width + j) * w->panels.channels + start + c;
                    zero += y[i][j] * 0.0f;
                    memcpy(out, &y[i][j], (size_t)least(WIDTH, channels - c) * sizeof(float));
                }
        }
    int finite = 1;
    for (int i = 0; i < WIDTH; i++) finite &= zero[i] == 0.0f;
    return finite;
}

/* ---- forward, and back to the images */

static void winograd_blocks(const void *job, int64_t from, int64_t to) {
    const Winograd *w = job;
    const View *v = &w->view;
    const int64_t points = most_points(v), width = panel_vectors(&w->panels, 0) * WIDTH;
    const int64_t start = 0, end = v->channels;
    const Runs run = {&start, &end, 1};
    float *strip = floats(strip_size(v)), *waves = floats(WAVES * wave_size(w->tiles, w->line));
    float *products = floats(WAVES * wave_size(w->tiles, width));
    int64_t *at = counts(points), *rows = counts(2 * (TOGETHER + SPARE));
    Corner *corners = malloc((size_t)points * sizeof(Corner));
    if (!strip || !waves || !products || !at || !rows || !corners) *w->failed = 1;
    for (int64_t block = from; block < to && !*w->failed; block++) {
        const Place place = place_of(v, block);
        const float *seen = look(v, &place, strip);
        const int64_t n = points_at(v, &place, place.rows, v->columns, at);
        corners_of(w, &place, corners);
        for (int64_t t = 0; t < n; t += w->tiles) {
            const int64_t count = least(w->tiles, n - t);
            transform_tiles(w, seen, at + t, count, waves);
            for (int64_t p = 0; p < w->panels.count; p++) {
                const int64_t vectors = panel_vectors(&w->panels, p), wide = vectors * WIDTH;
                const float *filters = w->filters + panel_start(&w->panels, p) * WAVES * v->channels;
                for (int64_t i = 0; i < count + SPARE; i++) {
                    rows[i] = least(i, count - 1) * w->line;
                    rows[TOGETHER + SPARE + i] = least(i, count - 1) * wide;
                }
                for (int64_t k = 0; k < WAVES; k++)
                    for (int64_t i = 0; i < count; i += points_of(vectors))
                        tiles[vectors](waves + k * wave_size(w->tiles, w->line), rows + i,
                                       filters + k * v->channels * wide, &run,
                                       products + k * wave_size(w->tiles, wide), rows + TOGETHER + SPARE + i, wide, 0);
                if (!transform_back(w, products, corners + t, count, p)) *w->failed = 1;
            }
        }
    }
    free(strip), free(waves), free(products), free(at), free(rows), free(corners);
}

/* Either way; 0 if all went well, 1 if the direct way has to do it. */
static int winograd(const Convolution *g, const float *images, const float *filters, float *out, int back) {
    _Atomic int failed = 0;
    Winograd w = {.w = filters, .out = out, .back = back, .failed = &failed};
    w.view = back ? backward_view(g, images) : forward_view(g, images);
    w.panels = panels_of(back ? g->channels : g->outputs);
    if (back)
        prepare_tiles(&w, g->height, g->width, g->above - 2, g->left - 2);
    else
        prepare_tiles(&w, g->rows, g->columns, -g->above, -g->left);
    settle(&w.view, 2);
    w.filters = floats(panels_size(&w.panels, WAVES * w.view.channels));
    if (!w.filters) return 1;
    in_pieces(transform_filters, &w, w.view.channels, 1 + WORTH / (16 * w.panels.channels));
    const int64_t work = most_points(&w.view) * WAVES * g->channels * g->outputs;
    in_pieces(winograd_blocks, &w, w.view.blocks, 1 + BUSY / work);
    free(w.filters);
    return failed;
}
