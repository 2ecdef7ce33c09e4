/* infiniop: handles on the current device. */
#ifndef INFINIOP_HANDLE_API_H
#define INFINIOP_HANDLE_API_H

#include "../infinicore.h"

struct InfiniopHandle;
typedef struct InfiniopHandle *infiniopHandle_t;

INFINI_C INFINI_EXPORT infiniStatus_t infiniopCreateHandle(infiniopHandle_t *handle_ptr);
INFINI_C INFINI_EXPORT infiniStatus_t infiniopDestroyHandle(infiniopHandle_t handle);

#endif
