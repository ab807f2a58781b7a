/* Tiles of convolutions in which each channel has a filter of its own: what a point sees goes into registers as vectors,
   as the filters do. */

#define DEPTHWISE_POINTS 4 /* in a tile */

/* out[to[r]...] = sum over taps t of in[at[r] + start[t]...] * filters[t][...], or added to what is there. */
INLINE void depthwise_tile_of(const float *in, const int64_t *at, const float *filters, const Runs *taps, float *out,
                              const int64_t *to, int64_t channels, int more, const int vectors) {
    vec sum[DEPTHWISE_POINTS][VECTORS];
    float edge[VECTORS * WIDTH] = {0};
    UNROLLED for (int r = 0; r < DEPTHWISE_POINTS; r++) {
        if (more && channels < vectors * WIDTH) memcpy(edge, out + to[r], (size_t)channels * sizeof(float));
        const float *before = channels < vectors * WIDTH ? edge : out + to[r];
        UNROLLED for (int v = 0; v < vectors; v++) sum[r][v] = more ? *(const vec *)(before + v * WIDTH) : (vec){0};
    }
    for (int64_t t = 0; t < taps->count; t++, filters += vectors * WIDTH)
        UNROLLED for (int v = 0; v < vectors; v++) {
            const vec f = *(const vec *)(filters + v * WIDTH);
            UNROLLED for (int r = 0; r < DEPTHWISE_POINTS; r++)
                sum[r][v] += *(const vec *)(in + at[r] + taps->start[t] + v * WIDTH) * f;
        }
    UNROLLED for (int r = 0; r < DEPTHWISE_POINTS; r++) {
        if (channels == vectors * WIDTH) {
            UNROLLED for (int v = 0; v < vectors; v++) *(vec *)(out + to[r] + v * WIDTH) = sum[r][v];
        } else {
            UNROLLED for (int v = 0; v < vectors; v++) *(vec *)(edge + v * WIDTH) = sum[r][v];
            memcpy(out + to[r], edge, (size_t)channels * sizeof(float));
        }
    }
}

#define DEPTHWISE_TILE(V)                                                                                      \
    TILED void depthwise_tile_##V(const float *in, const int64_t *at, const float *filters, const Runs *taps, \
                                   float *out, const int64_t *to, int64_t channels, int more) {                \
        depthwise_tile_of(in, at, filters, taps, out, to, channels, more, V);                                  \
    }
DEPTHWISE_TILE(1)
DEPTHWISE_TILE(2)
#if VECTORS == 4
DEPTHWISE_TILE(3)
DEPTHWISE_TILE(4)
static const tile depthwise_tiles[] = {0, depthwise_tile_1, depthwise_tile_2, depthwise_tile_3, depthwise_tile_4};
#else
static const tile depthwise_tiles[] = {0, depthwise_tile_1, depthwise_tile_2};
#endif

/* out[t][...] += sum over points of in[at[i] + start[t]...] * dy[i][...], for `rows` taps and one vector of panels that
   are `width` numbers wide. */
INLINE void depthwise_sum_of(const float *in, const int64_t *at, int64_t points, const int64_t *start, const float *dy,
                             float *out, int64_t width, const int rows) {
    vec sum[SPARE];
    UNROLLED for (int r = 0; r < rows; r++) sum[r] = (vec){0};
    for (int64_t i = 0; i < points; i++, dy += width) {
        const vec f = *(const vec *)dy;
        UNROLLED for (int r = 0; r < rows; r++) sum[r] += *(const vec *)(in + at[i] + start[r]) * f;
    }
    UNROLLED for (int r = 0; r < rows; r++) *(vec *)(out + r * width) += sum[r];
}

typedef void (*depthwise_summing)(const float *, const int64_t *, int64_t, const int64_t *, const float *, float *,
                                  int64_t);

#define DEPTHWISE_SUM(R)                                                                                            \
    TILED void depthwise_sum_##R(const float *in, const int64_t *at, int64_t points, const int64_t *start,         \
                                  const float *dy, float *out, int64_t width) {                                     \
        depthwise_sum_of(in, at, points, start, dy, out, width, R);                                                 \
    }
DEPTHWISE_SUM(1) DEPTHWISE_SUM(2) DEPTHWISE_SUM(3) DEPTHWISE_SUM(4) DEPTHWISE_SUM(5) DEPTHWISE_SUM(6)
static const depthwise_summing depthwise_sums[ROWS] = {depthwise_sum_1, depthwise_sum_2, depthwise_sum_3,
                                                       depthwise_sum_4, depthwise_sum_5, depthwise_sum_6};

/* The sums of all taps of one panel. */
static void depthwise_sums_of(const float *in, const int64_t *at, int64_t points, const Runs *taps, const float *dy,
                              float *out, int64_t width) {
    for (int64_t v = 0; v < width; v += WIDTH)
        for (int64_t t = 0; t < taps->count;) {
            const int64_t left = taps->count - t, rows = (left + (left + ROWS - 1) / ROWS - 1) / ((left + ROWS - 1) / ROWS);
            depthwise_sums[rows - 1](in + v, at, points, taps->start + t, dy + v, out + t * width + v, width);
            t += rows;
        }
}
