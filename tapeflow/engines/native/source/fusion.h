/* Elementwise operations one after the other on a block that stays in the cache: a whole expression is one pass over
   memory, and one call.

   Each instruction is a loop of its own, so that nothing is contracted: sums, products and quotients are those of
   NumPy, bit by bit. */

#define LONGEST 512   /* elements of a block */
#define MOST_BYTES 98304 /* of the values that an expression keeps at a time, on the stack of a thread */
#define MOST_OPERANDS 512

/* ---- instructions: `n` elements of one or two operands; the result may take the place of either */

typedef void (*Instruction)(float *out, const float *a, const float *b, int64_t n);

#define INSTRUCTION(NAME, FORMULA)                                                             \
    static void fused_##NAME(float *out, const float *a, const float *b, int64_t n) {          \
        (void)b;                                                                               \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) out[i] = FORMULA;                  \
    }

/* With |x| below a half and a bit by a polynomial, since a difference of numbers near 1 would lose digits. */
static inline float hyperbolic_tangent(float x) {
    float a = x < 0 ? -x : x, u = x * x;
    float p = -5.70498872745e-3f;
    p = p * u + 2.06390887954e-2f;
    p = p * u - 5.37397155531e-2f;
    p = p * u + 1.33314422036e-1f;
    p = p * u - 3.33332819422e-1f;
    float near = x + x * u * p, far = 1.0f - 2.0f / (exponential(a + a) + 1.0f);
    return a < 0.625f ? near : x < 0 ? -far : far;
}

#define FAR_OUT 65536.0f /* from here on, a multiple of pi/2 in doubles is not exact enough */

/* The sine of x + quarter * pi/2, in doubles: polynomials of Taylor's, on an eighth of a turn. */
static inline float sine_of(float x, int64_t quarter) {
    double turns = (double)x * 0.63661977236758134 + 6755399441055744.0; /* its last bits are the whole number */
    int64_t bits;
    memcpy(&bits, &turns, sizeof bits);
    double r = (double)x - (turns - 6755399441055744.0) * 1.5707963267948966, s = r * r;
    double sine = 2.7557319223985893e-6, cosine = -2.7557319223985888e-7;
    sine = sine * s - 1.9841269841269841e-4;
    sine = sine * s + 8.3333333333333332e-3;
    sine = sine * s - 1.6666666666666666e-1;
    sine = r + r * s * sine;
    cosine = cosine * s + 2.4801587301587302e-5;
    cosine = cosine * s - 1.3888888888888889e-3;
    cosine = cosine * s + 4.1666666666666664e-2;
    cosine = 1.0 - 0.5 * s + s * s * cosine;
    const int64_t of = bits + quarter;
    double found = of & 1 ? cosine : sine;
    return (float)(of & 2 ? -found : found);
}

static int any_far_out(const float *a, int64_t n) {
    int found = 0;
    for (int64_t i = 0; i < n; i++) found |= !(a[i] <= FAR_OUT && a[i] >= -FAR_OUT);
    return found;
}

#define PERIODIC(NAME, LIBRARY, QUARTER)                                                                         \
    static void fused_##NAME(float *out, const float *a, const float *b, int64_t n) {                            \
        extern float LIBRARY(float);                                                                             \
        (void)b;                                                                                                 \
        if (any_far_out(a, n)) {                                                                                 \
            for (int64_t i = 0; i < n; i++)                                                                      \
                out[i] = a[i] <= FAR_OUT && a[i] >= -FAR_OUT ? sine_of(a[i], QUARTER) : LIBRARY(a[i]);           \
        } else                                                                                                   \
            _Pragma("omp simd") for (int64_t i = 0; i < n; i++) out[i] = sine_of(a[i], QUARTER);                 \
    }

#define BY_BLOCKS(NAME)                                                                        \
    static void fused_##NAME(float *out, const float *a, const float *b, int64_t n) {          \
        float found[LONGEST]; /* which may not take the place of an operand */                 \
        Elements e = {a, b, found, 0};                                                         \
        NAME##_piece(&e, 0, n);                                                                \
        memcpy(out, found, (size_t)n * sizeof *out);                                           \
    }

static inline float safe_product(float a, float b) {
    float product = a * b;
    return a == 0 && product != product ? 0.0f : product;
}

static inline float safe_quotient(float a, float b) {
    float quotient = a / b;
    return a == 0 && quotient != quotient ? 0.0f : quotient;
}

INSTRUCTION(add, a[i] + b[i])
INSTRUCTION(sub, a[i] - b[i])
INSTRUCTION(mul, a[i] * b[i])
INSTRUCTION(div, a[i] / b[i])
INSTRUCTION(neg, -a[i])
INSTRUCTION(abs, __builtin_fabsf(a[i]))
INSTRUCTION(square, a[i] * a[i])
INSTRUCTION(reciprocal, 1.0f / a[i])
INSTRUCTION(sqrt, __builtin_sqrtf(a[i]))
INSTRUCTION(rsqrt, 1.0f / __builtin_sqrtf(a[i]))
INSTRUCTION(maximum, a[i] >= b[i] || a[i] != a[i] ? a[i] : b[i])
INSTRUCTION(minimum, a[i] <= b[i] || a[i] != a[i] ? a[i] : b[i])
INSTRUCTION(safe_mul, safe_product(a[i], b[i]))
INSTRUCTION(safe_div, safe_quotient(a[i], b[i]))
INSTRUCTION(exp, exponential(a[i]))
INSTRUCTION(tanh, hyperbolic_tangent(a[i]))
INSTRUCTION(sigmoid, 1.0f / (1.0f + exponential(-a[i])))
INSTRUCTION(silu, a[i] / (1.0f + exponential(-a[i])))
INSTRUCTION(relu, a[i] < 0 ? 0.0f : a[i])
INSTRUCTION(relu_grad, a[i] * (b[i] > 0 ? 1.0f : 0.0f))
PERIODIC(sin, sinf, 0)
PERIODIC(cos, cosf, 1)
BY_BLOCKS(gelu)
BY_BLOCKS(gelu_grad)
BY_BLOCKS(gelu_tanh)
BY_BLOCKS(gelu_tanh_grad)

#define EVERY(DO)                                                                                             \
    DO(add) DO(sub) DO(mul) DO(div) DO(neg) DO(abs) DO(square) DO(reciprocal) DO(sqrt) DO(rsqrt) DO(maximum)  \
    DO(minimum) DO(safe_mul) DO(safe_div) DO(exp) DO(tanh) DO(sigmoid) DO(silu) DO(relu) DO(relu_grad) DO(sin) \
    DO(cos) DO(gelu) DO(gelu_grad) DO(gelu_tanh) DO(gelu_tanh_grad)

#define AS_FUNCTION(NAME) fused_##NAME,
#define AS_NAME(NAME) #NAME " "
static const Instruction instructions[] = {EVERY(AS_FUNCTION)};

/* The primitives that have an instruction, in the order of their numbers. */
KERNEL const char *tapeflow_instructions(void) { return EVERY(AS_NAME); }

/* ---- expressions */

/* How an operand is spread over the result. */
enum { ELEMENT_BY_ELEMENT, ONE_ROW, ONE_NUMBER };

/* Python writes it once. Operands are numbered: what is kept for a while, arrays, numbers of the call, constants, results. */
typedef struct {
    int64_t elements, columns, length, kept, arrays, numbers, constants, results, count;
    int64_t rest[]; /* how each array is spread; constants, as doubles; for each instruction: which, where to, of what */
} Expression;

typedef struct {
    const Expression *e;
    const int64_t *code;
    struct {
        char *start;
        int64_t row;    /* bytes from one row to the next, of what has to be laid out; else -1, or -2 for one number */
        int64_t across; /* and from one column to the next: those of one number, or none */
    } operands[MOST_OPERANDS];
} Run;

static void lay_out(float *to, const char *from, int64_t row, int64_t across, int64_t columns, int64_t first,
                    int64_t n) {
    int64_t line = first / columns, column = first % columns;
    while (n) {
        const int64_t here = least_of(columns - column, n);
        const char *source = from + line * row + column * across;
        if (across)
            memcpy(to, source, (size_t)here * sizeof *to);
        else
            for (int64_t i = 0; i < here; i++) to[i] = *(const float *)source;
        to += here;
        n -= here;
        line++;
        column = 0;
    }
}

static void some_of_expression(const void *job, int64_t from, int64_t to) {
    const Run *run = job;
    const Expression *e = run->e;
    const int64_t length = e->length, first = e->kept, all = first + e->arrays + e->numbers + e->constants + e->results;
    float kept[MOST_BYTES / sizeof(float)] __attribute__((aligned(64)));
    float *at[MOST_OPERANDS], *free = kept + e->kept * length;
    for (int64_t k = 0; k < first; k++) at[k] = kept + k * length;
    for (int64_t k = first; k < all; k++) {
        if (run->operands[k].row == -1) continue;
        at[k] = free;
        free += length;
        if (run->operands[k].row == -2)
            for (int64_t i = 0; i < length; i++) at[k][i] = *(const float *)run->operands[k].start;
    }
    for (int64_t block = from; block < to; block++) {
        const int64_t start = block * length, n = least_of(length, e->elements - start);
        for (int64_t k = first; k < all; k++) {
            if (run->operands[k].row == -1)
                at[k] = (float *)run->operands[k].start + start;
            else if (run->operands[k].row >= 0)
                lay_out(at[k], run->operands[k].start, run->operands[k].row, run->operands[k].across, e->columns, start,
                        n);
        }
        const int64_t *c = run->code;
        for (int64_t k = 0; k < e->count; k++, c += 4) instructions[c[0]](at[c[1]], at[c[2]], at[c[3]], n);
    }
}

/* Where the rows of an array begin; 0 if it is not the array that the expression is for. */
static int place(const Array *x, int64_t spread, const Expression *e, char **start, int64_t *row, int64_t *across) {
    int64_t elements = 1;
    for (int k = 0; k < x->dimensions; k++) elements *= x->shape[k];
    const int contiguous = (x->flags & CONTIGUOUS_AND_ALIGNED) == CONTIGUOUS_AND_ALIGNED;
    *start = x->data;
    *across = sizeof(float);
    if (spread != ELEMENT_BY_ELEMENT) {
        *row = spread == ONE_NUMBER ? -2 : 0;
        return elements == (spread == ONE_NUMBER ? 1 : e->columns) && contiguous;
    }
    *row = -1;
    if (elements != e->elements) return 0;
    if (contiguous) return 1;
    const int last = x->dimensions - 1;
    if (last < 1 || !(x->flags & ALIGNED) || x->shape[last] != e->columns) return 0;
    *across = x->strides[last];
    if (*across && *across != sizeof(float)) return 0;
    for (int k = 0; k < last - 1; k++)
        if (x->strides[k] != x->strides[k + 1] * x->shape[k + 1]) return 0;
    *row = x->strides[last - 1];
    if (!*row && !*across) *row = -2;
    return *row >= 0 || *row == -2;
}

/* `call`: the arrays and the results, by the identities of Python's objects, and numbers. 1 if an array does not fit:
   nothing is done then. */
KERNEL int fused(const Expression *e, const int64_t *call) {
    Run run;
    int64_t k = e->kept;
    float numbers[MOST_OPERANDS];
    run.e = e;
    for (int64_t j = 0; j < e->arrays; j++, k++)
        if (!is_float32(call[j]) || !place(array_at(call[j]), e->rest[j], e, &run.operands[k].start,
                                         &run.operands[k].row, &run.operands[k].across))
            return 1;
    const double *given = (const double *)(call + e->arrays + e->results), *held = (const double *)(e->rest + e->arrays);
    for (int64_t j = 0; j < e->numbers + e->constants; j++, k++) {
        numbers[j] = (float)(j < e->numbers ? given[j] : held[j - e->numbers]);
        run.operands[k].start = (char *)(numbers + j);
        run.operands[k].row = -2;
    }
    for (int64_t j = 0; j < e->results; j++, k++)
        if (!is_float32(call[e->arrays + j]) ||
            !place(array_at(call[e->arrays + j]), ELEMENT_BY_ELEMENT, e, &run.operands[k].start, &run.operands[k].row,
                   &run.operands[k].across) ||
            run.operands[k].row != -1)
            return 1;
    run.code = e->rest + e->arrays + e->constants;
    in_pieces(some_of_expression, &run, (e->elements + e->length - 1) / e->length, 1 + 400 / e->count);
    return 0;
}
