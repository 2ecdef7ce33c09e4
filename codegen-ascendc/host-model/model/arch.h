// The architecture under test and what it can do.
//
// One binary models one architecture, as a kernel is compiled for one: pass
// -DHOST_MODEL_ARCH=2201, 2002, 3510 or 1001.
#pragma once

#ifndef HOST_MODEL_ARCH
#define HOST_MODEL_ARCH 2201
#endif

// Kernels switch on these names, so the model defines what a device build would.
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ HOST_MODEL_ARCH
#endif
#ifndef __CCE_AICORE__
#if HOST_MODEL_ARCH == 2201
#define __CCE_AICORE__ 220
#elif HOST_MODEL_ARCH == 2002
#define __CCE_AICORE__ 200
#elif HOST_MODEL_ARCH == 3510
#define __CCE_AICORE__ 310
#else
#define __CCE_AICORE__ 100
#endif
#endif

#include <cstdint>

namespace host_model {

/// The architecture number, as in `__NPU_ARCH__`.
constexpr int kArch = HOST_MODEL_ARCH;
static_assert(kArch == 2201 || kArch == 2002 || kArch == 3510 || kArch == 1001,
              "HOST_MODEL_ARCH must be 2201, 2002, 3510 or 1001");

/// 310P and 910 came before bfloat16.
constexpr bool kHasBf16 = kArch == 2201 || kArch == 3510;
/// Elsewhere bfloat16 can only be moved and cast.
constexpr bool kHasBf16Arithmetic = kArch == 3510;
/// Copies of any byte length.
constexpr bool kHasCopyPad = kArch == 2201 || kArch == 3510;
/// Barrier over all cores without a workspace.
constexpr bool kHasHardSyncAll = kArch == 2201 || kArch == 3510;
/// Compares, Gather, GatherMask and the tensor modes of Select.
constexpr bool kHasGather = kArch != 1001;
/// The order of dependent instructions of the vector pipe, by hardware.
constexpr bool kOrdersVectors = kArch == 3510;
/// Bit 48 of CTRL, which decides about results of 16 bits beyond their range.
constexpr bool kHasSaturation = kArch == 2201 || kArch == 3510;
/// Event ids per pair of pipes, and so queue buffers per position.
constexpr int kEventIds = kArch == 1001 ? 4 : 8;
/// Buffers of all queues and TBufs together.
constexpr int kMaxBuffers = 64;
/// UB that some calls use as their own scratch space. On 3510 it lies beyond what the platform reports.
constexpr uint32_t kReservedUb = 8 * 1024;
/// Unit of UB addresses and of GM traffic.
constexpr uint32_t kBlock = 32;
/// Bytes one repeat of a vector instruction covers.
constexpr uint32_t kRepeat = 256;

}  // namespace host_model
