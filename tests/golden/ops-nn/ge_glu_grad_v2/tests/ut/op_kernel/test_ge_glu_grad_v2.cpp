// GeGluGradV2: unit tests.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

#include <cmath>

#include "gtest/gtest.h"
#include "tikicpulib.h"

#include "../../../op_kernel/ge_glu_grad_v2.cpp"

namespace formula {

constexpr double SQRT_HALF = 0.7071067811865476;
constexpr double SQRT_2_OVER_PI = 0.7978845608028654;
constexpr double SQRT_HALF_OVER_PI = 0.3989422804014327;

// x * f, where f vanishes faster than x grows.
double damped(double x, double f)
{
    return f == 0.0 && std::isinf(x) ? std::copysign(0.0, x) : x * f;
}

// 1 / (1 + e^-x), never by a difference.
double sigmoid(double x)
{
    const double e = std::exp(-std::fabs(x));
    return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

// erfc(-x / sqrt(2)) / 2
double normal_cdf(double x)
{
    return 0.5 * std::erfc(-x * SQRT_HALF);
}

// Phi(x) + x phi(x)
double gelu_grad(double x)
{
    return normal_cdf(x) + damped(x, SQRT_HALF_OVER_PI * std::exp(-0.5 * x * x));
}

// The derivative of x sigmoid(v(x)).
double gated_grad(double x, double v, double dv)
{
    const double s = sigmoid(v);
    const double slope = s * sigmoid(-v);
    return slope == 0.0 ? s : s + x * dv * slope;
}

// The derivative of gelu_tanh.
double gelu_tanh_grad(double x)
{
    const double v = 2.0 * SQRT_2_OVER_PI * (x + 0.044715 * x * x * x);
    return gated_grad(x, v, 2.0 * SQRT_2_OVER_PI * (1.0 + 3.0 * 0.044715 * x * x));
}

} // namespace formula

#if __NPU_ARCH__ == 2201
namespace of_float_none {
struct Expected {
    double dxGate;
    double dxValue;
};

Expected Formula(double dy, double xGate, double xValue, double gelu)
{
    const double t0 = formula::gelu_grad(xGate);
    const double t1 = t0 * dy * xValue;
    const double t2 = dy * gelu;
    return {t1, t2};
}
} // namespace of_float_none

TEST(GeGluGradV2Kernel, FLOAT_NONE)
{
    using namespace of_float_none;
    float* dyIn = reinterpret_cast<float*>(AscendC::GmAlloc(512 * sizeof(float)));
    for (size_t i = 0; i < 512; ++i) {
        dyIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 0.0f);
    }
    float* xIn = reinterpret_cast<float*>(AscendC::GmAlloc(1024 * sizeof(float)));
    for (size_t i = 0; i < 1024; ++i) {
        xIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 1.0f);
    }
    float* geluIn = reinterpret_cast<float*>(AscendC::GmAlloc(512 * sizeof(float)));
    for (size_t i = 0; i < 512; ++i) {
        geluIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 2.0f);
    }
    float* dxOut = reinterpret_cast<float*>(AscendC::GmAlloc(1024 * sizeof(float)));
    uint8_t* workspace = reinterpret_cast<uint8_t*>(AscendC::GmAlloc(32));
    auto* tiling = reinterpret_cast<GeGluGradV2TilingData*>(AscendC::GmAlloc(sizeof(GeGluGradV2TilingData)));
    *tiling = GeGluGradV2TilingData{};
    tiling->rows = 8;
    tiling->columns = 64;
    tiling->pieces = 1;
    tiling->share = 2;
    tiling->unitRows = 2;
    tiling->unitColumns = 0;
    tiling->tileRows = 8;
    tiling->tileColumns = 3584;
    tiling->pitch = 64;
    tiling->cores = 2;
    tiling->big = 0;
    tiling->path = 0;
    tiling->gateFirst = 0;

    auto run = [](GM_ADDR dyIn, GM_ADDR xIn, GM_ADDR geluIn, GM_ADDR dxOut, GM_ADDR workspace, GM_ADDR tiling) {
        ::ge_glu_grad_v2<GE_GLU_GRAD_V2_FLOAT, GE_GLU_GRAD_V2_FORM_NONE, false>(dyIn, xIn, geluIn, dxOut, workspace, tiling);
    };
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(
        run, 2, reinterpret_cast<uint8_t*>(dyIn), reinterpret_cast<uint8_t*>(xIn), reinterpret_cast<uint8_t*>(geluIn),
        reinterpret_cast<uint8_t*>(dxOut), workspace, reinterpret_cast<uint8_t*>(tiling));

    for (size_t i = 0; i < 512; ++i) {
        const size_t first = i + i / 64 * 64;
        const size_t second = first + 64;
        const Expected want = Formula(dyIn[i], xIn[second], xIn[first], geluIn[i]);
        EXPECT_NEAR(dxOut[second], want.dxGate, 1e-5 + 1e-4 * std::fabs(want.dxGate));
        EXPECT_NEAR(dxOut[first], want.dxValue, 1e-5 + 1e-4 * std::fabs(want.dxValue));
    }
    AscendC::GmFree(dyIn);
    AscendC::GmFree(xIn);
    AscendC::GmFree(geluIn);
    AscendC::GmFree(dxOut);
    AscendC::GmFree(workspace);
    AscendC::GmFree(tiling);
}
#elif __NPU_ARCH__ == 3510
namespace of_float_none {
struct Expected {
    double dxGate;
    double dxValue;
};

Expected Formula(double dy, double xGate, double xValue, double gelu)
{
    const double t0 = formula::gelu_grad(xGate);
    const double t1 = t0 * dy * xValue;
    const double t2 = dy * gelu;
    return {t1, t2};
}
} // namespace of_float_none

TEST(GeGluGradV2Kernel, FLOAT_NONE)
{
    using namespace of_float_none;
    float* dyIn = reinterpret_cast<float*>(AscendC::GmAlloc(512 * sizeof(float)));
    for (size_t i = 0; i < 512; ++i) {
        dyIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 0.0f);
    }
    float* xIn = reinterpret_cast<float*>(AscendC::GmAlloc(1024 * sizeof(float)));
    for (size_t i = 0; i < 1024; ++i) {
        xIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 1.0f);
    }
    float* geluIn = reinterpret_cast<float*>(AscendC::GmAlloc(512 * sizeof(float)));
    for (size_t i = 0; i < 512; ++i) {
        geluIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 2.0f);
    }
    float* dxOut = reinterpret_cast<float*>(AscendC::GmAlloc(1024 * sizeof(float)));
    uint8_t* workspace = reinterpret_cast<uint8_t*>(AscendC::GmAlloc(32));
    auto* tiling = reinterpret_cast<GeGluGradV2TilingData*>(AscendC::GmAlloc(sizeof(GeGluGradV2TilingData)));
    *tiling = GeGluGradV2TilingData{};
    tiling->rows = 8;
    tiling->columns = 64;
    tiling->pieces = 1;
    tiling->share = 2;
    tiling->unitRows = 2;
    tiling->unitColumns = 0;
    tiling->tileRows = 8;
    tiling->tileColumns = 5248;
    tiling->pitch = 64;
    tiling->cores = 2;
    tiling->big = 0;
    tiling->path = 0;
    tiling->gateFirst = 0;

    auto run = [](GM_ADDR dyIn, GM_ADDR xIn, GM_ADDR geluIn, GM_ADDR dxOut, GM_ADDR workspace, GM_ADDR tiling) {
        ::ge_glu_grad_v2<GE_GLU_GRAD_V2_FLOAT, GE_GLU_GRAD_V2_FORM_NONE, false>(dyIn, xIn, geluIn, dxOut, workspace, tiling);
    };
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(
        run, 2, reinterpret_cast<uint8_t*>(dyIn), reinterpret_cast<uint8_t*>(xIn), reinterpret_cast<uint8_t*>(geluIn),
        reinterpret_cast<uint8_t*>(dxOut), workspace, reinterpret_cast<uint8_t*>(tiling));

    for (size_t i = 0; i < 512; ++i) {
        const size_t first = i + i / 64 * 64;
        const size_t second = first + 64;
        const Expected want = Formula(dyIn[i], xIn[second], xIn[first], geluIn[i]);
        EXPECT_NEAR(dxOut[second], want.dxGate, 1e-5 + 1e-4 * std::fabs(want.dxGate));
        EXPECT_NEAR(dxOut[first], want.dxValue, 1e-5 + 1e-4 * std::fabs(want.dxValue));
    }
    AscendC::GmFree(dyIn);
    AscendC::GmFree(xIn);
    AscendC::GmFree(geluIn);
    AscendC::GmFree(dxOut);
    AscendC::GmFree(workspace);
    AscendC::GmFree(tiling);
}
#endif

#if __NPU_ARCH__ == 2201
namespace of_float_tanh {
struct Expected {
    double dxGate;
    double dxValue;
};

Expected Formula(double dy, double xGate, double xValue, double gelu)
{
    const double t0 = formula::gelu_tanh_grad(xGate);
    const double t1 = t0 * dy * xValue;
    const double t2 = dy * gelu;
    return {t1, t2};
}
} // namespace of_float_tanh

TEST(GeGluGradV2Kernel, FLOAT_TANH)
{
    using namespace of_float_tanh;
    float* dyIn = reinterpret_cast<float*>(AscendC::GmAlloc(512 * sizeof(float)));
    for (size_t i = 0; i < 512; ++i) {
        dyIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 0.0f);
    }
    float* xIn = reinterpret_cast<float*>(AscendC::GmAlloc(1024 * sizeof(float)));
    for (size_t i = 0; i < 1024; ++i) {
        xIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 1.0f);
    }
    float* geluIn = reinterpret_cast<float*>(AscendC::GmAlloc(512 * sizeof(float)));
    for (size_t i = 0; i < 512; ++i) {
        geluIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 2.0f);
    }
    float* dxOut = reinterpret_cast<float*>(AscendC::GmAlloc(1024 * sizeof(float)));
    uint8_t* workspace = reinterpret_cast<uint8_t*>(AscendC::GmAlloc(32));
    auto* tiling = reinterpret_cast<GeGluGradV2TilingData*>(AscendC::GmAlloc(sizeof(GeGluGradV2TilingData)));
    *tiling = GeGluGradV2TilingData{};
    tiling->rows = 8;
    tiling->columns = 64;
    tiling->pieces = 1;
    tiling->share = 2;
    tiling->unitRows = 2;
    tiling->unitColumns = 0;
    tiling->tileRows = 8;
    tiling->tileColumns = 3968;
    tiling->pitch = 64;
    tiling->cores = 2;
    tiling->big = 0;
    tiling->path = 0;
    tiling->gateFirst = 0;

    auto run = [](GM_ADDR dyIn, GM_ADDR xIn, GM_ADDR geluIn, GM_ADDR dxOut, GM_ADDR workspace, GM_ADDR tiling) {
        ::ge_glu_grad_v2<GE_GLU_GRAD_V2_FLOAT, GE_GLU_GRAD_V2_FORM_TANH, false>(dyIn, xIn, geluIn, dxOut, workspace, tiling);
    };
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(
        run, 2, reinterpret_cast<uint8_t*>(dyIn), reinterpret_cast<uint8_t*>(xIn), reinterpret_cast<uint8_t*>(geluIn),
        reinterpret_cast<uint8_t*>(dxOut), workspace, reinterpret_cast<uint8_t*>(tiling));

    for (size_t i = 0; i < 512; ++i) {
        const size_t first = i + i / 64 * 64;
        const size_t second = first + 64;
        const Expected want = Formula(dyIn[i], xIn[second], xIn[first], geluIn[i]);
        EXPECT_NEAR(dxOut[second], want.dxGate, 1e-5 + 1e-4 * std::fabs(want.dxGate));
        EXPECT_NEAR(dxOut[first], want.dxValue, 1e-5 + 1e-4 * std::fabs(want.dxValue));
    }
    AscendC::GmFree(dyIn);
    AscendC::GmFree(xIn);
    AscendC::GmFree(geluIn);
    AscendC::GmFree(dxOut);
    AscendC::GmFree(workspace);
    AscendC::GmFree(tiling);
}
#elif __NPU_ARCH__ == 2002
namespace of_float_tanh {
struct Expected {
    double dxGate;
    double dxValue;
};

Expected Formula(double dy, double xGate, double xValue, double gelu)
{
    const double t0 = formula::gelu_tanh_grad(xGate);
    const double t1 = t0 * dy * xValue;
    const double t2 = dy * gelu;
    return {t1, t2};
}
} // namespace of_float_tanh

TEST(GeGluGradV2Kernel, FLOAT_TANH)
{
    using namespace of_float_tanh;
    float* dyIn = reinterpret_cast<float*>(AscendC::GmAlloc(512 * sizeof(float)));
    for (size_t i = 0; i < 512; ++i) {
        dyIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 0.0f);
    }
    float* xIn = reinterpret_cast<float*>(AscendC::GmAlloc(1024 * sizeof(float)));
    for (size_t i = 0; i < 1024; ++i) {
        xIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 1.0f);
    }
    float* geluIn = reinterpret_cast<float*>(AscendC::GmAlloc(512 * sizeof(float)));
    for (size_t i = 0; i < 512; ++i) {
        geluIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 2.0f);
    }
    float* dxOut = reinterpret_cast<float*>(AscendC::GmAlloc(1024 * sizeof(float)));
    uint8_t* workspace = reinterpret_cast<uint8_t*>(AscendC::GmAlloc(32));
    auto* tiling = reinterpret_cast<GeGluGradV2TilingData*>(AscendC::GmAlloc(sizeof(GeGluGradV2TilingData)));
    *tiling = GeGluGradV2TilingData{};
    tiling->rows = 8;
    tiling->columns = 64;
    tiling->pieces = 1;
    tiling->share = 2;
    tiling->unitRows = 2;
    tiling->unitColumns = 0;
    tiling->tileRows = 8;
    tiling->tileColumns = 5376;
    tiling->pitch = 64;
    tiling->cores = 2;
    tiling->big = 0;
    tiling->path = 0;
    tiling->gateFirst = 0;

    auto run = [](GM_ADDR dyIn, GM_ADDR xIn, GM_ADDR geluIn, GM_ADDR dxOut, GM_ADDR workspace, GM_ADDR tiling) {
        ::ge_glu_grad_v2<GE_GLU_GRAD_V2_FLOAT, GE_GLU_GRAD_V2_FORM_TANH, false>(dyIn, xIn, geluIn, dxOut, workspace, tiling);
    };
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(
        run, 2, reinterpret_cast<uint8_t*>(dyIn), reinterpret_cast<uint8_t*>(xIn), reinterpret_cast<uint8_t*>(geluIn),
        reinterpret_cast<uint8_t*>(dxOut), workspace, reinterpret_cast<uint8_t*>(tiling));

    for (size_t i = 0; i < 512; ++i) {
        const size_t first = i + i / 64 * 64;
        const size_t second = first + 64;
        const Expected want = Formula(dyIn[i], xIn[second], xIn[first], geluIn[i]);
        EXPECT_NEAR(dxOut[second], want.dxGate, 1e-5 + 1e-4 * std::fabs(want.dxGate));
        EXPECT_NEAR(dxOut[first], want.dxValue, 1e-5 + 1e-4 * std::fabs(want.dxValue));
    }
    AscendC::GmFree(dyIn);
    AscendC::GmFree(xIn);
    AscendC::GmFree(geluIn);
    AscendC::GmFree(dxOut);
    AscendC::GmFree(workspace);
    AscendC::GmFree(tiling);
}
#elif __NPU_ARCH__ == 3510
namespace of_float_tanh {
struct Expected {
    double dxGate;
    double dxValue;
};

Expected Formula(double dy, double xGate, double xValue, double gelu)
{
    const double t0 = formula::gelu_tanh_grad(xGate);
    const double t1 = t0 * dy * xValue;
    const double t2 = dy * gelu;
    return {t1, t2};
}
} // namespace of_float_tanh

TEST(GeGluGradV2Kernel, FLOAT_TANH)
{
    using namespace of_float_tanh;
    float* dyIn = reinterpret_cast<float*>(AscendC::GmAlloc(512 * sizeof(float)));
    for (size_t i = 0; i < 512; ++i) {
        dyIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 0.0f);
    }
    float* xIn = reinterpret_cast<float*>(AscendC::GmAlloc(1024 * sizeof(float)));
    for (size_t i = 0; i < 1024; ++i) {
        xIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 1.0f);
    }
    float* geluIn = reinterpret_cast<float*>(AscendC::GmAlloc(512 * sizeof(float)));
    for (size_t i = 0; i < 512; ++i) {
        geluIn[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + 2.0f);
    }
    float* dxOut = reinterpret_cast<float*>(AscendC::GmAlloc(1024 * sizeof(float)));
    uint8_t* workspace = reinterpret_cast<uint8_t*>(AscendC::GmAlloc(32));
    auto* tiling = reinterpret_cast<GeGluGradV2TilingData*>(AscendC::GmAlloc(sizeof(GeGluGradV2TilingData)));
    *tiling = GeGluGradV2TilingData{};
    tiling->rows = 8;
    tiling->columns = 64;
    tiling->pieces = 1;
    tiling->share = 2;
    tiling->unitRows = 2;
    tiling->unitColumns = 0;
    tiling->tileRows = 8;
    tiling->tileColumns = 5248;
    tiling->pitch = 64;
    tiling->cores = 2;
    tiling->big = 0;
    tiling->path = 0;
    tiling->gateFirst = 0;

    auto run = [](GM_ADDR dyIn, GM_ADDR xIn, GM_ADDR geluIn, GM_ADDR dxOut, GM_ADDR workspace, GM_ADDR tiling) {
        ::ge_glu_grad_v2<GE_GLU_GRAD_V2_FLOAT, GE_GLU_GRAD_V2_FORM_TANH, false>(dyIn, xIn, geluIn, dxOut, workspace, tiling);
    };
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(
        run, 2, reinterpret_cast<uint8_t*>(dyIn), reinterpret_cast<uint8_t*>(xIn), reinterpret_cast<uint8_t*>(geluIn),
        reinterpret_cast<uint8_t*>(dxOut), workspace, reinterpret_cast<uint8_t*>(tiling));

    for (size_t i = 0; i < 512; ++i) {
        const size_t first = i + i / 64 * 64;
        const size_t second = first + 64;
        const Expected want = Formula(dyIn[i], xIn[second], xIn[first], geluIn[i]);
        EXPECT_NEAR(dxOut[second], want.dxGate, 1e-5 + 1e-4 * std::fabs(want.dxGate));
        EXPECT_NEAR(dxOut[first], want.dxValue, 1e-5 + 1e-4 * std::fabs(want.dxValue));
    }
    AscendC::GmFree(dyIn);
    AscendC::GmFree(xIn);
    AscendC::GmFree(geluIn);
    AscendC::GmFree(dxOut);
    AscendC::GmFree(workspace);
    AscendC::GmFree(tiling);
}
#endif
