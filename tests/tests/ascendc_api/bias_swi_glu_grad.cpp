// aclnnBiasSwiGluGrad, one of whose results is a sum, with right and wrong arguments.
#include "aclnnop/aclnn_bias_swi_glu_grad.h"

#include <functional>

#include "driver.h"

namespace {

struct Call {
    aclTensor dyOf{{2, 3}, ge::DT_FLOAT, "dy"};
    aclTensor xOf{{2, 6}, ge::DT_FLOAT, "x"};
    aclTensor biasOf{{6}, ge::DT_FLOAT, "bias"};
    aclTensor dxOf{{2, 6}, ge::DT_FLOAT, "dx"};
    aclTensor dbiasOf{{6}, ge::DT_FLOAT, "dbias"};
    int64_t dim = -1;
};

void Case(const char* what, const std::function<void(Call&)>& change)
{
    Call c;
    change(c);
    uint64_t workspace = 99;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status = aclnnBiasSwiGluGradGetWorkspaceSize(
        &c.dyOf, &c.xOf, &c.biasOf, c.dim, &c.dxOf, &c.dbiasOf, &workspace, &executor);
    Show(what, status, executor, workspace, true);
}

} // namespace

int main()
{
    host_model::shapeOf = [](const auto& inputs, size_t output) { return inputs[output + 1]->shape; };
    Case("right", [](Call&) {});
    Case("dim counted from the outermost", [](Call& c) { c.dim = 1; });
    Case("one for all", [](Call& c) { c.biasOf.shape = c.dbiasOf.shape = {2}; });
    Case("not broadcast", [](Call& c) { c.biasOf.shape = c.dbiasOf.shape = {2, 6}; });
    Case("parts of rows", [](Call& c) { c.dyOf.shape = {1, 6}, c.dim = 0, c.biasOf.shape = c.dbiasOf.shape = {2, 1}; });
    Case("dbias not as bias", [](Call& c) { c.dbiasOf.shape = {2, 6}; });
    Case("bias too long", [](Call& c) { c.biasOf.shape = c.dbiasOf.shape = {12}; });
    Case("bias of one part", [](Call& c) { c.biasOf.shape = c.dbiasOf.shape = {3}; });
    Case("bias without the dimension", [](Call& c) { c.dyOf.shape = {1, 6}, c.dim = 0; });
    Case("bias of more dimensions", [](Call& c) { c.biasOf.shape = c.dbiasOf.shape = {1, 2, 6}; });
    Case("x odd", [](Call& c) { c.xOf.shape = c.dxOf.shape = {2, 3}; });
    Case("x broadcast", [](Call& c) { c.xOf.shape = {1, 6}; });
    Case("dx not as x", [](Call& c) { c.dxOf.shape = {2, 3}; });
    Case("nine dimensions", [](Call& c) { c.xOf.shape = {1, 1, 1, 1, 1, 1, 1, 2, 6}; });
    Case("dim", [](Call& c) { c.dim = 2; });
    Case("empty", [](Call& c) { c.dyOf.shape = {0, 3}, c.xOf.shape = c.dxOf.shape = {0, 6}; });
    Case("mixed dtypes", [](Call& c) { c.biasOf.dtype = ge::DT_FLOAT16, c.dim = 9; });
}
