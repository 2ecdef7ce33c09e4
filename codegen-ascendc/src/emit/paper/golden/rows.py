def of_rows(function, terms, *inputs):
    """A function of the terms of each row, which the last dimension makes."""
    shape = np.broadcast_shapes(*(np.shape(x) for x in inputs))
    initial = {"initial": -np.inf} if function is np.max else {}
    return function(np.broadcast_to(terms, shape), axis=-1, keepdims=True, **initial)

