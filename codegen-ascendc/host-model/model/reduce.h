// Reducing blocks to one number each, and repeating numbers along blocks.
#pragma once

#include <cstdint>

#include "vector.h"

namespace AscendC {

/// Operation by which a reduction combines the elements that take part.
enum class ReduceType { SUM, MAX, MIN };

/// Strides of a call that repeats numbers along blocks, in blocks.
struct BrcbRepeatParams {
    BrcbRepeatParams() = default;
    BrcbRepeatParams(uint16_t dstBlk, uint16_t dstRep) : dstBlkStride(dstBlk), dstRepStride(dstRep) {}

    uint32_t dstBlkStride = 1;
    uint32_t dstRepStride = 8;
};

}  // namespace AscendC

namespace host_model {

/// Blocks of one repeat.
constexpr uint32_t kBlocks = kRepeat / kBlock;

/// Stops on an instruction that 910 does not have for `float`.
inline void CheckFloatOnArch(const char* api, Where where)
{
    if (kArch == 1001) {
        Fail("not-on-arch", where, "%s of float does not exist on %d", api, kArch);
    }
}

/// Reduces neighbours pairwise: elements that take no part are neutral.
inline float Reduced(float* values, uint32_t count, AscendC::ReduceType type)
{
    for (uint32_t step = 1; step < count; step *= 2) {
        for (uint32_t i = 0; i < count; i += 2 * step) {
            const float a = values[i];
            const float b = values[i + step];
            values[i] = type == AscendC::ReduceType::SUM   ? a + b
                        : type == AscendC::ReduceType::MAX ? Larger(a, b)
                                                           : Smaller(a, b);
        }
    }
    return values[0];
}

/// Reduces each block of `src` to one number. Where no element of a block takes part, nothing is written.
HOST_MODEL_ONCE inline void ReduceBlocks(const char* api, AscendC::ReduceType type, const AscendC::LocalTensor<float>& dst,
                                         const AscendC::LocalTensor<float>& src, const uint64_t mask[], int32_t repeats,
                                         int32_t dst_step, int32_t block_step, int32_t src_step, Where where)
{
    CheckFloatOnArch(api, where);
    const auto in_range = [&](int32_t value, int32_t most, const char* name) {
        if (value < 0 || value > most) {
            Fail("parameter", where, "%s: %s is %d, allowed is 0..%d", api, name, value, most);
        }
        return static_cast<uint32_t>(value);
    };
    in_range(repeats, 255, "repeatTime");
    const uint32_t to_step = in_range(dst_step, 65535, "dstRepStride");
    const Stride stride{in_range(block_step, 65535, "srcBlkStride"), in_range(src_step, 65535, "srcRepStride")};
    const Extent extent = BitExtent(mask, Limited<uint8_t>(static_cast<uint8_t>(repeats)), sizeof(float), api, where);
    Instruction run(api, extent, sizeof(float), where);
    const Operand<float> to{dst, {1, to_step}};
    const Operand<float> from{src, stride};
    run.Aligned(to);
    run.Aligned(from);
    run.Source(from);
    constexpr uint32_t lanes = kBlock / sizeof(float);
    const float none = type == AscendC::ReduceType::SUM   ? 0.0f
                       : type == AscendC::ReduceType::MAX ? -std::numeric_limits<float>::infinity()
                                                          : std::numeric_limits<float>::infinity();
    for (uint32_t repeat = 0; repeat < static_cast<uint32_t>(repeats); ++repeat) {
        float results[kBlocks];
        bool any[kBlocks];
        for (uint32_t block = 0; block < kBlocks; ++block) {
            float values[lanes];
            any[block] = false;
            for (uint32_t lane = 0; lane < lanes; ++lane) {
                const uint32_t i = block * lanes + lane;
                const bool on = extent.On(static_cast<int>(i));
                any[block] = any[block] || on;
                values[lane] = on ? run.Get(from, static_cast<uint64_t>(repeat) * kBlocks * lanes + i) : none;
            }
            results[block] = Reduced(values, lanes, type);
        }
        for (uint32_t block = 0; block < kBlocks; ++block) {
            if (any[block]) {
                const uint32_t address = to.Start() + repeat * to_step * kBlock + block * static_cast<uint32_t>(sizeof(float));
                run.TargetBytes(dst.Span(), address, sizeof(float));
                Store<float>(run.core.Ub(address), results[block]);
            }
        }
    }
    run.Count();
}

/// Fills eight blocks with a number each, `repeats` times.
HOST_MODEL_ONCE inline void Brcb(const AscendC::LocalTensor<float>& dst, const AscendC::LocalTensor<float>& src,
                                 uint32_t repeats, const AscendC::BrcbRepeatParams& p, Where where)
{
    CheckFloatOnArch("Brcb", where);
    if (p.dstBlkStride == 0) {
        Fail("parameter", where, "Brcb: dstBlkStride is 0");
    }
    if (kArch == 2002) {
        CurrentCore().Reserve("Brcb", where);
    }
    Instruction run("Brcb", CountExtent(static_cast<int64_t>(repeats) * kRepeat / 4, "Brcb", where), sizeof(float), where);
    const Operand<float> to{dst, {1, 8}};
    const Operand<float> from{src, {1, 8}};
    run.Aligned(to);
    run.Aligned(from);
    const uint32_t bytes = repeats * kBlocks * static_cast<uint32_t>(sizeof(float));
    run.SourceBytes(src.Span(), from.Start(), bytes);
    std::vector<float> values(repeats * kBlocks);
    std::memcpy(values.data(), run.core.Ub(from.Start()), bytes);
    for (uint32_t i = 0; i < repeats * kBlocks; ++i) {
        const uint32_t address = to.Start() + (i / kBlocks * p.dstRepStride + i % kBlocks * p.dstBlkStride) * kBlock;
        if (address < from.Start() + bytes && from.Start() < address + kBlock) {
            Fail("overlap", where, "Brcb: target and source may not share a byte");
        }
        run.TargetBytes(dst.Span(), address, kBlock);
        for (uint32_t lane = 0; lane < kBlock / sizeof(float); ++lane) {
            Store<float>(run.core.Ub(address + lane * static_cast<uint32_t>(sizeof(float))), values[i]);
        }
    }
    run.Count();
}

}  // namespace host_model

namespace AscendC {

/// Reduces each block to one number; the names of toolkit 9 and later.
template <ReduceType type, typename T, typename U, bool isSetMask = true>
void ReduceDataBlock(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint64_t mask[], const int32_t repeatTime,
                     const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
                     host_model::Where where = host_model::Where::Here())
{
    static_assert(std::is_same_v<T, float> && std::is_same_v<U, float>, "the model reduces float");
    host_model::ReduceBlocks("ReduceDataBlock", type, dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride,
                             where);
}

#define HOST_MODEL_BLOCK_REDUCE(NAME, TYPE)                                                                          \
    template <typename T, bool isSetMask = true>                                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const uint64_t mask[], \
              const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,                    \
              host_model::Where where = host_model::Where::Here())                                                   \
    {                                                                                                                \
        static_assert(std::is_same_v<T, float>, "the model reduces float");                                          \
        host_model::ReduceBlocks(#NAME, ReduceType::TYPE, dst, src, mask, repeatTime, dstRepStride, srcBlkStride,    \
                                 srcRepStride, where);                                                               \
    }

// The names of older toolkits.
HOST_MODEL_BLOCK_REDUCE(BlockReduceSum, SUM)
HOST_MODEL_BLOCK_REDUCE(BlockReduceMax, MAX)
HOST_MODEL_BLOCK_REDUCE(BlockReduceMin, MIN)

#undef HOST_MODEL_BLOCK_REDUCE

/// Fills each of eight blocks with one number of `src`, `repeatTime` times.
template <typename T>
void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint8_t repeatTime, const BrcbRepeatParams& params,
          host_model::Where where = host_model::Where::Here())
{
    static_assert(std::is_same_v<T, float>, "the model repeats float");
    host_model::Brcb(dst, src, repeatTime, params, where);
}

}  // namespace AscendC
