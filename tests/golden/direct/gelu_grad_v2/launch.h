// GeluGradV2: what a caller needs to know.
// The gradient of `GeluV2`.
// Generated from ops_glu_grad::families::gelu::gelu::gelu_v2; do not edit.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// A tensor of the signature; the split dimension of a gated one is twice as long, a mask has truth values
// of one byte each, counts are int64 numbers whose sum is how many rows are computed, and a call may leave an
// optional one out.
struct Operand {
    const char* name;
    bool gated;
    bool mask;
    bool counts;
    bool optional;
};

// Inputs, then results.
constexpr Operand TENSORS[] = {{"dy", false, false, false, false}, {"x", false, false, false, false}, {"z", false, false, false, false}};
constexpr size_t INPUTS = 2;
constexpr size_t COUNT = 3;
// The tensor whose shape decides those of all others.
constexpr size_t LEAD = 0;
// The first tensor of numbers that every call has.
constexpr size_t FIRST = 0;
// Whether the kernel takes truth values as bits, the first in the lowest.
constexpr bool BITS = false;
constexpr bool SPLIT = false;

// One call.
struct Call {
    uint32_t type = 0;           // element type, as the tiling key counts them
    std::vector<uint64_t> dims;  // of one part
    void* tensors[COUNT] = {};   // in device memory
    uint64_t counts = 0;         // how many counts of rows there are
    int64_t approximate = 0;
};

inline size_t SplitDim(const Call&) { return 0; }

// Sets an attribute by its name; false if there is none. Enumerations are given as numbers.
inline bool SetAttribute(Call& call, const std::string& name, const std::string& value)
{
    if (name == "approximate") {
        call.approximate = std::stoll(value);
        return true;
    }
    return false;
}

// Tiles and launches; false if there is no such kernel.
bool Launch(const Call& call, void* stream);
