/* Moments, and what is done with them: layer, batch and group normalisation, and the way back.

   An array is (outer, rows, width): what is summed over is the rows, and there is one mean for each place in (outer,
   width). Where the width is 1 the rows lie one after the other. Sums are made of blocks of rows, whose sizes do not
   depend on the number of threads, and the sums of blocks are added up in double. */

#define ROWS_OF_BLOCK 128

static inline int64_t blocks_of(int64_t rows) { return (rows + ROWS_OF_BLOCK - 1) / ROWS_OF_BLOCK; }

typedef struct {
    const float *g, *x, *mean, *factor, *scale, *start;
    float *out, *parts, *sums;
    int64_t outer, rows, width;
} Norm;

#define NORM_KERNEL(PIECE, COUNT, EACH) in_pieces(PIECE, &n, COUNT, 1 + WORTH / ((EACH) + 1))

/* The rows of one block: where it begins among all rows, how many, and where its sums go. */
#define ROWS_OF(PIECE)                                                                           \
    const int64_t blocks = blocks_of(n->rows), width = n->width;                                 \
    const int64_t first = (PIECE) % blocks * ROWS_OF_BLOCK, o = (PIECE) / blocks;                \
    const int64_t count = n->rows - first < ROWS_OF_BLOCK ? n->rows - first : ROWS_OF_BLOCK;     \
    const int64_t start = (o * n->rows + first) * width;                                         \
    float *restrict one = n->parts + (PIECE) * 2 * width, *restrict two = one + width

/* ---- moments */

/* The mean of a block, and the squares of what differs from it. */
static void block_moments(const void *job, int64_t from, int64_t to) {
    const Norm *n = job;
    for (int64_t piece = from; piece < to; piece++) {
        ROWS_OF(piece);
        const float *restrict x = n->x + start;
        for (int64_t c = 0; c < width; c++) one[c] = two[c] = 0;
        for (int64_t r = 0; r < count; r++)
            for (int64_t c = 0; c < width; c++) one[c] += x[r * width + c];
        for (int64_t c = 0; c < width; c++) one[c] /= (float)count;
        for (int64_t r = 0; r < count; r++)
            for (int64_t c = 0; c < width; c++) {
                const float apart = x[r * width + c] - one[c];
                two[c] += apart * apart;
            }
    }
}

static void whole_moments(const Norm *n, float *mean, float *variance) {
    const int64_t blocks = blocks_of(n->rows), width = n->width;
    for (int64_t o = 0; o < n->outer; o++)
        for (int64_t c = 0; c < width; c++) {
            const float *parts = n->parts + o * blocks * 2 * width + c;
            double total = 0, squares = 0;
            for (int64_t b = 0; b < blocks; b++) {
                const int64_t count = b < blocks - 1 ? ROWS_OF_BLOCK : n->rows - b * ROWS_OF_BLOCK;
                total += (double)parts[b * 2 * width] * (double)count;
            }
            total /= (double)n->rows;
            for (int64_t b = 0; b < blocks; b++) {
                const int64_t count = b < blocks - 1 ? ROWS_OF_BLOCK : n->rows - b * ROWS_OF_BLOCK;
                const double apart = (double)parts[b * 2 * width] - total;
                squares += (double)parts[(b * 2 + 1) * width] + apart * apart * (double)count;
            }
            mean[o * width + c] = (float)total;
            variance[o * width + c] = (float)(squares / (double)n->rows);
        }
}

#define STRETCH 4096 /* numbers that are added up in single before they are in double */

static void row_moments(const void *job, int64_t from, int64_t to) {
    const Norm *n = job;
    for (int64_t o = from; o < to; o++) {
        const float *restrict x = n->x + o * n->rows;
        double total = 0, squares = 0;
        for (int64_t first = 0; first < n->rows; first += STRETCH) {
            const int64_t end = n->rows - first < STRETCH ? n->rows : first + STRETCH;
            float sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t i = first; i < end; i++) sum += x[i];
            total += (double)sum;
        }
        const float mean = (float)(total / (double)n->rows);
        for (int64_t first = 0; first < n->rows; first += STRETCH) {
            const int64_t end = n->rows - first < STRETCH ? n->rows : first + STRETCH;
            float sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t i = first; i < end; i++) sum += (x[i] - mean) * (x[i] - mean);
            squares += (double)sum;
        }
        n->out[o] = mean;
        n->sums[o] = (float)(squares / (double)n->rows);
    }
}

KERNEL void moments(const float *x, float *parts, float *mean, float *variance, int64_t outer, int64_t rows,
                    int64_t width) {
    Norm n = {.x = x, .out = mean, .parts = parts, .sums = variance, .outer = outer, .rows = rows, .width = width};
    if (width == 1) {
        NORM_KERNEL(row_moments, outer, rows);
        return;
    }
    NORM_KERNEL(block_moments, outer * blocks_of(rows), ROWS_OF_BLOCK * width);
    whole_moments(&n, mean, variance);
}

/* ---- (x - mean) factor + start, each of these one for a place in (outer, width) */

static void centred_blocks(const void *job, int64_t from, int64_t to) {
    const Norm *n = job;
    const int64_t blocks = blocks_of(n->rows), width = n->width;
    for (int64_t piece = from; piece < to; piece++) {
        const int64_t first = piece % blocks * ROWS_OF_BLOCK, o = piece / blocks;
        const int64_t end = n->rows - first < ROWS_OF_BLOCK ? n->rows : first + ROWS_OF_BLOCK;
        const float *restrict mean = n->mean + o * width, *restrict factor = n->factor + o * width;
        const float *restrict start = n->start + o * width;
        for (int64_t r = o * n->rows + first; r < o * n->rows + end; r++) {
            const float *restrict x = n->x + r * width;
            float *restrict out = n->out + r * width;
            for (int64_t c = 0; c < width; c++) out[c] = (x[c] - mean[c]) * factor[c] + start[c];
        }
    }
}

static void centred_rows(const void *job, int64_t from, int64_t to) {
    const Norm *n = job;
    for (int64_t o = from; o < to; o++) {
        const float mean = n->mean[o], factor = n->factor[o], start = n->start[o];
        const float *restrict x = n->x + o * n->rows;
        float *restrict out = n->out + o * n->rows;
        for (int64_t i = 0; i < n->rows; i++) out[i] = (x[i] - mean) * factor + start;
    }
}

KERNEL void centred(const float *x, const float *mean, const float *factor, const float *start, float *out,
                    int64_t outer, int64_t rows, int64_t width) {
    Norm n = {.x = x, .mean = mean, .factor = factor, .start = start, .out = out,
              .outer = outer, .rows = rows, .width = width};
    if (width == 1)
        NORM_KERNEL(centred_rows, outer, rows);
    else
        NORM_KERNEL(centred_blocks, outer * blocks_of(rows), ROWS_OF_BLOCK * width);
}

#define PLACES 32 /* whose sums stay in registers */

/* The way back: out = g factor, and for each place the sums of g and of g (x - mean). */
static inline void centred_grad_places(const Norm *n, int64_t start, int64_t count, const float *restrict mean,
                                       const float *restrict factor, float *restrict one, float *restrict two,
                                       int64_t places) {
    float total[PLACES] = {0}, moved[PLACES] = {0};
    for (int64_t r = 0; r < count; r++) {
        const float *restrict g = n->g + start + r * n->width, *restrict x = n->x + start + r * n->width;
        float *restrict out = n->out + start + r * n->width;
        for (int64_t c = 0; c < places; c++) {
            out[c] = g[c] * factor[c];
            total[c] += g[c];
            moved[c] += g[c] * (x[c] - mean[c]);
        }
    }
    memcpy(one, total, (size_t)places * sizeof *one);
    memcpy(two, moved, (size_t)places * sizeof *two);
}

static void centred_grad_blocks(const void *job, int64_t from, int64_t to) {
    const Norm *n = job;
    for (int64_t piece = from; piece < to; piece++) {
        ROWS_OF(piece);
        const float *restrict mean = n->mean + o * width, *restrict factor = n->factor + o * width;
        int64_t c = 0;
        for (; c + PLACES <= width; c += PLACES)
            centred_grad_places(n, start + c, count, mean + c, factor + c, one + c, two + c, PLACES);
        centred_grad_places(n, start + c, count, mean + c, factor + c, one + c, two + c, width - c);
    }
}

static void centred_grad_rows(const void *job, int64_t from, int64_t to) {
    const Norm *n = job;
    for (int64_t o = from; o < to; o++) {
        const float mean = n->mean[o], factor = n->factor[o];
        const float *restrict g = n->g + o * n->rows, *restrict x = n->x + o * n->rows;
        float *restrict out = n->out + o * n->rows;
        double total = 0, moved = 0;
        for (int64_t first = 0; first < n->rows; first += STRETCH) {
            const int64_t end = n->rows - first < STRETCH ? n->rows : first + STRETCH;
            float one = 0, two = 0;
#pragma omp simd reduction(+ : one, two)
            for (int64_t i = first; i < end; i++) {
                out[i] = g[i] * factor;
                one += g[i];
                two += g[i] * (x[i] - mean);
            }
            total += (double)one, moved += (double)two;
        }
        n->sums[o] = (float)total;
        n->sums[n->outer + o] = (float)moved;
    }
}

/* Adds the two sums of each block up: for each of `outer` places `blocks` times (2, width), to (2, outer, width). */
static void add_blocks(const float *parts, float *sums, int64_t outer, int64_t blocks, int64_t width) {
    for (int64_t which = 0; which < 2; which++)
        for (int64_t o = 0; o < outer; o++)
            for (int64_t c = 0; c < width; c++) {
                double total = 0;
                for (int64_t b = 0; b < blocks; b++)
                    total += (double)parts[((o * blocks + b) * 2 + which) * width + c];
                sums[(which * outer + o) * width + c] = (float)total;
            }
}

KERNEL void centred_grad(const float *g, const float *x, const float *mean, const float *factor, float *out,
                         float *parts, float *sums, int64_t outer, int64_t rows, int64_t width) {
    Norm n = {.g = g, .x = x, .mean = mean, .factor = factor, .out = out, .parts = parts, .sums = sums,
              .outer = outer, .rows = rows, .width = width};
    if (width == 1) {
        NORM_KERNEL(centred_grad_rows, outer, rows);
        return;
    }
    NORM_KERNEL(centred_grad_blocks, outer * blocks_of(rows), ROWS_OF_BLOCK * width);
    add_blocks(parts, sums, outer, blocks_of(rows), width);
}

/* ---- layer normalisation: a mean and a factor for each row, a scale and a start for each place in it */

static void layer_norm_rows(const void *job, int64_t from, int64_t to) {
    const Norm *n = job;
    const float *restrict scale = n->scale, *restrict start = n->start;
    for (int64_t r = from; r < to; r++) {
        const float mean = n->mean[r], factor = n->factor[r];
        const float *restrict x = n->x + r * n->width;
        float *restrict out = n->out + r * n->width;
        for (int64_t c = 0; c < n->width; c++) {
            const float product = factor * scale[c];
            out[c] = x[c] * product + (start[c] - mean * product);
        }
    }
}

KERNEL void layer_norm(const float *x, const float *mean, const float *factor, const float *scale, const float *start,
                       float *out, int64_t rows, int64_t width) {
    Norm n = {.x = x, .mean = mean, .factor = factor, .scale = scale, .start = start, .out = out, .width = width};
    NORM_KERNEL(layer_norm_rows, rows, width);
}

/* `sums` gets, for each row, the sums of g scale factor and of g scale (x - mean); `parts`, for each place of a block,
   those of g and of g (x - mean) factor. */
static void layer_norm_grad_blocks(const void *job, int64_t from, int64_t to) {
    const Norm *n = job;
    const float *restrict scale = n->scale;
    for (int64_t piece = from; piece < to; piece++) {
        ROWS_OF(piece);
        (void)o;
        for (int64_t c = 0; c < width; c++) one[c] = two[c] = 0;
        for (int64_t r = 0; r < count; r++) {
            const float mean = n->mean[first + r], factor = n->factor[first + r];
            const float *restrict g = n->g + start + r * width, *restrict x = n->x + start + r * width;
            float *restrict out = n->out + start + r * width;
            float total = 0, moved = 0;
#pragma omp simd reduction(+ : total, moved)
            for (int64_t c = 0; c < width; c++) {
                const float apart = (x[c] - mean) * g[c], slope = g[c] * (factor * scale[c]);
                out[c] = slope;
                total += slope;
                moved += apart * scale[c];
                one[c] += g[c];
                two[c] += apart * factor;
            }
            n->sums[first + r] = total;
            n->sums[n->rows + first + r] = moved;
        }
    }
}

KERNEL void layer_norm_grad(const float *g, const float *x, const float *mean, const float *factor, const float *scale,
                            float *out, float *parts, float *sums, float *of_places, int64_t rows, int64_t width) {
    Norm n = {.g = g, .x = x, .mean = mean, .factor = factor, .scale = scale, .out = out, .parts = parts, .sums = sums,
              .outer = 1, .rows = rows, .width = width};
    NORM_KERNEL(layer_norm_grad_blocks, blocks_of(rows), ROWS_OF_BLOCK * width);
    add_blocks(parts, of_places, 1, blocks_of(rows), width);
}
