/* infiniop: shape, strides in elements and element type of a tensor. */
#ifndef INFINIOP_TENSOR_DESCRIPTOR_API_H
#define INFINIOP_TENSOR_DESCRIPTOR_API_H

#include "../infinicore.h"

struct InfiniopTensorDescriptor;
typedef struct InfiniopTensorDescriptor *infiniopTensorDescriptor_t;

/* Without strides the elements lie side by side. */
INFINI_C INFINI_EXPORT infiniStatus_t infiniopCreateTensorDescriptor(
    infiniopTensorDescriptor_t *desc_ptr,
    size_t ndim,
    const size_t *shape,
    const ptrdiff_t *strides,
    infiniDtype_t dtype);
INFINI_C INFINI_EXPORT infiniStatus_t infiniopDestroyTensorDescriptor(infiniopTensorDescriptor_t desc);

#endif
