def laid(x, dim, rank):
    """The tensor as it is broadcast: one dimension lies along dimension dim of tensors of a rank."""
    if x is None or np.ndim(x) != 1:
        return x
    return np.reshape(x, (-1,) + (1,) * (rank - dim - 1) if rank > dim else (1,) * min(rank, 1))

