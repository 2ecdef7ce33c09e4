// GeGluGradV2: a program that calls it.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

#include <cmath>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_geglu_backward.h"

namespace formula {

constexpr double SQRT_2_OVER_PI = 0.7978845608028654;

// 1 / (1 + e^-x), never by a difference.
double sigmoid(double x)
{
    const double e = std::exp(-std::fabs(x));
    return (x < 0.0 ? e : 1.0) / (1.0 + e);
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

namespace {

constexpr int64_t ROWS = 4;
constexpr int64_t COLUMNS = 16;
const std::vector<int64_t> PART = {ROWS, COLUMNS};
const std::vector<int64_t> BOTH = {ROWS, 2 * COLUMNS};

{{fragment: paper/example/numbers.h}}

{{fragment: paper/example/close.h}}

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

bool Run(aclrtStream stream)
{
    Numbers gradOutput(PART, 0.0f);
    Numbers self(BOTH, 1.0f);
    Numbers gelu(PART, 2.0f);
    Numbers gradInput(BOTH, 3.0f);
    if (!gradOutput.ToDevice() || !self.ToDevice() || !gelu.ToDevice() || !gradInput.ToDevice()) {
        return false;
    }

    const int64_t dim = -1;
    const int64_t approximate = 1; // tanh
    const bool activateLeft = false;
    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    REQUIRE(aclnnGeGluV3BackwardGetWorkspaceSize(
        gradOutput.tensor, self.tensor, gelu.tensor, dim, approximate, activateLeft, gradInput.tensor, &workspaceSize,
        &executor));
    void* workspace = nullptr;
    if (workspaceSize > 0) {
        REQUIRE(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    REQUIRE(aclnnGeGluV3Backward(workspace, workspaceSize, executor, stream));
    REQUIRE(aclrtSynchronizeStream(stream));
    if (workspace != nullptr) {
        aclrtFree(workspace);
    }
    if (!gradInput.ToHost()) {
        return false;
    }

    bool right = true;
    for (int64_t i = 0; i < ROWS * COLUMNS; ++i) {
        const int64_t first = i + i / COLUMNS * COLUMNS;
        const int64_t second = first + COLUMNS;
        const int64_t gate = second;
        const int64_t value = first;
        const Expected want = Formula(gradOutput.host[i], self.host[gate], self.host[value], gelu.host[i]);
        right = Close("gradInput", gate, gradInput.host[gate], want.dxGate) && right;
        right = Close("gradInput", value, gradInput.host[value], want.dxValue) && right;
    }
    std::printf("%s\n", right ? "as the formula says" : "NOT as the formula says");
    return right;
}

} // namespace

{{fragment: paper/example/main.cpp}}
