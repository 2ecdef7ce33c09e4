/* Arguments that make no sense, in every function: each answers, nothing ends the process, nothing is read that is not there.
   `clients_run_with_address_sanitizer` and valgrind watch. */
#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_bias_gelu.h"
#include "aclnnop/aclnn_bias_gelu_grad.h"
#include "aclnnop/aclnn_bias_swi_glu.h"
#include "aclnnop/aclnn_bias_swi_glu_grad.h"
#include "aclnnop/aclnn_clipped_swi_glu_mul.h"
#include "aclnnop/aclnn_clipped_swi_glu_mul_grad.h"
#include "aclnnop/aclnn_clipped_swiglu.h"
#include "aclnnop/aclnn_clipped_swiglu_grad.h"
#include "aclnnop/aclnn_dropout_add.h"
#include "aclnnop/aclnn_dropout_add_grad.h"
#include "aclnnop/aclnn_dy_t.h"
#include "aclnnop/aclnn_dy_t_grad.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_fast_gelu.h"
#include "aclnnop/aclnn_fast_gelu_backward.h"
#include "aclnnop/aclnn_ge_glu_mul.h"
#include "aclnnop/aclnn_ge_glu_mul_grad.h"
#include "aclnnop/aclnn_ge_glu_mul_grad_grad.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_glu.h"
#include "aclnnop/aclnn_glu_backward.h"
#include "aclnnop/aclnn_hardshrink.h"
#include "aclnnop/aclnn_hardshrink_backward.h"
#include "aclnnop/aclnn_hardsigmoid.h"
#include "aclnnop/aclnn_hardsigmoid_backward.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_hardtanh.h"
#include "aclnnop/aclnn_hardtanh_backward.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_logsigmoid.h"
#include "aclnnop/aclnn_logsigmoid_backward.h"
#include "aclnnop/aclnn_mish.h"
#include "aclnnop/aclnn_mish_backward.h"
#include "aclnnop/aclnn_prelu.h"
#include "aclnnop/aclnn_prelu_backward.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_relu_squared.h"
#include "aclnnop/aclnn_relu_squared_grad.h"
#include "aclnnop/aclnn_relu_squared_mul.h"
#include "aclnnop/aclnn_relu_squared_mul_grad.h"
#include "aclnnop/aclnn_rope.h"
#include "aclnnop/aclnn_rope_grad.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_situ_glu.h"
#include "aclnnop/aclnn_situ_glu_grad.h"
#include "aclnnop/aclnn_soft_cap.h"
#include "aclnnop/aclnn_soft_cap_grad.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_softshrink.h"
#include "aclnnop/aclnn_softshrink_backward.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "aclnnop/aclnn_swi_glu_mul.h"
#include "aclnnop/aclnn_swi_glu_mul_grad.h"
#include "aclnnop/aclnn_swi_glu_mul_grad_grad.h"
#include "aclnnop/aclnn_swish.h"
#include "aclnnop/aclnn_swish_backward.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "aclnnop/aclnn_x_ielu.h"
#include "aclnnop/aclnn_x_ielu_grad.h"
#include "check.h"
#include "infiniop/handle.h"
#include "infiniop/ops/gelu_backward.h"
#include "infiniop/tensor_descriptor.h"
#include "infinirt.h"

#include <stdlib.h>

/* The same numbers in every run (xorshift). */
static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static size_t below(size_t n)
{
    return (size_t)(any() % n);
}

/* What may stand where a handle is asked for: nothing, made-up numbers, addresses, handles of each kind, dead or alive. */
enum { HANDLES = 24 };
static void* handles[HANDLES];
static float memory[64];

static void* handle(void)
{
    return handles[below(below(16) ? 8 : HANDLES)];
}

/* Numbers on the edges of what is allowed. */
static int64_t edge(void)
{
    static const int64_t edges[] = {0, 1, 2, 3, 4, 6, 8, 9, 25, 26, 64, -1, -2, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN,
                                    INT64_MAX / 2, INT64_MAX / 8, 1ll << 32, 1ll << 62};
    return below(8) == 0 ? (int64_t)any() : edges[below(sizeof edges / sizeof *edges)];
}

static int64_t small(void)
{
    return below(4) == 0 ? edge() : (int64_t)below(4);
}

/* Enough for the 25 dimensions that are read. */
static void dims(int64_t list[32])
{
    for (int i = 0; i < 32; i++) {
        list[i] = small();
    }
}

static aclDataType dtype(void)
{
    return (aclDataType)(below(6) == 0 ? (int)below(40) - 1 : 0);
}

/* Describes what lies in `memory`, or nothing: no view of it is larger. */
static aclTensor* any_tensor(aclTensor* again)
{
    int64_t view[32], strides[32], storage[32];
    dims(view);
    dims(strides);
    for (int i = 0; i < 32; i++) { /* at most 8 elements, or none by a negative dimension */
        storage[i] = i < 3 ? (int64_t)below(3) : below(8) == 0 ? INT64_MIN : 1;
    }
    uint64_t rank = below(8) == 0 ? (uint64_t)edge() : below(4);
    if (below(4) != 0) { /* a matrix, or half of one: some calls shall come as far as a kernel */
        rank = 2;
        view[0] = 2;
        view[1] = below(2) ? 4 : 2;
    }
    const int64_t room = 8; /* of any type that is 8 bytes or less */
    const uint64_t storage_rank = below(8) == 0 ? (uint64_t)edge() : 1;
    const int64_t* shape = below(16) == 0 ? NULL : view;
    const int64_t* steps = below(4) != 0 ? NULL : strides;
    const int64_t* of = storage_rank == 1 ? &room : below(16) == 0 ? NULL : storage;
    const int64_t offset = below(4) != 0 ? 0 : small();
    const aclFormat format = (aclFormat)(below(8) == 0 ? (int)below(50) - 1 : ACL_FORMAT_ND);
    void* data = below(16) == 0 ? NULL : memory + below(32);
    if (again != NULL) {
        aclInitTensor(again, shape, rank, dtype(), steps, offset, format, of, storage_rank, data);
        return again;
    }
    return aclCreateTensor(shape, rank, dtype(), steps, offset, format, of, storage_rank, data);
}

/* A scalar that lives, or what is none. */
static aclScalar* scalars[4];

static aclScalar* scalar(void)
{
    return below(16) == 0 ? (aclScalar*)handle() : scalars[below(4)];
}

/* Puts another scalar into a place. */
static void replace_scalar(void)
{
    double number[2] = {0.5 * (double)small(), NAN}; /* the longest number is complex */
    const size_t at = below(4);
    aclDestroyScalar(scalars[at]);
    scalars[at] = aclCreateScalar(below(16) == 0 ? NULL : number, dtype());
}

static char* word(void)
{
    static char words[4][8] = {"tanh", "none", "", "Tanh\xff"};
    return below(8) == 0 ? NULL : words[below(4)];
}

/* Every function with its arguments: `T` is a tensor, `S` a scalar. */
#define T (aclTensor*)handle()
#define S scalar()
#define ALL(ROW) \
    ROW(aclnnGeGlu, T, small(), small(), T, T) \
    ROW(aclnnGeGluV3, T, small(), small(), below(2), T, T) \
    ROW(aclnnGeGluBackward, T, T, T, small(), small(), T) \
    ROW(aclnnGeGluV3Backward, T, T, T, small(), small(), below(2), T) \
    ROW(aclnnSwiGlu, T, small(), T) \
    ROW(aclnnSwiGluGrad, T, T, small(), T) \
    ROW(aclnnSwiGluMul, T, T, T) \
    ROW(aclnnSwiGluMulGrad, T, T, T, T, T) \
    ROW(aclnnSwiGluMulGradGrad, T, T, T, T, T, T, T, T) \
    ROW(aclnnGeGluMul, T, T, small(), T) \
    ROW(aclnnGeGluMulGrad, T, T, T, small(), T, T) \
    ROW(aclnnGeGluMulGradGrad, T, T, T, T, T, small(), T, T, T) \
    ROW(aclnnReluSquaredMul, T, T, T) \
    ROW(aclnnReluSquaredMulGrad, T, T, T, T, T) \
    ROW(aclnnClippedSwiGluMul, T, T, 0.5 * small(), 0.5 * small(), 0.5 * small(), T) \
    ROW(aclnnClippedSwiGluMulGrad, T, T, T, 0.5 * small(), 0.5 * small(), 0.5 * small(), T, T) \
    ROW(aclnnRope, T, T, T, small(), below(2), T) \
    ROW(aclnnRopeGrad, T, T, T, small(), below(2), T) \
    ROW(aclnnDyT, T, T, T, T, T) \
    ROW(aclnnDyTGrad, T, T, T, T, T, T, T, T, T) \
    ROW(aclnnBiasGelu, T, T, T) \
    ROW(aclnnBiasGeluGrad, T, T, T, T, T) \
    ROW(aclnnBiasSwiGlu, T, T, small(), T) \
    ROW(aclnnBiasSwiGluGrad, T, T, T, small(), T, T) \
    ROW(aclnnDropoutAdd, T, T, T, 0.5 * small(), T) \
    ROW(aclnnDropoutAddGrad, T, T, 0.5 * small(), T, T) \
    ROW(aclnnReluSquared, T, T) \
    ROW(aclnnReluSquaredGrad, T, T, T) \
    ROW(aclnnXIelu, T, 0.5 * small(), 0.5 * small(), 0.5 * small(), T) \
    ROW(aclnnXIeluGrad, T, T, 0.5 * small(), 0.5 * small(), 0.5 * small(), T) \
    ROW(aclnnSoftCap, T, 0.5 * small(), T) \
    ROW(aclnnSoftCapGrad, T, T, 0.5 * small(), T) \
    ROW(aclnnSituGlu, T, small(), 0.5 * small(), 0.5 * small(), below(2), T) \
    ROW(aclnnSituGluGrad, T, T, small(), 0.5 * small(), 0.5 * small(), below(2), T) \
    ROW(aclnnClippedSwiglu, T, below(4) ? NULL : T, small(), 1.7, 7.0, 0.5 * small(), below(2), T) \
    ROW(aclnnClippedSwigluGrad, T, T, below(4) ? NULL : T, small(), 1.7, 7.0, 0.5 * small(), below(2), T) \
    ROW(aclnnGlu, T, small(), T) \
    ROW(aclnnGluBackward, T, T, small(), T) \
    ROW(aclnnGelu, T, T) \
    ROW(aclnnGeluV2, T, small(), T) \
    ROW(aclnnGeluBackward, T, T, T) \
    ROW(aclnnGeluBackwardV2, T, T, word(), T) \
    ROW(aclnnFastGelu, T, T) \
    ROW(aclnnFastGeluBackward, T, T, T) \
    ROW(aclnnElu, T, S, S, S, T) \
    ROW(aclnnEluBackward, T, S, S, S, below(2), T, T) \
    ROW(aclnnHardshrink, T, S, T) \
    ROW(aclnnHardshrinkBackward, T, T, S, T) \
    ROW(aclnnHardsigmoid, T, T) \
    ROW(aclnnHardsigmoidBackward, T, T, T) \
    ROW(aclnnHardswish, T, T) \
    ROW(aclnnHardswishBackward, T, T, T) \
    ROW(aclnnHardswishBackwardV2, T, T, T) \
    ROW(aclnnHardtanh, T, S, S, T) \
    ROW(aclnnHardtanhBackward, T, T, S, S, T) \
    ROW(aclnnLeakyRelu, T, S, T) \
    ROW(aclnnLeakyReluBackward, T, T, S, below(2), T) \
    ROW(aclnnLogSigmoid, T, T) \
    ROW(aclnnLogSigmoidForward, T, T, T) \
    ROW(aclnnLogSigmoidBackward, T, T, T, T) \
    ROW(aclnnMish, T, T) \
    ROW(aclnnMishBackward, T, T, T) \
    ROW(aclnnPrelu, T, T, T) \
    ROW(aclnnPreluBackward, T, T, T, T, T) \
    ROW(aclnnRelu, T, T) \
    ROW(aclnnSelu, T, T) \
    ROW(aclnnSeluBackward, T, T, T) \
    ROW(aclnnSigmoid, T, T) \
    ROW(aclnnSigmoidBackward, T, T, T) \
    ROW(aclnnSilu, T, T) \
    ROW(aclnnSiluBackward, T, T, T) \
    ROW(aclnnSoftplus, T, S, S, T) \
    ROW(aclnnSoftplusBackward, T, T, S, S, T) \
    ROW(aclnnSoftshrink, T, S, T) \
    ROW(aclnnSoftshrinkBackward, T, T, S, T) \
    ROW(aclnnSwish, T, S, T) \
    ROW(aclnnSwishBackward, T, T, S, T) \
    ROW(aclnnTanh, T, T) \
    ROW(aclnnTanhBackward, T, T, T) \
    ROW(aclnnThreshold, T, S, S, T) \
    ROW(aclnnThresholdBackward, T, T, S, T)

typedef aclnnStatus (*Phase2)(void*, uint64_t, aclOpExecutor*, aclrtStream);

#define RUN_OF(name, ...) name,
static const Phase2 RUN[] = {ALL(RUN_OF)};
enum { FUNCTIONS = sizeof RUN / sizeof *RUN };

static aclnnStatus prepare(size_t which, uint64_t* size, aclOpExecutor** executor)
{
#define PREPARE(name, ...)                                                 \
    if (which-- == 0) {                                                    \
        return name##GetWorkspaceSize(__VA_ARGS__, size, executor);        \
    }
    ALL(PREPARE)
    return -1;
}

static int prepared = 0, ran = 0;

static void execute(void)
{
    uint64_t size = 0, *place = below(16) == 0 ? NULL : &size;
    aclOpExecutor* executor = NULL;
    const size_t which = below(FUNCTIONS);
    const aclnnStatus status = prepare(which, place, below(16) == 0 ? NULL : &executor);
    CHECK((status == 0) == (executor != NULL));
    prepared += status == 0;
    void* workspace = calloc(size + 1, 1);
    const size_t run = below(4) == 0 ? below(FUNCTIONS) : which;
    const uint64_t said = below(4) == 0 ? (uint64_t)small() : size;
    if (executor != NULL && below(2) == 0) {
        IS(0, aclSetAclOpExecutorRepeatable(executor));
        /* where there is room for 8 of any type, or nowhere */
        static aclnnStatus (*const move[])(aclOpExecutor*, size_t, aclTensor*, void*) = {
            aclSetTensorAddr, aclSetInputTensorAddr, aclSetOutputTensorAddr,
            AclSetTensorAddr, AclSetInputTensorAddr, AclSetOutputTensorAddr};
        for (int k = 0; k < 6; k++) {
            move[k](below(8) ? executor : handle(), below(2) ? below(4) : (size_t)edge(), handle(), memory + below(32));
        }
        aclSetRawTensorAddr(handle(), below(4) == 0 ? NULL : memory + below(32));
        ran += RUN[run](workspace, said, executor, below(8) ? NULL : handle()) == 0;
    }
    ran += RUN[run](workspace, said, executor ? executor : handle(), below(8) ? NULL : handle()) == 0;
    if (executor != NULL) {
        aclDestroyAclOpExecutor(executor); /* it may have ended */
    }
    free(workspace);
}

static void tensors(void)
{
    int64_t *list = NULL, offset;
    uint64_t count;
    aclDataType type;
    aclFormat format;
    void* addr;
    aclTensor* t = handle();
    static aclnnStatus (*const lists[])(const aclTensor*, int64_t**, uint64_t*) = {aclGetViewShape, aclGetViewStrides,
                                                                                  aclGetStorageShape};
    for (int k = 0; k < 3; k++) {
        if (lists[k](t, below(4) == 0 ? NULL : &list, below(4) == 0 ? NULL : &count) == 0) {
            free(list);
        }
    }
    aclGetViewOffset(t, below(2) ? NULL : &offset);
    aclGetDataType(t, below(2) ? NULL : &type);
    aclGetFormat(t, below(2) ? NULL : &format);
    aclGetRawTensorAddr(t, below(2) ? NULL : &addr);
    aclDataTypeSize((aclDataType)edge());
    CHECK(aclFloatToFloat16(aclFloat16ToFloat(0x3c00)) == 0x3c00);
}

/* Puts another tensor into one of the first places. */
static void replace(void)
{
    const size_t at = below(8);
    if (handles[at] != NULL && below(4) == 0) {
        any_tensor(handles[at]);
        return;
    }
    aclDestroyTensor(handles[at]);
    do {
        handles[at] = any_tensor(NULL);
    } while (handles[at] == NULL && below(8) != 0);
}

static void devices(void)
{
    int32_t device;
    uint32_t count;
    aclrtRunMode mode;
    aclrtStream stream = NULL;
    aclrtContext context = NULL;
    void* block = NULL;
    aclInit(below(2) ? NULL : "no such file");
    aclFinalize();
    aclnnInit(below(2) ? NULL : "no such file");
    aclnnFinalize();
    aclrtSetDevice((int32_t)edge());
    aclrtResetDevice((int32_t)edge());
    aclrtGetDevice(below(2) ? NULL : &device);
    aclrtGetDeviceCount(below(2) ? NULL : &count);
    aclrtGetRunMode(below(2) ? NULL : &mode);
    aclrtSynchronizeDevice();
    aclrtSynchronizeStream(handle());
    aclrtSynchronizeStreamWithTimeout(handle(), (int32_t)edge());
    aclrtCreateStreamWithConfig(below(2) ? NULL : &stream, (uint32_t)edge(), (uint32_t)edge());
    CHECK(stream == NULL || aclrtDestroyStream(stream) == 0);
    aclrtCreateContext(below(2) ? NULL : &context, (int32_t)below(2));
    aclrtSetCurrentContext(handle());
    CHECK(context == NULL || aclrtDestroyContext(context) == 0);
    aclrtDestroyContext(handles[below(8)]);
    aclrtDestroyStream(handles[below(8)]);
    /* No copy or fill is larger than what both places have. */
    const size_t most = below(4) == 0 ? SIZE_MAX : 16, bytes = below(24);
    if (aclrtMalloc(below(8) == 0 ? NULL : &block, most, (aclrtMemMallocPolicy)below(9)) == 0) {
        const int fits = bytes <= most;
        IS(fits ? 0 : 107000, aclrtMemset(block, 64, (int32_t)edge(), bytes));
        IS(fits ? 0 : 107000, aclrtMemcpy(memory, sizeof memory, block, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        aclrtMemcpy(below(4) == 0 ? NULL : block, (size_t)edge(), below(4) == 0 ? NULL : memory, bytes, (aclrtMemcpyKind)below(10));
        aclrtMemcpyAsync(block, 16, memory, bytes, ACL_MEMCPY_DEFAULT, handle());
        IS(107000, aclrtFree((char*)block + 1));
        IS(0, aclrtFree(block));
    }
    aclrtFree(handle());
    aclrtFreeHost(handle());
    void* host = NULL;
    if (aclrtMallocHost(below(4) == 0 ? NULL : &host, below(2) * 8) == 0) {
        IS(0, aclrtFreeHost(host));
    }
}

static void infiniop(void)
{
    int64_t sizes[32], steps[32];
    size_t shape[32], size;
    ptrdiff_t strides[32];
    dims(sizes);
    dims(steps);
    for (int i = 0; i < 32; i++) {
        shape[i] = (size_t)sizes[i] % (below(4) == 0 ? SIZE_MAX : 3);
        strides[i] = (ptrdiff_t)steps[i] % 3;
    }
    const size_t at = 12 + below(4), rank = below(8) == 0 ? (size_t)edge() : below(3);
    infiniopDestroyTensorDescriptor(handles[at]);
    handles[at] = NULL;
    infiniopCreateTensorDescriptor(below(16) == 0 ? NULL : (infiniopTensorDescriptor_t*)&handles[at], rank,
                                   below(16) == 0 ? NULL : shape, below(2) ? NULL : strides,
                                   (infiniDtype_t)(below(4) == 0 ? below(30) : 13));
    infiniopGeLUBackwardDescriptor_t op = NULL;
    const infiniStatus_t made = infiniopCreateGeLUBackwardDescriptor(
        below(4) == 0 ? handle() : handles[16], below(16) == 0 ? NULL : &op, handles[12 + below(4)],
        below(8) == 0 ? handle() : handles[12 + below(4)], handles[12 + below(4)]);
    CHECK((made == INFINI_STATUS_SUCCESS) == (op != NULL));
    infiniDevice_t kind;
    int id;
    infiniopGetDescriptorDeviceType(op ? op : handle(), below(2) ? NULL : &kind);
    infiniopGetDescriptorDeviceId(op ? op : handle(), below(2) ? NULL : &id);
    infiniopGetGeLUBackwardWorkspaceSize(op ? op : handle(), below(2) ? NULL : &size);
    infiniopGeLUBackward(op ? op : handle(), handle(), (size_t)edge(), NULL, NULL, NULL, handle());
    infiniopDestroyGeLUBackwardDescriptor(op ? op : handles[below(8)]);
    infinirtInit();
    infinirtSetDevice((infiniDevice_t)below(20), (int)below(2));
    infinirtGetDevice(below(2) ? NULL : &kind, below(2) ? NULL : &id);
    infiniopDestroyHandle(handles[below(8)]);
}

int main(void)
{
    aclrtStream stream = NULL;
    IS(0, aclrtCreateStream(&stream));
    IS(0, infiniopCreateHandle((infiniopHandle_t*)&handles[16]));
    /* 0 to 7: tensors. 8 to 11: numbers and addresses. 12 to 15: descriptors. 16: of infiniop. 17, 18: streams. The rest is null. */
    handles[8] = memory;
    handles[9] = (void*)1;
    handles[10] = (void*)UINTPTR_MAX;
    handles[11] = (void*)(UINTPTR_MAX / 2 + 1);
    handles[17] = stream;
    IS(0, aclrtCreateStream(&handles[18]));
    IS(0, aclrtDestroyStream(handles[18]));
    for (int i = 0; i < 8; i++) {
        handles[i] = any_tensor(NULL);
    }
    for (int round = 0; round < 20000; round++) {
        replace();
        replace_scalar();
        execute();
        if (round % 8 == 0) {
            tensors();
            devices();
            infiniop();
        }
        aclGetRecentErrMsg();
    }
    CHECK(prepared > 200 && ran > 100); /* not all of it is senseless */
    for (int i = 0; i < 4; i++) {
        aclDestroyScalar(scalars[i]);
    }
    for (int i = 0; i < 8; i++) {
        aclDestroyTensor(handles[i]);
    }
    for (int i = 12; i < 16; i++) {
        infiniopDestroyTensorDescriptor(handles[i]);
    }
    IS(INFINI_STATUS_SUCCESS, infiniopDestroyHandle(handles[16]));
    IS(0, aclrtDestroyStream(stream));
    printf("%d failures\n", failures);
    return failures != 0;
}
