// How a vector instruction walks over its operands.
//
// The count form takes the first `count` elements; the repeat form takes, for each
// repeat, the lanes that a mask names, with a stride between 32-byte blocks and one
// between repeats. Both are the same walk with different addresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "chunk.h"
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
        Fail("parameter", where, "%s: count is %lld, allowed is %lld and more", api,
                                        static_cast<long long>(count), static_cast<long long>(lowest));
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
        Fail("parameter", where, "%s: no lane of the mask is on", api);
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
        Fail("parameter", where, "%s: mask is %llu, allowed is 1..%llu", api,
                                        static_cast<unsigned long long>(mask), static_cast<unsigned long long>(lanes));
    }
    const uint64_t bits[2] = {mask >= 64 ? ~uint64_t{0} : (uint64_t{1} << mask) - 1,
                              mask <= 64 ? 0 : (mask >= 128 ? ~uint64_t{0} : (uint64_t{1} << (mask - 64)) - 1)};
    return BitExtent(bits, repeats, width, api, where);
}

/// Where an operand of a running instruction lies. Nothing here depends on the type of its elements:
/// it is compiled once.
struct Place {
    Span span;
    Stride stride;
    uint32_t size;
    bool is_bf16;

    uint32_t Start() const { return span.address; }

    /// The address of element `i`.
    uint32_t Address(const Extent& extent, uint64_t i) const
    {
        if (!extent.Repeated()) {
            return Start() + static_cast<uint32_t>(i * size);
        }
        const uint32_t lane = static_cast<uint32_t>(i % static_cast<uint64_t>(extent.lanes));
        const uint32_t repeat = static_cast<uint32_t>(i / static_cast<uint64_t>(extent.lanes));
        const uint32_t per_block = kBlock / size;
        return Start() + (repeat * stride.repeat + lane / per_block * stride.block) * kBlock +
               lane % per_block * size;
    }

    /// Calls `touch(address, length)` for every run of covered bytes.
    template <typename F>
    void Runs(const Extent& extent, F touch) const
    {
        if (!extent.Repeated()) {
            touch(Start(), static_cast<uint32_t>(extent.count * size));
            return;
        }
        // Pieces that lie end to end are one run.
        uint32_t begin = 0;
        uint32_t end = 0;
        for (uint64_t first = 0; first < extent.count; first += kChunk) {
            Pieces(extent, first, [&](uint32_t address, uint64_t, uint64_t count) {
                if (address != end) {
                    if (begin != end) {
                        touch(begin, end - begin);
                    }
                    begin = address;
                }
                end = address + static_cast<uint32_t>(count * size);
            });
        }
        if (begin != end) {
            touch(begin, end - begin);
        }
    }

    /// Calls `piece(address, at, count)` for the covered elements of the chunk that starts with
    /// element `first`: `count` of them lie side by side, the first is number `at` of the chunk.
    template <typename F>
    void Pieces(const Extent& extent, uint64_t first, F piece) const
    {
        const uint64_t all = std::min(kChunk, extent.count - first);
        if (!extent.Repeated()) {
            piece(Start() + static_cast<uint32_t>(first * size), 0, all);
            return;
        }
        // A chunk is a part of one repeat, with one word of its mask.
        const uint64_t on = extent.mask[first % static_cast<uint64_t>(extent.lanes) / kChunk];
        const uint64_t per_block = kBlock / size;
        for (uint64_t at = 0; at < all;) {
            uint64_t end = at;
            const uint64_t block = std::min(all, (at / per_block + 1) * per_block);
            while (end < block && ((on >> end) & 1) != 0) {
                ++end;
            }
            if (end > at) {
                piece(Address(extent, first + at), at, end - at);
            }
            at = std::max(end, at + 1);
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

/// An operand with elements of type `T`.
template <typename T>
struct Operand : Place {
    Operand(const AscendC::LocalTensor<T>& tensor, Stride stride)
        : Place{tensor.Span(), stride, sizeof(T), std::is_same_v<T, bfloat16_t>}
    {}
};

/// One running vector instruction: the checks before it, the notes after it.
class Instruction {
public:
    Instruction(const char* api, const Extent& extent, size_t width, Where where)
        : core(CurrentCore()), extent(extent), api_(api), width_(width), where_(where),
          number_(core.clocks.Issue(Pipe::kVector, where.line))
    {}

    /// Checks that a source may be read where it is.
    HOST_MODEL_ONCE void Source(const Place& operand)
    {
        operand.Runs(extent, [&](uint32_t address, uint32_t length) { SourceBytes(operand.span, address, length); });
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
    HOST_MODEL_ONCE void Aligned(const Place& operand)
    {
        core.CheckSpan(operand.span, operand.Start(), 0, kBlock, api_, where_);
        if (!kHasBf16 && operand.is_bf16) {
            Fail("not-on-arch", where_, "%s: bfloat16_t does not exist on %d", api_, kArch);
        }
    }

    /// Notes the result.
    HOST_MODEL_ONCE void Target(const Place& operand)
    {
        operand.Runs(extent, [&](uint32_t address, uint32_t length) { TargetBytes(operand.span, address, length); });
    }

    /// Stops if target and source share some bytes and not all. A result with wider
    /// elements would run over what is not read yet, so it may share none.
    HOST_MODEL_ONCE void Overlap(const Place& target, const Place& source, bool may_share = true)
    {
        const auto to = target.Bounds(extent);
        const auto from = source.Bounds(extent);
        if (to.first >= from.second || from.first >= to.second) {
            return;
        }
        const bool same = target.Start() == source.Start() &&
                          (!extent.Repeated() || target.size != source.size ||
                           (target.stride.block == source.stride.block && target.stride.repeat == source.stride.repeat));
        if ((same && may_share && target.size <= source.size) || !Shares(target, source)) {
            return;
        }
        Fail("overlap", where_,
             "%s: target bytes [%u, %u) and source bytes [%u, %u) of UB overlap; only equal addresses%s may", api_,
                    to.first, to.second, from.first, from.second,
                    target.size > source.size ? " of elements that do not grow" : "");
    }

    /// Counts the call; one at half rate takes two passes.
    void Count(uint64_t passes = 1, bool cast = false)
    {
        const uint64_t repeats = extent.Repeated() ? static_cast<uint64_t>(extent.repeats)
                                                   : (extent.count * width_ + kRepeat - 1) / kRepeat;
        core.Count(api_, width_, repeats, passes, cast);
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

    /// Calls `body(first)` for the first element of every chunk.
    template <typename F>
    void Chunks(F body) const
    {
        for (uint64_t first = 0; first < extent.count; first += kChunk) {
            body(first);
        }
    }

    /// to = op(from...), element by element.
    template <typename D, typename F, typename... S>
    void Map(const Operand<D>& to, F op, const Operand<S>&... from) const
    {
        Chunks([&](uint64_t first) { Give(to, first, Apply<D>(op, Take(from, first)...)); });
    }

    /// The covered elements of a chunk; the others are zero.
    template <typename T>
    Chunk<T> Take(const Operand<T>& from, uint64_t first) const
    {
        Chunk<T> chunk{};
        Move(from, first, reinterpret_cast<uint8_t*>(chunk.at), true);
        return chunk;
    }

    /// Writes the covered elements of a chunk.
    template <typename T>
    void Give(const Operand<T>& to, uint64_t first, Chunk<T> chunk) const
    {
        Move(to, first, reinterpret_cast<uint8_t*>(chunk.at), false);
    }

    /// Makes the results as inexact as the run asks for.
    HOST_MODEL_ONCE void Disturb(const Operand<float>& to) const
    {
        const uint32_t seed = TheDevice().noise;
        if (seed != 0) {
            Each([&](uint64_t i) { Put(to, i, Disturbed(Get(to, i), seed)); });
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
    /// Whether two operands cover a common byte: strides may interleave them.
    bool Shares(const Place& target, const Place& source) const
    {
        std::vector<std::pair<uint32_t, uint32_t>> runs[2];
        const Place* places[2] = {&target, &source};
        for (int i = 0; i < 2; ++i) {
            places[i]->Runs(extent, [&](uint32_t address, uint32_t length) { runs[i].emplace_back(address, address + length); });
            std::sort(runs[i].begin(), runs[i].end());
        }
        auto to = runs[0].begin();
        for (const auto& from : runs[1]) {
            while (to != runs[0].end() && to->second <= from.first) {
                ++to;
            }
            if (to != runs[0].end() && to->first < from.second) {
                return true;
            }
        }
        return false;
    }

    /// The covered elements of a chunk, in from UB or out to it.
    HOST_MODEL_ONCE void Move(const Place& place, uint64_t first, uint8_t* chunk, bool in) const
    {
        place.Pieces(extent, first, [&](uint32_t address, uint64_t at, uint64_t count) {
            uint8_t* lanes = chunk + at * place.size;
            std::memcpy(in ? lanes : core.Ub(address), in ? core.Ub(address) : lanes, count * place.size);
        });
    }

    const char* api_;
    size_t width_;
    Where where_;
    uint32_t number_;
};

}  // namespace host_model
