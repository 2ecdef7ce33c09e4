/* infiniop: what all operator descriptors have in common. */
#ifndef INFINIOP_OPERATOR_DESCRIPTOR_API_H
#define INFINIOP_OPERATOR_DESCRIPTOR_API_H

#include "handle.h"
#include "tensor_descriptor.h"

struct InfiniopDescriptor;

INFINI_C INFINI_EXPORT infiniStatus_t infiniopGetDescriptorDeviceType(
    const struct InfiniopDescriptor *desc_ptr,
    infiniDevice_t *device_type);
INFINI_C INFINI_EXPORT infiniStatus_t infiniopGetDescriptorDeviceId(
    const struct InfiniopDescriptor *desc_ptr,
    int *device_id);

#endif
