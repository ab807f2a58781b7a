/* Steps of an LSTM and of a GRU without their matrix products: rows of gates side by side, and states. */

static inline float sigmoid_one(float x) { return 1.0f / (1.0f + exponential(-x)); }

/* tanh to rounding, near 0 too: there a polynomial (Cephes), else by the exponential. */
static inline float tanh_one(float x) {
    const float square = x * x;
    float p = -5.70498872745e-3f;
    p = p * square + 2.06390887954e-2f;
    p = p * square - 5.37397155531e-2f;
    p = p * square + 1.33314422036e-1f;
    p = p * square - 3.33332819422e-1f;
    const float near = p * square * x + x;
    const float far = 1.0f - 2.0f / (1.0f + exponential(2.0f * x));
    return x > -0.625f && x < 0.625f ? near : far;
}

typedef struct {
    const float *z, *inner, *state, *new_state, *of_h, *of_c;
    float *one, *two, *three;
    int64_t width;
} Gates;

static void lstm_rows(const void *job, int64_t from, int64_t to) {
    const Gates *s = job;
    const int64_t n = s->width;
    for (int64_t row = from; row < to; row++) {
        const float *restrict z = s->z + row * 4 * n, *restrict c = s->state + row * n;
        float *restrict gates = s->three + row * 4 * n, *restrict h = s->one + row * n, *restrict next = s->two + row * n;
        for (int64_t i = 0; i < 2 * n; i++) gates[i] = sigmoid_one(z[i]);
        for (int64_t i = 2 * n; i < 3 * n; i++) gates[i] = tanh_one(z[i]);
        for (int64_t i = 3 * n; i < 4 * n; i++) gates[i] = sigmoid_one(z[i]);
        const float *restrict enter = gates, *restrict keep = gates + n, *restrict new = gates + 2 * n;
        const float *restrict leave = gates + 3 * n;
#pragma omp simd
        for (int64_t i = 0; i < n; i++) {
            const float moved = keep[i] * c[i] + enter[i] * new[i];
            next[i] = moved;
            h[i] = leave[i] * tanh_one(moved);
        }
    }
}

static void lstm_grad_rows(const void *job, int64_t from, int64_t to) {
    const Gates *s = job;
    const int64_t n = s->width;
    for (int64_t row = from; row < to; row++) {
        const float *restrict gates = s->z + row * 4 * n, *restrict c = s->state + row * n;
        const float *restrict next = s->new_state + row * n;
        const float *restrict of_h = s->of_h + row * n, *restrict of_c = s->of_c + row * n;
        float *restrict of_z = s->one + row * 4 * n, *restrict of_state = s->two + row * n;
#pragma omp simd
        for (int64_t i = 0; i < n; i++) {
            const float enter = gates[i], keep = gates[n + i], new = gates[2 * n + i], leave = gates[3 * n + i];
            const float out = tanh_one(next[i]);
            const float of_next = of_c[i] + of_h[i] * leave * (1.0f - out * out);
            of_z[i] = enter * (1.0f - enter) * (of_next * new);
            of_z[n + i] = keep * (1.0f - keep) * (of_next * c[i]);
            of_z[2 * n + i] = (1.0f - new * new) * (of_next * enter);
            of_z[3 * n + i] = leave * (1.0f - leave) * (of_h[i] * out);
            of_state[i] = of_next * keep;
        }
    }
}

static void gru_rows(const void *job, int64_t from, int64_t to) {
    const Gates *s = job;
    const int64_t n = s->width;
    for (int64_t row = from; row < to; row++) {
        const float *restrict x = s->z + row * 3 * n, *restrict inner = s->inner + row * 3 * n;
        const float *restrict h = s->state + row * n;
        float *restrict gates = s->two + row * 3 * n, *restrict out = s->one + row * n;
        for (int64_t i = 0; i < 2 * n; i++) gates[i] = sigmoid_one(x[i] + inner[i]);
#pragma omp simd
        for (int64_t i = 0; i < n; i++) {
            const float new = tanh_one(x[2 * n + i] + gates[n + i] * inner[2 * n + i]);
            gates[2 * n + i] = new;
            out[i] = new + gates[i] * (h[i] - new);
        }
    }
}

static void gru_grad_rows(const void *job, int64_t from, int64_t to) {
    const Gates *s = job;
    const int64_t n = s->width;
    for (int64_t row = from; row < to; row++) {
        const float *restrict gates = s->z + row * 3 * n, *restrict inner = s->inner + row * 3 * n;
        const float *restrict h = s->state + row * n, *restrict of_h = s->of_h + row * n;
        float *restrict of_x = s->one + row * 3 * n, *restrict of_inner = s->two + row * 3 * n;
        float *restrict of_state = s->three + row * n;
#pragma omp simd
        for (int64_t i = 0; i < n; i++) {
            const float keep = gates[i], reset = gates[n + i], new = gates[2 * n + i];
            const float of_new = of_h[i] * (1.0f - keep) * (1.0f - new * new);
            const float of_keep = keep * (1.0f - keep) * (of_h[i] * (h[i] - new));
            const float of_reset = reset * (1.0f - reset) * (of_new * inner[2 * n + i]);
            of_x[i] = of_inner[i] = of_keep;
            of_x[n + i] = of_inner[n + i] = of_reset;
            of_x[2 * n + i] = of_new;
            of_inner[2 * n + i] = of_new * reset;
            of_state[i] = of_h[i] * keep;
        }
    }
}

KERNEL void lstm_step(const float *z, const float *c, float *h, float *new_c, float *gates, int64_t count,
                      int64_t width) {
    Gates s = {.z = z, .state = c, .one = h, .two = new_c, .three = gates, .width = width};
    in_pieces(lstm_rows, &s, count, 1 + WORTH / (16 * width + 1));
}

KERNEL void lstm_step_grad(const float *gates, const float *c, const float *new_c, const float *of_h,
                           const float *of_c, float *of_z, float *of_state, int64_t count, int64_t width) {
    Gates s = {.z = gates, .state = c, .new_state = new_c, .of_h = of_h, .of_c = of_c, .one = of_z, .two = of_state,
               .width = width};
    in_pieces(lstm_grad_rows, &s, count, 1 + WORTH / (8 * width + 1));
}

KERNEL void gru_step(const float *x, const float *inner, const float *h, float *new_h, float *gates, int64_t count,
                     int64_t width) {
    Gates s = {.z = x, .inner = inner, .state = h, .one = new_h, .two = gates, .width = width};
    in_pieces(gru_rows, &s, count, 1 + WORTH / (12 * width + 1));
}

KERNEL void gru_step_grad(const float *gates, const float *inner, const float *h, const float *of_h, float *of_x,
                          float *of_inner, float *of_state, int64_t count, int64_t width) {
    Gates s = {.z = gates, .inner = inner, .state = h, .of_h = of_h, .one = of_x, .two = of_inner, .three = of_state,
               .width = width};
    in_pieces(gru_grad_rows, &s, count, 1 + WORTH / (8 * width + 1));
}
