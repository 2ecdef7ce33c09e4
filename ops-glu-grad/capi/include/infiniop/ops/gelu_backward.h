/* infiniopGeLUBackward.
   Generated from the table of operators, do not edit. */
#ifndef INFINIOP_GELU_BACKWARD_API_H
#define INFINIOP_GELU_BACKWARD_API_H

#include "../operator_descriptor.h"

typedef struct InfiniopDescriptor *infiniopGeLUBackwardDescriptor_t;

INFINI_C INFINI_EXPORT infiniStatus_t infiniopCreateGeLUBackwardDescriptor(
    infiniopHandle_t handle,
    infiniopGeLUBackwardDescriptor_t *desc_ptr,
    infiniopTensorDescriptor_t grad_input_desc,
    infiniopTensorDescriptor_t input_desc,
    infiniopTensorDescriptor_t grad_output_desc);

INFINI_C INFINI_EXPORT infiniStatus_t infiniopGetGeLUBackwardWorkspaceSize(
    infiniopGeLUBackwardDescriptor_t desc,
    size_t *size);

INFINI_C INFINI_EXPORT infiniStatus_t infiniopGeLUBackward(
    infiniopGeLUBackwardDescriptor_t desc,
    void *workspace,
    size_t workspace_size,
    void *grad_input,
    const void *input,
    const void *grad_output,
    void *stream);

INFINI_C INFINI_EXPORT infiniStatus_t infiniopDestroyGeLUBackwardDescriptor(
    infiniopGeLUBackwardDescriptor_t desc);

#endif
