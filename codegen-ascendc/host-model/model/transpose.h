// Turning blocks: word `i` of every block goes to block `i`.
#pragma once

#include <cstdint>
#include <set>

#include "lanes.h"

namespace host_model {

/// Blocks that are turned together.
constexpr uint32_t kLanes = 16;

/// The buffer in which an address lies.
inline Span SpanAt(const Core& core, uint64_t address, const char* api, Where where)
{
    for (size_t i = 0; i < core.slots.size(); ++i) {
        const Slot& slot = core.slots[i];
        if (address >= slot.address && address < static_cast<uint64_t>(slot.address) + slot.length) {
            const uint32_t at = static_cast<uint32_t>(address);
            return Span{static_cast<int>(i), slot.generation, at, slot.address + slot.length - at};
        }
    }
    Fail("ub-tensor", where, "%s: the address %llu is in no buffer", api, static_cast<unsigned long long>(address));
}

/// Blocks at these addresses and so many more, each `step` blocks further on.
struct BlockList {
    const uint64_t* at;
    uint32_t step;

    Span Of(const Core& core, uint32_t repeat, uint32_t lane, Where where) const
    {
        return SpanAt(core, at[lane] + static_cast<uint64_t>(repeat) * step * kBlock, "TransDataTo5HD", where);
    }
};

/// Turns 16 blocks of words of 16 bits, `repeats` times. A single repeat takes its step before it starts.
HOST_MODEL_ONCE inline void Turn(const BlockList& to, const BlockList& from, uint32_t repeats, Where where)
{
    const uint32_t first = repeats == 1 ? 1 : 0;
    Instruction run("TransDataTo5HD", CountExtent(static_cast<int64_t>(repeats) * kLanes * kLanes, "TransDataTo5HD", where),
                    sizeof(uint16_t), where);
    std::set<uint32_t> written;
    std::set<uint32_t> read;
    for (uint32_t repeat = first; repeat < first + repeats; ++repeat) {
        uint16_t words[kLanes][kLanes];
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
            const Span span = from.Of(run.core, repeat, lane, where);
            run.core.CheckSpan(span, span.address, kBlock, kBlock, "TransDataTo5HD", where);
            run.SourceBytes(span, span.address, kBlock);
            std::memcpy(words[lane], run.core.Ub(span.address), kBlock);
            read.insert(span.address);
        }
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
            const Span span = to.Of(run.core, repeat, lane, where);
            run.core.CheckSpan(span, span.address, kBlock, kBlock, "TransDataTo5HD", where);
            run.TargetBytes(span, span.address, kBlock);
            if (!written.insert(span.address).second) {
                Fail("overlap", where, "TransDataTo5HD writes UB byte %u twice", span.address);
            }
            for (uint32_t word = 0; word < kLanes; ++word) {
                Store<uint16_t>(run.core.Ub(span.address + word * 2), words[word][lane]);
            }
        }
    }
    for (const uint32_t address : read) {
        if (written.count(address) != 0) {
            Fail("overlap", where, "TransDataTo5HD: target and source share UB byte %u", address);
        }
    }
    run.Count();
}

}  // namespace host_model

namespace AscendC {

constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;

/// How often blocks are turned, and their steps in blocks. Halves of blocks are for bytes only.
struct TransDataTo5HDParams {
    TransDataTo5HDParams() = default;
    TransDataTo5HDParams(bool dstHigh, bool srcHigh, uint8_t repeats, uint16_t dstStep, uint16_t srcStep)
        : dstHighHalf(dstHigh), srcHighHalf(srcHigh), repeatTimes(repeats), dstRepStride(dstStep), srcRepStride(srcStep)
    {}

    bool dstHighHalf = false;
    bool srcHighHalf = false;
    host_model::Limited<uint8_t> repeatTimes = 1;
    host_model::Limited<uint16_t> dstRepStride = 0;
    host_model::Limited<uint16_t> srcRepStride = 0;
};

/// Turns 16 blocks at these addresses of UB.
template <typename T>
void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                    const TransDataTo5HDParams& params, host_model::Where where = host_model::Where::Here())
{
    static_assert(sizeof(T) == 2, "the model turns words of 16 bits");
    if (params.dstHighHalf || params.srcHighHalf) {
        host_model::Fail("parameter", where, "TransDataTo5HD: only bytes have a high half");
    }
    const auto repeats = params.repeatTimes.In(1, 255, "TransDataTo5HD", "repeatTimes", where);
    const auto to = params.dstRepStride.In(0, 65535, "TransDataTo5HD", "dstRepStride", where);
    const auto from = params.srcRepStride.In(0, 65535, "TransDataTo5HD", "srcRepStride", where);
    host_model::Turn({dstList, static_cast<uint32_t>(to)}, {srcList, static_cast<uint32_t>(from)},
                     static_cast<uint32_t>(repeats), where);
}

}  // namespace AscendC
