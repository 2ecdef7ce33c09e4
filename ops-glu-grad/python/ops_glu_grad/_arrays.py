"""Calls on arrays of numpy."""

import numpy


def place(operator, tensor, array):
    """Where an array is: address, shape, strides in elements, element type."""
    dtype, size = array.dtype, array.itemsize
    if not dtype.isnative:
        raise TypeError(f"{operator.name}: tensor `{tensor.name}` has dtype {dtype}, of the other byte order; allowed: this machine's")
    if any(stride % size for stride in array.strides):
        raise ValueError(
            f"{operator.name}: tensor `{tensor.name}` has strides of {array.strides} bytes; "
            f"allowed: multiples of the {size} bytes of an element"
        )
    strides = [stride // size for stride in array.strides]
    return array.__array_interface__["data"][0], array.shape, strides, dtype.name


def results(operator, out, kind):
    """The caller's arrays for the outputs, `None` for each that is to be made."""
    count = len(operator.outputs)
    if out is None:
        return (None,) * count
    out = out if isinstance(out, (tuple, list)) else (out,)
    if len(out) != count or not all(o is None or isinstance(o, kind) for o in out):
        names = ", ".join(tensor.name for tensor in operator.outputs)
        got = ", ".join(type(o).__name__ for o in out)
        raise TypeError(f"{operator.name}: out is ({got}); allowed: {count} of {kind.__name__} or None ({names})")
    return out


def call(operator, tensors, attributes, out, threads):
    """The outputs: an array, or a tuple of some."""
    attributes = list(attributes)
    out = results(operator, out, numpy.ndarray)
    inputs = [
        None if array is None else place(operator, tensor, array)
        for tensor, array in zip(operator.inputs, tensors, strict=True)
    ]
    if any(o is None for o in out):
        metas = [None if array is None else (array.shape, array.dtype.name) for array in tensors]
        # bfloat16 is a type of the caller's.
        types = {array.dtype.name: array.dtype for array in tensors if array is not None}
        inferred = operator.infer(attributes, metas)
        out = [
            numpy.empty(shape, types.get(dtype, dtype)) if o is None else o
            for o, (shape, dtype) in zip(out, inferred, strict=True)
        ]
    for tensor, array in zip(operator.outputs, out, strict=True):
        if not array.flags.writeable:
            raise ValueError(f"{operator.name}: output `{tensor.name}` is read-only")
    places = [place(operator, tensor, array) for tensor, array in zip(operator.outputs, out, strict=True)]
    operator.run(attributes, inputs, places, threads, False)
    return out[0] if len(out) == 1 else tuple(out)
