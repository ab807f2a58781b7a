/* NumPy's arrays, by the identities of Python's objects: the fields that they begin with, in a layout that NumPy keeps.
   Whether they are there is checked when the library is loaded. */

static struct {
    int64_t head; /* bytes in front of the fields, where what all objects have is */
    const void *type, *singles, *doubles;
} expected;

typedef struct {
    char *data;
    int dimensions;
    int64_t *shape, *strides;
    void *base;
    const void *dtype;
    int flags;
} Array;

#define ALIGNED 0x100
#define CONTIGUOUS_AND_ALIGNED 0x101

static const Array *array_at(int64_t object) { return (const Array *)(uintptr_t)(object + expected.head); }

static int is_array(int64_t object) {
    return *(const void **)(uintptr_t)(object + expected.head - (int64_t)sizeof(void *)) == expected.type;
}

static int is_float32(int64_t object) { return is_array(object) && array_at(object)->dtype == expected.singles; }

/* What Python knows of types and of an array. Is it so? */
KERNEL int tapeflow_arrays(int64_t head, const void *type, const void *singles, const void *doubles, int64_t object,
                           const void *data, int64_t rows, int64_t columns, int64_t down, int64_t across, int flags) {
    expected.head = head;
    expected.type = type;
    expected.singles = singles;
    expected.doubles = doubles;
    const Array *x = array_at(object);
    return is_float32(object) && x->data == data && x->dimensions == 2 && x->shape[0] == rows &&
           x->shape[1] == columns && x->strides[0] == down && x->strides[1] == across && x->flags == flags;
}
