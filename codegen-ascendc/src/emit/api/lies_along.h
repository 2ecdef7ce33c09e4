// Whether a tensor of one dimension lies along dimension `dim` of a shape: it has one element, or as many.
bool LiesAlong(const aclTensor* tensor, const Shape& domain, size_t dim)
{
    const int64_t length = tensor->GetViewShape().GetDim(0);
    return length == 1 || (dim < domain.GetDimNum() && length == domain.GetDim(dim));
}
