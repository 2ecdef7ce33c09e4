/* What the clients count: conditions that hold, and those that do not. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            failures++;                                                       \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
        }                                                                     \
    } while (0)

/* A status, by its number. */
#define IS(want, call)                                                        \
    do {                                                                      \
        const int got_ = (int)(call);                                         \
        if (got_ != (int)(want)) {                                            \
            failures++;                                                       \
            printf("%s:%d: %d, not %d: %s\n", __FILE__, __LINE__, got_, (int)(want), #call); \
        }                                                                     \
    } while (0)

/* A value, to some units of single precision. */
static inline int near(double got, double want, double tolerance)
{
    const double scale = fabs(want) > 1e-3 ? fabs(want) : 1e-3;
    return fabs(got - want) <= tolerance * scale;
}

/* GELU, its derivative, and their forms by tanh, in double precision. */
static inline double gelu(double x, int by_tanh)
{
    const double k = sqrt(2.0 / acos(-1.0));
    return by_tanh ? 0.5 * x * (1.0 + tanh(k * (x + 0.044715 * x * x * x)))
                   : 0.5 * x * (1.0 + erf(x / sqrt(2.0)));
}

static inline double gelu_grad(double x, int by_tanh)
{
    const double k = sqrt(2.0 / acos(-1.0));
    const double t = tanh(k * (x + 0.044715 * x * x * x));
    if (by_tanh) {
        return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * k * (1.0 + 3.0 * 0.044715 * x * x);
    }
    return 0.5 * (1.0 + erf(x / sqrt(2.0))) + x * exp(-0.5 * x * x) / sqrt(2.0 * acos(-1.0));
}

static inline double sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

#endif
