/* infiniop from C: every status, the order of the checks, layouts, in place. */
#include "check.h"
#include "infiniop/handle.h"
#include "infiniop/ops/gelu_backward.h"
#include "infiniop/tensor_descriptor.h"
#include "infinirt.h"

#include <stdint.h>

typedef infiniopTensorDescriptor_t Desc;

static infiniopHandle_t handle;

static Desc describe(size_t ndim, const size_t* shape, const ptrdiff_t* strides, int dtype)
{
    Desc desc = NULL;
    IS(INFINI_STATUS_SUCCESS, infiniopCreateTensorDescriptor(&desc, ndim, shape, strides, (infiniDtype_t)dtype));
    return desc;
}

/* Creates from these descriptors, which end here. */
static infiniStatus_t create(infiniopGeLUBackwardDescriptor_t* op, Desc out, Desc input, Desc grad)
{
    const infiniStatus_t status = infiniopCreateGeLUBackwardDescriptor(handle, op, out, input, grad);
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyTensorDescriptor(out));
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyTensorDescriptor(input));
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyTensorDescriptor(grad));
    return status;
}

static infiniStatus_t run(infiniopGeLUBackwardDescriptor_t op, void* out, const void* input, const void* grad)
{
    size_t size = 7;
    IS(INFINI_STATUS_SUCCESS, infiniopGetGeLUBackwardWorkspaceSize(op, &size));
    CHECK(size == 0);
    return infiniopGeLUBackward(op, NULL, size, out, input, grad, NULL);
}

static void layouts(void)
{
    enum { ROWS = 3, COLUMNS = 5, PITCH = 8, ROOM = ROWS * PITCH };
    static const size_t shape[2] = {ROWS, COLUMNS};
    static const struct {
        ptrdiff_t out[2], input[2], grad[2];
    } cases[] = {
        {{COLUMNS, 1}, {COLUMNS, 1}, {COLUMNS, 1}},   /* dense */
        {{PITCH, 1}, {PITCH, 1}, {COLUMNS, 1}},       /* rows with padding */
        {{COLUMNS, 1}, {COLUMNS, 1}, {0, 1}},         /* one row for all */
        {{COLUMNS, 1}, {1, 0}, {0, 0}},               /* a column, a number */
        {{1, ROWS}, {COLUMNS, 1}, {1, ROWS}},         /* transposed */
        {{PITCH, 1}, {-COLUMNS, 1}, {COLUMNS, -1}},   /* backwards */
    };
    float x[ROOM], dy[ROOM], dx[ROOM];
    for (int i = 0; i < ROOM; i++) {
        x[i] = 0.4f * (float)(i % 17) - 3;
        dy[i] = 0.3f * (float)(i % 11) - 1;
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const ptrdiff_t *so = cases[c].out, *si = cases[c].input, *sg = cases[c].grad;
        const float* input = x + (si[0] < 0 ? (ROWS - 1) * COLUMNS : 0);
        const float* grad = dy + (sg[1] < 0 ? COLUMNS - 1 : 0);
        infiniopGeLUBackwardDescriptor_t op = NULL;
        IS(INFINI_STATUS_SUCCESS,
           create(&op, describe(2, shape, so, INFINI_DTYPE_F32), describe(2, shape, si, INFINI_DTYPE_F32),
                  describe(2, shape, sg, INFINI_DTYPE_F32)));
        for (int i = 0; i < ROOM; i++) {
            dx[i] = 7;
        }
        IS(INFINI_STATUS_SUCCESS, run(op, dx, input, grad));
        int written = 0;
        for (int i = 0; i < ROOM; i++) {
            written += dx[i] != 7;
        }
        CHECK(written == ROWS * COLUMNS);
        for (ptrdiff_t i = 0; i < ROWS; i++) {
            for (ptrdiff_t j = 0; j < COLUMNS; j++) {
                const double a = input[i * si[0] + j * si[1]], g = grad[i * sg[0] + j * sg[1]];
                CHECK(near(dx[i * so[0] + j * so[1]], g * gelu_grad(a, 1), 2e-6));
            }
        }
        IS(INFINI_STATUS_SUCCESS, infiniopDestroyGeLUBackwardDescriptor(op));
    }
    /* in place on either input */
    infiniopGeLUBackwardDescriptor_t op = NULL;
    IS(INFINI_STATUS_SUCCESS,
       create(&op, describe(2, shape, NULL, INFINI_DTYPE_F32), describe(2, shape, NULL, INFINI_DTYPE_F32),
              describe(2, shape, NULL, INFINI_DTYPE_F32)));
    float a[ROOM], g[ROOM];
    IS(INFINI_STATUS_SUCCESS, run(op, dx, x, dy));
    memcpy(a, x, sizeof x);
    memcpy(g, dy, sizeof dy);
    IS(INFINI_STATUS_SUCCESS, run(op, a, a, dy));
    IS(INFINI_STATUS_SUCCESS, run(op, g, x, g));
    CHECK(memcmp(a, dx, sizeof(float) * ROWS * COLUMNS) == 0);
    CHECK(memcmp(g, dx, sizeof(float) * ROWS * COLUMNS) == 0);
    IS(INFINI_STATUS_BAD_PARAM, run(op, a + 1, a, dy)); /* part of an input */
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyGeLUBackwardDescriptor(op));
    /* without dimensions, and without elements */
    IS(INFINI_STATUS_SUCCESS, create(&op, describe(0, NULL, NULL, INFINI_DTYPE_F32),
                                     describe(0, NULL, NULL, INFINI_DTYPE_F32),
                                     describe(0, NULL, NULL, INFINI_DTYPE_F32)));
    IS(INFINI_STATUS_SUCCESS, run(op, dx, x, dy));
    CHECK(near(dx[0], dy[0] * gelu_grad(x[0], 1), 2e-6));
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyGeLUBackwardDescriptor(op));
    static const size_t none[2] = {0, 4};
    IS(INFINI_STATUS_SUCCESS, create(&op, describe(2, none, NULL, INFINI_DTYPE_F32),
                                     describe(2, none, NULL, INFINI_DTYPE_F32),
                                     describe(2, none, NULL, INFINI_DTYPE_F32)));
    IS(INFINI_STATUS_SUCCESS, run(op, NULL, NULL, NULL));
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyGeLUBackwardDescriptor(op));
}

static void refusals(void)
{
    enum { F32 = INFINI_DTYPE_F32, F16 = INFINI_DTYPE_F16, I8 = INFINI_DTYPE_I8 };
    static const size_t s[2] = {4, 3}, narrow[2] = {1, 3}, row[1] = {3}, vast[2] = {SIZE_MAX, 3};
    static const size_t one[2] = {1, 4};
    static const ptrdiff_t zero[2] = {0, 1}, overlap[2] = {1, 1}, huge[2] = {PTRDIFF_MAX, 1}, four[2] = {4, 0};
    static const ptrdiff_t dense[2] = {3, 1}, first[2] = {0, 1}, woven[2] = {2, 3}, knot[2] = {2, 4};
    static const size_t tall[2] = {3, 2};
    static const struct {
        infiniStatus_t want;
        size_t ndim[3];
        const size_t* shape[3];
        const ptrdiff_t* strides[3];
        int dtype[3];
    } table[] = { /* grad_input, input, grad_output */
        {INFINI_STATUS_SUCCESS, {2, 2, 2}, {s, s, s}, {NULL, NULL, NULL}, {F32, F32, F32}},
        {INFINI_STATUS_BAD_TENSOR_DTYPE, {2, 2, 2}, {s, s, s}, {NULL, NULL, NULL}, {I8, I8, I8}},
        {INFINI_STATUS_BAD_TENSOR_DTYPE, {2, 2, 2}, {s, s, s}, {NULL, NULL, NULL}, {F32, F16, F32}},
        {INFINI_STATUS_BAD_TENSOR_DTYPE, {2, 2, 2}, {s, s, s}, {NULL, NULL, NULL}, {F32, F32, F16}},
        {INFINI_STATUS_BAD_TENSOR_DTYPE, {2, 2, 2}, {s, s, s}, {NULL, NULL, NULL}, {99, 99, 99}},
        {INFINI_STATUS_BAD_TENSOR_SHAPE, {2, 2, 2}, {s, narrow, s}, {NULL, NULL, NULL}, {F32, F32, F32}},
        {INFINI_STATUS_BAD_TENSOR_SHAPE, {2, 2, 1}, {s, s, row}, {NULL, NULL, NULL}, {F32, F32, F32}},
        {INFINI_STATUS_BAD_TENSOR_SHAPE, {2, 2, 2}, {vast, vast, vast}, {first, first, first}, {F32, F32, F32}},
        {INFINI_STATUS_BAD_TENSOR_STRIDES, {2, 2, 2}, {s, s, s}, {zero, NULL, NULL}, {F32, F32, F32}},
        {INFINI_STATUS_BAD_TENSOR_STRIDES, {2, 2, 2}, {s, s, s}, {overlap, NULL, NULL}, {F32, F32, F32}},
        {INFINI_STATUS_BAD_TENSOR_STRIDES, {2, 2, 2}, {s, s, s}, {dense, huge, NULL}, {F32, F32, F32}},
        {INFINI_STATUS_BAD_TENSOR_STRIDES, {2, 2, 2}, {one, one, one}, {four, NULL, NULL}, {F32, F32, F32}},
        {INFINI_STATUS_SUCCESS, {2, 2, 2}, {tall, tall, tall}, {woven, NULL, NULL}, {F32, F32, F32}}, /* 0 3 2 5 4 7 */
        {INFINI_STATUS_BAD_TENSOR_STRIDES, {2, 2, 2}, {tall, tall, tall}, {knot, NULL, NULL}, {F32, F32, F32}}, /* 0 4 2 6 4 8 */
        {INFINI_STATUS_SUCCESS, {2, 2, 2}, {narrow, narrow, narrow}, {zero, NULL, NULL}, {F32, F32, F32}},
        {INFINI_STATUS_SUCCESS, {2, 2, 2}, {s, s, s}, {NULL, zero, overlap}, {F32, F32, F32}},
        /* order: types, shapes, strides */
        {INFINI_STATUS_BAD_TENSOR_DTYPE, {2, 2, 2}, {s, narrow, s}, {zero, NULL, NULL}, {I8, F32, F32}},
        {INFINI_STATUS_BAD_TENSOR_DTYPE, {2, 2, 2}, {s, narrow, s}, {NULL, NULL, NULL}, {F32, F32, F16}},
        {INFINI_STATUS_BAD_TENSOR_SHAPE, {2, 2, 2}, {s, narrow, s}, {zero, NULL, NULL}, {F32, F32, F32}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        Desc d[3];
        for (int k = 0; k < 3; k++) {
            d[k] = describe(table[i].ndim[k], table[i].shape[k], table[i].strides[k], table[i].dtype[k]);
        }
        infiniopGeLUBackwardDescriptor_t op = NULL;
        const infiniStatus_t got = create(&op, d[0], d[1], d[2]);
        if (got != table[i].want || (op != NULL) != (got == INFINI_STATUS_SUCCESS)) {
            failures++;
            printf("row %zu: %d, not %d\n", i, got, table[i].want);
        }
        IS(INFINI_STATUS_SUCCESS, infiniopDestroyGeLUBackwardDescriptor(op));
    }
}

static void handles(void)
{
    static const size_t s[1] = {4};
    const Desc d = describe(1, s, NULL, INFINI_DTYPE_F32), i8 = describe(1, s, NULL, INFINI_DTYPE_I8);
    infiniopGeLUBackwardDescriptor_t op = NULL;
    Desc never = NULL;
    float x[4] = {-1, 0, 1, 2}, dy[4] = {1, 1, 1, 1}, dx[4];
    size_t size;
    int id = 7;
    infiniDevice_t device = INFINI_DEVICE_NVIDIA;
    const infiniStatus_t bad = INFINI_STATUS_BAD_PARAM;
    IS(INFINI_STATUS_NULL_POINTER, infiniopCreateHandle(NULL));
    IS(INFINI_STATUS_DEVICE_TYPE_NOT_SUPPORTED, infinirtSetDevice(INFINI_DEVICE_ASCEND, 0));
    IS(INFINI_STATUS_DEVICE_NOT_FOUND, infinirtSetDevice(INFINI_DEVICE_CPU, 1));
    IS(INFINI_STATUS_SUCCESS, infinirtGetDevice(&device, &id));
    CHECK(device == INFINI_DEVICE_CPU && id == 0);
    IS(bad, infiniopCreateTensorDescriptor(NULL, 1, s, NULL, INFINI_DTYPE_F32));
    IS(bad, infiniopCreateTensorDescriptor(&never, 1, NULL, NULL, INFINI_DTYPE_F32));
    IS(INFINI_STATUS_BAD_TENSOR_SHAPE, infiniopCreateTensorDescriptor(&never, 9, s, NULL, INFINI_DTYPE_F32));
    CHECK(never == NULL);
    /* null, and handles of other things, in each place; null is seen before a type */
    IS(bad, infiniopCreateGeLUBackwardDescriptor(NULL, &op, d, d, d));
    IS(bad, infiniopCreateGeLUBackwardDescriptor((infiniopHandle_t)d, &op, d, d, d));
    IS(bad, infiniopCreateGeLUBackwardDescriptor(handle, NULL, d, d, d));
    IS(bad, infiniopCreateGeLUBackwardDescriptor(handle, &op, NULL, d, d));
    IS(bad, infiniopCreateGeLUBackwardDescriptor(handle, &op, d, NULL, d));
    IS(bad, infiniopCreateGeLUBackwardDescriptor(handle, &op, i8, i8, NULL));
    IS(bad, infiniopCreateGeLUBackwardDescriptor(handle, &op, d, (Desc)handle, d));
    CHECK(op == NULL);
    IS(INFINI_STATUS_SUCCESS, infiniopCreateGeLUBackwardDescriptor(handle, &op, d, d, d));
    IS(INFINI_STATUS_SUCCESS, infiniopGetDescriptorDeviceType(op, &device));
    IS(INFINI_STATUS_SUCCESS, infiniopGetDescriptorDeviceId(op, &id));
    CHECK(device == INFINI_DEVICE_CPU && id == 0);
    IS(bad, infiniopGetDescriptorDeviceType(NULL, &device));
    IS(bad, infiniopGetDescriptorDeviceId(op, NULL));
    IS(bad, infiniopGetGeLUBackwardWorkspaceSize(NULL, &size));
    IS(bad, infiniopGetGeLUBackwardWorkspaceSize(op, NULL));
    IS(bad, infiniopGetGeLUBackwardWorkspaceSize((infiniopGeLUBackwardDescriptor_t)d, &size));
    IS(bad, infiniopGeLUBackward(NULL, NULL, 0, dx, x, dy, NULL));
    IS(bad, infiniopGeLUBackward(op, NULL, 0, NULL, x, dy, NULL));
    IS(bad, infiniopGeLUBackward(op, NULL, 0, dx, NULL, dy, NULL));
    IS(bad, infiniopGeLUBackward(op, NULL, 0, dx, x, NULL, NULL));
    IS(INFINI_STATUS_SUCCESS, infiniopGeLUBackward(op, NULL, 0, dx, x, dy, NULL));
    CHECK(dx[1] == 0.5f);
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyTensorDescriptor(d));
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyTensorDescriptor(i8));
    IS(bad, infiniopDestroyTensorDescriptor(d));
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyTensorDescriptor(NULL));
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyGeLUBackwardDescriptor(NULL));
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyGeLUBackwardDescriptor(op));
    IS(bad, infiniopDestroyGeLUBackwardDescriptor(op));
    IS(bad, infiniopGeLUBackward(op, NULL, 0, dx, x, dy, NULL));
}

int main(void)
{
    IS(INFINI_STATUS_SUCCESS, infinirtInit());
    IS(INFINI_STATUS_SUCCESS, infinirtSetDevice(INFINI_DEVICE_CPU, 0));
    IS(INFINI_STATUS_SUCCESS, infiniopCreateHandle(&handle));
    layouts();
    refusals();
    handles();
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyHandle(handle));
    IS(INFINI_STATUS_BAD_PARAM, infiniopDestroyHandle(handle));
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyHandle(NULL));
    printf("%d failures\n", failures);
    return failures != 0;
}
