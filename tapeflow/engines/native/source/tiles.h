/* Products of matrices, a tile of the result at a time, in as many registers as there are.

   A tile is some points times some vectors of channels. Nothing is laid out for it but the filters: what a point sees
   is read where it is, a number at a time, and multiplied by vectors of filters. */

#include <stdlib.h>

#if defined(__AVX512F__)
#define WIDTH 16  /* floats in a vector */
#define VECTORS 4 /* of them in a tile, at most */
#elif defined(__AVX__)
#define WIDTH 8
#define VECTORS 2
#elif defined(__aarch64__)
#define WIDTH 4
#define VECTORS 4
#else
#define WIDTH 4
#define VECTORS 2
#endif
#define SPARE 8 /* points of a tile, at most */

typedef float vec __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));
#define INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#if defined(__AVX512F__)
#define TILED static __attribute__((min_vector_width(512))) /* it would make two halves of a vector */
#endif
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif
#if !defined(TILED)
#define TILED static
#endif

#define LARGEST ((int64_t)1 << 28) /* floats at once: a system may promise more memory than it has */

/* Floats that stay until the call ends; 0 where there is no more memory. */
static float *floats(int64_t count) {
    if (count < 0 || count > LARGEST) return 0;
    return malloc(((size_t)count + 64) * sizeof(float));
}

static int64_t *counts(int64_t count) { return malloc(((size_t)count + 1) * sizeof(int64_t)); }

/* Runs of numbers that all points see, the first and the one after the last of each. */
typedef struct {
    const int64_t *start, *end;
    int64_t count;
} Runs;

/* out[to[r]...] = sum over k of in[at[r] + k] * filters[k][...], for `points` points and `vectors` vectors of which
   `channels` numbers are written; with `more`, it is added to what is there. */
INLINE void tile_of(const float *in, const int64_t *at, const float *filters, const Runs *runs, float *out,
                    const int64_t *to, int64_t channels, int more, const int points, const int vectors) {
    vec sum[SPARE][VECTORS];
    const float *seen[SPARE];
    float edge[VECTORS * WIDTH] = {0};
    UNROLLED for (int r = 0; r < points; r++) {
        seen[r] = in + at[r];
        if (more && channels < vectors * WIDTH) memcpy(edge, out + to[r], (size_t)channels * sizeof(float));
        const float *before = channels < vectors * WIDTH ? edge : out + to[r];
        UNROLLED for (int v = 0; v < vectors; v++) sum[r][v] = more ? *(const vec *)(before + v * WIDTH) : (vec){0};
    }
    for (int64_t t = 0; t < runs->count; t++)
        for (int64_t k = runs->start[t], end = runs->end[t]; k < end; k++, filters += vectors * WIDTH) {
            vec f[VECTORS];
            UNROLLED for (int v = 0; v < vectors; v++) f[v] = *(const vec *)(filters + v * WIDTH);
            UNROLLED for (int r = 0; r < points; r++) {
                const float x = seen[r][k];
                UNROLLED for (int v = 0; v < vectors; v++) sum[r][v] += x * f[v];
            }
        }
    if (channels == vectors * WIDTH) {
        UNROLLED for (int r = 0; r < points; r++)
            UNROLLED for (int v = 0; v < vectors; v++) *(vec *)(out + to[r] + v * WIDTH) = sum[r][v];
        return;
    }
    UNROLLED for (int r = 0; r < points; r++) {
        UNROLLED for (int v = 0; v < vectors; v++) *(vec *)(edge + v * WIDTH) = sum[r][v];
        memcpy(out + to[r], edge, (size_t)channels * sizeof(float));
    }
}

typedef void (*tile)(const float *, const int64_t *, const float *, const Runs *, float *, const int64_t *, int64_t,
                     int);

#define TILE(P, V)                                                                                             \
    TILED void tile_##P##_##V(const float *in, const int64_t *at, const float *filters, const Runs *runs,     \
                               float *out, const int64_t *to, int64_t channels, int more) {                    \
        tile_of(in, at, filters, runs, out, to, channels, more, P, V);                                         \
    }
TILE(8, 1)
TILE(6, 2)
#if VECTORS == 4
TILE(6, 3)
TILE(6, 4)
static const tile tiles[] = {0, tile_8_1, tile_6_2, tile_6_3, tile_6_4};
#else
static const tile tiles[] = {0, tile_8_1, tile_6_2};
#endif

static inline int64_t points_of(int64_t vectors) { return vectors == 1 ? 8 : 6; }

/* out[r][...] += sum over points of in[at[i] + r] * dy[i][...], for `rows` numbers r that lie side by side. `dy` and
   `out` are panels of `vectors` vectors. */
INLINE void sum_of(const float *in, const int64_t *at, int64_t points, const float *dy, float *out, const int rows,
                   const int vectors) {
    vec sum[SPARE][VECTORS];
    UNROLLED for (int r = 0; r < rows; r++)
        UNROLLED for (int v = 0; v < vectors; v++) sum[r][v] = (vec){0};
    for (int64_t i = 0; i < points; i++, dy += vectors * WIDTH) {
        const float *seen = in + at[i];
        vec f[VECTORS];
        UNROLLED for (int v = 0; v < vectors; v++) f[v] = *(const vec *)(dy + v * WIDTH);
        UNROLLED for (int r = 0; r < rows; r++) {
            const float x = seen[r];
            UNROLLED for (int v = 0; v < vectors; v++) sum[r][v] += x * f[v];
        }
    }
    UNROLLED for (int r = 0; r < rows; r++)
        UNROLLED for (int v = 0; v < vectors; v++) *(vec *)(out + (r * vectors + v) * WIDTH) += sum[r][v];
}

typedef void (*summing)(const float *, const int64_t *, int64_t, const float *, float *);

#define SUM(R, V)                                                                                             \
    TILED void sum_##R##_##V(const float *in, const int64_t *at, int64_t points, const float *dy, float *out) { \
        sum_of(in, at, points, dy, out, R, V);                                                                \
    }
#define SUMS(V) SUM(1, V) SUM(2, V) SUM(3, V) SUM(4, V) SUM(5, V) SUM(6, V)
#define SUMS_OF(V) {sum_1_##V, sum_2_##V, sum_3_##V, sum_4_##V, sum_5_##V, sum_6_##V}
#define ROWS 6 /* in a tile of sums */
SUMS(1)
SUMS(2)
#if VECTORS == 4
SUMS(3)
SUMS(4)
static const summing sums[][ROWS] = {SUMS_OF(1), SUMS_OF(2), SUMS_OF(3), SUMS_OF(4)};
#else
static const summing sums[][ROWS] = {SUMS_OF(1), SUMS_OF(2)};
#endif

/* Panels: channels side by side, as even as can be, in whole vectors. */
typedef struct {
    int64_t channels, count, vectors, larger; /* the first `larger` have one vector more */
} Panels;

static Panels panels_of(int64_t channels) {
    const int64_t vectors = (channels + WIDTH - 1) / WIDTH, count = (vectors + VECTORS - 1) / VECTORS;
    return (Panels){channels, count, vectors / count, vectors % count};
}

static inline int64_t panel_start(const Panels *p, int64_t panel) {
    return (panel * p->vectors + (panel < p->larger ? panel : p->larger)) * WIDTH;
}

static inline int64_t panel_vectors(const Panels *p, int64_t panel) { return p->vectors + (panel < p->larger); }

static inline int64_t panel_channels(const Panels *p, int64_t panel) {
    const int64_t left = p->channels - panel_start(p, panel), most = panel_vectors(p, panel) * WIDTH;
    return left < most ? left : most;
}

/* Floats in all panels of so many rows. */
static inline int64_t panels_size(const Panels *p, int64_t rows) { return panel_start(p, p->count) * rows; }
