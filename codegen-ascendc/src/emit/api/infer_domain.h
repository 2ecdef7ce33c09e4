// The shape to which all tensors broadcast: one element of the formula for each of its elements.
bool InferDomain(std::initializer_list<const aclTensor*> tensors, Shape& domain)
{
    domain = (*tensors.begin())->GetViewShape();
    for (const aclTensor* tensor : tensors) {
@skip@        const Shape before = domain;
        if (!BroadcastInferShape(before, tensor->GetViewShape(), domain)) {
            return false;
        }
    }
    return true;
}
