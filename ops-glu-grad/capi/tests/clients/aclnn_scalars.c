/* Attributes as aclScalar: every type of number, and what functions refuse of them. */
#include "acl/acl.h"
#include "aclnnop/aclnn_clipped_swiglu.h"
#include "aclnnop/aclnn_clipped_swiglu_grad.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_hardshrink.h"
#include "aclnnop/aclnn_hardshrink_backward.h"
#include "aclnnop/aclnn_hardsigmoid_backward.h"
#include "aclnnop/aclnn_hardtanh_backward.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_logsigmoid.h"
#include "aclnnop/aclnn_logsigmoid_backward.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_softshrink_backward.h"
#include "aclnnop/aclnn_swish_backward.h"
#include "aclnnop/aclnn_threshold.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "check.h"
#include "opdev/op_errno.h"

enum { N = 8 };

static const int64_t SHAPE[1] = {N};
static float x[N] = {-3, -1, -0.5f, 0, 0.25f, 0.5f, 2, 4};
static float dy[N] = {1, 2, 3, 4, 5, 6, 7, 8};
static float out[N];
static aclTensor *tx, *tdy, *tout;

static uint64_t size;
static aclOpExecutor* executor;

static aclScalar* number(double value)
{
    return aclCreateScalar(&value, ACL_DOUBLE);
}

/* Runs what was prepared, and compares with a function of an index. */
static void gives(int status, aclnnStatus (*run)(void*, uint64_t, aclOpExecutor*, aclrtStream), double (*want)(int), int line)
{
    if (status != 0) {
        failures++;
        printf("line %d: %d; %s\n", line, status, aclGetRecentErrMsg());
        return;
    }
    IS(0, run(NULL, 0, executor, NULL));
    for (int i = 0; i < N; i++) {
        if (!near(out[i], want(i), 2e-6)) {
            failures++;
            printf("line %d: [%d] is %g, not %g\n", line, i, out[i], want(i));
        }
    }
}

#define GIVES(name, want, ...) gives(name##GetWorkspaceSize(__VA_ARGS__, &size, &executor), name, want, __LINE__)

/* The answer, whose message has each word. */
static void says(int want, int got, const char* first, const char* second, int line)
{
    const char* message = aclGetRecentErrMsg();
    if (got != want || !message || !strstr(message, first) || !strstr(message, second)) {
        failures++;
        printf("line %d: %d, not %d; %s\n", line, got, want, message ? message : "no message");
    }
}

#define SAYS(code, first, second, name, ...) \
    says(code, name##GetWorkspaceSize(__VA_ARGS__, &size, &executor), first, second, __LINE__)
#define REFUSED(first, second, ...) SAYS(ACLNN_ERR_PARAM_INVALID, first, second, __VA_ARGS__)

static double above_one(int i) { return x[i] > 1 ? dy[i] : 0; }
static double outside_half(int i) { return fabs(x[i]) > 0.5 ? dy[i] : 0; }

/* One is one in every type; a number is read when the scalar is made. */
static void types(void)
{
    float f32 = 1;
    double f64 = 1;
    uint16_t f16 = 0x3c00, bf16 = 0x3f80, u16 = 1;
    int8_t i8 = 1;
    uint8_t u8 = 1, boolean = 128;
    int16_t i16 = 1;
    int32_t i32 = 1;
    uint32_t u32 = 1;
    int64_t i64 = 1;
    uint64_t u64 = 1;
    struct {
        void* one;
        int dtype;
    } all[] = {{&f32, ACL_FLOAT},  {&f64, ACL_DOUBLE},  {&f16, ACL_FLOAT16}, {&bf16, ACL_BF16},
               {&i8, ACL_INT8},    {&u8, ACL_UINT8},    {&boolean, ACL_BOOL}, {&i16, ACL_INT16},
               {&u16, ACL_UINT16}, {&i32, ACL_INT32},   {&u32, ACL_UINT32},  {&i64, ACL_INT64},
               {&u64, ACL_UINT64}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        aclScalar* one = aclCreateScalar(all[i].one, (aclDataType)all[i].dtype);
        CHECK(one != NULL);
        memset(all[i].one, 0, 1);
        GIVES(aclnnThresholdBackward, above_one, tdy, tx, one, tout);
        IS(0, aclDestroyScalar(one));
    }
    /* Complex numbers are scalars, and no function takes them. */
    double pair[2] = {1, 0};
    const int complex[] = {ACL_COMPLEX64, ACL_COMPLEX128, ACL_COMPLEX32};
    for (int i = 0; i < 3; i++) {
        aclScalar* s = aclCreateScalar(pair, (aclDataType)complex[i]);
        CHECK(s != NULL);
        REFUSED("aclnnThresholdBackward: threshold", "real numbers", aclnnThresholdBackward, tdy, tx, s, tout);
        IS(0, aclDestroyScalar(s));
    }
    CHECK(aclCreateScalar(NULL, ACL_FLOAT) == NULL);
    CHECK(aclCreateScalar(pair, ACL_STRING) == NULL);
    CHECK(aclCreateScalar(pair, (aclDataType)99) == NULL);
    CHECK(strstr(aclGetRecentErrMsg(), "aclDataType 99") != NULL);
}

/* Scalars that are none, and numbers that no kernel has. */
static void wrong(void)
{
    SAYS(ACLNN_ERR_PARAM_NULLPTR, "threshold", "is null", aclnnThresholdBackward, tdy, tx, NULL, tout);
    aclScalar *one = number(1), *gone = number(2);
    SAYS(ACLNN_ERR_PARAM_NULLPTR, "scale", "is null", aclnnEluBackward, tdy, one, NULL, NULL, true, tx, tout);
    SAYS(ACLNN_ERR_PARAM_NULLPTR, "inputScale", "is null", aclnnElu, tx, one, one, NULL, tout);
    SAYS(ACLNN_ERR_PARAM_NULLPTR, "max", "is null", aclnnHardtanhBackward, tdy, tx, one, NULL, tout);
    IS(0, aclDestroyScalar(gone));
    IS(ACLNN_ERR_PARAM_INVALID, aclDestroyScalar(gone));
    IS(0, aclDestroyScalar(NULL));
    REFUSED("beta", "not a live aclScalar", aclnnSoftplusBackward, tdy, tx, gone, one, tout);
    REFUSED("beta", "not a live aclScalar", aclnnSoftplusBackward, tdy, tx, (aclScalar*)tx, one, tout);
    IS(ACLNN_ERR_PARAM_INVALID, aclDestroyScalar((aclScalar*)tx));
    REFUSED("self", "not a live aclTensor", aclnnThresholdBackward, tdy, (aclTensor*)one, one, tout);
    const double limits[] = {NAN, INFINITY, -INFINITY, 1e39};
    for (int i = 0; i < 4; i++) {
        aclScalar* s = number(limits[i]);
        REFUSED("aclnnThresholdBackward", "`threshold`", aclnnThresholdBackward, tdy, tx, s, tout);
        REFUSED("aclnnThreshold", "`value`", aclnnThreshold, tx, one, s, tout);
        IS(0, aclDestroyScalar(s));
    }
    IS(0, aclDestroyScalar(one));
}

static double elu_by_x(int i) { return x[i] > 0 ? dy[i] : dy[i] * -0.5 * exp(x[i]); }
static double leaky(int i) { return x[i] > 0 ? dy[i] : -0.5 * dy[i]; }
static double leaky_by_result(int i) { return x[i] > 0 ? dy[i] : 0.25 * dy[i]; }
static double at_zero(int i) { return x[i] != 0 ? dy[i] : 0; }
static double not_zero(int i) { return x[i]; }

static double above_half(int i) { return x[i] > 0.5 ? dy[i] : 0; }

/* A bound may be infinite. */
static void bounds(void)
{
    aclScalar *half = number(0.5), *infinite = number(INFINITY);
    GIVES(aclnnHardtanhBackward, above_half, tdy, tx, half, infinite, tout);
    IS(0, aclDestroyScalar(half));
    IS(0, aclDestroyScalar(infinite));
}

/* What documents make of negative numbers. */
static void negative(void)
{
    aclScalar *one = number(1), *bad = number(-0.5), *quarter = number(0.25), *zero = number(-0.0);
    GIVES(aclnnEluBackward, elu_by_x, tdy, bad, one, one, false, tx, tout);
    REFUSED("alpha must not be negative", "isResult", aclnnEluBackward, tdy, bad, one, one, true, tx, tout);
    GIVES(aclnnLeakyReluBackward, leaky, tdy, tx, bad, false, tout);
    GIVES(aclnnLeakyReluBackward, leaky_by_result, tdy, tx, quarter, true, tout);
    REFUSED("negativeSlope must not", "selfIsResult", aclnnLeakyReluBackward, tdy, tx, bad, true, tout);
    REFUSED("lambda must not be negative", "-0.5", aclnnSoftshrinkBackward, tdy, tx, bad, tout);
    GIVES(aclnnSoftshrinkBackward, at_zero, tdy, tx, zero, tout);
    GIVES(aclnnHardshrinkBackward, at_zero, tdy, tx, bad, tout); /* counts as 0 */
    GIVES(aclnnHardshrink, not_zero, tx, bad, tout);
    IS(0, aclDestroyScalar(one));
    IS(0, aclDestroyScalar(bad));
    IS(0, aclDestroyScalar(quarter));
    IS(0, aclDestroyScalar(zero));
}

static double silu_grad(int i) { const double s = sigmoid(x[i]); return dy[i] * (s + x[i] * s * (1 - s)); }
static double hard_sigmoid_grad(int i) { return fabs(x[i]) < 3 ? dy[i] / 6 : 0; }
static double log_sigmoid_grad(int i) { return dy[i] * sigmoid(-x[i]); }
static double log_sigmoid(int i) { return log(sigmoid(x[i])); }

/* Arguments that may be missing, that nothing reads, and attributes without any. */
static void beside(void)
{
    GIVES(aclnnSwishBackward, silu_grad, tdy, tx, NULL, tout); /* the default */
    aclScalar* one = number(1);
    GIVES(aclnnSwishBackward, silu_grad, tdy, tx, one, tout);
    IS(0, aclDestroyScalar(one));
    GIVES(aclnnHardsigmoidBackward, hard_sigmoid_grad, tdy, tx, tout);
    GIVES(aclnnLogSigmoidBackward, log_sigmoid_grad, tdy, tx, tdy, tout);
    SAYS(ACLNN_ERR_PARAM_NULLPTR, "buffer", "is null", aclnnLogSigmoidBackward, tdy, tx, NULL, tout);
    GIVES(aclnnLogSigmoidForward, log_sigmoid, tx, tout, NULL);
    GIVES(aclnnLogSigmoidForward, log_sigmoid, tx, tout, tdy);
    GIVES(aclnnLogSigmoid, log_sigmoid, tx, tout);
}

static double even_and_odd(int i) { return i < N / 2 ? fmin(x[2 * i], 7) * (x[2 * i + 1] + 1) * sigmoid(1.702 * x[2 * i]) : 0; }
static double halves(int i) { return i < N / 2 ? x[i] * (x[i + N / 2] + 1) * sigmoid(1.702 * x[i]) : 0; }

/* Parts of a tensor, and an input that is left out. */
static void parts(void)
{
    const int64_t half[1] = {N / 2};
    aclTensor* y = aclCreateTensor(half, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, half, 1, out);
    memset(out, 0, sizeof out);
    GIVES(aclnnClippedSwiglu, even_and_odd, tx, NULL, -1, 1.702, 7, 1, true, y);
    GIVES(aclnnClippedSwiglu, halves, tx, NULL, -1, 1.702, 7, 1, false, y);
    REFUSED("groupIndexOptional", "ACL_INT64", aclnnClippedSwiglu, tx, tdy, -1, 1.702, 7, 1, true, y);
    IS(0, aclDestroyTensor(y));
}

static double three_rows(int i) { return i < 3 ? even_and_odd(i) : 0; }

/* Counts of rows: of four rows three are computed, in two groups. They are read when the function runs. */
static void rows(void)
{
    const int64_t pairs[2] = {N / 2, 2}, single[2] = {N / 2, 1}, groups[2] = {2, 1}, none[1] = {0};
    int64_t counts[2] = {7, 7};
    float all[N];
    aclTensor* px = aclCreateTensor(pairs, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, pairs, 2, x);
    aclTensor* y = aclCreateTensor(single, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, single, 2, out);
    aclTensor* py = aclCreateTensor(single, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, single, 2, dy);
    aclTensor* pout = aclCreateTensor(pairs, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, pairs, 2, out);
    aclTensor* index = aclCreateTensor(groups, 1, ACL_INT64, NULL, 0, ACL_FORMAT_ND, groups, 1, counts);
    aclTensor* table = aclCreateTensor(groups, 2, ACL_INT64, NULL, 0, ACL_FORMAT_ND, groups, 2, counts);
    aclTensor* empty = aclCreateTensor(none, 1, ACL_INT64, NULL, 0, ACL_FORMAT_ND, none, 1, counts);

    memset(out, 0, sizeof out);
    GIVES(aclnnClippedSwiglu, even_and_odd, px, index, -1, 1.702, 7, 1, true, y); /* more than there are */
    for (int i = 0; i < N / 2; i++) {
        out[i] = 9;
    }
    counts[0] = 2;
    counts[1] = 1;
    GIVES(aclnnClippedSwiglu, three_rows, px, index, -1, 1.702, 7, 1, true, y);

    IS(0, aclnnClippedSwigluGradGetWorkspaceSize(py, px, NULL, -1, 1.702, 7, 1, true, pout, &size, &executor));
    IS(0, aclnnClippedSwigluGrad(NULL, 0, executor, NULL));
    memcpy(all, out, sizeof all);
    IS(0, aclnnClippedSwigluGradGetWorkspaceSize(py, px, index, -1, 1.702, 7, 1, true, pout, &size, &executor));
    IS(0, aclnnClippedSwigluGrad(NULL, 0, executor, NULL));
    CHECK(memcmp(all, out, 6 * sizeof *out) == 0 && all[6] != 0 && out[6] == 0 && out[7] == 0);

    counts[1] = -1;
    IS(0, aclnnClippedSwigluGetWorkspaceSize(px, index, -1, 1.702, 7, 1, true, y, &size, &executor));
    says(ACLNN_ERR_PARAM_INVALID, aclnnClippedSwiglu(NULL, 0, executor, NULL), "groupIndexOptional", "entry 1 is -1", __LINE__);
    REFUSED("groupIndexOptional", "one dimension", aclnnClippedSwiglu, px, table, -1, 1.702, 7, 1, true, y);
    REFUSED("groupIndexOptional", "one dimension", aclnnClippedSwiglu, px, empty, -1, 1.702, 7, 1, true, y);
    aclTensor* tensors[] = {px, y, py, pout, index, table, empty};
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        IS(0, aclDestroyTensor(tensors[i]));
    }
}

/* One type for the inputs, any for the result; floats of two types; no whole numbers. */
static void element_types(void)
{
    uint16_t half[N], half_out[N];
    int32_t whole[N];
    for (int i = 0; i < N; i++) {
        half[i] = aclFloatToFloat16(dy[i]);
        whole[i] = i;
    }
    aclTensor* thalf = aclCreateTensor(SHAPE, 1, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, SHAPE, 1, half);
    aclTensor* thalf_out = aclCreateTensor(SHAPE, 1, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, SHAPE, 1, half_out);
    aclTensor* twhole = aclCreateTensor(SHAPE, 1, ACL_INT32, NULL, 0, ACL_FORMAT_ND, SHAPE, 1, whole);
    aclScalar* one = number(1);
    aclScalar* threshold = number(0.5);
    IS(0, aclnnEluBackwardGetWorkspaceSize(tdy, one, one, one, false, tx, thalf_out, &size, &executor));
    IS(0, aclnnEluBackward(NULL, 0, executor, NULL));
    for (int i = 0; i < N; i++) {
        CHECK(near(aclFloat16ToFloat(half_out[i]), x[i] > 0 ? dy[i] : dy[i] * exp(x[i]), 1e-3));
    }
    REFUSED("selfOrResult", "dtype", aclnnEluBackward, thalf, one, one, one, false, tx, tout);
    GIVES(aclnnHardshrinkBackward, outside_half, thalf, tx, threshold, tout);
    REFUSED("gradOutput", "ACL_INT32", aclnnHardshrinkBackward, twhole, tx, threshold, tout);
    REFUSED("gradOutput", "dtype", aclnnThresholdBackward, twhole, tx, one, tout);
    REFUSED("gradInput", "ACL_INT32", aclnnHardshrinkBackward, tdy, tx, threshold, twhole);
    IS(0, aclDestroyScalar(one));
    IS(0, aclDestroyScalar(threshold));
    IS(0, aclDestroyTensor(thalf));
    IS(0, aclDestroyTensor(thalf_out));
    IS(0, aclDestroyTensor(twhole));
}

int main(void)
{
    tx = aclCreateTensor(SHAPE, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, SHAPE, 1, x);
    tdy = aclCreateTensor(SHAPE, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, SHAPE, 1, dy);
    tout = aclCreateTensor(SHAPE, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, SHAPE, 1, out);
    types();
    wrong();
    bounds();
    negative();
    beside();
    parts();
    rows();
    element_types();
    IS(0, aclDestroyTensor(tx));
    IS(0, aclDestroyTensor(tdy));
    IS(0, aclDestroyTensor(tout));
    printf("%d failures\n", failures);
    return failures != 0;
}
