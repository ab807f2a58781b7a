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
typedef void (*SingleVector)(int, int, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float,
                             float *, int64_t);
typedef void (*DoubleVector)(int, int, int64_t, int64_t, double, const double *, int64_t, const double *, int64_t,
                             double, double *, int64_t);

static struct {
    SingleProduct single;
    DoubleProduct twofold;
    SingleVector single_vector;
    DoubleVector twofold_vector;
    int (*threads)(void);
    void (*set_threads)(int);
} blas;

/* ---- how many threads BLAS has: a setting of the process, so one while any of us multiplies, then what it was

   A fork waits until nobody multiplies: the child would have BLAS with locks that are taken for ever. */

static int multiplying = 0, its_threads = 1, forking = 0, watches_forking = 0;
static pthread_mutex_t of_setting = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t multiplied = PTHREAD_COND_INITIALIZER, forked = PTHREAD_COND_INITIALIZER;

static void before_fork(void) {
    pthread_mutex_lock(&of_setting);
    forking++;
    while (multiplying) pthread_cond_wait(&multiplied, &of_setting);
}

static void after_fork(void) {
    forking--;
    pthread_cond_broadcast(&forked);
    pthread_mutex_unlock(&of_setting);
}

static void after_fork_in_child(void) {
    forking = 0;
    pthread_mutex_init(&of_setting, 0);
    pthread_cond_init(&multiplied, 0);
    pthread_cond_init(&forked, 0);
}

/* The functions of BLAS, with integers of 64 bits; before anybody multiplies: a fork during the first product would be
   one that nobody watches. */
KERNEL void tapeflow_blas(SingleProduct single, DoubleProduct twofold, SingleVector single_vector,
                          DoubleVector twofold_vector, int (*threads)(void), void (*set_threads)(int)) {
    blas.single = single;
    blas.twofold = twofold;
    blas.single_vector = single_vector;
    blas.twofold_vector = twofold_vector;
    blas.threads = threads;
    blas.set_threads = set_threads;
    if (!watches_forking) watches_forking = !pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

/* How many threads the product may use in all: one if somebody told BLAS so. */
static int begin_multiplying(void) {
    pthread_mutex_lock(&of_setting);
    while (forking) pthread_cond_wait(&forked, &of_setting);
    if (multiplying++ == 0 && (its_threads = blas.threads()) > 1) blas.set_threads(1);
    const int most = its_threads;
    pthread_mutex_unlock(&of_setting);
    return most;
}

static void end_multiplying(void) {
    pthread_mutex_lock(&of_setting);
    if (--multiplying == 0) {
        if (its_threads > 1) blas.set_threads(its_threads);
        if (forking) pthread_cond_broadcast(&multiplied);
    }
    pthread_mutex_unlock(&of_setting);
}

/* ---- blocks */

/* Strides are in elements; there are `outer` times `inner` products. */
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

static void multiply(const Products *p, const char *a, const char *b, char *out) {
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

/* A matrix times a column, or a row times a matrix, which is its transpose times a column. On one thread, too: those of
   BLAS look for more to do for a while, and would take the processors from ours. */
static void multiply_vector(const Products *p, const char *a, const char *b, char *out) {
    const int row = p->rows == 1;
    const char *matrix = row ? b : a, *vector = row ? a : b;
    const int64_t stored = row ? p->b_transposed : p->a_transposed, stride = row ? p->b_stride : p->a_stride;
    const int64_t step = row ? (p->a_transposed ? p->a_stride : 1) : (p->b_transposed ? 1 : p->b_stride);
    const int64_t down = row ? p->inside : p->rows, across = row ? p->columns : p->inside;
    const int how = row != (int)stored ? TRANSPOSED : AS_IT_IS;
    const int64_t lines = stored ? across : down, length = stored ? down : across;
    begin_multiplying();
    if (p->doubles)
        blas.twofold_vector(ROW_MAJOR, how, lines, length, 1.0, (const double *)matrix, stride, (const double *)vector,
                            step, 0.0, (double *)out, 1);
    else
        blas.single_vector(ROW_MAJOR, how, lines, length, 1.0f, (const float *)matrix, stride, (const float *)vector,
                           step, 0.0f, (float *)out, 1);
    end_multiplying();
}

/* ---- arrays */

/* The last two axes, if the elements of rows or of columns lie one after the other. */
static int layout(const Array *x, int64_t size, int64_t *transposed, int64_t *stride) {
    const int last = x->dimensions - 1;
    const int64_t down = x->strides[last - 1], across = x->strides[last];
    if (!(x->flags & ALIGNED) || down % size || across % size) return 0;
    if (x->shape[last] == 1 || x->shape[last - 1] == 1) { /* where the stride of the other axis says nothing */
        *transposed = x->shape[last] != 1;
        *stride = (*transposed ? across : down) / size;
        return *stride > 0;
    }
    *transposed = across != size;
    *stride = (*transposed ? across : down) / size;
    return *transposed ? down == size && *stride >= x->shape[last - 1] : *stride >= x->shape[last];
}

/* The axes before these, which have to be those of the result. */
static int leading(const Array *x, const Array *out, int64_t size, int64_t *outer, int64_t *inner) {
    const int axes = x->dimensions - 2;
    *outer = axes > 1 ? x->strides[0] / size : 0;
    *inner = axes > 0 ? x->strides[axes - 1] / size : 0;
    for (int k = 0; k < axes; k++)
        if (axes != out->dimensions - 2 || x->shape[k] != out->shape[k] || x->strides[k] % size) return 0;
    return axes < 3;
}

/* 1 if this is not for arrays like these: nothing is done then. */
KERNEL int products(int64_t a_, int64_t b_, int64_t out_) {
    if (!is_array(a_) || !is_array(b_)) return 1;
    const Array *a = array_at(a_), *b = array_at(b_), *out = array_at(out_);
    if (a->dtype != b->dtype || (a->dtype != expected.singles && a->dtype != expected.doubles)) return 1;
    if (a->data == b->data) return 1; /* NumPy makes symmetric what is: a matrix times its own transpose */
    Products p = {.doubles = a->dtype == expected.doubles, .outer = 1, .inner = 1};
    const int64_t size = p.doubles ? 8 : 4;
    const int last_a = a->dimensions - 1, last_b = b->dimensions - 1, axes = out->dimensions - 2;
    if (last_a < 1 || last_b < 1 || a->shape[last_a] != b->shape[last_b - 1]) return 1;
    p.rows = a->shape[last_a - 1], p.inside = a->shape[last_a], p.columns = b->shape[last_b];
    if (!layout(b, size, &p.b_transposed, &p.b_stride)) return 1;
    if (last_b == 1 && (a->flags & CONTIGUOUS_AND_ALIGNED) == CONTIGUOUS_AND_ALIGNED) { /* one large product */
        for (int k = 0; k < last_a - 1; k++) p.rows *= a->shape[k];
        p.a_stride = p.inside;
    } else {
        if (!layout(a, size, &p.a_transposed, &p.a_stride)) return 1;
        if (!leading(a, out, size, &p.a_outer, &p.a_inner) || !leading(b, out, size, &p.b_outer, &p.b_inner)) return 1;
        if (axes > 0) p.inner = out->shape[axes - 1];
        if (axes > 1) p.outer = out->shape[0];
    }
    if (p.inside < 2) return 1; /* all numbers by all others */
    if (p.rows > 1 && p.columns > 1)
        multiply(&p, a->data, b->data, out->data);
    else if (p.rows * p.columns > 1 && p.outer * p.inner == 1)
        multiply_vector(&p, a->data, b->data, out->data);
    else
        return 1;
    return 0;
}

#endif
