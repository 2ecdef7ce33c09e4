// Loads, stores, masks and barriers of vector functions. A pointer to UB is an address, no memory of the
// host's.
#pragma once

#include "registers.h"

#if HOST_MODEL_ARCH == 3510

#include "lanes.h"

namespace AscendC {
namespace Reg {

/// How elements lie in UB and in a register.
enum class LoadDist {
    DIST_NORM,
    DIST_BRC_B8,
    DIST_BRC_B16,
    DIST_BRC_B32,
    DIST_US_B8 = 6,
    DIST_US_B16,
    DIST_DS_B8,
    DIST_DS_B16,
    DIST_BDINTLV,
    DIST_DINTLV_B8,
    DIST_DINTLV_B16,
    DIST_UNPACK_B8,
    DIST_UNPACK_B16,
    DIST_BLK,
    DIST_E2B_B16,
    DIST_E2B_B32,
    DIST_UNPACK_B32,
    DIST_DINTLV_B32,
    DIST_UNPACK4_B8,
};

/// The same, the other way.
enum class StoreDist {
    DIST_NORM_B8,
    DIST_NORM_B16,
    DIST_NORM_B32,
    DIST_FIRST_ELEMENT_B8,
    DIST_FIRST_ELEMENT_B16,
    DIST_FIRST_ELEMENT_B32,
    DIST_PACK_B16,
    DIST_PACK_B32,
    DIST_INTLV_B8,
    DIST_INTLV_B16,
    DIST_PACK_B64,
    DIST_INTLV_B32,
    DIST_NORM = 16,
};

/// Which lanes a new mask has.
enum class MaskPattern { ALL, VL1, VL2, VL3, VL4, VL8, VL16, VL32, VL64, VL128, M3, M4, H, Q, ALLF = 15 };

/// What a barrier waits for, and what waits for it.
enum class MemType { VEC_STORE, VEC_LOAD, SCALAR_STORE, SCALAR_LOAD, VEC_ALL, SCALAR_ALL };

/// Stands for a type that is known from the registers.
struct DefaultType {};

}  // namespace Reg
}  // namespace AscendC

namespace host_model {

/// A vector function's access to UB.
class UbAccess {
public:
    UbAccess(const void* pointer, uint32_t bytes, uint32_t align, const char* api, Where where)
        : core_(CurrentCore()), address_(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pointer))), bytes_(bytes),
          api_(api), where_(where), number_(core_.clocks.Issue(Pipe::kVector, where.line))
    {
        TheFunction().Open(api, where);
        span_.slot = -1;
        for (size_t i = 0; i < core_.slots.size(); ++i) {
            const Slot& slot = core_.slots[i];
            if (address_ >= slot.address && address_ < slot.address + slot.length) {
                span_ = Span{static_cast<int>(i), slot.generation, slot.address, slot.length};
            }
        }
        // What is not loaded for its own sake may lie behind the buffer.
        core_.CheckSpan(span_, address_, 0, align, api, where);
    }

    /// Notes a read of what has a value; gives the bytes that do.
    Lanes Read(uint8_t* to)
    {
        VectorFunction& function = TheFunction();
        const Slot& slot = core_.slots[static_cast<size_t>(span_.slot)];
        const uint32_t end = std::min(address_ + bytes_, slot.address + slot.length);
        Lanes defined;
        for (uint32_t at = address_; at < end;) {
            const uint32_t gap = core_.FirstGap(at, end - at);
            if (gap == at) {
                at += 1;
                continue;
            }
            for (uint32_t block = at / kBlock; block <= (gap - 1) / kBlock; ++block) {
                if (function.stored[block] == function.stretch) {
                    Fail("reg-order", where_,
                         "%s reads %s, which this vector function stored to: LocalMemBar must come in between", api_,
                         core_.Describe(span_, block * kBlock).c_str());
                }
            }
            core_.Read(span_, at, gap - at, Pipe::kVector, number_, api_, where_);
            std::memcpy(to + (at - address_), core_.Ub(at), gap - at);
            defined = defined | Lanes::Range(at - address_, gap - address_);
            at = gap;
        }
        return defined;
    }

    /// What is stored whatever a mask says: bytes of lanes without a value are nobody's.
    void Clobber(uint32_t bytes)
    {
        core_.CheckSpan(span_, address_, bytes, 1, api_, where_);
        core_.Forget(address_, bytes);
    }

    /// Writes elements side by side.
    void Write(uint32_t at, const uint8_t* from, uint32_t bytes)
    {
        if (bytes == 0) {
            return;
        }
        VectorFunction& function = TheFunction();
        const uint32_t address = address_ + at;
        core_.CheckSpan(span_, address, bytes, 1, api_, where_);
        core_.Write(span_, address, bytes, Pipe::kVector, number_, api_, where_);
        std::memcpy(core_.Ub(address), from, bytes);
        for (uint32_t block = address / kBlock; block <= (address + bytes - 1) / kBlock; ++block) {
            function.stored[block] = function.stretch;
        }
    }

private:
    Core& core_;
    const uint32_t address_;
    const uint32_t bytes_;
    const char* api_;
    Where where_;
    const uint32_t number_;
    Span span_;
};

/// Elements from UB: one after the other, or each alone in a lane of twice or four times its size.
template <typename T>
HOST_MODEL_ONCE void LoadRow(Row<T>& to, const T* from, uint32_t every, Where where)
{
    const char* api = "LoadAlign";
    const uint32_t count = to.kLanes / every;
    uint8_t bytes[kRegisterBytes];
    const Lanes read = UbAccess(from, count * sizeof(T), kBlock, api, where).Read(bytes);
    to.defined = Lanes();
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t lane = i * every;
        to.at[lane] = Load<T>(bytes + i * sizeof(T));
        bool whole = true;
        for (uint32_t b = 0; b < sizeof(T); ++b) {
            whole &= read.Has(i * static_cast<uint32_t>(sizeof(T)) + b);
        }
        to.defined.Put(lane * static_cast<uint32_t>(sizeof(T)), whole);
    }
}

/// Elements to UB, of lanes that are on.
template <typename T>
HOST_MODEL_ONCE void StoreRow(T* to, const Row<T>& from, uint32_t every, const Lanes& mask, Where where)
{
    const char* api = "StoreAlign";
    constexpr uint32_t size = sizeof(T);
    const Lanes on = mask & Lanes::All(size * every);
    CheckDefined(from, on, api, where);
    UbAccess access(to, 0, kBlock, api, where);
    const uint32_t count = from.kLanes / every;
    for (uint32_t i = 0; i < count;) {
        T run[Row<T>::kLanes];
        uint32_t end = i;
        while (end < count && on.Has(end * every * size)) {
            run[end - i] = from.at[end * every];
            ++end;
        }
        access.Write(i * size, reinterpret_cast<const uint8_t*>(run), (end - i) * size);
        i = std::max(end, i + 1);
    }
}

}  // namespace host_model

namespace AscendC {
namespace Reg {

/// The first `left` lanes, and as many fewer are left.
template <typename T>
MaskValue UpdateMask(uint32_t& left, host_model::Where where = host_model::Where::Here())
{
    constexpr uint32_t lanes = host_model::kRegisterBytes / sizeof(T);
    host_model::VectorFunction& function = host_model::TheFunction();
    function.Open("UpdateMask", where);
    if (left == 0) {
        host_model::Fail("reg-loop", where, "UpdateMask of no elements: the loop runs on behind the data");
    }
    const uint32_t bytes = std::min(left, lanes) * static_cast<uint32_t>(sizeof(T));
    left -= std::min(left, lanes);
    function.left = left;
    host_model::CurrentCore().CountRegisters(host_model::RegisterCall::kStep);
    return MaskValue{host_model::Lanes::Range(0, bytes) & host_model::Lanes::All(sizeof(T))};
}

/// All lanes, or none.
template <typename T, MaskPattern pattern = MaskPattern::ALL>
MaskValue CreateMask(host_model::Where where = host_model::Where::Here())
{
    static_assert(pattern == MaskPattern::ALL || pattern == MaskPattern::ALLF, "a pattern that the model has");
    host_model::TheFunction().Open("CreateMask", where);
    host_model::CurrentCore().CountRegisters(host_model::RegisterCall::kConstant);
    return MaskValue{pattern == MaskPattern::ALL ? host_model::Lanes::All(sizeof(T)) : host_model::Lanes()};
}

/// From UB.
template <typename T, LoadDist dist = LoadDist::DIST_NORM>
void LoadAlign(RegTensor<T>& to, __ubuf__ T* from, host_model::Where where = host_model::Where::Here())
{
    static_assert(dist == LoadDist::DIST_NORM || (dist == LoadDist::DIST_UNPACK_B16 && sizeof(T) == 2) ||
                      (dist == LoadDist::DIST_UNPACK4_B8 && sizeof(T) == 1),
                  "a way to load that the model has");
    constexpr uint32_t every = dist == LoadDist::DIST_NORM ? 1 : (dist == LoadDist::DIST_UNPACK_B16 ? 2 : 4);
    host_model::LoadRow(to, from, every, where);
    host_model::CurrentCore().CountRegisters(host_model::RegisterCall::kLoad);
}

/// From UB, in turns: those at even places to the first, those at odd places to the second.
template <typename T, LoadDist dist>
void LoadAlign(RegTensor<T>& even, RegTensor<T>& odd, __ubuf__ T* from, host_model::Where where = host_model::Where::Here())
{
    static_assert((dist == LoadDist::DIST_DINTLV_B16 && sizeof(T) == 2) || (dist == LoadDist::DIST_DINTLV_B32 && sizeof(T) == 4),
                  "a way to load in turns");
    constexpr uint32_t lanes = RegTensor<T>::kLanes;
    host_model::Row<T> rows[2];
    host_model::LoadRow(rows[0], from, 1, where);
    host_model::LoadRow(rows[1], from + lanes, 1, where);
    for (uint32_t at = 0; at < 2 * lanes; ++at) {
        RegTensor<T>& to = at % 2 == 0 ? even : odd;
        to.at[at / 2] = rows[at / lanes].at[at % lanes];
        to.defined.Put(at / 2 * sizeof(T), rows[at / lanes].defined.Has(at % lanes * sizeof(T)));
    }
    host_model::CurrentCore().CountRegisters(host_model::RegisterCall::kLoad);
}

/// To UB.
template <typename T, StoreDist dist = StoreDist::DIST_NORM>
void StoreAlign(__ubuf__ T* to, RegTensor<T>& from, MaskReg& mask, host_model::Where where = host_model::Where::Here())
{
    constexpr bool pack = dist == StoreDist::DIST_PACK_B32 && sizeof(T) == 2;
    static_assert(dist == StoreDist::DIST_NORM || pack, "a way to store that the model has");
    host_model::StoreRow(to, from, pack ? 2 : 1, mask.On("StoreAlign", where), where);
    host_model::CurrentCore().CountRegisters(host_model::RegisterCall::kStore);
}

/// To UB, in turns. A device asks no mask here.
template <typename T, StoreDist dist>
void StoreAlign(__ubuf__ T* to, RegTensor<T>& even, RegTensor<T>& odd, MaskReg& mask,
              host_model::Where where = host_model::Where::Here())
{
    static_assert((dist == StoreDist::DIST_INTLV_B16 && sizeof(T) == 2) || (dist == StoreDist::DIST_INTLV_B32 && sizeof(T) == 4),
                  "a way to store in turns");
    constexpr uint32_t lanes = RegTensor<T>::kLanes;
    mask.On("StoreAlign", where);
    host_model::Row<T> rows[2];
    for (uint32_t at = 0; at < 2 * lanes; ++at) {
        const RegTensor<T>& from = at % 2 == 0 ? even : odd;
        rows[at / lanes].at[at % lanes] = from.at[at / 2];
        rows[at / lanes].defined.Put(at % lanes * sizeof(T), from.defined.Has(at / 2 * sizeof(T)));
    }
    host_model::UbAccess(to, 0, host_model::kBlock, "StoreAlign", where).Clobber(2 * lanes * sizeof(T));
    host_model::StoreRow(to, rows[0], 1, rows[0].defined, where);
    host_model::StoreRow(to + lanes, rows[1], 1, rows[1].defined, where);
    host_model::CurrentCore().CountRegisters(host_model::RegisterCall::kStore);
}

/// Loads and stores as toolkits before 8.5 call them.
template <typename T, LoadDist dist = LoadDist::DIST_NORM>
void DataCopy(RegTensor<T>& to, __ubuf__ T* from, host_model::Where where = host_model::Where::Here())
{
    LoadAlign<T, dist>(to, from, where);
}

template <typename T, LoadDist dist>
void DataCopy(RegTensor<T>& even, RegTensor<T>& odd, __ubuf__ T* from, host_model::Where where = host_model::Where::Here())
{
    LoadAlign<T, dist>(even, odd, from, where);
}

template <typename T, StoreDist dist = StoreDist::DIST_NORM>
void DataCopy(__ubuf__ T* to, RegTensor<T>& from, MaskReg& mask, host_model::Where where = host_model::Where::Here())
{
    StoreAlign<T, dist>(to, from, mask, where);
}

template <typename T, StoreDist dist>
void DataCopy(__ubuf__ T* to, RegTensor<T>& even, RegTensor<T>& odd, MaskReg& mask,
              host_model::Where where = host_model::Where::Here())
{
    StoreAlign<T, dist>(to, even, odd, mask, where);
}

/// What comes after waits for what came before.
template <MemType before, MemType after>
void LocalMemBar(host_model::Where where = host_model::Where::Here())
{
    host_model::TheFunction().Open("LocalMemBar", where);
    constexpr bool stores = before == MemType::VEC_STORE || before == MemType::VEC_ALL;
    if (stores && (after == MemType::VEC_LOAD || after == MemType::VEC_ALL)) {
        host_model::TheFunction().stretch += 1;
    }
}

}  // namespace Reg
}  // namespace AscendC

#endif
