// Parameter structs of copies and of vector instructions with repeats.
#pragma once

#include <cstdint>

#include "limited.h"
#include "types.h"

namespace AscendC {

/// Strides of an instruction with one source, in 32-byte blocks.
struct UnaryRepeatParams {
    UnaryRepeatParams() = default;
    UnaryRepeatParams(uint16_t dstBlk, uint16_t srcBlk, uint8_t dstRep, uint8_t srcRep)
        : dstBlkStride(dstBlk), srcBlkStride(srcBlk), dstRepStride(dstRep), srcRepStride(srcRep)
    {}

    uint16_t dstBlkStride = 1;
    uint16_t srcBlkStride = 1;
    uint8_t dstRepStride = 8;
    uint8_t srcRepStride = 8;
};

/// Strides of an instruction with two sources, in 32-byte blocks.
struct BinaryRepeatParams {
    BinaryRepeatParams() = default;
    BinaryRepeatParams(uint8_t dstBlk, uint8_t src0Blk, uint8_t src1Blk, uint8_t dstRep, uint8_t src0Rep,
                       uint8_t src1Rep)
        : dstBlkStride(dstBlk),
          src0BlkStride(src0Blk),
          src1BlkStride(src1Blk),
          dstRepStride(dstRep),
          src0RepStride(src0Rep),
          src1RepStride(src1Rep)
    {}

    uint8_t dstBlkStride = 1;
    uint8_t src0BlkStride = 1;
    uint8_t src1BlkStride = 1;
    uint8_t dstRepStride = 8;
    uint8_t src0RepStride = 8;
    uint8_t src1RepStride = 8;
};

/// Bursts of whole 32-byte blocks; for DataCopyPad, lengths in bytes.
struct DataCopyParams {
    DataCopyParams() {}
    DataCopyParams(uint16_t count, uint16_t len, uint16_t srcStrideIn, uint16_t dstStrideIn)
        : blockCount(count), blockLen(len), srcStride(srcStrideIn), dstStride(dstStrideIn)
    {}

    host_model::Limited<uint16_t> blockCount = 1;
    host_model::Limited<uint16_t> blockLen = 0;
    union {
        host_model::Limited<uint16_t> srcGap = 0;
        host_model::Limited<uint16_t> srcStride;
    };
    union {
        host_model::Limited<uint16_t> dstGap = 0;
        host_model::Limited<uint16_t> dstStride;
    };
};

/// Bursts of bytes; strides in bytes on the GM side, in blocks on the UB side.
struct DataCopyExtParams {
#if HOST_MODEL_ARCH == 3510
    using Stride = int64_t;
#else
    using Stride = uint32_t;
#endif

    DataCopyExtParams() = default;
    DataCopyExtParams(uint16_t count, uint32_t len, Stride srcStrideIn, Stride dstStrideIn, uint32_t rsvIn)
        : blockCount(count), blockLen(len), srcStride(srcStrideIn), dstStride(dstStrideIn), rsv(rsvIn)
    {}

    host_model::Limited<uint16_t> blockCount = 1;
    host_model::Limited<uint32_t> blockLen = 0;
    host_model::Limited<Stride> srcStride = 0;
    host_model::Limited<Stride> dstStride = 0;
    uint32_t rsv = 0;
};

/// What fills a burst up to 32 bytes, with the 16-bit lengths.
struct DataCopyPadParams {
    DataCopyPadParams() = default;
    DataCopyPadParams(bool isPadValue, uint8_t leftPad, uint8_t rightPad, uint64_t padValue)
        : isPad(isPadValue), leftPadding(leftPad), rightPadding(rightPad), paddingValue(padValue)
    {}

    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    uint64_t paddingValue = 0;
};

/// What fills a burst up to 32 bytes.
template <typename T>
struct DataCopyPadExtParams {
    DataCopyPadExtParams() = default;
    DataCopyPadExtParams(bool isPadValue, uint8_t leftPad, uint8_t rightPad, T padValue)
        : isPad(isPadValue), leftPadding(leftPad), rightPadding(rightPad), paddingValue(padValue)
    {}

    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue = 0;
};

/// Addresses of a GatherMask.
struct GatherMaskParams {
    GatherMaskParams() = default;
    GatherMaskParams(uint8_t src0Block, uint16_t repeats, uint16_t src0Repeat, uint8_t src1Repeat)
        : src0BlockStride(src0Block), repeatTimes(repeats), src0RepeatStride(src0Repeat), src1RepeatStride(src1Repeat)
    {}

    uint8_t src0BlockStride = 1;
    uint16_t repeatTimes = 0;
    uint16_t src0RepeatStride = 8;
    uint8_t src1RepeatStride = 8;
};

}  // namespace AscendC
