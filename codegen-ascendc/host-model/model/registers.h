// Registers of architecture 3510: what a vector function holds while it runs.
//
// A vector function is the block after `__VEC_SCOPE__`. Its registers are 256 bytes each, its masks have
// a bit for every one of them, of which an element uses the first of its own. A lane is as a device leaves
// it: what was loaded behind the data, or computed where the mask is off, has no value that anyone may
// use, although devices write zeros there.
#pragma once

#include "arch.h"

#if HOST_MODEL_ARCH == 3510

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core.h"
#include "types.h"

namespace host_model {

/// Bytes of a register.
constexpr uint32_t kRegisterBytes = 256;
/// Registers for data and for masks; more live in a part of UB, slowly.
constexpr int kDataRegisters = 32;
constexpr int kMaskRegisters = 8;

/// One bit for each byte of a register.
struct Lanes {
    uint64_t words[4] = {0, 0, 0, 0};

    /// All elements of this many bytes; an element is its first bit.
    static Lanes All(uint32_t size)
    {
        const uint64_t each = size == 1 ? ~uint64_t{0} : (size == 2 ? 0x5555555555555555u : 0x1111111111111111u);
        return Lanes{{each, each, each, each}};
    }

    /// The bytes `[first, end)`.
    static Lanes Range(uint32_t first, uint32_t end)
    {
        Lanes lanes;
        for (uint32_t w = 0; w < 4; ++w) {
            const uint32_t from = std::clamp(first, 64 * w, 64 * w + 64) - 64 * w;
            const uint32_t to = std::clamp(end, 64 * w, 64 * w + 64) - 64 * w;
            const uint64_t below = to == 64 ? ~uint64_t{0} : (uint64_t{1} << to) - 1;
            lanes.words[w] = from < to ? below & ~((uint64_t{1} << from) - 1) : 0;
        }
        return lanes;
    }

    bool Has(uint32_t byte) const { return (words[byte / 64] >> (byte % 64)) & 1; }
    void Put(uint32_t byte, bool on)
    {
        const uint64_t bit = uint64_t{1} << (byte % 64);
        words[byte / 64] = on ? words[byte / 64] | bit : words[byte / 64] & ~bit;
    }

    friend Lanes operator&(const Lanes& a, const Lanes& b)
    {
        return Lanes{{a.words[0] & b.words[0], a.words[1] & b.words[1], a.words[2] & b.words[2], a.words[3] & b.words[3]}};
    }
    friend Lanes operator|(const Lanes& a, const Lanes& b)
    {
        return Lanes{{a.words[0] | b.words[0], a.words[1] | b.words[1], a.words[2] | b.words[2], a.words[3] | b.words[3]}};
    }
    Lanes operator~() const { return Lanes{{~words[0], ~words[1], ~words[2], ~words[3]}}; }
    bool Any() const { return (words[0] | words[1] | words[2] | words[3]) != 0; }
};

/// What a register holds: elements, and which of them have a value.
template <typename T>
struct Row {
    static constexpr uint32_t kLanes = kRegisterBytes / sizeof(T);
    T at[kLanes];
    Lanes defined;
};

/// Stops if an element that is on has no value in a source.
template <typename T>
void CheckDefined(const Row<T>& source, const Lanes& on, const char* api, Where where)
{
    const Lanes missing = on & Lanes::All(sizeof(T)) & ~source.defined;
    if (missing.Any()) {
        uint32_t lane = 0;
        while (!missing.Has(lane * sizeof(T))) {
            ++lane;
        }
        Fail("reg-undefined", where, "%s reads lane %u of a register, which has no value: nobody loaded or computed it", api,
             lane);
    }
}

/// The vector function that runs, and what it holds.
struct VectorFunction {
    bool open = false;
    int data = 0;
    int masks = 0;
    /// Elements that the last UpdateMask left.
    uint32_t left = 0;
    /// Of every block of UB, the last stretch between barriers in which it was stored to.
    std::vector<uint32_t> stored;
    uint32_t stretch = 0;

    /// Stops outside a vector function.
    void Open(const char* what, Where where) const
    {
        if (!open) {
            Fail("reg-scope", where, "%s outside of __VEC_SCOPE__", what);
        }
    }

    void Take(int& live, int most, const char* what, Where where)
    {
        Open(what, where);
        if (++live > most) {
            Fail("reg-count", where, "%s number %d; a vector function has %d", what, live, most);
        }
    }
};

/// That of this core.
inline VectorFunction& TheFunction()
{
    static thread_local VectorFunction function;
    return function;
}

/// Runs the block after `__VEC_SCOPE__`.
class VectorScope {
public:
    explicit VectorScope(Where where) : where_(where)
    {
        VectorFunction& function = TheFunction();
        if (function.open) {
            Fail("reg-scope", where, "a vector function cannot start another");
        }
        function.open = true;
        function.left = 0;
        function.stretch += 1;
        function.stored.resize(TheDevice().ub_bytes / kBlock + 1, 0);
    }
    VectorScope(const VectorScope&) = delete;
    VectorScope& operator=(const VectorScope&) = delete;
    ~VectorScope()
    {
        VectorFunction& function = TheFunction();
        function.open = false;
        if (function.left > 0) {
            Fail("reg-loop", where_,
                 "the vector function ended with %u elements left: a loop has as many steps as 16 bits of its bound say",
                 function.left);
        }
    }

private:
    Where where_;
};

}  // namespace host_model

#define __VEC_SCOPE__                                                                                           \
    if ([[maybe_unused]] host_model::VectorScope host_model_scope{host_model::Where::Here()}; true)

namespace AscendC {

/// Bytes of a register.
constexpr uint32_t GetVecLen() { return host_model::kRegisterBytes; }

namespace Reg {

/// What a call that gives a mask returns: a value, no register yet.
struct MaskValue {
    host_model::Lanes lanes;
};

/// A register of masks.
class MaskReg {
public:
    MaskReg(host_model::Where where = host_model::Where::Here())
    {
        host_model::VectorFunction& function = host_model::TheFunction();
        function.Take(function.masks, host_model::kMaskRegisters, "MaskReg", where);
    }
    MaskReg(const MaskValue& value, host_model::Where where = host_model::Where::Here()) : MaskReg(where) { *this = value; }
    MaskReg(const MaskReg&) = delete;
    MaskReg& operator=(const MaskReg&) = delete;
    ~MaskReg() { host_model::TheFunction().masks -= 1; }

    MaskReg& operator=(const MaskValue& value)
    {
        lanes_ = value.lanes;
        is_set_ = true;
        return *this;
    }

    /// For the model's own use: the lanes that are on.
    const host_model::Lanes& On(const char* api, host_model::Where where) const
    {
        if (!is_set_) {
            host_model::Fail("reg-undefined", where, "%s reads a mask that has no value", api);
        }
        return lanes_;
    }

private:
    host_model::Lanes lanes_;
    bool is_set_ = false;
};

/// A register of elements.
template <typename T>
class RegTensor : public host_model::Row<T> {
public:
    using ActualT = T;

    RegTensor(host_model::Where where = host_model::Where::Here())
    {
        host_model::VectorFunction& function = host_model::TheFunction();
        function.Take(function.data, host_model::kDataRegisters, "RegTensor", where);
    }
    RegTensor(const RegTensor&) = delete;
    RegTensor& operator=(const RegTensor&) = delete;
    ~RegTensor() { host_model::TheFunction().data -= 1; }
};

}  // namespace Reg

/// What toolkits called it first.
namespace MicroAPI = Reg;

}  // namespace AscendC

#endif
