// The toolkit's model of kernels on a CPU, as unit tests call it. Nothing runs.
#pragma once

#include "kernel_operator.h"

enum class KernelMode { AIV_MODE };

namespace AscendC {
void* GmAlloc(size_t bytes);
void GmFree(void* memory);
void SetKernelMode(KernelMode mode);
} // namespace AscendC

#define ICPU_RUN_KF(kernel, blocks, ...) kernel(__VA_ARGS__)
