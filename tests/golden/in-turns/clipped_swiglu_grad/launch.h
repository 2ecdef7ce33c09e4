// ClippedSwigluGrad: what a caller needs to know.
// The gradient of `ClippedSwiglu`.
// Generated from ops_glu_grad::families::gated::gated::clipped_swiglu; do not edit.

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
constexpr Operand TENSORS[] = {{"grad_y", false, false, false, false}, {"x", true, false, false, false}, {"group_index", false, false, true, true}, {"grad_x", true, false, false, false}};
constexpr size_t INPUTS = 3;
constexpr size_t COUNT = 4;
// The tensor whose shape decides those of all others.
constexpr size_t LEAD = 1;
// The first tensor of numbers that every call has.
constexpr size_t FIRST = 0;
// Whether the kernel takes truth values as bits, the first in the lowest.
constexpr bool BITS = false;
constexpr bool SPLIT = true;

// One call.
struct Call {
    uint32_t type = 0;           // element type, as the tiling key counts them
    std::vector<uint64_t> dims;  // of one part
    void* tensors[COUNT] = {};   // in device memory
    uint64_t counts = 0;         // how many counts of rows there are
    int64_t dim = -1;
    float alpha = 1.702f;
    float limit = 7.0f;
    float bias = 1.0f;
    bool interleaved = true;
};

// The dimension along which gated tensors are cut, counted from the outermost.
inline size_t SplitDim(const Call& call)
{
    const int64_t rank = static_cast<int64_t>(call.dims.size());
    return static_cast<size_t>(call.dim < 0 ? call.dim + rank : call.dim);
}

// Sets an attribute by its name; false if there is none. Enumerations are given as numbers.
inline bool SetAttribute(Call& call, const std::string& name, const std::string& value)
{
    if (name == "dim") {
        call.dim = std::stoll(value);
        return true;
    }
    if (name == "alpha") {
        call.alpha = std::stof(value);
        return true;
    }
    if (name == "limit") {
        call.limit = std::stof(value);
        return true;
    }
    if (name == "bias") {
        call.bias = std::stof(value);
        return true;
    }
    if (name == "interleaved") {
        call.interleaved = value == "true";
        return true;
    }
    return false;
}

// Tiles and launches; false if there is no such kernel.
bool Launch(const Call& call, void* stream);
