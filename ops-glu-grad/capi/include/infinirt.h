/* infinirt: the current device, which is the CPU. */
#ifndef INFINIRT_API_H
#define INFINIRT_API_H

#include "infinicore.h"

typedef void *infinirtStream_t;

INFINI_C INFINI_EXPORT infiniStatus_t infinirtInit(void);
INFINI_C INFINI_EXPORT infiniStatus_t infinirtSetDevice(infiniDevice_t device, int device_id);
INFINI_C INFINI_EXPORT infiniStatus_t infinirtGetDevice(infiniDevice_t *device_ptr, int *device_id_ptr);

#endif
