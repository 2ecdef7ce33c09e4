/* What aclnn refuses: each row of the error tables, the order of the checks, bad handles and memory. */
#include "acl/acl.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "check.h"
#include "opdev/op_errno.h"

#include <stdlib.h>

/* A tensor to be. Zero is a dense tensor of floats. */
typedef struct {
    int64_t shape[10];
    uint64_t rank;
    int dtype;
    int format; /* beside ACL_FORMAT_ND */
    const int64_t* strides;
    int64_t offset;
    int64_t storage; /* elements; 0 for a dense tensor's */
} Spec;

static float memory[3][64];

static aclTensor* tensor(Spec s, float* data)
{
    const int64_t* storage = s.storage ? &s.storage : s.shape;
    return aclCreateTensor(s.shape, s.rank, (aclDataType)s.dtype, s.strides, s.offset,
                           (aclFormat)(ACL_FORMAT_ND + s.format), storage, s.storage ? 1 : s.rank, data);
}

static const Spec WHOLE = {{2, 3}, 2, ACL_FLOAT, 0, NULL, 0, 0};
static const Spec CUT = {{2, 6}, 2, ACL_FLOAT, 0, NULL, 0, 0};

/* The answer, whose message has each word. */
static void says(int want, int got, const char* first, const char* second, int line)
{
    const char* message = aclGetRecentErrMsg();
    if (got != want || !message || !strstr(message, first) || !strstr(message, second)) {
        failures++;
        printf("line %d: %d, not %d; %s\n", line, got, want, message ? message : "no message");
    }
}

static int backward(Spec dy, Spec x, Spec gelu, int64_t dim, int64_t approximate, Spec dx)
{
    static float out[64];
    aclTensor *a = tensor(dy, memory[0]), *b = tensor(x, memory[1]), *c = tensor(gelu, memory[2]);
    aclTensor* d = tensor(dx, out);
    uint64_t size = 7;
    aclOpExecutor* executor = NULL;
    const int status = aclnnGeGluV3BackwardGetWorkspaceSize(a, b, c, dim, approximate, false, d, &size, &executor);
    if (status != 0) {
        CHECK(size == 7 && executor == NULL);
    } else {
        CHECK(size == 0);
        IS(0, aclnnGeGluV3Backward(NULL, 0, executor, NULL));
    }
    aclDestroyTensor(a);
    aclDestroyTensor(b);
    aclDestroyTensor(c);
    aclDestroyTensor(d);
    return status;
}

#define REFUSED(first, second, call) says(ACLNN_ERR_PARAM_INVALID, call, first, second, __LINE__)

static Spec with_dtype(Spec s, int dtype)
{
    s.dtype = dtype;
    return s;
}

static Spec with_shape(Spec s, int64_t rows, int64_t columns)
{
    s.shape[0] = rows;
    s.shape[1] = columns;
    return s;
}

static void geglu_table(void)
{
    const Spec w = WHOLE, c = CUT;
    IS(0, backward(w, c, w, -1, 1, c));
    /* 161001, in the order of the arguments */
    uint64_t size;
    aclOpExecutor* executor;
    aclTensor* t = tensor(w, memory[0]);
    const char* names[4] = {"gradOutput", "self", "gelu", "gradInput"};
    for (int missing = 0; missing < 4; missing++) {
        aclTensor* all[4] = {t, t, t, t};
        for (int k = missing; k < 4; k++) {
            all[k] = NULL; /* the first one is named; all that is wrong later is not looked at */
        }
        says(ACLNN_ERR_PARAM_NULLPTR,
             aclnnGeGluV3BackwardGetWorkspaceSize(all[0], all[1], all[2], 9, 9, true, all[3], &size, &executor),
             names[missing], "is null", __LINE__);
        says(ACLNN_ERR_PARAM_NULLPTR,
             aclnnGeGluBackwardGetWorkspaceSize(all[0], all[1], all[2], 9, 9, all[3], &size, &executor),
             names[missing], "is null", __LINE__);
    }
    says(ACLNN_ERR_PARAM_NULLPTR,
         aclnnGeGluV3BackwardGetWorkspaceSize(NULL, t, t, 0, 0, true, t, NULL, &executor), "workspaceSize",
         "is null", __LINE__);
    says(ACLNN_ERR_PARAM_NULLPTR,
         aclnnGeGluV3BackwardGetWorkspaceSize(NULL, t, t, 0, 0, true, t, &size, NULL), "executor", "is null",
         __LINE__);
    aclDestroyTensor(t);
    /* 161002: element types, shapes, dim, approximate */
    const int unsupported[] = {ACL_INT8, ACL_DOUBLE, ACL_BOOL, ACL_DT_UNDEFINED, 5, 99, -1000};
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++) {
        REFUSED("gradOutput", "dtype", backward(with_dtype(w, unsupported[i]), c, w, -1, 1, c));
    }
    REFUSED("self", "ACL_FLOAT16", backward(w, with_dtype(c, ACL_FLOAT16), w, -1, 1, c));
    REFUSED("gelu", "ACL_BF16", backward(w, c, with_dtype(w, ACL_BF16), -1, 1, c));
    REFUSED("gradInput", "ACL_INT32", backward(w, c, w, -1, 1, with_dtype(c, ACL_INT32)));
    REFUSED("gelu", "shape", backward(w, c, with_shape(w, 3, 3), -1, 1, c));
    REFUSED("gradInput", "shape", backward(w, c, w, -1, 1, with_shape(c, 2, 4)));
    REFUSED("dim", "-2 to 1", backward(w, c, w, 2, 1, c));
    REFUSED("dim", "-2 to 1", backward(w, c, w, -3, 1, c));
    REFUSED("dim", "-9223372036854775808", backward(w, c, w, INT64_MIN, 1, c));
    REFUSED("gradOutput", "must be [1, 6]", backward(w, c, w, 0, 1, c));
    REFUSED("self", "even", backward(w, with_shape(c, 2, 5), w, -1, 1, with_shape(c, 2, 5)));
    REFUSED("approximate", "2", backward(w, c, w, -1, 2, c));
    REFUSED("approximate", "-1", backward(w, c, w, -1, -1, c));
    /* formats that are laid out otherwise, or none */
    const int formats[] = {ACL_FORMAT_NC1HWC0, ACL_FORMAT_FRACTAL_NZ, -2, 1000};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        Spec odd = c;
        odd.format = formats[i] - ACL_FORMAT_ND;
        REFUSED("self", "aclFormat", backward(w, odd, w, -1, 1, c));
    }
    /* one that is not stated is fine */
    Spec unstated = c;
    unstated.format = ACL_FORMAT_UNDEFINED - ACL_FORMAT_ND;
    IS(0, backward(w, unstated, w, -1, 1, c));
    /* without dimensions there is nothing to cut */
    Spec scalar = c;
    scalar.rank = 0;
    for (int64_t dim = -2; dim < 2; dim++) {
        REFUSED("gradOutput", "rank 0; allowed: 1 to 8", backward(scalar, scalar, scalar, dim, 1, scalar));
    }
    /* nine dimensions, a negative one, one of nothing */
    Spec nine = {{1, 1, 1, 1, 1, 1, 1, 1, 2}, 9, ACL_FLOAT, 0, NULL, 0, 0};
    REFUSED("gradOutput", "9 dimensions", backward(nine, nine, nine, 0, 1, nine));
    REFUSED("self", "negative dimension", backward(w, with_shape(c, 2, -6), w, -1, 1, c));
    const Spec none = with_shape(w, 0, 3), cut_none = with_shape(c, 0, 6);
    IS(0, backward(none, cut_none, none, -1, 1, cut_none)); /* workspace 0, success */
    const Spec halves = with_shape(w, 2, 0);
    IS(0, backward(halves, halves, halves, 1, 1, halves));
}

/* Wrong in two ways: the first check speaks. */
static void order(void)
{
    const Spec w = WHOLE, c = CUT, i8 = with_dtype(c, ACL_INT8), short_ = with_shape(c, 2, 4);
    Spec fractal = c, outside = c;
    fractal.format = ACL_FORMAT_FRACTAL_NZ - ACL_FORMAT_ND;
    outside.offset = 1;
    REFUSED("self", "dtype", backward(w, with_dtype(fractal, ACL_INT8), w, -1, 1, short_));
    REFUSED("gradInput", "dtype", backward(w, fractal, w, -1, 1, i8));
    REFUSED("self", "aclFormat", backward(w, fractal, with_shape(w, 1, 1), -1, 1, c));
    REFUSED("gelu", "shape", backward(w, c, with_shape(w, 1, 1), -1, 1, short_));
    REFUSED("gradInput", "shape", backward(w, c, w, -1, 9, short_));
    REFUSED("dim", "allowed", backward(with_shape(w, 1, 1), c, with_shape(w, 1, 1), 7, 1, c));
    REFUSED("gradOutput", "[2, 3]", backward(with_shape(w, 1, 1), c, with_shape(w, 1, 1), 1, 9, c));
    REFUSED("approximate", "9", backward(w, outside, w, -1, 9, c));
    REFUSED("self", "storage", backward(w, outside, w, -1, 1, c));
}

/* Views that leave their storage, and outputs that would be written twice. */
static void views(void)
{
    const Spec w = WHOLE, c = CUT;
    static const int64_t far[2] = {7, 1}, huge[2] = {INT64_MAX, INT64_MAX}, back[2] = {-6, 1};
    static const int64_t zero[2] = {0, 1}, wide[2] = {INT64_MAX / 4, 1};
    Spec s = c;
    s.strides = far;
    REFUSED("self", "storage", backward(w, s, w, -1, 1, c));
    s.storage = 13;
    IS(0, backward(w, s, w, -1, 1, c));
    s.offset = 1;
    REFUSED("self", "elements 1 to 13 of a storage of 13", backward(w, s, w, -1, 1, c));
    s.storage = 14;
    IS(0, backward(w, s, w, -1, 1, c));
    s.offset = -1;
    REFUSED("self", "offset", backward(w, s, w, -1, 1, c));
    s.offset = INT64_MAX;
    REFUSED("self", "overflows", backward(w, s, w, -1, 1, c));
    s = c;
    s.strides = huge;
    REFUSED("self", "overflows", backward(w, s, w, -1, 1, c));
    s.strides = wide;
    REFUSED("self", "overflows", backward(w, s, w, -1, 1, c));
    s.strides = back;
    REFUSED("self", "negative stride", backward(w, s, w, -1, 1, c));
    s.shape[0] = 1; /* nothing is that far away */
    IS(0, backward(with_shape(w, 1, 3), s, with_shape(w, 1, 3), -1, 1, s));
    s.shape[0] = 0;
    IS(0, backward(with_shape(w, 0, 3), s, with_shape(w, 0, 3), -1, 1, s));
    s = c;
    s.storage = -12;
    REFUSED("self", "storage shape", backward(w, s, w, -1, 1, c));
    s.storage = 0;
    s.strides = zero; /* rows that are one row: fine to read, not to write */
    IS(0, backward(w, s, w, -1, 1, c));
    REFUSED("gradInput", "twice", backward(w, c, w, -1, 1, s));
    /* shapes of more elements than there are addresses */
    const Spec vast = with_shape(c, INT64_MAX / 2, 6), half = with_shape(w, INT64_MAX / 2, 3);
    IS(ACLNN_ERR_PARAM_INVALID, backward(half, vast, half, -1, 1, vast));
    CHECK(aclGetRecentErrMsg() != NULL);
    /* arguments that cannot be read make no tensor */
    int64_t n = 3;
    CHECK(aclCreateTensor(NULL, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &n, 1, memory[0]) == NULL);
    CHECK(aclCreateTensor(&n, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 1, memory[0]) == NULL);
    CHECK(aclCreateTensor(&n, UINT64_MAX, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &n, 1, memory[0]) == NULL);
    CHECK(strstr(aclGetRecentErrMsg(), "dimensions") != NULL);
}

static void gelu_backward_v2(void)
{
    Spec row = {{3}, 1, ACL_FLOAT16, 0, NULL, 0, 0}, two = {{2}, 1, ACL_FLOAT, 0, NULL, 0, 0};
    Spec nine = {{1, 1, 1, 1, 1, 1, 1, 1, 1}, 9, ACL_FLOAT, 0, NULL, 0, 0};
    char tanh[] = "tanh", none[] = "none", other[] = "Tanh", empty[] = "";
    const struct {
        Spec dy, x;
        char* approximate;
        Spec dx;
        int status;
        const char *first, *second;
    } table[] = {
        {row, WHOLE, tanh, WHOLE, 0, NULL, NULL},
        {WHOLE, row, none, WHOLE, 0, NULL, NULL},
        {row, WHOLE, NULL, WHOLE, ACLNN_ERR_PARAM_NULLPTR, "approximate", "is null"},
        {with_dtype(row, ACL_UINT32), WHOLE, tanh, WHOLE, ACLNN_ERR_PARAM_INVALID, "gradOutput", "dtype"},
        {row, with_dtype(WHOLE, ACL_DOUBLE), tanh, WHOLE, ACLNN_ERR_PARAM_INVALID, "self", "dtype"},
        {row, with_dtype(WHOLE, ACL_UINT8), tanh, WHOLE, ACLNN_ERR_PARAM_INVALID, "gradInput", "ACL_FLOAT16"},
        {with_dtype(row, ACL_BOOL), with_dtype(WHOLE, ACL_INT64), tanh, WHOLE, ACLNN_ERR_PARAM_INVALID, "gradOutput", "float"},
        {row, WHOLE, tanh, with_dtype(WHOLE, ACL_INT32), ACLNN_ERR_PARAM_INVALID, "gradInput", "allowed: "},
        {row, WHOLE, tanh, with_dtype(WHOLE, ACL_FLOAT16), ACLNN_ERR_PARAM_INVALID, "gradInput", "promoted"},
        {two, WHOLE, tanh, WHOLE, ACLNN_ERR_PARAM_INVALID, "self", "broadcast"},
        {row, WHOLE, tanh, with_shape(WHOLE, 2, 4), ACLNN_ERR_PARAM_INVALID, "gradInput", "[2, 3]"},
        {nine, WHOLE, tanh, nine, ACLNN_ERR_PARAM_INVALID, "gradOutput", "9 dimensions"},
        {row, WHOLE, other, WHOLE, ACLNN_ERR_PARAM_INVALID, "approximate", "Tanh"},
        {row, WHOLE, empty, WHOLE, ACLNN_ERR_PARAM_INVALID, "approximate", "none or tanh"},
        /* order: types, shapes, approximate */
        {two, with_dtype(WHOLE, ACL_COMPLEX64), other, WHOLE, ACLNN_ERR_PARAM_INVALID, "self", "dtype"},
        {two, WHOLE, other, WHOLE, ACLNN_ERR_PARAM_INVALID, "self", "broadcast"},
        {with_dtype(WHOLE, ACL_INT8), WHOLE, NULL, WHOLE, ACLNN_ERR_PARAM_NULLPTR, "approximate", "null"},
        /* without elements */
        {with_shape(WHOLE, 0, 3), WHOLE, tanh, with_shape(WHOLE, 0, 3), ACLNN_ERR_PARAM_INVALID, "self", "broadcast"},
        {with_shape(WHOLE, 0, 3), with_shape(WHOLE, 1, 3), tanh, with_shape(WHOLE, 0, 3), 0, NULL, NULL},
    };
    static float out[64];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        aclTensor *dy = tensor(table[i].dy, memory[0]), *x = tensor(table[i].x, memory[1]);
        aclTensor* dx = tensor(table[i].dx, out);
        uint64_t size = 7;
        aclOpExecutor* executor = NULL;
        const int got = aclnnGeluBackwardV2GetWorkspaceSize(dy, x, table[i].approximate, dx, &size, &executor);
        if (table[i].status == 0) {
            IS(0, got);
            CHECK(size == 0);
            IS(0, aclnnGeluBackwardV2(NULL, 0, executor, NULL));
        } else {
            says(table[i].status, got, table[i].first, table[i].second, (int)i);
        }
        aclDestroyTensor(dy);
        aclDestroyTensor(x);
        aclDestroyTensor(dx);
    }
}

static int swiglu(Spec dy, Spec x, int64_t dim, Spec dx)
{
    static float out[64];
    aclTensor *a = tensor(dy, memory[0]), *b = tensor(x, memory[1]), *c = tensor(dx, out);
    uint64_t size;
    aclOpExecutor* executor = NULL;
    const int status = aclnnSwiGluGradGetWorkspaceSize(a, b, dim, c, &size, &executor);
    if (status == 0) {
        IS(0, aclnnSwiGluGrad(NULL, size, executor, NULL));
    }
    aclDestroyTensor(a);
    aclDestroyTensor(b);
    aclDestroyTensor(c);
    return status;
}

static void swiglu_table(void)
{
    const Spec w = WHOLE, c = CUT;
    uint64_t size;
    aclOpExecutor* executor;
    aclTensor* t = tensor(w, memory[0]);
    says(ACLNN_ERR_PARAM_NULLPTR, aclnnSwiGluGradGetWorkspaceSize(NULL, t, 9, t, &size, &executor), "yGrad",
         "is null", __LINE__);
    says(ACLNN_ERR_PARAM_NULLPTR, aclnnSwiGluGradGetWorkspaceSize(t, NULL, 9, t, &size, &executor), "x", "is null",
         __LINE__);
    says(ACLNN_ERR_PARAM_NULLPTR, aclnnSwiGluGradGetWorkspaceSize(t, t, 9, NULL, &size, &executor), "out",
         "is null", __LINE__);
    aclDestroyTensor(t);
    IS(0, swiglu(w, c, 1, c));
    REFUSED("yGrad", "dtype", swiglu(with_dtype(w, ACL_INT16), c, 1, c));
    REFUSED("x", "dtype", swiglu(w, with_dtype(c, ACL_BF16), 1, c));
    REFUSED("out", "dtype", swiglu(w, c, 1, with_dtype(c, ACL_FLOAT16)));
    REFUSED("dimOptional", "-2 to 1", swiglu(w, c, 2, c));
    REFUSED("out", "shape", swiglu(w, c, 1, w));
    REFUSED("yGrad", "must be [2, 3]", swiglu(c, c, 1, c));
    REFUSED("yGrad", "empty", swiglu(with_shape(w, 0, 3), with_shape(c, 0, 6), 1, with_shape(c, 0, 6)));
}

/* Executors, workspaces, streams and handles of other things. */
static void handles(void)
{
    const Spec half = with_dtype(WHOLE, ACL_FLOAT16);
    static float out[64];
    aclTensor *x = tensor(WHOLE, memory[0]), *y = tensor(WHOLE, memory[1]), *z = tensor(half, out);
    uint64_t size = 0;
    aclOpExecutor* executor = NULL;
    aclrtStream stream = NULL;
    char room[256];
    says(ACLNN_ERR_PARAM_NULLPTR, aclnnGelu(NULL, 0, NULL, NULL), "executor", "null", __LINE__);
    /* whole numbers need a workspace: null, too small, enough */
    aclTensor* whole = tensor(with_dtype(WHOLE, ACL_INT32), memory[2]);
    IS(0, aclnnGeluBackwardGetWorkspaceSize(whole, y, z, &size, &executor));
    CHECK(size > 0 && size <= sizeof room);
    says(ACLNN_ERR_PARAM_NULLPTR, aclnnGeluBackward(NULL, size, executor, NULL), "workspace", "null", __LINE__);
    REFUSED("executor", "live", aclnnGeluBackward(room, size, executor, NULL)); /* it ended there */
    IS(0, aclnnGeluBackwardGetWorkspaceSize(whole, y, z, &size, &executor));
    IS(0, aclSetAclOpExecutorRepeatable(executor));
    says(ACLNN_ERR_PARAM_NULLPTR, aclnnGeluBackward(NULL, 0, executor, NULL), "workspace", "null", __LINE__);
    REFUSED("workspaceSize", "needed", aclnnGeluBackward(room, size - 1, executor, NULL));
    REFUSED("executor", "prepared by aclnnGeluBackward", aclnnGelu(room, size, executor, NULL));
    IS(0, aclnnGeluBackward(room, size, executor, NULL));
    /* memory of the library is known: a workspace that ends before it should, or lies around such memory */
    void* block = NULL;
    IS(0, aclrtMalloc(&block, size - 1, ACL_MEM_MALLOC_NORMAL_ONLY));
    REFUSED("workspace", "smaller", aclnnGeluBackward(block, size, executor, NULL));
    REFUSED("workspace", "smaller", aclnnGeluBackward((char*)block - 1, size, executor, NULL));
    REFUSED("workspace", "smaller", aclnnGeluBackward((void*)UINTPTR_MAX, size, executor, NULL));
    IS(0, aclrtFree(block));
    IS(0, aclrtMalloc(&block, size, ACL_MEM_MALLOC_NORMAL_ONLY));
    REFUSED("workspace", "smaller", aclnnGeluBackward((char*)block + 1, size, executor, NULL));
    IS(0, aclnnGeluBackward(block, size, executor, NULL));
    IS(0, aclrtFree(block));
    /* streams */
    IS(0, aclrtCreateStream(&stream));
    IS(0, aclnnGeluBackward(room, size, executor, stream));
    IS(ACLNN_ERR_INNER, aclDestroyAclOpExecutor((aclOpExecutor*)stream));
    IS(0, aclrtDestroyStream(stream));
    says(ACLNN_ERR_RUNTIME_ERROR, aclnnGeluBackward(room, size, executor, stream), "stream", "live", __LINE__);
    IS(0, aclDestroyAclOpExecutor(executor));
    REFUSED("executor", "live", aclnnGeluBackward(room, size, executor, NULL));
    IS(ACLNN_ERR_INNER, aclDestroyAclOpExecutor(executor));
    IS(ACLNN_ERR_INNER, aclSetAclOpExecutorRepeatable(executor));
    IS(ACLNN_ERR_INNER, aclSetAclOpExecutorRepeatable((aclOpExecutor*)x));
    IS(ACLNN_ERR_INNER_NULLPTR, aclSetAclOpExecutorRepeatable(NULL));
    IS(ACLNN_ERR_INNER_NULLPTR, aclDestroyAclOpExecutor(NULL));
    /* freed, foreign and made-up tensors */
    IS(0, aclDestroyTensor(z));
    IS(ACLNN_ERR_PARAM_INVALID, aclDestroyTensor(z));
    IS(ACLNN_ERR_PARAM_INVALID, aclDestroyTensor((const aclTensor*)memory));
    REFUSED("out", "live aclTensor", aclnnGeluGetWorkspaceSize(x, z, &size, &executor));
    REFUSED("self", "live aclTensor", aclnnGeluGetWorkspaceSize((const aclTensor*)&room, y, &size, &executor));
    /* an output that covers part of an input */
    aclTensor* shifted = tensor(WHOLE, memory[0] + 1);
    IS(0, aclnnGeluGetWorkspaceSize(x, shifted, &size, &executor));
    REFUSED("aclnnGelu: output `out`", "overlaps input `self`", aclnnGelu(NULL, 0, executor, NULL));
    IS(0, aclnnGeluGetWorkspaceSize(x, x, &size, &executor)); /* in place is fine */
    IS(0, aclnnGelu(NULL, 0, executor, NULL));
    /* tensors without memory, or with less than they say */
    IS(0, aclSetRawTensorAddr(y, NULL));
    IS(0, aclnnGeluGetWorkspaceSize(x, y, &size, &executor));
    says(ACLNN_ERR_PARAM_NULLPTR, aclnnGelu(NULL, 0, executor, NULL), "out", "null", __LINE__);
    void* device = NULL;
    IS(0, aclrtMalloc(&device, 20, ACL_MEM_MALLOC_HUGE_FIRST));
    IS(0, aclSetRawTensorAddr(y, device));
    IS(0, aclnnGeluGetWorkspaceSize(x, y, &size, &executor));
    REFUSED("out", "smaller allocation", aclnnGelu(NULL, 0, executor, NULL));
    IS(0, aclrtFree(device));
    IS(0, aclDestroyTensor(x));
    IS(0, aclDestroyTensor(y));
    IS(0, aclDestroyTensor(shifted));
    IS(0, aclDestroyTensor(whole));
    IS(0, aclDestroyTensor(NULL));
    int64_t* list;
    uint64_t count;
    IS(ACLNN_ERR_PARAM_NULLPTR, aclGetViewShape(NULL, &list, &count));
    IS(ACLNN_ERR_PARAM_INVALID, aclGetViewShape(x, &list, &count));
    IS(ACLNN_ERR_PARAM_NULLPTR, aclGetDataType(NULL, NULL));
}

/* Devices and memory. */
static void runtime(void)
{
    void *device = NULL, *never = NULL;
    char host[64] = {0};
    uint32_t devices = 0;
    IS(ACL_ERROR_REPEAT_INITIALIZE, aclInit(NULL));
    IS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(1));
    IS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDevice(-1));
    IS(0, aclrtGetDeviceCount(&devices));
    CHECK(devices == 1);
    IS(ACL_ERROR_INVALID_PARAM, aclrtGetDevice(NULL));
    IS(ACL_ERROR_INVALID_PARAM, aclrtCreateStream(NULL));
    IS(ACL_ERROR_INVALID_PARAM, aclrtDestroyStream(NULL));
    IS(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStream(host));
    IS(0, aclrtSynchronizeStream(NULL)); /* the default stream */
    IS(ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream(host));
    IS(ACL_ERROR_INVALID_PARAM, aclrtMalloc(NULL, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    IS(ACL_ERROR_INVALID_PARAM, aclrtMalloc(&never, 0, ACL_MEM_MALLOC_HUGE_FIRST));
    IS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&never, SIZE_MAX, ACL_MEM_MALLOC_HUGE_ONLY));
    CHECK(never == NULL);
    IS(ACL_ERROR_INVALID_PARAM, aclrtFree(NULL));
    IS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(host));
    IS(0, aclrtMalloc(&device, 32, ACL_MEM_MALLOC_NORMAL_ONLY));
    IS(0, aclrtMemset(device, 32, 1, 32));
    IS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(device, 32, 1, 33));
    IS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(device, 64, 1, 33)); /* the allocation is known */
    IS(0, aclrtMemcpy(host, 64, device, 32, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(host[31] == 1 && host[32] == 0);
    IS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(host, 31, device, 32, ACL_MEMCPY_DEVICE_TO_HOST));
    IS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(device, 64, host, 33, ACL_MEMCPY_HOST_TO_DEVICE));
    IS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(host, 64, device, 33, ACL_MEMCPY_DEFAULT));
    IS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(NULL, 64, device, 32, ACL_MEMCPY_DEVICE_TO_HOST));
    IS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(host, 64, NULL, 32, ACL_MEMCPY_DEVICE_TO_HOST));
    IS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(host, 64, device, 32, (aclrtMemcpyKind)99));
    IS(0, aclrtMemcpy(NULL, 0, NULL, 0, ACL_MEMCPY_DEVICE_TO_HOST));
    IS(ACL_ERROR_RT_INVALID_HANDLE, aclrtMemcpyAsync(host, 64, device, 32, ACL_MEMCPY_DEFAULT, host));
    IS(0, aclrtFree(device));
    IS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(device));
    IS(0, aclFinalize());
    IS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
}

int main(void)
{
    IS(0, aclInit(NULL));
    geglu_table();
    order();
    views();
    gelu_backward_v2();
    swiglu_table();
    handles();
    runtime();
    printf("%d failures\n", failures);
    return failures != 0;
}
