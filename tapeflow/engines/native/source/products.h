/* Products of matrices by the BLAS that NumPy has loaded.

   OpenBLAS cuts every product among threads of its own, which wait for each other: beside another busy program a
   product of 30 microseconds took up to 1,300. Here it works on one thread, and blocks of large products go to ours,
   where nobody waits for what has not begun. Blocks are rows or columns of the result, so that every number is the
   same sum in the same order, however many there are. */

#if !defined(_WIN32) /* where our loops have one thread */

enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };
#define WORTH_A_BLOCK 2e6 /* multiplications */
#define LARGE_WORK 1e8    /* for a thread: from here on, two blocks for each cost nothing, and nobody waits for long */

typedef void (*SingleProduct)(int, int, int, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *,
                              int64_t, float, float *, int64_t);
typedef void (*DoubleProduct)(int, int, int, int64_t, int64_t, int64_t, double, const double *, int64_t, const double *,
                              int64_t, double, double *, int64_t);

static struct {
    SingleProduct single;
    DoubleProduct twofold;
    int (*threads)(void);
    void (*set_threads)(int);
} blas;

/* Its functions, with integers of 64 bits. */
KERNEL void tapeflow_blas(SingleProduct single, DoubleProduct twofold, int (*threads)(void), void (*set_threads)(int)) {
    blas.single = single;
    blas.twofold = twofold;
    blas.threads = threads;
    blas.set_threads = set_threads;
}

/* ---- how many threads BLAS has: a setting of the process, so one while any of us multiplies, then what it was */

static int multiplying = 0, its_threads = 1;

static pthread_mutex_t of_setting = PTHREAD_MUTEX_INITIALIZER;
static int watches_setting = 0;

static void before_fork(void) { pthread_mutex_lock(&of_setting); }

static void after_fork(void) { pthread_mutex_unlock(&of_setting); }

/* Whoever multiplied in the parent does not do so here. */
static void after_fork_in_child(void) {
    if (multiplying) blas.set_threads(its_threads);
    multiplying = 0;
    pthread_mutex_unlock(&of_setting);
}

/* How many threads the product may use in all: one if somebody told BLAS so. */
static int begin_multiplying(void) {
    pthread_mutex_lock(&of_setting);
    if (!watches_setting) watches_setting = !pthread_atfork(before_fork, after_fork, after_fork_in_child);
    if (multiplying++ == 0 && (its_threads = blas.threads()) > 1) blas.set_threads(1);
    const int most = its_threads;
    pthread_mutex_unlock(&of_setting);
    return most;
}

static void end_multiplying(void) {
    pthread_mutex_lock(&of_setting);
    if (--multiplying == 0 && its_threads > 1) blas.set_threads(its_threads);
    pthread_mutex_unlock(&of_setting);
}

/* ---- blocks */

/* Python fills in the first part. Strides are in elements; there are `outer` times `inner` products. */
typedef struct {
    int64_t doubles, rows, inside, columns, a_transposed, a_stride, b_transposed, b_stride;
    int64_t outer, inner, a_outer, a_inner, b_outer, b_inner;
} Products;

typedef struct {
    const Products *of;
    const char *a, *b;
    char *out;
    int64_t tall, wide, down, across; /* of a block; how many there are */
} Blocks;

static void one_block(const Blocks *s, int64_t outer, int64_t inner, int64_t row, int64_t column) {
    const Products *p = s->of;
    const int64_t rows = least_of(s->tall, p->rows - row), columns = least_of(s->wide, p->columns - column);
    const int64_t from_a = outer * p->a_outer + inner * p->a_inner + row * (p->a_transposed ? 1 : p->a_stride);
    const int64_t from_b = outer * p->b_outer + inner * p->b_inner + column * (p->b_transposed ? p->b_stride : 1);
    const int64_t place = ((outer * p->inner + inner) * p->rows + row) * p->columns + column;
    const int a_is = p->a_transposed ? TRANSPOSED : AS_IT_IS, b_is = p->b_transposed ? TRANSPOSED : AS_IT_IS;
    if (p->doubles)
        blas.twofold(ROW_MAJOR, a_is, b_is, rows, columns, p->inside, 1.0, (const double *)s->a + from_a, p->a_stride,
                     (const double *)s->b + from_b, p->b_stride, 0.0, (double *)s->out + place, p->columns);
    else
        blas.single(ROW_MAJOR, a_is, b_is, rows, columns, p->inside, 1.0f, (const float *)s->a + from_a, p->a_stride,
                    (const float *)s->b + from_b, p->b_stride, 0.0f, (float *)s->out + place, p->columns);
}

static void some_blocks(const void *job, int64_t from, int64_t to) {
    const Blocks *s = job;
    for (int64_t k = from; k < to; k++) {
        const int64_t matrix = k / (s->down * s->across), block = k % (s->down * s->across);
        one_block(s, matrix / s->of->inner, matrix % s->of->inner, block / s->across * s->tall,
                  block % s->across * s->wide);
    }
}

KERNEL void products(const void *a, const void *b, void *out, const Products *p) {
    Blocks s = {p, a, b, out, p->rows, p->columns, 1, 1};
    const int64_t matrices = p->outer * p->inner;
    const double work = (double)p->rows * p->columns * p->inside;
    const int64_t threads = least_of(begin_multiplying(), most_threads);
    int64_t parts = least_of(work * matrices > LARGE_WORK * threads ? 2 * threads : threads,
                             (int64_t)(work * matrices / WORTH_A_BLOCK));
    parts = threads < 2 ? 1 : (parts + matrices - 1) / matrices; /* of each matrix */
    /* Along the longer side: what is packed again for each block is the smaller operand. */
    const int wide = p->columns >= p->rows;
    int64_t *block = wide ? &s.wide : &s.tall, *count = wide ? &s.across : &s.down;
    const int64_t size = *block;
    if (parts > 1) *block = ((size + parts - 1) / parts + 31) / 32 * 32; /* whole vectors: edges are slow */
    *count = (size + *block - 1) / *block;
    const int64_t blocks = matrices * s.down * s.across;
    const double of_a_block = work * matrices / blocks;
    const int64_t least = of_a_block > WORTH_A_BLOCK ? 1 : 1 + (int64_t)(WORTH_A_BLOCK / of_a_block);
    in_pieces(some_blocks, &s, blocks, threads < 2 ? blocks : least);
    end_multiplying();
}

#endif
