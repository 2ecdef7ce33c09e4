// A tensor as it is broadcast to a shape: one of one dimension, which lies along dimension `dim`, ends with dimensions of 1.
const aclTensor* Laid(const aclTensor* tensor, const Shape& domain, size_t dim, aclOpExecutor* executor)
{
    Shape shape = tensor->GetViewShape();
    if (shape.GetDimNum() != 1) {
        return tensor;
    }
    for (size_t i = dim + 1; i < domain.GetDimNum(); ++i) {
        shape.AppendDim(1);
    }
    const aclTensor* ready = l0op::Contiguous(tensor, executor);
    CHECK_RET(ready != nullptr, nullptr);
    return l0op::Reshape(ready, domain.GetDimNum() == 0 ? domain : shape, executor);
}
