def single(shape):
    """The shape of a tensor with one number per row."""
    return shape[:-1] + (1,) * min(len(shape), 1)

