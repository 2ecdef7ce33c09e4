// aclnnGeluBackwardV2 with right and wrong arguments.
#include "aclnnop/aclnn_gelu_backward_v2.h"

#include <functional>

#include "driver.h"

namespace {

struct Call {
    aclTensor dy{{2, 3}, ge::DT_FLOAT16, "gradOutput"};
    aclTensor x{{2, 3}, ge::DT_FLOAT16, "self"};
    aclTensor dx{{2, 3}, ge::DT_FLOAT16, "gradInput"};
    const aclTensor* gradOutput = &dy;
    const aclTensor* self = &x;
    aclTensor* gradInput = &dx;
    std::string mode = "none";
    bool moded = true;
};

void Case(const char* what, const std::function<void(Call&)>& change)
{
    Call c;
    change(c);
    uint64_t workspace = 99;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status = aclnnGeluBackwardV2GetWorkspaceSize(
        c.gradOutput, c.self, c.moded ? c.mode.data() : nullptr, c.gradInput, &workspace, &executor);
    Show(what, status, executor, workspace, true);
}

} // namespace

int main()
{
    Case("right", [](Call&) {});
    Case("promoted and broadcast", [](Call& c) {
        c.dy = {{3}, ge::DT_BF16, "gradOutput"};
        c.dx.dtype = ge::DT_FLOAT;
        c.mode = "tanh";
    });
    Case("empty", [](Call& c) { c.dy.shape = c.dx.shape = {0, 3}, c.x.shape = {1, 3}; });
    Case("approximate missing", [](Call& c) { c.moded = false, c.dx.dtype = ge::DT_FLOAT; });
    Case("self missing", [](Call& c) { c.self = nullptr, c.mode = "exact"; });
    Case("int32 beside half", [](Call& c) { c.dy.dtype = ge::DT_INT32; });
    Case("int32 alone", [](Call& c) { c.dy.dtype = c.x.dtype = ge::DT_INT32, c.x.shape = {5}; });
    Case("not promoted", [](Call& c) { c.dy.dtype = ge::DT_FLOAT, c.x.shape = {5}; });
    Case("not broadcastable", [](Call& c) { c.x.shape = {2, 4}, c.mode = "exact"; });
    Case("output too small", [](Call& c) { c.x.shape = {4, 2, 3}, c.mode = "exact"; });
    Case("nine dimensions", [](Call& c) { c.x.shape = {1, 1, 1, 1, 1, 1, 1, 1, 1}; });
    Case("approximate", [](Call& c) { c.mode = "exact"; });
}
