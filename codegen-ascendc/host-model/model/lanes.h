// How a vector instruction walks over its operands.
//
// The count form takes the first `count` elements; the repeat form takes, for each
// repeat, the lanes that a mask names, with a stride between 32-byte blocks and one
// between repeats. Both are the same walk with different addresses.
#pragma once

#include <algorithm>
#include <cstdint>

#include "limited.h"
#include "params.h"
#include "tensor.h"

namespace host_model {

/// One operand of a repeat form.
struct Stride {
    uint32_t block;
    uint32_t repeat;
};

/// Which elements an instruction covers.
struct Extent {
    /// Elements of the count form; of the repeat form, `repeats` times `lanes`.
    uint64_t count = 0;
    /// Lanes of a repeat that are on; unused in the count form.
    uint64_t mask[2] = {0, 0};
    int repeats = -1;
    int lanes = 0;

    bool Repeated() const { return repeats >= 0; }
    bool On(int lane) const { return (mask[lane / 64] >> (lane % 64)) & 1; }
};

/// The first `count` elements.
inline Extent CountExtent(int64_t count, const char* api, Where where)
{
    const int64_t lowest = kArch == 2201 ? 0 : 1;
    if (count < lowest || count > INT32_MAX) {
        Fail("parameter", where, Format("%s: count is %lld, allowed is %lld and more", api,
                                        static_cast<long long>(count), static_cast<long long>(lowest)));
    }
    Extent extent;
    extent.count = static_cast<uint64_t>(count);
    return extent;
}

/// `repeats` times the lanes of a bit mask, with elements of at most `width` bytes.
inline Extent BitExtent(const uint64_t mask[], const Limited<uint8_t>& repeats, size_t width, const char* api,
                        Where where)
{
    Extent extent;
    extent.lanes = static_cast<int>(kRepeat / width);
    extent.mask[0] = mask[0];
    extent.mask[1] = extent.lanes > 64 ? mask[1] : 0;
    if (extent.lanes == 64 && mask[0] == 0) {
        Fail("parameter", where, Format("%s: no lane of the mask is on", api));
    }
    extent.repeats = static_cast<int>(repeats.In(kArch == 2201 ? 0 : 1, 255, api, "repeatTime", where));
    extent.count = static_cast<uint64_t>(extent.repeats) * static_cast<uint64_t>(extent.lanes);
    return extent;
}

/// `repeats` times the first `mask` lanes.
inline Extent MaskExtent(uint64_t mask, const Limited<uint8_t>& repeats, size_t width, const char* api, Where where)
{
    const uint64_t lanes = kRepeat / width;
    if (mask < 1 || mask > lanes) {
        Fail("parameter", where, Format("%s: mask is %llu, allowed is 1..%llu", api,
                                        static_cast<unsigned long long>(mask), static_cast<unsigned long long>(lanes)));
    }
    const uint64_t bits[2] = {mask >= 64 ? ~uint64_t{0} : (uint64_t{1} << mask) - 1,
                              mask <= 64 ? 0 : (mask >= 128 ? ~uint64_t{0} : (uint64_t{1} << (mask - 64)) - 1)};
    return BitExtent(bits, repeats, width, api, where);
}

/// One operand of a running instruction.
template <typename T>
struct Operand {
    const AscendC::LocalTensor<T>& tensor;
    Stride stride;

    uint32_t Start() const { return tensor.Span().address; }

    /// The address of element `i`.
    uint32_t Address(const Extent& extent, uint64_t i) const
    {
        if (!extent.Repeated()) {
            return Start() + static_cast<uint32_t>(i * sizeof(T));
        }
        const uint32_t lane = static_cast<uint32_t>(i % static_cast<uint64_t>(extent.lanes));
        const uint32_t repeat = static_cast<uint32_t>(i / static_cast<uint64_t>(extent.lanes));
        constexpr uint32_t per_block = kBlock / sizeof(T);
        return Start() + (repeat * stride.repeat + lane / per_block * stride.block) * kBlock +
               lane % per_block * static_cast<uint32_t>(sizeof(T));
    }

    /// Calls `touch(address, length)` for every run of covered bytes.
    template <typename F>
    void Runs(const Extent& extent, F touch) const
    {
        if (!extent.Repeated()) {
            touch(Start(), static_cast<uint32_t>(extent.count * sizeof(T)));
            return;
        }
        constexpr int per_block = static_cast<int>(kBlock / sizeof(T));
        for (int repeat = 0; repeat < extent.repeats; ++repeat) {
            for (int lane = 0; lane < extent.lanes;) {
                if (!extent.On(lane)) {
                    ++lane;
                    continue;
                }
                int end = lane + 1;
                while (end < extent.lanes && end % per_block != 0 && extent.On(end)) {
                    ++end;
                }
                touch(Address(extent, static_cast<uint64_t>(repeat) * static_cast<uint64_t>(extent.lanes) +
                                          static_cast<uint64_t>(lane)),
                      static_cast<uint32_t>(end - lane) * static_cast<uint32_t>(sizeof(T)));
                lane = end;
            }
        }
    }

    /// First and last byte covered, plus one.
    std::pair<uint32_t, uint32_t> Bounds(const Extent& extent) const
    {
        uint32_t low = UINT32_MAX;
        uint32_t high = 0;
        Runs(extent, [&](uint32_t address, uint32_t length) {
            low = std::min(low, address);
            high = std::max(high, address + length);
        });
        return {low, high};
    }
};

/// One running vector instruction: the checks before it, the notes after it.
class Instruction {
public:
    Instruction(const char* api, const Extent& extent, size_t width, Where where)
        : core(CurrentCore()), extent(extent), api_(api), width_(width), where_(where),
          number_(core.clocks.Issue(Pipe::kVector))
    {}

    /// Checks that a source may be read where it is.
    template <typename T>
    void Source(const Operand<T>& operand)
    {
        operand.Runs(extent, [&](uint32_t address, uint32_t length) {
            SourceBytes(operand.tensor.Span(), address, length);
        });
    }

    /// Checks and notes a read of some bytes.
    void SourceBytes(const Span& span, uint32_t address, uint32_t length)
    {
        core.CheckSpan(span, address, length, 1, api_, where_);
        core.Read(span, address, length, Pipe::kVector, number_, api_, where_);
    }

    /// Checks and notes a write of some bytes.
    void TargetBytes(const Span& span, uint32_t address, uint32_t length)
    {
        core.CheckSpan(span, address, length, 1, api_, where_);
        core.Write(span, address, length, Pipe::kVector, number_, api_, where_);
    }

    /// Checks alignment of an operand, once.
    template <typename T>
    void Aligned(const Operand<T>& operand)
    {
        core.CheckSpan(operand.tensor.Span(), operand.Start(), 0, kBlock, api_, where_);
        if (!kHasBf16 && std::is_same_v<T, bfloat16_t>) {
            Fail("not-on-arch", where_, Format("%s: bfloat16_t does not exist on %d", api_, kArch));
        }
    }

    /// Notes the result.
    template <typename T>
    void Target(const Operand<T>& operand)
    {
        operand.Runs(extent, [&](uint32_t address, uint32_t length) {
            TargetBytes(operand.tensor.Span(), address, length);
        });
    }

    /// Stops if target and source share some bytes and not all. A result with wider
    /// elements would run over what is not read yet, so it may share none.
    template <typename D, typename S>
    void Overlap(const Operand<D>& target, const Operand<S>& source, bool may_share = true)
    {
        const auto to = target.Bounds(extent);
        const auto from = source.Bounds(extent);
        if (to.first >= from.second || from.first >= to.second) {
            return;
        }
        const bool same = target.Start() == source.Start() &&
                          (!extent.Repeated() || sizeof(D) != sizeof(S) ||
                           (target.stride.block == source.stride.block && target.stride.repeat == source.stride.repeat));
        if (same && may_share && sizeof(D) <= sizeof(S)) {
            return;
        }
        Fail("overlap", where_,
             Format("%s: target bytes [%u, %u) and source bytes [%u, %u) of UB overlap; only equal addresses%s may", api_,
                    to.first, to.second, from.first, from.second,
                    sizeof(D) > sizeof(S) ? " of elements that do not grow" : ""));
    }

    /// Counts the call; one at half rate takes two passes.
    void Count(uint64_t passes = 1, bool cast = false)
    {
        const uint64_t repeats = extent.Repeated() ? static_cast<uint64_t>(extent.repeats)
                                                   : (extent.count * width_ + kRepeat - 1) / kRepeat;
        core.Count(api_, repeats, passes, cast);
    }

    /// Calls `body(i)` for every covered element.
    template <typename F>
    void Each(F body) const
    {
        for (uint64_t i = 0; i < extent.count; ++i) {
            if (!extent.Repeated() || extent.On(static_cast<int>(i % static_cast<uint64_t>(extent.lanes)))) {
                body(i);
            }
        }
    }

    /// Repeat forms take scratch space on the newest architecture.
    void ReserveForRepeats()
    {
        if (kArch == 3510 && extent.Repeated()) {
            core.Reserve(api_, where_);
        }
    }

    template <typename T>
    T Get(const Operand<T>& operand, uint64_t i) const
    {
        return Load<T>(core.Ub(operand.Address(extent, i)));
    }

    template <typename T>
    void Put(const Operand<T>& operand, uint64_t i, const T& value) const
    {
        Store<T>(core.Ub(operand.Address(extent, i)), value);
    }

    Core& core;
    const Extent extent;

private:
    const char* api_;
    size_t width_;
    Where where_;
    uint32_t number_;
};

}  // namespace host_model
