// Whether a tensor broadcasts to a shape, of which dimension `cut` has two parts one after the other.
bool Broadcasts(const aclTensor* tensor, const Shape& domain, size_t cut)
{
    const Shape shape = tensor->GetViewShape();
    if (shape.GetDimNum() > domain.GetDimNum()) {
        return false;
    }
    const size_t ahead = domain.GetDimNum() - shape.GetDimNum();
    if (cut < ahead) {
        return false;
    }
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        const int64_t parts = ahead + i == cut ? 2 : 1;
        if (shape.GetDim(i) != parts && shape.GetDim(i) != parts * domain.GetDim(ahead + i)) {
            return false;
        }
    }
    return true;
}
