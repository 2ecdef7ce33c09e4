// aclnnGeGluBackward and aclnnGeGluV3Backward with right and wrong arguments.
#include "aclnnop/aclnn_geglu_backward.h"

#include <functional>

#include "driver.h"

namespace {

struct Call {
    aclTensor dy{{2, 3}, ge::DT_FLOAT16, "gradOutput"};
    aclTensor x{{2, 6}, ge::DT_FLOAT16, "self"};
    aclTensor saved{{2, 3}, ge::DT_FLOAT16, "gelu"};
    aclTensor dx{{2, 6}, ge::DT_FLOAT16, "gradInput"};
    const aclTensor* gradOutput = &dy;
    const aclTensor* self = &x;
    const aclTensor* gelu = &saved;
    aclTensor* gradInput = &dx;
    int64_t dim = -1;
    int64_t approximate = 1;
    bool activateLeft = true;
    bool sized = true;
    bool older = false;
    bool inFull = false;

    void Shapes(const op::Shape& part, const op::Shape& whole)
    {
        dy.shape = saved.shape = part;
        x.shape = dx.shape = whole;
    }

    void DTypes(op::DataType dtype)
    {
        dy.dtype = x.dtype = saved.dtype = dx.dtype = dtype;
    }
};

void Case(const char* what, const std::function<void(Call&)>& change)
{
    Call c;
    change(c);
    uint64_t workspace = 99;
    aclOpExecutor* executor = nullptr;
    uint64_t* size = c.sized ? &workspace : nullptr;
    const aclnnStatus status =
        c.older ? aclnnGeGluBackwardGetWorkspaceSize(c.gradOutput, c.self, c.gelu, c.dim, c.approximate,
                                                     c.gradInput, size, &executor) :
                  aclnnGeGluV3BackwardGetWorkspaceSize(c.gradOutput, c.self, c.gelu, c.dim, c.approximate,
                                                       c.activateLeft, c.gradInput, size, &executor);
    Show(what, status, executor, workspace, c.inFull);
}

} // namespace

int main()
{
    host_model::shapeOf = [](const auto& inputs, size_t) { return inputs[1]->shape; };
    Case("right", [](Call& c) { c.inFull = true; });
    Case("older name", [](Call& c) { c.inFull = true, c.older = true, c.dim = 1; });
    Case("bf16", [](Call& c) { c.DTypes(ge::DT_BF16); });
    Case("empty", [](Call& c) { c.Shapes({0, 3}, {0, 6}); });
    Case("gradOutput missing", [](Call& c) { c.gradOutput = nullptr; });
    Case("gelu missing", [](Call& c) { c.gelu = nullptr; });
    Case("gradInput missing", [](Call& c) { c.gradInput = nullptr; });
    Case("no place for the workspace's size", [](Call& c) { c.sized = false; });
    Case("missing and of a wrong dtype", [](Call& c) { c.dy.dtype = ge::DT_INT32, c.self = nullptr; });
    Case("int32", [](Call& c) { c.DTypes(ge::DT_INT32); });
    Case("mixed dtypes", [](Call& c) { c.saved.dtype = ge::DT_FLOAT; });
    Case("dtype before shape", [](Call& c) { c.dx.dtype = ge::DT_FLOAT, c.saved.shape = {2, 4}; });
    Case("private format", [](Call& c) { c.x.format = ge::FORMAT_FRACTAL_NZ, c.dim = 7; });
    Case("gelu not as gradOutput", [](Call& c) { c.saved.shape = {2, 4}, c.dim = 7; });
    Case("gradInput not as self", [](Call& c) { c.dx.shape = {2, 3}, c.dim = 7; });
    Case("no dimensions", [](Call& c) { c.Shapes({}, {}); });
    Case("nine dimensions",
         [](Call& c) { c.Shapes({1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 2}); });
    Case("dim too large", [](Call& c) { c.dim = 2, c.approximate = 2; });
    Case("dim too small", [](Call& c) { c.dim = -3; });
    Case("odd", [](Call& c) { c.Shapes({2, 2}, {2, 5}); });
    Case("not half", [](Call& c) { c.Shapes({3, 2}, {2, 6}); });
    Case("shape before value", [](Call& c) { c.saved.shape = {3, 2}, c.approximate = 2; });
    Case("approximate", [](Call& c) { c.approximate = 2; });
}
