/* Images as a convolution sees them: from a grid of points, a block of points at a time, zeros around.

   A block is some whole images, or some rows of one. Where it reaches beyond the image, what its points see is copied
   to a strip with the zeros in place; otherwise it is read where it is. */

typedef struct {
    const float *x;
    int64_t examples, height, width, channels;
    int64_t rows, columns;                 /* of the grid of an image */
    int64_t step_y, step_x;                /* pixels from point to point */
    int64_t top, bottom, left, right;      /* what a point sees of pixels around it: both ends included */
    int64_t repeats;                       /* how often each channel appears in the strip, side by side */
    int overruns;                          /* whole vectors are read, also at the end, so that it must be a strip */
    /* from here on, what `settle` finds */
    int in_place;
    int64_t line, image;                   /* floats from row to row, and from image to image, of a block */
    int64_t images, lines;                 /* of a block: one of the two is 1, or all */
    int64_t parts, blocks;                 /* blocks of an image, and of all */
} View;

#define STRIP (64 * 1024) /* floats: a quarter of a megabyte, which the second cache holds beside other things */
#define FEW 192           /* points that a block should have */
#define SHARES 16         /* blocks (times panels of filters) that there should be */

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t parts_of(int64_t whole, int64_t size) { return (whole + size - 1) / size; }

/* Rows of the strip of so many rows of the grid. */
static inline int64_t strip_rows(const View *v, int64_t lines) {
    return (lines - 1) * v->step_y + v->bottom - v->top + 1;
}

/* Decides on blocks, by sizes alone; for filters in so many panels. */
static void settle(View *v, int64_t panels) {
    const int64_t shares = parts_of(SHARES, panels);
    v->in_place = v->top >= 0 && v->left >= 0 && (v->rows - 1) * v->step_y + v->bottom < v->height &&
                  (v->columns - 1) * v->step_x + v->right < v->width && v->repeats == 1 && !v->overruns;
    v->line = v->in_place ? v->width * v->channels
                          : ((v->columns - 1) * v->step_x + v->right - v->left + 1) * v->channels * v->repeats;
    const int64_t all = strip_rows(v, v->rows) * v->line;
    v->images = v->lines = 1;
    if (all <= STRIP && v->rows * v->columns <= 4 * FEW) {
        v->lines = v->rows;
        v->images = least(most(1, STRIP / most(1, all)), parts_of(FEW, v->rows * v->columns));
        v->images = most(1, least(v->images, v->examples / shares));
    }
    if (v->images == 1) {
        const int64_t fit = (STRIP / most(1, v->line) - strip_rows(v, 1)) / v->step_y + 1;
        v->lines = most(1, least(v->rows, most(fit, parts_of(FEW / 4, v->columns))));
        const int64_t wanted = parts_of(shares, v->examples); /* blocks of an image, if their points are not too few */
        v->lines = most(least(v->lines, parts_of(FEW / 4, v->columns)), least(v->lines, v->rows / wanted));
        v->lines = parts_of(v->rows, parts_of(v->rows, v->lines));
    }
    v->image = v->in_place ? v->height * v->line : strip_rows(v, v->lines) * v->line;
    v->parts = parts_of(v->rows, v->lines);
    v->blocks = v->images > 1 ? parts_of(v->examples, v->images) : v->examples * v->parts;
}

/* Floats that `look` needs beside the images. */
static int64_t strip_size(const View *v) { return v->in_place ? 0 : v->images * v->image; }

/* Points of the largest block. */
static int64_t most_points(const View *v) { return v->images * v->lines * v->columns; }

/* Where a block is. */
typedef struct {
    int64_t example, images, row, rows;
} Place;

static Place place_of(const View *v, int64_t block) {
    if (v->images > 1) return (Place){block * v->images, least(v->images, v->examples - block * v->images), 0, v->rows};
    const int64_t row = block % v->parts * v->lines;
    return (Place){block / v->parts, 1, row, least(v->lines, v->rows - row)};
}

/* One row of a strip: `count` pixels from column `from` on, of which some may lie beyond the row of the image. */
static void copy_row(const View *v, const float *row, int64_t from, int64_t count, float *out) {
    const int64_t c = v->channels * v->repeats, begin = least(count, most(0, -from));
    const int64_t end = most(begin, least(count, v->width - from));
    memset(out, 0, (size_t)(begin * c) * sizeof(float));
    if (v->repeats == 1)
        memcpy(out + begin * c, row + (from + begin) * c, (size_t)((end - begin) * c) * sizeof(float));
    else
        for (int64_t i = begin * v->channels; i < end * v->channels; i++)
            for (int64_t k = 0; k < v->repeats; k++) out[i * v->repeats + k] = row[from * v->channels + i];
    memset(out + end * c, 0, (size_t)((count - end) * c) * sizeof(float));
}

/* What the points of a block see, beginning with the first pixel that the first point sees. */
static const float *look(const View *v, const Place *p, float *strip) {
    if (v->in_place)
        return v->x + ((p->example * v->height + p->row * v->step_y + v->top) * v->width + v->left) * v->channels;
    const int64_t pixel = v->channels * v->repeats;
    for (int64_t e = 0; e < p->images; e++)
        for (int64_t j = 0; j < strip_rows(v, p->rows); j++) {
            const int64_t y = p->row * v->step_y + v->top + j;
            float *out = strip + e * v->image + j * v->line;
            if (y < 0 || y >= v->height)
                memset(out, 0, (size_t)v->line * sizeof(float));
            else
                copy_row(v, v->x + ((p->example + e) * v->height + y) * v->width * v->channels, v->left,
                         v->line / pixel, out);
        }
    return strip;
}

/* Where the points of a block see from, image by image, row by row. */
static int64_t points_at(const View *v, const Place *p, int64_t rows, int64_t columns, int64_t *at) {
    int64_t n = 0;
    for (int64_t e = 0; e < p->images; e++)
        for (int64_t j = 0; j < rows; j++)
            for (int64_t i = 0; i < columns; i++)
                at[n++] = e * v->image + j * v->step_y * v->line + i * v->step_x * v->channels * v->repeats;
    return n;
}
