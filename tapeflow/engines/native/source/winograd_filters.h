/* What leads back from a convolution to its filters by Winograd's way: the transpose of the steps of winograd.h. Tiles
   of the images are transformed as there, those of 2x2 pixels of the gradient to 16 numbers, and the products, summed
   over all tiles, back to 3x3. Sums are kept in shares, as those of the direct way. */

#define SUMMED 64        /* tiles at a time, at most */
#define DEEPEST 256      /* channels of images up to which the sums of a panel stay in the second cache */

/* 2x2 pixels of the gradient to 4x4 numbers: (a, a + b, a - b, -b). Beyond the images are zeros. */
static void transform_gradients(const Winograd *w, const Corner *corners, int64_t count, int64_t panel, float *out) {
    const int64_t start = panel_start(&w->panels, panel), width = panel_vectors(&w->panels, panel) * WIDTH;
    const int64_t channels = panel_channels(&w->panels, panel), size = wave_size(w->tiles, width);
    for (int64_t t = 0; t < count; t++)
        for (int64_t c = 0; c < width; c += WIDTH) {
            vec y[2][2] = {{{0}}}, m[4][2];
            for (int i = 0; i < corners[t].rows; i++)
                for (int j = 0; j < corners[t].columns; j++)
                    memcpy(&y[i][j], w->dy + corners[t].at + (i * w->width + j) * w->panels.channels + start + c,
                           (size_t)least(WIDTH, channels - c) * sizeof(float));
            for (int j = 0; j < 2; j++)
                m[0][j] = y[0][j], m[1][j] = y[0][j] + y[1][j], m[2][j] = y[0][j] - y[1][j], m[3][j] = -y[1][j];
            float *to = out + t * width + c;
            for (int i = 0; i < 4; i++, to += 4 * size) {
                *(vec *)to = m[i][0];
                *(vec *)(to + size) = m[i][0] + m[i][1];
                *(vec *)(to + 2 * size) = m[i][0] - m[i][1];
                *(vec *)(to + 3 * size) = -m[i][1];
            }
        }
}

static void winograd_shares(const void *job, int64_t from, int64_t to) {
    const Winograd *w = job;
    const View *v = &w->view;
    const int64_t points = most_points(v), inner = v->channels, items = w->panels.count / w->together;
    const int64_t image_size = wave_size(w->tiles, w->line), size = panels_size(&w->panels, WAVES * inner);
    float *strip = floats(strip_size(v)), *images = floats(WAVES * image_size);
    float *gradients = floats(WAVES * wave_size(w->tiles, panel_vectors(&w->panels, 0) * WIDTH));
    int64_t *at = counts(points), rows[SUMMED];
    Corner *corners = malloc((size_t)points * sizeof(Corner));
    for (int64_t i = 0; i < SUMMED; i++) rows[i] = i * w->line;
    if (!strip || !images || !gradients || !at || !corners) *w->failed = 1;
    for (int64_t item = from; item < to && !*w->failed; item++) {
        const int64_t share = item / items, first = item % items * w->together, last = first + w->together;
        const int64_t begin = panel_start(&w->panels, first) * WAVES * inner;
        const int64_t end = panel_start(&w->panels, last) * WAVES * inner;
        float *out = w->sums + share * size;
        memset(out + begin, 0, (size_t)(end - begin) * sizeof(float));
        for (int64_t block = share * v->blocks / w->shares; block < (share + 1) * v->blocks / w->shares; block++) {
            const Place place = place_of(v, block);
            const float *seen = look(v, &place, strip);
            const int64_t n = points_at(v, &place, place.rows, v->columns, at);
            corners_of(w, &place, corners);
            for (int64_t t = 0, count; t < n; t += count) {
                count = parts_of(n - t, parts_of(n - t, w->tiles)); /* as even as can be */
                transform_tiles(w, seen, at + t, count, images);
                for (int64_t p = first; p < last; p++) {
                    const int64_t vectors = panel_vectors(&w->panels, p), width = vectors * WIDTH;
                    float *sum = out + panel_start(&w->panels, p) * WAVES * inner;
                    transform_gradients(w, corners + t, count, p, gradients);
                    for (int64_t k = 0; k < WAVES; k++)
                        for (int64_t c = 0, number; c < inner; c += number, sum += number * width) {
                            number = parts_of(inner - c, parts_of(inner - c, ROWS));
                            sums[vectors - 1][number - 1](images + k * image_size + c, rows, count,
                                                          gradients + k * wave_size(w->tiles, width), sum);
                        }
                }
            }
        }
    }
    free(strip), free(images), free(gradients), free(at), free(corners);
}

/* Sixteen sums of all shares to 3x3: (a + (b + c) / 2, (b - c) / 2, (b + c) / 2 + d). By channels of the images. */
static void transform_sums(const void *job, int64_t from, int64_t to) {
    const Winograd *w = job;
    const int64_t inner = w->view.channels, outer = w->panels.channels;
    const int64_t size = panels_size(&w->panels, WAVES * inner);
    vec zero = {0};
    for (int64_t p = 0; p < w->panels.count; p++) {
        const int64_t start = panel_start(&w->panels, p), width = panel_vectors(&w->panels, p) * WIDTH;
        const int64_t channels = panel_channels(&w->panels, p);
        for (int64_t k = from; k < to; k++)
            for (int64_t c = 0; c < channels; c += WIDTH) {
                vec u[4][4], m[3][4];
                for (int i = 0; i < WAVES; i++) {
                    const float *sum = w->sums + start * WAVES * inner + (i * inner + k) * width + c;
                    u[i / 4][i % 4] = *(const vec *)sum;
                    for (int64_t s = 1; s < w->shares; s++) u[i / 4][i % 4] += *(const vec *)(sum + s * size);
                }
                for (int j = 0; j < 4; j++) {
                    const vec half = (u[1][j] + u[2][j]) * 0.5f;
                    m[0][j] = u[0][j] + half, m[1][j] = (u[1][j] - u[2][j]) * 0.5f, m[2][j] = half + u[3][j];
                }
                for (int i = 0; i < 3; i++) {
                    const vec half = (m[i][1] + m[i][2]) * 0.5f;
                    const vec g[] = {m[i][0] + half, (m[i][1] - m[i][2]) * 0.5f, half + m[i][3]};
                    for (int j = 0; j < 3; j++) {
                        zero += g[j] * 0.0f;
                        memcpy(w->out + ((i * 3 + j) * inner + k) * outer + start + c, &g[j],
                               (size_t)least(WIDTH, channels - c) * sizeof(float));
                    }
                }
            }
    }
    for (int i = 0; i < WIDTH; i++)
        if (!(zero[i] == 0.0f)) *w->failed = 1;
}

static int winograd_filters(const Convolution *g, const float *x, const float *dy, float *out) {
    _Atomic int failed = 0;
    Winograd w = {.view = forward_view(g, x), .panels = panels_of(g->outputs), .dy = dy, .out = out, .failed = &failed};
    prepare_tiles(&w, g->rows, g->columns, -g->above, -g->left);
    w.tiles = SUMMED;
    settle(&w.view, 2);
    const int64_t size = panels_size(&w.panels, WAVES * g->channels);
    w.shares = most(1, least(least(w.view.blocks, SHARES), MOST_SUMS / size));
    w.together = w.shares < SHARES / 2 ? 1 : w.panels.count; /* few shares: panels are split between threads, too */
    w.sums = floats(w.shares * size);
    if (!w.sums) return 1;
    const int64_t items = w.shares * (w.panels.count / w.together);
    const int64_t work = g->examples * w.view.rows * w.view.columns * WAVES * g->channels * g->outputs / items;
    in_pieces(winograd_shares, &w, items, 1 + BUSY / (work + 1));
    if (!failed) in_pieces(transform_sums, &w, g->channels, 1 + WORTH / (WAVES * w.shares * g->outputs));
    free(w.sums);
    return failed;
}
