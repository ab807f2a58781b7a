/* Kernels for large contiguous arrays of float32. Called from Python without the interpreter's lock; they know nothing
   of Python. Each element or row is computed by itself, so that results do not depend on the number of threads.

   What NumPy's kernels do with NaN, infinities and zeros, these do, too. */

#include "arithmetic.h"
#include "threads.h"

#if defined(_WIN32)
#define KERNEL __declspec(dllexport)
#else
#define KERNEL __attribute__((visibility("default")))
#endif

#define BLOCK 256 /* elements that are looked at together */
#define WORTH 16384 /* elements that are worth a thread */

#ifndef SOURCE
#define SOURCE "unknown"
#endif

/* What the library was compiled from. */
KERNEL const char *tapeflow_source(void) { return SOURCE; }

KERNEL void tapeflow_threads(int count) {
#if !defined(_WIN32)
    most_threads = count < 1 ? 1 : count > MOST ? MOST : count;
    watch_forks();
#else
    (void)count;
#endif
}

/* The best of the versions of this library that the processor can run: 3 and 4 are those of the x86-64 ABI, 1 is any. */
KERNEL int tapeflow_level(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    int third = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                __builtin_cpu_supports("bmi2");
    int fourth = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl");
    return third ? fourth ? 4 : 3 : 1;
#else
    return 1;
#endif
}

/* Sixteen numbers at a time, in the registers there are; what is left over goes one by one. */
typedef float lanes __attribute__((vector_size(64)));
typedef int32_t whole_lanes __attribute__((vector_size(64)));
typedef uint8_t byte_lanes __attribute__((vector_size(16)));
#define LANES 16

/* ---- elementwise */

typedef struct {
    const float *a, *b;
    float *out;
    float number;
} Elements;

/* A kernel of one or two arrays: FORMULA computes out[i] from a[i], b[i] and `number`. */
#define ELEMENTWISE(NAME, FORMULA)                                                               \
    static void NAME##_piece(const void *job, int64_t from, int64_t to) {                        \
        const Elements *e = job;                                                                 \
        const float *restrict a = e->a, *restrict b = e->b;                                      \
        float *restrict out = e->out;                                                            \
        const float number = e->number;                                                          \
        (void)b, (void)number;                                                                   \
        for (int64_t i = from; i < to; i++) out[i] = FORMULA;                                    \
    }                                                                                            \
    KERNEL void NAME(const float *a, const float *b, float *out, int64_t count, float number) {  \
        Elements e = {a, b, out, number};                                                        \
        in_pieces(NAME##_piece, &e, count, WORTH);                                               \
    }

ELEMENTWISE(relu, a[i] < 0 ? 0.0f : a[i])
ELEMENTWISE(relu_grad, a[i] * (b[i] > 0 ? 1.0f : 0.0f))
ELEMENTWISE(relu6, a[i] < 0 ? 0.0f : a[i] > 6 ? 6.0f : a[i])
ELEMENTWISE(relu6_grad, a[i] * (b[i] > 0 && b[i] < 6 ? 1.0f : 0.0f))
ELEMENTWISE(leaky_relu_grad, a[i] * (b[i] > 0 ? 1.0f : number))
ELEMENTWISE(silu, a[i] / (1.0f + exponential(-a[i])))
ELEMENTWISE(sigmoid, 1.0f / (1.0f + exponential(-a[i])))

static inline float gelu_tanh_one(float x) {
    float u = 0.797884561f * (x + 0.044715f * x * x * x);
    return x / (1.0f + exponential(-2.0f * u));
}

static inline float gelu_tanh_slope(float x) {
    x = x > 10 ? 10.0f : x; /* beyond, the slope is 0 or 1 to the last bit */
    x = x < -10 ? -10.0f : x;
    float cube = 0.044715f * x * x;
    float t = 2.0f / (1.0f + exponential(-2.0f * 0.797884561f * x * (1.0f + cube))) - 1.0f;
    return 0.5f * (1.0f + t) + x * (0.5f * 0.797884561f) * (1.0f - t * t) * (1.0f + 3.0f * cube);
}

ELEMENTWISE(gelu_tanh, gelu_tanh_one(a[i]))
ELEMENTWISE(gelu_tanh_grad, a[i] * gelu_tanh_slope(b[i]))

/* Few numbers are in the lower tail of the normal distribution: it is computed for those blocks that have any. */
static int any_in_tail(const float *x, int64_t count) {
    int found = 0;
    for (int64_t i = 0; i < count; i++) found |= x[i] < TAIL;
    return found;
}

static inline float cdf_with_tail(float x, float bell_of_x) {
    float body = body_cdf(x), tail = tail_cdf(x, bell_of_x);
    return x < TAIL ? tail : body;
}

static void gelu_piece(const void *job, int64_t from, int64_t to) {
    const Elements *e = job;
    for (int64_t start = from; start < to; start += BLOCK) {
        const int64_t n = to - start < BLOCK ? to - start : BLOCK;
        const float *restrict x = e->a + start;
        float *restrict out = e->out + start;
        if (any_in_tail(x, n))
            for (int64_t i = 0; i < n; i++) out[i] = x[i] * cdf_with_tail(x[i], bell(x[i]));
        else
            for (int64_t i = 0; i < n; i++) out[i] = x[i] * body_cdf(x[i]);
    }
}

static void gelu_grad_piece(const void *job, int64_t from, int64_t to) {
    const Elements *e = job;
    for (int64_t start = from; start < to; start += BLOCK) {
        const int64_t n = to - start < BLOCK ? to - start : BLOCK;
        const float *restrict g = e->a + start, *restrict x = e->b + start;
        float *restrict out = e->out + start;
        if (any_in_tail(x, n))
            for (int64_t i = 0; i < n; i++) {
                float density = bell(x[i]);
                out[i] = g[i] * (cdf_with_tail(x[i], density) + x[i] * (density * INVERSE_ROOT_2_PI));
            }
        else
            for (int64_t i = 0; i < n; i++)
                out[i] = g[i] * (body_cdf(x[i]) + x[i] * (exponential(x[i] * x[i] * -0.5f) * INVERSE_ROOT_2_PI));
    }
}

KERNEL void gelu(const float *x, const float *unused, float *out, int64_t count, float number) {
    Elements e = {x, unused, out, number};
    in_pieces(gelu_piece, &e, count, WORTH);
}

KERNEL void gelu_grad(const float *g, const float *x, float *out, int64_t count, float number) {
    Elements e = {g, x, out, number};
    in_pieces(gelu_grad_piece, &e, count, WORTH);
}

/* ---- along the last axis: `count` rows of `width` numbers */

typedef struct {
    const float *a, *b;
    float *out;
    int64_t width;
} Rows;

#define ROWWISE(NAME)                                                                             \
    KERNEL void NAME(const float *a, const float *b, float *out, int64_t count, int64_t width) {  \
        Rows r = {a, b, out, width};                                                              \
        in_pieces(NAME##_rows, &r, count, 1 + WORTH / (width + 1));                               \
    }

/* NaN may be passed over: the sum of exponentials has it. (In vectors by hand, since not every compiler makes them of
   the largest.) */
static inline float largest(const float *x, int64_t width) {
    float found = x[0];
    int64_t i = 0;
    if (width >= 2 * LANES) {
        lanes most[2], seen;
        memcpy(most, x, sizeof most);
        for (; i + 2 * LANES <= width; i += 2 * LANES)
            for (int k = 0; k < 2; k++) {
                memcpy(&seen, x + i + k * LANES, sizeof seen);
                const whole_lanes larger = seen > most[k];
                most[k] = (lanes)((larger & (whole_lanes)seen) | (~larger & (whole_lanes)most[k]));
            }
        for (int j = 0; j < LANES; j++) {
            const float one = most[0][j], other = most[1][j], either = one > other ? one : other;
            found = either > found ? either : found;
        }
    }
    for (; i < width; i++) found = x[i] > found ? x[i] : found;
    return found;
}

static void softmax_rows(const void *job, int64_t from, int64_t to) {
    const Rows *r = job;
    for (int64_t row = from; row < to; row++) {
        const float *restrict x = r->a + row * r->width;
        float *restrict out = r->out + row * r->width;
        const float most = largest(x, r->width);
        float total = 0;
#pragma omp simd reduction(+ : total)
        for (int64_t i = 0; i < r->width; i++) {
            float e = exponential(x[i] - most);
            out[i] = e;
            total += e;
        }
        for (int64_t i = 0; i < r->width; i++) out[i] = out[i] / total;
    }
}

static void softmax_grad_rows(const void *job, int64_t from, int64_t to) {
    const Rows *r = job;
    for (int64_t row = from; row < to; row++) {
        const float *restrict g = r->a + row * r->width, *restrict y = r->b + row * r->width;
        float *restrict out = r->out + row * r->width;
        float total = 0;
#pragma omp simd reduction(+ : total)
        for (int64_t i = 0; i < r->width; i++) total += g[i] * y[i];
        for (int64_t i = 0; i < r->width; i++) out[i] = (g[i] - total) * y[i];
    }
}

static float log_one(float x) { /* of a sum of exponentials, once for a row */
    extern float logf(float);
    return logf(x);
}

static void log_softmax_rows(const void *job, int64_t from, int64_t to) {
    const Rows *r = job;
    for (int64_t row = from; row < to; row++) {
        const float *restrict x = r->a + row * r->width;
        float *restrict out = r->out + row * r->width;
        const float most = largest(x, r->width);
        float total = 0;
#pragma omp simd reduction(+ : total)
        for (int64_t i = 0; i < r->width; i++) total += exponential(x[i] - most);
        const float less = log_one(total);
        for (int64_t i = 0; i < r->width; i++) out[i] = (x[i] - most) - less;
    }
}

static void log_softmax_grad_rows(const void *job, int64_t from, int64_t to) {
    const Rows *r = job;
    for (int64_t row = from; row < to; row++) {
        const float *restrict g = r->a + row * r->width, *restrict y = r->b + row * r->width;
        float *restrict out = r->out + row * r->width;
        float total = 0;
#pragma omp simd reduction(+ : total)
        for (int64_t i = 0; i < r->width; i++) total += g[i];
        for (int64_t i = 0; i < r->width; i++) out[i] = g[i] - exponential(y[i]) * total;
    }
}

ROWWISE(softmax)
ROWWISE(softmax_grad)
ROWWISE(log_softmax)
ROWWISE(log_softmax_grad)

/* ---- maxima of windows over the two middle axes of (examples, height, width, channels) */

typedef struct {
    int64_t height, width, channels;           /* of what the windows lie over */
    int64_t rows, columns;                     /* of windows */
    int64_t tall, wide;                        /* a window's size */
    int64_t step_y, step_x, apart_y, apart_x;  /* strides and dilations */
    int64_t above, left;                       /* padding */
} Windows;

typedef struct {
    const float *x;
    const uint8_t *origin;
    float *out;
    uint8_t *code;
    const Windows *w;
} Pool;

/* The largest of a window, for the channels from x on, and where in the window it was. The first of equals stays, and so
   does the first NaN. Beyond the images is -inf. */
#define LARGEST_OF_WINDOW(SEEN, BETTER)                                                          \
    int32_t k = 0;                                                                               \
    for (int64_t i = 0; i < w->tall; i++)                                                        \
        for (int64_t j = 0; j < w->wide; j++, k++) {                                             \
            const int64_t y = top + i * w->apart_y, x = start + j * w->apart_x;                  \
            if (y < 0 || y >= w->height || x < 0 || x >= w->width) continue;                     \
            const float *from = images + (y * w->width + x) * w->channels;                       \
            SEEN;                                                                                \
            BETTER;                                                                              \
        }

static inline void largest_of_lanes(const float *images, const Windows *w, int64_t top, int64_t start, float *out,
                                    uint8_t *code) {
    lanes best = (lanes){0} - 1.0f / 0.0f, seen;
    whole_lanes best_k = {0};
    LARGEST_OF_WINDOW(memcpy(&seen, from, sizeof seen), {
        const whole_lanes larger = ((seen <= best) == 0) & (best == best);
        best = (lanes)((larger & (whole_lanes)seen) | (~larger & (whole_lanes)best));
        best_k = (larger & k) | (~larger & best_k);
    })
    const byte_lanes narrow = __builtin_convertvector(best_k, byte_lanes);
    memcpy(out, &best, sizeof best);
    memcpy(code, &narrow, sizeof narrow);
}

static inline void largest_of_one(const float *images, const Windows *w, int64_t top, int64_t start, float *out,
                                  uint8_t *code) {
    float best = -1.0f / 0.0f;
    int32_t best_k = 0;
    LARGEST_OF_WINDOW(const float seen = *from, {
        const int larger = !(seen <= best) & (best == best);
        best = larger ? seen : best;
        best_k = larger ? k : best_k;
    })
    *out = best;
    *code = (uint8_t)best_k;
}

/* By rows of windows, over all examples. */
static void max_pool_rows(const void *job, int64_t from, int64_t to) {
    const Pool *p = job;
    const Windows *w = p->w;
    for (int64_t row = from; row < to; row++) {
        const float *images = p->x + row / w->rows * w->height * w->width * w->channels;
        const int64_t top = row % w->rows * w->step_y - w->above;
        for (int64_t column = 0; column < w->columns; column++) {
            const int64_t start = column * w->step_x - w->left;
            const int64_t place = (row * w->columns + column) * w->channels;
            int64_t c = 0;
            for (; c + LANES <= w->channels; c += LANES)
                largest_of_lanes(images + c, w, top, start, p->out + place + c, p->code + place + c);
            for (; c < w->channels; c++)
                largest_of_one(images + c, w, top, start, p->out + place + c, p->code + place + c);
        }
    }
}

KERNEL void max_pool(const float *x, float *largest_, uint8_t *code, int64_t examples, const Windows *w) {
    Pool p = {x, 0, largest_, code, w};
    in_pieces(max_pool_rows, &p, examples * w->rows, 1 + WORTH / (w->columns * w->channels * w->tall * w->wide + 1));
}

/* By examples, since windows may meet. `out` is zeros. Like NumPy's kernel it multiplies by 0 and 1, which spreads NaN
   over its window. */
static void unpool_examples(const void *job, int64_t from, int64_t to) {
    const Pool *p = job;
    const Windows w = *p->w;
    const int meet = w.step_y < (w.tall - 1) * w.apart_y + 1 || w.step_x < (w.wide - 1) * w.apart_x + 1;
    for (int64_t row = from * w.rows; row < to * w.rows; row++) {
        const int64_t example = row / w.rows, top = row % w.rows * w.step_y - w.above;
        for (int64_t column = 0; column < w.columns; column++) {
            const int64_t start = column * w.step_x - w.left;
            const int64_t place = (row * w.columns + column) * w.channels;
            const float *restrict x = p->x + place;
            const uint8_t *restrict origin = p->origin + place;
            int32_t k = 0;
            for (int64_t i = 0; i < w.tall; i++)
                for (int64_t j = 0; j < w.wide; j++, k++) {
                    const int64_t line = top + i * w.apart_y, spot = start + j * w.apart_x;
                    if (line < 0 || line >= w.height || spot < 0 || spot >= w.width) continue;
                    float *restrict out = p->out + ((example * w.height + line) * w.width + spot) * w.channels;
                    if (meet)
                        for (int64_t m = 0; m < w.channels; m++) out[m] += x[m] * (origin[m] == k ? 1.0f : 0.0f);
                    else
                        for (int64_t m = 0; m < w.channels; m++) out[m] = x[m] * (origin[m] == k ? 1.0f : 0.0f);
                }
        }
    }
}

KERNEL void unpool(const float *x, const uint8_t *origin, float *out, int64_t examples, const Windows *w) {
    Pool p = {x, origin, out, 0, w};
    in_pieces(unpool_examples, &p, examples, 1 + WORTH / (w->height * w->width * w->channels + 1));
}

#include "arrays.h"
#include "convolutions.h"
#include "gates.h"
#include "losses.h"
#include "norms.h"
#include "products.h"
#include "rows.h"
#include "updates.h"

#include "fusion.h" /* of what is above */
