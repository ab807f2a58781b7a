/* Functions of one float that compilers turn into vector code: no branches, no calls, no tables.

   NaN goes through all of them. They must not be compiled with -ffast-math, which would let it be lost and would undo
   the rounding by a large number. */

#include <stdint.h>
#include <string.h>

static inline float as_float(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t as_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* exp(x - less) to rounding, gradually down to 0 and up to inf. `less` is small beside x: the part of an exact number
   that its float does not hold. */
static inline float exp_less(float x, float less) {
    x = x < -104.0f ? -104.0f : x;
    x = x > 89.0f ? 89.0f : x;
    float rounded = x * 1.44269504f + 12582912.0f; /* 1.5 * 2^23: its last bits are the whole number */
    int32_t n = (int32_t)(as_bits(rounded) - 0x4B400000u);
    float whole = rounded - 12582912.0f;
    float r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f; /* ln 2 in two parts; the first product is exact */
    r -= less;
    float p = 1.98412698e-4f;
    p = p * r + 1.38888889e-3f;
    p = p * r + 8.33333333e-3f;
    p = p * r + 4.16666667e-2f;
    p = p * r + 1.66666667e-1f;
    p = p * r + 0.5f;
    p = p * r * r + r + 1.0f;
    int32_t half = n >> 1; /* in two steps: 2^n itself may be too large or too small */
    return p * as_float((uint32_t)(half + 127) << 23) * as_float((uint32_t)(n - half + 127) << 23);
}

static inline float exponential(float x) { return exp_less(x, 0.0f); }

/* The normal distribution function, and its density without the factor 1/sqrt(2 pi).

   Φ(x) = 1 / (1 + exp(-2 w(z))) with z = x / sqrt 2 and w(z) = artanh(erf z), a polynomial times z up to |z| = 4, as in
   engines/numpy/math/gauss.py. Below, Φ(-a) = φ(a) / a times a polynomial of 1 / a². */
#define ROOT_HALF 0.707106781f
#define TAIL (-5.65685425f)
#define INVERSE_ROOT_2_PI 0.398942280f

static inline float slope_of_logit(float u) {
    float w = -0.00079627091f;
    w = w * u + 0.00098083343f;
    w = w * u + 0.0017409835f;
    w = w * u - 0.0032692226f;
    w = w * u + 0.0017926076f;
    w = w * u - 0.0019106815f;
    w = w * u + 0.0027453352f;
    w = w * u - 5.3294654e-05f;
    w = w * u - 0.0082820244f;
    w = w * u + 0.029306347f;
    w = w * u - 0.096872084f;
    w = w * u + 0.57831419f;
    return w * u + 1.8314189f;
}

static inline float tail_ratio(float inverse_square) {
    float p = -399.995297f;
    p = p * inverse_square + 89.4251161f;
    p = p * inverse_square + -14.7698828f;
    p = p * inverse_square + 2.99838923f;
    p = p * inverse_square + -0.99999578f;
    return p * inverse_square + 1.0f;
}

/* exp(-x²/2); the square is taken in two parts, since its rounding would count a hundred times in the tail. */
static inline float bell(float x) {
    float a = x < 0 ? -x : x;
    a = a > 40.0f ? 40.0f : a;
    float high = as_float(as_bits(a) & 0xFFFFF000u), low = a - high;
    return exp_less(high * high * -0.5f, low * (a + high) * 0.5f);
}

static inline float body_cdf(float x) {
    float z = x * ROOT_HALF;
    z = z < -4.0f ? -4.0f : z;
    z = z > 4.0f ? 4.0f : z;
    return 1.0f / (1.0f + exponential(-2.0f * (slope_of_logit(z * z * 0.125f - 1.0f) * z)));
}

static inline float tail_cdf(float x, float bell_of_x) {
    float a = x < -40.0f ? 40.0f : x < TAIL ? -x : -TAIL; /* no more than a number to compute with where it is not used */
    return bell_of_x * INVERSE_ROOT_2_PI / a * tail_ratio(1.0f / (a * a));
}
