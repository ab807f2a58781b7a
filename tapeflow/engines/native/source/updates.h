/* What optimizers make of a gradient, in one pass. */

typedef struct {
    const float *gradient, *first, *second, *variable; /* what is remembered of earlier gradients */
    float *new_first, *new_second, *new_variable;
    float rate, one, two, epsilon;
    int nesterov;
} Update;

static void descend_piece(const void *job, int64_t from, int64_t to) {
    const Update *u = job;
    const float *restrict g = u->gradient, *restrict w = u->variable;
    float *restrict out = u->new_variable;
    const float rate = u->rate;
    for (int64_t i = from; i < to; i++) out[i] = w[i] - g[i] * rate;
}

static void momentum_piece(const void *job, int64_t from, int64_t to) {
    const Update *u = job;
    const float *restrict g = u->gradient, *restrict w = u->variable, *restrict v = u->first;
    float *restrict out = u->new_variable, *restrict velocity = u->new_first;
    const float rate = u->rate, momentum = u->one;
    if (u->nesterov)
        for (int64_t i = from; i < to; i++) {
            const float step = g[i] * rate, moved = v[i] * momentum - step;
            velocity[i] = moved;
            out[i] = w[i] + (moved * momentum - step);
        }
    else
        for (int64_t i = from; i < to; i++) {
            const float moved = v[i] * momentum - g[i] * rate;
            velocity[i] = moved;
            out[i] = w[i] + moved;
        }
}

static inline float root(float x) {
    extern float sqrtf(float);
    return sqrtf(x);
}

static void adam_piece(const void *job, int64_t from, int64_t to) {
    const Update *u = job;
    const float *restrict g = u->gradient, *restrict w = u->variable;
    const float *restrict m = u->first, *restrict v = u->second;
    float *restrict out = u->new_variable, *restrict mean = u->new_first, *restrict square = u->new_second;
    const float rate = u->rate, one = u->one, two = u->two, epsilon = u->epsilon;
#pragma omp simd
    for (int64_t i = from; i < to; i++) {
        const float new_mean = m[i] + (g[i] - m[i]) * one, new_square = v[i] + (g[i] * g[i] - v[i]) * two;
        mean[i] = new_mean;
        square[i] = new_square;
        out[i] = w[i] - new_mean * rate / (root(new_square) + epsilon);
    }
}

KERNEL void descend(const float *gradient, const float *variable, float *new_variable, int64_t count, float rate) {
    Update u = {.gradient = gradient, .variable = variable, .new_variable = new_variable, .rate = rate};
    in_pieces(descend_piece, &u, count, WORTH);
}

KERNEL void descend_with_momentum(const float *gradient, const float *velocity, const float *variable,
                                  float *new_velocity, float *new_variable, int64_t count, float rate, float momentum,
                                  int nesterov) {
    Update u = {.gradient = gradient, .first = velocity, .variable = variable, .new_first = new_velocity,
                .new_variable = new_variable, .rate = rate, .one = momentum, .nesterov = nesterov};
    in_pieces(momentum_piece, &u, count, WORTH);
}

/* `one` and `two`: how much of the gradient and of its square comes into their averages. */
KERNEL void adam(const float *gradient, const float *mean, const float *square, const float *variable, float *new_mean,
                 float *new_square, float *new_variable, int64_t count, float rate, float one, float two,
                 float epsilon) {
    Update u = {.gradient = gradient, .first = mean, .second = square, .variable = variable, .new_first = new_mean,
                .new_second = new_square, .new_variable = new_variable, .rate = rate, .one = one, .two = two,
                .epsilon = epsilon};
    in_pieces(adam_piece, &u, count, WORTH);
}
