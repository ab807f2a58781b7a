/* Cross-entropies of rows of logits, whose probabilities are there already, and the way back. */

typedef struct {
    const float *logits, *probabilities, *labels, *g;
    const void *classes; /* or whole numbers, of 4 or 8 bytes */
    float *out;
    int64_t width, bytes;
} Loss;

static inline int64_t class_of(const Loss *l, int64_t row) {
    return l->bytes == 4 ? (int64_t)((const int32_t *)l->classes)[row] : ((const int64_t *)l->classes)[row];
}

static inline int any_nan(const float *x, int64_t width) {
    int found = 0;
#pragma omp simd reduction(| : found)
    for (int64_t i = 0; i < width; i++) found |= x[i] != x[i];
    return found;
}

/* The logarithm of the sum of exponentials, less the largest logit: the largest probability says what it was. */
static inline float log_sum(const float *probabilities, int64_t width) {
    return 0.0f - log_one(largest(probabilities, width));
}

static void cross_entropy_rows(const void *job, int64_t from, int64_t to) {
    const Loss *l = job;
    for (int64_t row = from; row < to; row++) {
        const float *restrict x = l->logits + row * l->width, *restrict p = l->probabilities + row * l->width;
        if (any_nan(x, l->width) || any_nan(p, l->width)) {
            l->out[row] = 0.0f / 0.0f;
            continue;
        }
        const float most = largest(x, l->width), lse = log_sum(p, l->width);
        if (l->classes) {
            l->out[row] = lse - (x[class_of(l, row)] - most);
            continue;
        }
        const float *restrict labels = l->labels + row * l->width;
        float total = 0;
#pragma omp simd reduction(+ : total)
        for (int64_t i = 0; i < l->width; i++) {
            const float cost = labels[i] * (lse - (x[i] - most));
            total += labels[i] == 0 ? 0.0f : cost; /* a logit of -inf whose label is 0 costs nothing */
        }
        l->out[row] = total;
    }
}

static void cross_entropy_grad_rows(const void *job, int64_t from, int64_t to) {
    const Loss *l = job;
    for (int64_t row = from; row < to; row++) {
        const float *restrict p = l->probabilities + row * l->width;
        const float g = l->g[row];
        float *restrict out = l->out + row * l->width;
        if (l->classes) {
            const int64_t known = class_of(l, row);
            for (int64_t i = 0; i < l->width; i++) out[i] = p[i] * g;
            out[known] = (p[known] - 1.0f) * g;
            continue;
        }
        const float *restrict labels = l->labels + row * l->width;
        for (int64_t i = 0; i < l->width; i++) out[i] = (p[i] - labels[i]) * g;
    }
}

/* Labels are probabilities, or the numbers of classes; the other one is null. */
KERNEL void cross_entropy(const float *logits, const float *probabilities, const float *labels, const void *classes,
                          int64_t bytes, float *out, int64_t count, int64_t width) {
    Loss l = {.logits = logits, .probabilities = probabilities, .labels = labels, .classes = classes, .bytes = bytes,
              .out = out, .width = width};
    in_pieces(cross_entropy_rows, &l, count, 1 + WORTH / (width + 1));
}

KERNEL void cross_entropy_grad(const float *probabilities, const float *g, const float *labels, const void *classes,
                               int64_t bytes, float *out, int64_t count, int64_t width) {
    Loss l = {.probabilities = probabilities, .g = g, .labels = labels, .classes = classes, .bytes = bytes,
              .out = out, .width = width};
    in_pieces(cross_entropy_grad_rows, &l, count, 1 + WORTH / (width + 1));
}
