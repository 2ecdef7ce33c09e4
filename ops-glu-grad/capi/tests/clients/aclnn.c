/* Every aclnn header from C: results on dense, strided, broadcast and promoted tensors. */
#include "acl/acl.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_prelu.h"
#include "aclnnop/aclnn_prelu_backward.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "check.h"

#include <stdlib.h>

enum { ROWS = 3, HALF = 5, N = ROWS * HALF };

static aclrtStream stream;

/* A tensor of floats with rows of `length` at a distance of `pitch`, `offset` into its memory. */
static aclTensor* matrix(float* data, int64_t length, int64_t pitch, int64_t offset)
{
    const int64_t shape[2] = {ROWS, length}, strides[2] = {pitch, 1};
    const int64_t storage = offset + (ROWS - 1) * pitch + length;
    return aclCreateTensor(shape, 2, ACL_FLOAT, strides, offset, ACL_FORMAT_ND, &storage, 1, data);
}

static void fill(float* data, int count, double from, double to)
{
    for (int i = 0; i < count; i++) {
        data[i] = (float)(from + (to - from) * ((i * 7) % count) / count);
    }
}

typedef aclnnStatus (*Phase2)(void*, uint64_t, aclOpExecutor*, aclrtStream);

static void finish(Phase2 run, uint64_t size, aclOpExecutor* executor)
{
    void* workspace = NULL;
    if (size > 0) {
        IS(0, aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_NORMAL_ONLY));
    }
    IS(0, run(workspace, size, executor, stream));
    IS(0, aclrtSynchronizeStream(stream));
    if (size > 0) {
        IS(0, aclrtFree(workspace));
    }
}

/* GeGLU there and back, dense and through strides. */
static void geglu(int64_t approximate, bool left, int64_t pad)
{
    enum { ROOM = ROWS * (2 * HALF + 3) + 2 };
    float x[ROOM], dx[ROOM], dy[ROOM], y[ROOM], g[ROOM];
    const int64_t whole = HALF + pad, cut = 2 * HALF + pad, offset = pad ? 2 : 0;
    fill(x, ROOM, -4, 4);
    fill(dy, ROOM, -1, 2);
    fill(dx, ROOM, 7, 7);
    fill(y, ROOM, 7, 7);
    fill(g, ROOM, 7, 7);
    aclTensor *tx = matrix(x, 2 * HALF, cut, offset), *tdx = matrix(dx, 2 * HALF, cut, offset);
    aclTensor *tdy = matrix(dy, HALF, whole, offset);
    aclTensor *ty = matrix(y, HALF, whole, offset), *tg = matrix(g, HALF, whole, offset);
    uint64_t size = 1;
    aclOpExecutor* executor = NULL;
    IS(0, aclnnGeGluV3GetWorkspaceSize(tx, -1, approximate, left, ty, tg, &size, &executor));
    finish(aclnnGeGluV3, size, executor);
    IS(0, aclnnGeGluV3BackwardGetWorkspaceSize(
              tdy, tx, tg, 1, approximate, left, tdx, &size, &executor));
    finish(aclnnGeGluV3Backward, size, executor);
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < HALF; c++) {
            const int64_t a = offset + r * cut + c, b = a + HALF, i = offset + r * whole + c;
            const int64_t gate = left ? a : b, value = left ? b : a;
            const double want = gelu(x[gate], (int)approximate);
            CHECK(near(g[i], want, 1e-6));
            CHECK(near(y[i], want * x[value], 1e-6));
            CHECK(near(dx[value], dy[i] * want, 1e-6));
            CHECK(near(dx[gate], dy[i] * x[value] * gelu_grad(x[gate], (int)approximate), 2e-6));
        }
        for (int64_t c = 0; c < pad; c++) { /* between rows nothing is written */
            CHECK(r == ROWS - 1 || dx[offset + r * cut + 2 * HALF + c] == 7);
        }
    }
    if (!left) { /* the older name, which has no activateLeft */
        float older[ROOM];
        fill(older, ROOM, 7, 7);
        aclTensor* told = matrix(older, 2 * HALF, cut, offset);
        IS(0, aclnnGeGluBackwardGetWorkspaceSize(
                  tdy, tx, tg, -1, approximate, told, &size, &executor));
        finish(aclnnGeGluBackward, size, executor);
        CHECK(memcmp(older, dx, sizeof dx) == 0);
        IS(0, aclDestroyTensor(told));
    }
    aclTensor* all[5] = {tx, tdx, tdy, ty, tg};
    for (int i = 0; i < 5; i++) {
        IS(0, aclDestroyTensor(all[i]));
    }
}

/* SwiGLU along the first dimension, with columns at a distance: its document refuses such tensors,
   the operator does not. */
static void swiglu(void)
{
    enum { PITCH = 2 };
    float x[2 * N * PITCH], dx[2 * N * PITCH], dy[N * PITCH], y[N * PITCH];
    fill(x, 2 * N * PITCH, -5, 5);
    fill(dy, N * PITCH, -1, 1);
    const int64_t cut[2] = {2 * ROWS, HALF}, whole[2] = {ROWS, HALF};
    const int64_t strides[2] = {HALF * PITCH, PITCH};
    const int64_t large = 2 * N * PITCH, small = N * PITCH;
    aclTensor* tx = aclCreateTensor(cut, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, &large, 1, x);
    aclTensor* tdx = aclCreateTensor(cut, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, &large, 1, dx);
    aclTensor* tdy = aclCreateTensor(whole, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, &small, 1, dy);
    aclTensor* ty = aclCreateTensor(whole, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, &small, 1, y);
    uint64_t size = 1;
    aclOpExecutor* executor = NULL;
    IS(0, aclnnSwiGluGetWorkspaceSize(tx, 0, ty, &size, &executor));
    finish(aclnnSwiGlu, size, executor);
    IS(0, aclnnSwiGluGradGetWorkspaceSize(tdy, tx, -2, tdx, &size, &executor));
    finish(aclnnSwiGluGrad, size, executor);
    for (int i = 0; i < N; i++) {
        const double a = x[i * PITCH], b = x[(N + i) * PITCH], s = sigmoid(a), g = dy[i * PITCH];
        CHECK(near(y[i * PITCH], a * s * b, 2e-6));
        CHECK(near(dx[i * PITCH], g * b * (s + a * s * (1 - s)), 2e-6));
        CHECK(near(dx[(N + i) * PITCH], g * a * s, 2e-6));
    }
    aclTensor* all[4] = {tx, tdx, tdy, ty};
    for (int i = 0; i < 4; i++) {
        IS(0, aclDestroyTensor(all[i]));
    }
}

/* GELU and its gradients; a row of half precision is broadcast and promoted. */
static void gelus(void)
{
    float x[N], y[N], dx[N];
    aclFloat16 row[HALF], half[N];
    fill(x, N, -3, 3);
    for (int i = 0; i < HALF; i++) {
        row[i] = aclFloatToFloat16(0.25f * (float)i - 0.5f);
    }
    const int64_t shape[1] = {HALF}, full[2] = {ROWS, HALF};
    aclTensor *tx = matrix(x, HALF, HALF, 0), *ty = matrix(y, HALF, HALF, 0);
    aclTensor* tdx = matrix(dx, HALF, HALF, 0);
    aclTensor* trow = aclCreateTensor(shape, 1, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, shape, 1, row);
    aclTensor* thalf = aclCreateTensor(full, 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, full, 2, half);
    uint64_t size = 1;
    aclOpExecutor* executor = NULL;
    IS(0, aclnnGeluGetWorkspaceSize(tx, ty, &size, &executor));
    CHECK(size == 0);
    finish(aclnnGelu, size, executor);
    for (int i = 0; i < N; i++) {
        CHECK(near(y[i], gelu(x[i], 1), 1e-6));
    }
    for (int by_tanh = 0; by_tanh < 2; by_tanh++) {
        char none[] = "none", tanh[] = "tanh";
        IS(0, aclnnGeluV2GetWorkspaceSize(tx, by_tanh, ty, &size, &executor));
        finish(aclnnGeluV2, size, executor);
        IS(0, aclnnGeluBackwardV2GetWorkspaceSize(
                  trow, tx, by_tanh ? tanh : none, tdx, &size, &executor));
        CHECK(size == 0);
        finish(aclnnGeluBackwardV2, size, executor);
        for (int i = 0; i < N; i++) {
            const double dy = aclFloat16ToFloat(row[i % HALF]);
            CHECK(near(y[i], gelu(x[i], by_tanh), 1e-6));
            CHECK(near(dx[i], dy * gelu_grad(x[i], by_tanh), 2e-6));
        }
    }
    /* aclnnGeluBackward casts its result to what the output has, as it is stored. */
    IS(0, aclnnGeluBackwardGetWorkspaceSize(trow, tx, thalf, &size, &executor));
    CHECK(size == 0);
    finish(aclnnGeluBackward, size, executor);
    for (int i = 0; i < N; i++) {
        const double dy = aclFloat16ToFloat(row[i % HALF]);
        CHECK(near(aclFloat16ToFloat(half[i]), dy * gelu_grad(x[i], 1), 1e-3));
    }
    aclTensor* all[5] = {tx, ty, tdx, trow, thalf};
    for (int i = 0; i < 5; i++) {
        IS(0, aclDestroyTensor(all[i]));
    }
}

/* PReLU and its gradients: weights of channels lie along dimension 1, and one is for all. */
static void prelu(int64_t count)
{
    enum { INNER = 4, ALL = N * INNER };
    float x[ALL], y[ALL], dy[ALL], dx[ALL], weight[HALF], dweight[HALF];
    fill(x, ALL, -3, 3);
    fill(dy, ALL, -1, 2);
    fill(weight, HALF, 0, 1);
    const int64_t shape[3] = {ROWS, HALF, INNER}, other[1] = {HALF - 1};
    aclTensor* all[6];
    float* data[4] = {x, y, dy, dx};
    for (int i = 0; i < 4; i++) {
        all[i] = aclCreateTensor(shape, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 3, data[i]);
    }
    all[4] = aclCreateTensor(&count, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &count, 1, weight);
    all[5] = aclCreateTensor(&count, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &count, 1, dweight);
    uint64_t size = 1;
    aclOpExecutor* executor = NULL;
    IS(0, aclnnPreluGetWorkspaceSize(all[0], all[4], all[1], &size, &executor));
    finish(aclnnPrelu, size, executor);
    IS(0, aclnnPreluBackwardGetWorkspaceSize(
              all[2], all[0], all[4], all[3], all[5], &size, &executor));
    finish(aclnnPreluBackward, size, executor);
    double want[HALF] = {0};
    for (int i = 0; i < ALL; i++) {
        const int64_t channel = i / INNER % HALF % count;
        CHECK(near(y[i], x[i] > 0 ? x[i] : weight[channel] * x[i], 1e-6));
        CHECK(near(dx[i], x[i] > 0 ? dy[i] : weight[channel] * dy[i], 1e-6));
        want[channel] += x[i] > 0 ? 0 : (double)x[i] * dy[i];
    }
    for (int64_t i = 0; i < count; i++) {
        CHECK(fabs(dweight[i] - want[i]) < 1e-4);
    }
    aclTensor* few = aclCreateTensor(other, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, other, 1, weight);
    IS(161002, aclnnPreluGetWorkspaceSize(all[0], few, all[1], &size, &executor));
    CHECK(strstr(aclGetRecentErrMsg(), "weight") != NULL);
    IS(0, aclDestroyTensor(few));
    for (int i = 0; i < 6; i++) {
        IS(0, aclDestroyTensor(all[i]));
    }
}

/* Rows that lie between each other's elements: none has two places, so all can be written. */
static void woven(void)
{
    enum { R = 3, C = 2 };
    const int64_t shape[2] = {R, C}, strides[2] = {2, 3}, room = 8;
    float x[R * C], y[8];
    fill(x, R * C, -2, 3);
    fill(y, 8, 7, 7);
    aclTensor* tx = aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, x);
    aclTensor* ty = aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, &room, 1, y);
    uint64_t size = 1;
    aclOpExecutor* executor = NULL;
    IS(0, aclnnGeluGetWorkspaceSize(tx, ty, &size, &executor));
    finish(aclnnGelu, size, executor);
    for (int i = 0; i < R * C; i++) {
        CHECK(near(y[i / C * 2 + i % C * 3], gelu(x[i], 1), 1e-6));
    }
    CHECK(y[1] == 7 && y[6] == 7);
    IS(0, aclDestroyTensor(tx));
    IS(0, aclDestroyTensor(ty));
}

/* Lists that the library allocates are freed with `free` in C. */
static void getters(void)
{
    const int64_t view[2] = {4, 2}, strides[2] = {1, 4}, storage[2] = {2, 4};
    float data[8];
    aclTensor* t = aclCreateTensor(view, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, storage, 2, data);
    int64_t *dims = NULL, offset = 7;
    uint64_t count = 0;
    aclDataType dtype = ACL_DT_UNDEFINED;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    void* addr = NULL;
    IS(0, aclGetViewShape(t, &dims, &count));
    CHECK(count == 2 && dims[0] == 4 && dims[1] == 2);
    free(dims);
    IS(0, aclGetViewStrides(t, &dims, &count));
    CHECK(count == 2 && dims[0] == 1 && dims[1] == 4);
    free(dims);
    IS(0, aclGetStorageShape(t, &dims, &count));
    CHECK(count == 2 && dims[0] == 2 && dims[1] == 4);
    free(dims);
    IS(0, aclGetViewOffset(t, &offset));
    IS(0, aclGetDataType(t, &dtype));
    IS(0, aclGetFormat(t, &format));
    IS(0, aclGetRawTensorAddr(t, &addr));
    CHECK(offset == 0 && dtype == ACL_FLOAT && format == ACL_FORMAT_ND && addr == data);
    IS(0, aclInitTensor(t, view, 1, ACL_BF16, NULL, 3, ACL_FORMAT_NCHW, storage, 2, NULL));
    IS(0, aclGetViewOffset(t, &offset));
    IS(0, aclGetDataType(t, &dtype));
    IS(0, aclGetRawTensorAddr(t, &addr));
    CHECK(offset == 3 && dtype == ACL_BF16 && addr == NULL);
    IS(0, aclDestroyTensor(t));
}

int main(void)
{
    IS(0, aclInit(NULL));
    IS(0, aclrtSetDevice(0));
    IS(0, aclrtCreateStream(&stream));
    for (int pad = 0; pad < 4; pad += 3) {
        for (int approximate = 0; approximate < 2; approximate++) {
            geglu(approximate, false, pad);
            geglu(approximate, true, pad);
        }
    }
    swiglu();
    gelus();
    prelu(HALF);
    prelu(1);
    woven();
    getters();
    IS(0, aclrtDestroyStream(stream));
    IS(0, aclrtResetDevice(0));
    IS(0, aclFinalize());
    CHECK(aclGetRecentErrMsg() == NULL);
    printf("%d failures\n", failures);
    return failures != 0;
}
