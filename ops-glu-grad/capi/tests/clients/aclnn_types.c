/* Element types that meet in one call: promotion, whole numbers that are cast, and outputs of another type. */
#include "acl/acl.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "check.h"
#include "opdev/op_errno.h"

#include <stdlib.h>

enum { ROWS = 4, COLUMNS = 6, N = ROWS * COLUMNS };

static const int64_t SHAPE[2] = {ROWS, COLUMNS};

/* One number of a type, in memory. */
static void put(void* memory, int64_t i, int dtype, double value)
{
    switch (dtype) {
    case ACL_FLOAT: ((float*)memory)[i] = (float)value; break;
    case ACL_FLOAT16: ((uint16_t*)memory)[i] = aclFloatToFloat16((float)value); break;
    case ACL_BF16: {
        const float single = (float)value; /* all that is put has few digits */
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        ((uint16_t*)memory)[i] = (uint16_t)(bits >> 16);
        break;
    }
    case ACL_INT64: ((int64_t*)memory)[i] = (int64_t)value; break;
    case ACL_INT32: ((int32_t*)memory)[i] = (int32_t)value; break;
    case ACL_INT16: ((int16_t*)memory)[i] = (int16_t)value; break;
    case ACL_INT8: ((int8_t*)memory)[i] = (int8_t)value; break;
    case ACL_UINT8: ((uint8_t*)memory)[i] = (uint8_t)value; break;
    case ACL_BOOL: ((uint8_t*)memory)[i] = value != 0 ? 7 : 0; break; /* any bit is true */
    default: CHECK(0);
    }
}

static double get(const void* memory, int64_t i, int dtype)
{
    const uint32_t bits = (uint32_t)((const uint16_t*)memory)[dtype == ACL_FLOAT ? 0 : i] << 16;
    float single;
    memcpy(&single, &bits, sizeof single);
    return dtype == ACL_FLOAT ? ((const float*)memory)[i]
         : dtype == ACL_BF16  ? single
                              : aclFloat16ToFloat(((const uint16_t*)memory)[i]);
}

static int is_whole(int dtype)
{
    return dtype != ACL_FLOAT && dtype != ACL_FLOAT16 && dtype != ACL_BF16;
}

/* What two types are promoted to: ACL_DT_UNDEFINED when that is no float type. */
static int promoted(int a, int b)
{
    if (is_whole(a)) {
        return is_whole(b) ? ACL_DT_UNDEFINED : b;
    }
    return is_whole(b) || a == b ? a : ACL_FLOAT;
}

static double precision(int dtype)
{
    return dtype == ACL_FLOAT ? 2e-6 : dtype == ACL_FLOAT16 ? 1e-3 : 8e-3;
}

/* dy [ROWS, 1] is a column of a wider matrix, x [COLUMNS] every other number of a row: broadcast against each other. */
static void meet(int dy_type, int x_type, int dx_type, int second_version)
{
    enum { PITCH = 3 };
    void *dy = calloc(ROWS * PITCH, 8), *x = calloc(COLUMNS * 2, 8), *dx = calloc(N, 8); /* for the longest type */
    const int signless = x_type == ACL_UINT8 || x_type == ACL_BOOL;
    const int64_t column[2] = {ROWS, 1}, pitch[2] = {PITCH, 1}, row[1] = {COLUMNS}, step[1] = {2};
    const int64_t dy_room = ROWS * PITCH, x_room = COLUMNS * 2;
    double want_dy[ROWS], want_x[COLUMNS];
    for (int i = 0; i < ROWS; i++) {
        want_dy[i] = dy_type == ACL_BOOL ? i % 2 : i;
        put(dy, i * PITCH + 1, dy_type, want_dy[i]);
    }
    for (int j = 0; j < COLUMNS; j++) {
        want_x[j] = x_type == ACL_BOOL ? j % 2 : signless ? j : j - 3;
        put(x, j * 2, x_type, want_x[j]);
    }
    aclTensor* tdy =
        aclCreateTensor(column, 2, (aclDataType)dy_type, pitch, 1, ACL_FORMAT_ND, &dy_room, 1, dy);
    aclTensor* tx = aclCreateTensor(row, 1, (aclDataType)x_type, step, 0, ACL_FORMAT_ND, &x_room, 1, x);
    aclTensor* tdx = aclCreateTensor(SHAPE, 2, (aclDataType)dx_type, NULL, 0, ACL_FORMAT_ND, SHAPE, 2, dx);
    char tanh[] = "tanh";
    uint64_t size = 0;
    aclOpExecutor* executor = NULL;
    const int computed = promoted(dy_type, x_type);
    const int taken = computed != ACL_DT_UNDEFINED && !is_whole(dx_type) && (!second_version || dx_type == computed);
    const int got = second_version ? aclnnGeluBackwardV2GetWorkspaceSize(tdy, tx, tanh, tdx, &size, &executor)
                                   : aclnnGeluBackwardGetWorkspaceSize(tdy, tx, tdx, &size, &executor);
    if (got != (taken ? 0 : ACLNN_ERR_PARAM_INVALID)) {
        failures++;
        printf("types %d, %d -> %d: %d; %s\n", dy_type, x_type, dx_type, got, aclGetRecentErrMsg());
    } else if (taken) {
        CHECK(size > 0 || !(is_whole(dy_type) || is_whole(x_type)));
        void* workspace = NULL;
        if (size > 0) {
            IS(0, aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
        }
        IS(0, (second_version ? aclnnGeluBackwardV2 : aclnnGeluBackward)(workspace, size, executor, NULL));
        for (int i = 0; i < N; i++) {
            const double want = want_dy[i / COLUMNS] * gelu_grad(want_x[i % COLUMNS], 1);
            const double tolerance = precision(computed) + precision(dx_type);
            if (!near(get(dx, i, dx_type), want, tolerance)) {
                failures++;
                printf("types %d, %d -> %d: [%d] is %g, not %g\n", dy_type, x_type, dx_type, i,
                       get(dx, i, dx_type), want);
                break;
            }
        }
        if (size > 0) {
            IS(0, aclrtFree(workspace));
        }
    } else {
        CHECK(aclGetRecentErrMsg() != NULL);
    }
    IS(0, aclDestroyTensor(tdy));
    IS(0, aclDestroyTensor(tx));
    IS(0, aclDestroyTensor(tdx));
    free(dy);
    free(x);
    free(dx);
}

/* Ones of INT32 beside a FLOAT tensor, dense and of one shape; then in place on the whole numbers. */
static void ones(void)
{
    float x[N], dx[N];
    int32_t dy[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i - 9;
        dy[i] = 1;
    }
    aclTensor* tx = aclCreateTensor(SHAPE, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, SHAPE, 2, x);
    aclTensor* tdy = aclCreateTensor(SHAPE, 2, ACL_INT32, NULL, 0, ACL_FORMAT_ND, SHAPE, 2, dy);
    aclTensor* tdx = aclCreateTensor(SHAPE, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, SHAPE, 2, dx);
    for (int round = 0; round < 2; round++) {
        uint64_t size = 0;
        aclOpExecutor* executor = NULL;
        void* workspace = NULL;
        IS(0, aclnnGeluBackwardGetWorkspaceSize(tdy, tx, tdx, &size, &executor));
        CHECK(size >= sizeof x);
        IS(0, aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
        IS(0, aclnnGeluBackward(workspace, size, executor, NULL));
        IS(0, aclrtFree(workspace));
        for (int i = 0; i < N; i++) {
            float got = dx[i];
            if (round == 1) {
                memcpy(&got, &dy[i], sizeof got);
            }
            CHECK(near(got, gelu_grad(x[i], 1), 2e-6));
        }
        IS(0, aclSetRawTensorAddr(tdx, dy));
    }
    IS(0, aclDestroyTensor(tx));
    IS(0, aclDestroyTensor(tdy));
    IS(0, aclDestroyTensor(tdx));
}

/* Numbers with more digits than the type has are rounded to the nearest, those beyond it to infinity. */
static void rounding(void)
{
    const int64_t n = 4, whole[4] = {(1 << 24) + 1, -((1 << 24) + 3), 2049, 1000000};
    const double want[3][4] = {{1 << 24, -((1 << 24) + 4), 2049, 1000000},
                               {INFINITY, -INFINITY, 2048, INFINITY},
                               {1 << 24, -(1 << 24), 2048, 999424}};
    const int types[3] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    for (int k = 0; k < 3; k++) {
        void *dx = calloc(4, 4), *large = calloc(4, 4); /* the derivative is 1 there */
        for (int i = 0; i < 4; i++) {
            put(large, i, types[k], 100);
        }
        aclTensor* tdy = aclCreateTensor(&n, 1, ACL_INT64, NULL, 0, ACL_FORMAT_ND, &n, 1, (void*)whole);
        aclTensor* tx = aclCreateTensor(&n, 1, (aclDataType)types[k], NULL, 0, ACL_FORMAT_ND, &n, 1, large);
        aclTensor* tdx = aclCreateTensor(&n, 1, (aclDataType)types[k], NULL, 0, ACL_FORMAT_ND, &n, 1, dx);
        uint64_t size = 0;
        aclOpExecutor* executor = NULL;
        IS(0, aclnnGeluBackwardGetWorkspaceSize(tdy, tx, tdx, &size, &executor));
        void* workspace = malloc(size);
        IS(0, aclnnGeluBackward(workspace, size, executor, NULL));
        free(workspace);
        for (int i = 0; i < 4; i++) {
            CHECK(get(dx, i, types[k]) == want[k][i]);
        }
        IS(0, aclDestroyTensor(tdy));
        IS(0, aclDestroyTensor(tx));
        IS(0, aclDestroyTensor(tdx));
        free(dx);
        free(large);
    }
}

/* One whole number, seen more often than there are addresses for what it is cast to. */
static void vast(void)
{
    const int64_t shape[1] = {INT64_MAX / 4}, none[1] = {0}, one = 1;
    int8_t number = 1;
    float half = 0.5f;
    aclTensor* often = aclCreateTensor(shape, 1, ACL_INT8, none, 0, ACL_FORMAT_ND, &one, 1, &number);
    aclTensor* x = aclCreateTensor(&one, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &one, 1, &half);
    aclTensor* dx = aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, &half);
    uint64_t size = 0;
    aclOpExecutor* executor = NULL;
    IS(ACLNN_ERR_PARAM_INVALID, aclnnGeluBackwardGetWorkspaceSize(often, x, dx, &size, &executor));
    CHECK(size == 0 && executor == NULL);
    IS(0, aclDestroyTensor(often));
    IS(0, aclDestroyTensor(x));
    IS(0, aclDestroyTensor(dx));
}

/* Forward, nothing in is nothing out; aclnnSwiGluGrad's document wants something. */
static void nothing(void)
{
    const int64_t shapes[3][2] = {{0, 6}, {4, 0}, {0, 0}};
    for (int k = 0; k < 3; k++) {
        const int64_t half[2] = {shapes[k][0], shapes[k][1] / 2};
        aclTensor* x = aclCreateTensor(shapes[k], 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shapes[k], 2, NULL);
        aclTensor* y = aclCreateTensor(half, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, half, 2, NULL);
        uint64_t size = 7;
        aclOpExecutor* executor = NULL;
        IS(0, aclnnSwiGluGetWorkspaceSize(x, -1, y, &size, &executor));
        CHECK(size == 0);
        IS(0, aclnnSwiGlu(NULL, 0, executor, NULL));
        IS(0, aclDestroyTensor(x));
        IS(0, aclDestroyTensor(y));
    }
}

int main(void)
{
    static const int types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT64, ACL_INT32,
                                ACL_INT16, ACL_INT8,    ACL_UINT8, ACL_BOOL};
    enum { COUNT = sizeof types / sizeof *types };
    for (int a = 0; a < COUNT; a++) {
        for (int b = 0; b < COUNT; b++) {
            for (int c = 0; c < 4; c++) { /* one output of a whole number, which is refused */
                meet(types[a], types[b], types[c], 0);
                meet(types[a], types[b], types[c], 1);
            }
        }
    }
    ones();
    rounding();
    vast();
    nothing();
    printf("%d failures\n", failures);
    return failures != 0;
}
