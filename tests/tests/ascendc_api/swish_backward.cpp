// aclnnSwishBackward, whose scalar may be missing.
#include "aclnnop/aclnn_swish_backward.h"

#include "driver.h"

int main()
{
    aclTensor dy{{2, 3}, ge::DT_FLOAT, "gradOutput"}, x{{2, 3}, ge::DT_FLOAT, "self"};
    aclTensor dx{{2, 3}, ge::DT_FLOAT, "gradInput"};
    aclScalar beta{1.5f}, complex{1.5f, ge::DT_COMPLEX64};
    struct {
        const char* what;
        const aclScalar* beta;
    } cases[] = {{"given", &beta}, {"missing", nullptr}, {"complex", &complex}};
    for (const auto& one : cases) {
        uint64_t workspace = 99;
        aclOpExecutor* executor = nullptr;
        const aclnnStatus status =
            aclnnSwishBackwardGetWorkspaceSize(&dy, &x, one.beta, &dx, &workspace, &executor);
        Show(one.what, status, executor, workspace, true);
    }
}
