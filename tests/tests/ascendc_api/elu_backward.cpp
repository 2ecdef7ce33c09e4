// aclnnEluBackward with right and wrong arguments.
#include "aclnnop/aclnn_elu_backward.h"

#include <functional>

#include "driver.h"

namespace {

struct Call {
    aclTensor dy{{2, 3}, ge::DT_FLOAT, "gradOutput"};
    aclTensor x{{2, 3}, ge::DT_FLOAT, "selfOrResult"};
    aclTensor dx{{2, 3}, ge::DT_FLOAT, "gradInput"};
    aclScalar numbers[3] = {{0.5f}, {1.0f}, {2.0f}};
    const aclScalar* alpha = &numbers[0];
    const aclScalar* inputScale = &numbers[2];
    bool isResult = true;
};

void Case(const char* what, const std::function<void(Call&)>& change)
{
    Call c;
    change(c);
    uint64_t workspace = 99;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status = aclnnEluBackwardGetWorkspaceSize(
        &c.dy, c.alpha, &c.numbers[1], c.inputScale, c.isResult, &c.x, &c.dx, &workspace, &executor);
    Show(what, status, executor, workspace, true);
}

} // namespace

int main()
{
    Case("right", [](Call&) {});
    Case("cast", [](Call& c) { c.dx.dtype = ge::DT_FLOAT16; });
    Case("alpha missing", [](Call& c) { c.alpha = nullptr, c.inputScale = nullptr; });
    Case("inputScale missing", [](Call& c) { c.inputScale = nullptr, c.x.dtype = ge::DT_BF16; });
    Case("mixed dtypes", [](Call& c) { c.x.dtype = ge::DT_BF16; });
    Case("result of whole numbers", [](Call& c) { c.dx.dtype = ge::DT_INT32; });
    Case("complex", [](Call& c) { c.numbers[2].dtype = ge::DT_COMPLEX64, c.x.shape = {5}; });
    Case("shape before value", [](Call& c) { c.x.shape = {5}, c.numbers[0].value = -1; });
    Case("negative", [](Call& c) { c.numbers[0].value = -1; });
    Case("negative beside x", [](Call& c) { c.numbers[0].value = -1, c.isResult = false; });
}
