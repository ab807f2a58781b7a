/* Elements that are dropped, and rows that are added where numbers say. */

typedef struct {
    const float *x;
    const uint8_t *keep;
    float *out;
    float factor;
} Mask;

static void masked_piece(const void *job, int64_t from, int64_t to) {
    const Mask *m = job;
    const float *restrict x = m->x;
    const uint8_t *restrict keep = m->keep;
    float *restrict out = m->out;
    const float factor = m->factor;
    for (int64_t i = from; i < to; i++) {
        const float scaled = x[i] * factor;
        out[i] = keep[i] ? scaled : 0.0f;
    }
}

KERNEL void masked(const float *x, const uint8_t *keep, float *out, int64_t count, float factor) {
    Mask m = {x, keep, out, factor};
    in_pieces(masked_piece, &m, count, WORTH);
}

/* out[rows[i]] += factor x[i], in this order: one row may come again. `bytes` is the size of a number in `rows`. */
KERNEL void add_rows(float *out, const void *rows, int64_t bytes, const float *x, int64_t count, int64_t width,
                     float factor) {
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = bytes == 4 ? (int64_t)((const int32_t *)rows)[i] : ((const int64_t *)rows)[i];
        float *restrict to = out + row * width;
        const float *restrict from = x + i * width;
        for (int64_t c = 0; c < width; c++) to[c] += factor * from[c];
    }
}
