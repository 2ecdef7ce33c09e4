// Elements computed side by side. Loops over a chunk have a fixed length and arrays of their own, so
// that a compiler makes vector code of them.
#pragma once

#include <cstdint>

namespace host_model {

/// Elements of a chunk: no more than half a repeat of the narrowest arithmetic type.
constexpr uint64_t kChunk = 64;

/// Elements of a vector, loaded from where they lie.
template <typename T>
struct Chunk {
    T at[kChunk];
};

/// op(from...), element by element.
template <typename D, typename F, typename... S>
Chunk<D> Apply(F op, const Chunk<S>&... from)
{
    Chunk<D> out;
    for (uint64_t i = 0; i < kChunk; ++i) {
        out.at[i] = op(from.at[i]...);
    }
    return out;
}

/// The values, but never fused into a later addition: the devices round a product before they add to
/// it, and a compiler must not do better.
inline Chunk<float> Rounded(Chunk<float> values)
{
    __asm__ volatile("" : "+m"(values));
    return values;
}

}  // namespace host_model
