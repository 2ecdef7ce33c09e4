// Copies between GM and UB, and within UB.
#pragma once

#include <cstdint>
#include <cstring>

#include "lanes.h"
#include "limited.h"
#include "params.h"
#include "tensor.h"

namespace host_model {

/// Whether copies to GM add to what is there; set by SetAtomicAdd.
inline bool& AtomicAdd() { return CurrentCore().atomic_add; }

/// A copy in bursts: the same number of bytes each time, with a step on each side.
struct Bursts {
    uint64_t count = 1;
    uint64_t length = 0;
    int64_t gm_step = 0;
    uint64_t ub_step = 0;
};

/// Stops on a type the copies of this architecture do not take.
template <typename T>
void CheckCopyType(const char* api, Where where)
{
    if (!kHasBf16 && std::is_same_v<T, bfloat16_t>) {
        Fail("not-on-arch", where, "%s: bfloat16_t does not exist on %d", api, kArch);
    }
}

/// Stops on an architecture without byte-exact copies.
inline void CheckCopyPad(Where where)
{
    if (!kHasCopyPad) {
        Fail("not-on-arch", where, "DataCopyPad does not exist on %d", kArch);
    }
}

/// GM to UB. `fill(to, from)` puts one burst at `to` and gives the bytes it defined
/// there, counted from `to`, as [first, last).
template <typename T, typename F>
void CopyIn(const char* api, const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src,
            const Bursts& bursts, uint32_t gm_align, uint64_t row, Where where, F fill)
{
    CheckCopyType<T>(api, where);
    Core& core = CurrentCore();
    core.CheckSpan(dst.Span(), dst.Span().address, 0, kBlock, api, where);
    if (bursts.count == 0 || bursts.length == 0) {
        return;
    }
    int64_t at = src.Locate(0, api, where, gm_align);
    Region& region = *src.Region();
    const uint32_t number = core.clocks.Issue(Pipe::kMte2, where.line);
    region.reads.copies += 1;
    uint64_t to = dst.Span().address;
    for (uint64_t i = 0; i < bursts.count; ++i) {
        region.Read(at, bursts.length, RunningCore(), TheDevice().epoch, where);
        region.reads.Burst(static_cast<uint64_t>(at), bursts.length);
        core.gm_bytes += bursts.length;
        core.CheckSpan(dst.Span(), static_cast<uint32_t>(to), row, 1, api, where);
        core.Write(dst.Span(), static_cast<uint32_t>(to), static_cast<uint32_t>(row), Pipe::kMte2, number, api, where);
        fill(core.Ub(static_cast<uint32_t>(to)), region.Base() + at, static_cast<uint32_t>(to));
        at += static_cast<int64_t>(bursts.length) + bursts.gm_step;
        to += bursts.ub_step;
    }
}

/// UB to GM.
template <typename T>
void CopyOut(const char* api, const AscendC::GlobalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
             const Bursts& bursts, uint32_t gm_align, Where where)
{
    CheckCopyType<T>(api, where);
    Core& core = CurrentCore();
    core.CheckSpan(src.Span(), src.Span().address, 0, kBlock, api, where);
    if (bursts.count == 0 || bursts.length == 0) {
        return;
    }
    int64_t at = dst.Locate(0, api, where, gm_align);
    Region& region = *dst.Region();
    const uint32_t number = core.clocks.Issue(Pipe::kMte3, where.line);
    region.writes.copies += 1;
    uint64_t from = src.Span().address;
    for (uint64_t i = 0; i < bursts.count; ++i) {
        core.CheckSpan(src.Span(), static_cast<uint32_t>(from), bursts.length, 1, api, where);
        core.Read(src.Span(), static_cast<uint32_t>(from), static_cast<uint32_t>(bursts.length), Pipe::kMte3, number, api,
                  where);
        region.CheckRange(at, bursts.length, "write", where);
        core.Store(region, static_cast<uint64_t>(at), bursts.length, number, api, where);
        region.Write(at, bursts.length, RunningCore(), TheDevice().epoch, AtomicAdd(), where,
                     core.Ub(static_cast<uint32_t>(from)));
        region.writes.Burst(static_cast<uint64_t>(at), bursts.length);
        core.gm_bytes += bursts.length;
        if (AtomicAdd()) {
            for (uint64_t byte = 0; byte + sizeof(T) <= bursts.length; byte += sizeof(T)) {
                uint8_t* sum = region.Base() + at + byte;
                Store<T>(sum, T(static_cast<float>(Load<T>(sum)) +
                                static_cast<float>(Load<T>(core.Ub(static_cast<uint32_t>(from + byte))))));
            }
        } else {
            std::memcpy(region.Base() + at, core.Ub(static_cast<uint32_t>(from)), bursts.length);
        }
        at += static_cast<int64_t>(bursts.length) + bursts.gm_step;
        from += bursts.ub_step;
    }
}

/// The bursts of `count` elements in one piece, which must be whole 32-byte blocks.
template <typename T>
Bursts WholeBlocks(const char* api, uint32_t count, Where where)
{
    const uint64_t bytes = static_cast<uint64_t>(count) * sizeof(T);
    if (bytes % kBlock != 0) {
        Fail("parameter", where,
             "%s: %u elements of %s are %llu bytes, must be a multiple of 32 (the rest would not be copied)", api,
                    count, TypeName<T>(), static_cast<unsigned long long>(bytes));
    }
    Bursts bursts;
    bursts.length = bytes;
    return bursts;
}

/// The bursts of the struct with 16-bit fields, in 32-byte blocks.
inline Bursts BlockBursts(const AscendC::DataCopyParams& p, bool in, Where where)
{
    const int64_t lowest = kArch == 2201 ? 0 : 1;
    Bursts bursts;
    bursts.count = static_cast<uint64_t>(p.blockCount.In(lowest, 4095, "DataCopy", "blockCount", where));
    bursts.length = static_cast<uint64_t>(p.blockLen.In(lowest, 65535, "DataCopy", "blockLen", where)) * kBlock;
    const int64_t src = p.srcStride.In(0, 65535, "DataCopy", "srcStride", where) * kBlock;
    const int64_t dst = p.dstStride.In(0, 65535, "DataCopy", "dstStride", where) * kBlock;
    bursts.gm_step = in ? src : dst;
    bursts.ub_step = bursts.length + static_cast<uint64_t>(in ? dst : src);
    return bursts;
}

/// The bursts of a byte-exact copy; `row` is what one takes in UB.
template <typename P>
Bursts ByteBursts(const P& p, bool in, int64_t longest, size_t width, Where where)
{
    const int64_t lowest = kArch == 3510 ? 1 : 0;
    Bursts bursts;
    bursts.count = static_cast<uint64_t>(p.blockCount.In(lowest, 4095, "DataCopyPad", "blockCount", where));
    bursts.length = static_cast<uint64_t>(p.blockLen.In(lowest, longest, "DataCopyPad", "blockLen", where));
    if (bursts.length % width != 0) {
        Fail("parameter", where, "DataCopyPad: blockLen is %llu, must be a multiple of the element's %d bytes",
                                        static_cast<unsigned long long>(bursts.length), static_cast<int>(width));
    }
    const int64_t src = p.srcStride.Fits("DataCopyPad", "srcStride", where);
    const int64_t dst = p.dstStride.Fits("DataCopyPad", "dstStride", where);
    if (kArch == 3510) {
        const int64_t gm = in ? src : dst;
        const int64_t ub = in ? dst : src;
        Limited<int64_t>(gm).In(in ? -static_cast<int64_t>(bursts.length) : 0, (int64_t{1} << 40) - 1, "DataCopyPad",
                                "the GM stride", where);
        Limited<int64_t>(ub).In(0, 65535, "DataCopyPad", "the UB stride", where);
    }
    bursts.gm_step = in ? src : dst;
    bursts.ub_step = static_cast<uint64_t>(in ? dst : src) * kBlock;
    return bursts;
}

/// GM to UB, byte-exact, each burst filled up to whole blocks.
template <typename T, typename P>
void CopyPadIn(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src, const P& params, int64_t longest,
               bool pad, uint32_t left, uint32_t right, T value, bool compact, Where where)
{
    CheckCopyPad(where);
    Bursts bursts = ByteBursts(params, true, longest, sizeof(T), where);
    left *= static_cast<uint32_t>(sizeof(T));
    right *= static_cast<uint32_t>(sizeof(T));
    if (left > kBlock || right > kBlock) {
        Fail("parameter", where, "DataCopyPad: padding of %u and %u bytes, allowed are 32 each", left, right);
    }
    if (compact) {
        if (kArch != 3510) {
            Fail("not-on-arch", where, "DataCopyPad: PaddingMode::Compact does not exist on %d", kArch);
        }
        // Bursts lie end to end; only the last is filled up.
        left = 0;
        right = 0;
        bursts.ub_step = bursts.length;
    }
    const uint64_t row = compact ? bursts.length : (left + bursts.length + right + kBlock - 1) / kBlock * kBlock;
    if (!compact) {
        bursts.ub_step += row;
    }
    Core& core = CurrentCore();
    CopyIn("DataCopyPad", dst, src, bursts, 1, row, where, [&](uint8_t* to, const uint8_t* from, uint32_t at) {
        const bool asked = left + right != 0;
        // What fills the rest: the value asked for, else the burst's first element; if
        // padding was asked for without a value, nothing that can be relied on.
        const T fill = asked ? value : Load<T>(from);
        for (uint64_t i = 0; i < left; i += sizeof(T)) {
            Store<T>(to + i, fill);
        }
        std::memcpy(to + left, from, bursts.length);
        for (uint64_t i = left + bursts.length; i + sizeof(T) <= row; i += sizeof(T)) {
            Store<T>(to + i, fill);
        }
        if (asked && !pad) {
            core.Forget(at, left);
            core.Forget(at + left + static_cast<uint32_t>(bursts.length),
                        static_cast<uint32_t>(row - left - bursts.length));
        }
    });
}

/// UB to GM, byte-exact.
template <typename T, typename P>
void CopyPadOut(const AscendC::GlobalTensor<T>& dst, const AscendC::LocalTensor<T>& src, const P& params,
                int64_t longest, bool compact, Where where)
{
    CheckCopyPad(where);
    if (compact && kArch != 3510) {
        Fail("not-on-arch", where, "DataCopyPad: PaddingMode::Compact does not exist on %d", kArch);
    }
    Bursts bursts = ByteBursts(params, false, longest, sizeof(T), where);
    bursts.ub_step = compact ? bursts.length : bursts.ub_step + (bursts.length + kBlock - 1) / kBlock * kBlock;
    CopyOut("DataCopyPad", dst, src, bursts, 1, where);
}

constexpr int64_t kLongestBurst = 2097151;

}  // namespace host_model

namespace AscendC {

/// `count` elements from GM.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count,
              host_model::Where where = host_model::Where::Here())
{
    const host_model::Bursts bursts = host_model::WholeBlocks<T>("DataCopy", count, where);
    host_model::CopyIn("DataCopy", dst, src, bursts, sizeof(T), bursts.length, where,
                       [&](uint8_t* to, const uint8_t* from, uint32_t) { std::memcpy(to, from, bursts.length); });
}

/// Bursts of blocks from GM.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
              host_model::Where where = host_model::Where::Here())
{
    const host_model::Bursts bursts = host_model::BlockBursts(params, true, where);
    host_model::CopyIn("DataCopy", dst, src, bursts, sizeof(T), bursts.length, where,
                       [&](uint8_t* to, const uint8_t* from, uint32_t) { std::memcpy(to, from, bursts.length); });
}

/// `count` elements to GM.
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
              host_model::Where where = host_model::Where::Here())
{
    host_model::CopyOut("DataCopy", dst, src, host_model::WholeBlocks<T>("DataCopy", count, where), sizeof(T), where);
}

/// Bursts of blocks to GM.
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
              host_model::Where where = host_model::Where::Here())
{
    host_model::CopyOut("DataCopy", dst, src, host_model::BlockBursts(params, false, where), sizeof(T), where);
}

/// `count` elements within UB, a vector instruction.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
              host_model::Where where = host_model::Where::Here())
{
    host_model::WholeBlocks<T>("DataCopy", count, where);
    host_model::Instruction run("DataCopy", host_model::CountExtent(count, "DataCopy", where), sizeof(T), where);
    const host_model::Operand<T> to{dst, {1, 8}};
    const host_model::Operand<T> from{src, {1, 8}};
    run.Aligned(to);
    run.Aligned(from);
    if (count == 0) {
        return;
    }
    run.Overlap(to, from);
    run.Source(from);
    run.Target(to);
    run.Map(to, [](T value) { return value; }, from);
    run.Count();
}

/// Bursts of blocks within UB, a vector instruction.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
              host_model::Where where = host_model::Where::Here())
{
    const int64_t lowest = host_model::kArch == 2201 ? 0 : 1;
    const auto bursts = static_cast<uint32_t>(params.blockCount.In(lowest, 4095, "DataCopy", "blockCount", where));
    const auto blocks = static_cast<uint32_t>(params.blockLen.In(lowest, 65535, "DataCopy", "blockLen", where));
    const auto gap = static_cast<uint32_t>(params.srcStride.In(0, 65535, "DataCopy", "srcStride", where));
    const auto to_gap = static_cast<uint32_t>(params.dstStride.In(0, 65535, "DataCopy", "dstStride", where));
    const uint32_t bytes = blocks * host_model::kBlock;
    host_model::Instruction run("DataCopy", host_model::CountExtent(bursts * bytes / sizeof(T), "DataCopy", where),
                                sizeof(T), where);
    run.Aligned(host_model::Operand<T>{dst, {1, 8}});
    run.Aligned(host_model::Operand<T>{src, {1, 8}});
    const uint32_t from = src.Span().address;
    const uint32_t to = dst.Span().address;
    const uint32_t from_step = bytes + gap * host_model::kBlock;
    const uint32_t to_step = bytes + to_gap * host_model::kBlock;
    if (from < to + bursts * to_step && to < from + bursts * from_step) {
        host_model::Fail("overlap", where, "DataCopy: target and source of bursts lie in each other");
    }
    for (uint32_t i = 0; i < bursts; ++i) {
        run.SourceBytes(src.Span(), from + i * from_step, bytes);
        run.TargetBytes(dst.Span(), to + i * to_step, bytes);
        std::memcpy(run.core.Ub(to + i * to_step), run.core.Ub(from + i * from_step), bytes);
    }
    run.Count();
}

/// Bursts of bytes from GM.
template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& params,
                 const DataCopyPadExtParams<T>& padParams, host_model::Where where = host_model::Where::Here())
{
    host_model::CopyPadIn(dst, src, params, host_model::kLongestBurst, padParams.isPad, padParams.leftPadding,
                          padParams.rightPadding, padParams.paddingValue, mode == PaddingMode::Compact, where);
}

/// Bursts of bytes from GM, with 16-bit lengths.
template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
                 const DataCopyPadParams& padParams, host_model::Where where = host_model::Where::Here())
{
    T value;
    std::memcpy(&value, &padParams.paddingValue, sizeof(T));
    host_model::CopyPadIn(dst, src, params, 65535, padParams.isPad, padParams.leftPadding, padParams.rightPadding, value,
                          mode == PaddingMode::Compact, where);
}

/// Bursts of bytes to GM.
template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& params,
                 host_model::Where where = host_model::Where::Here())
{
    host_model::CopyPadOut(dst, src, params, host_model::kLongestBurst, mode == PaddingMode::Compact, where);
}

/// Bursts of bytes to GM, with 16-bit lengths.
template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
                 host_model::Where where = host_model::Where::Here())
{
    host_model::CopyPadOut(dst, src, params, 65535, mode == PaddingMode::Compact, where);
}

/// Later copies to GM add to what is there.
template <typename T>
void SetAtomicAdd(host_model::Where where = host_model::Where::Here())
{
    const bool float_only = host_model::kArch == 1001;
    const bool known = std::is_same_v<T, float> || (std::is_same_v<T, half> && !float_only) ||
                       (std::is_same_v<T, int16_t> && !float_only) ||
                       (std::is_same_v<T, bfloat16_t> && host_model::kHasBf16) ||
                       (std::is_same_v<T, int32_t> && host_model::kHasCopyPad);
    if (!known) {
        host_model::Fail("dtype", where, "SetAtomicAdd does not take %s on %d",
                                                            host_model::TypeName<T>(), host_model::kArch);
    }
    host_model::AtomicAdd() = true;
}

/// Later copies to GM replace what is there.
inline void SetAtomicNone() { host_model::AtomicAdd() = false; }
inline void DisableDmaAtomic() { host_model::AtomicAdd() = false; }

}  // namespace AscendC
