// aclnnSwiGluGrad with right and wrong arguments.
#include "aclnnop/aclnn_swi_glu_grad.h"

#include <functional>

#include "driver.h"

namespace {

struct Call {
    aclTensor dy{{2, 3}, ge::DT_FLOAT, "yGrad"};
    aclTensor in{{2, 6}, ge::DT_FLOAT, "x"};
    aclTensor dx{{2, 6}, ge::DT_FLOAT, "out"};
    const aclTensor* yGrad = &dy;
    const aclTensor* x = &in;
    const aclTensor* out = &dx;
    int64_t dim = -1;
};

void Case(const char* what, const std::function<void(Call&)>& change)
{
    Call c;
    change(c);
    uint64_t workspace = 99;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status =
        aclnnSwiGluGradGetWorkspaceSize(c.yGrad, c.x, c.dim, c.out, &workspace, &executor);
    Show(what, status, executor, workspace, true);
}

} // namespace

int main()
{
    host_model::shapeOf = [](const auto& inputs, size_t) { return inputs[1]->shape; };
    Case("right", [](Call&) {});
    Case("outermost", [](Call& c) { c.dy.shape = {1, 6}, c.dim = -2; });
    Case("out missing", [](Call& c) { c.out = nullptr, c.dim = 9; });
    Case("mixed dtypes", [](Call& c) { c.dy.dtype = ge::DT_FLOAT16, c.dim = 9; });
    Case("dim", [](Call& c) { c.dim = 2; });
    Case("out not as x", [](Call& c) { c.dx.shape = {2, 3}; });
    Case("not half", [](Call& c) { c.dy.shape = {2, 6}; });
    Case("empty", [](Call& c) { c.dy.shape = {0, 3}, c.in.shape = c.dx.shape = {0, 6}; });
}
