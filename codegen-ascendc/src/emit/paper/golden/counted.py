def counted(y, dim, counts):
    """y with zeros in the rows beyond the sum of counts; rows are what the dimensions before dim make."""
    outer = y.shape[:dim % y.ndim]
    rows = np.arange(math.prod(outer)).reshape(outer + (1,) * (y.ndim - len(outer)))
    return np.where(rows < np.sum(np.maximum(counts, 0)), y, 0)

