// The unified buffer of a core, and the notes taken about every part of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "arch.h"
#include "clock.h"

namespace host_model {

/// UB and its notes: which bytes were written, and which instructions touched a block last. They
/// are kept apart by pipe, so that a copy or a vector is one pass over each.
class Ub {
public:
    explicit Ub(uint32_t bytes) : memory_((bytes + 63) / 64), written_(bytes, 0)
    {
        const size_t blocks = (bytes + kBlock - 1) / kBlock;
        for (size_t pipe = 0; pipe < kPipes; ++pipe) {
            wrote_[pipe].assign(blocks, 0);
            read_[pipe].assign(blocks, 0);
        }
    }

    /// As it was made, after a block that used the first `bytes`.
    void Clear(uint32_t bytes)
    {
        const size_t blocks = (bytes + kBlock - 1) / kBlock;
        std::memset(At(0), 0, bytes);
        Forget(0, bytes);
        for (size_t pipe = 0; pipe < kPipes; ++pipe) {
            std::fill_n(wrote_[pipe].begin(), blocks, 0);
            std::fill_n(read_[pipe].begin(), blocks, 0);
        }
    }

    uint8_t* At(uint32_t address) { return reinterpret_cast<uint8_t*>(memory_.data()) + address; }

    /// Bytes whose content no one may rely on any more.
    void Forget(uint32_t address, uint32_t length) { std::memset(written_.data() + address, 0, length); }

    /// Bytes that have a value from now on.
    void Define(uint32_t address, uint32_t length) { std::memset(written_.data() + address, 1, length); }

    /// The first of these bytes that nobody wrote, or the end.
    uint32_t FirstGap(uint32_t address, uint32_t length) const
    {
        const void* gap = std::memchr(written_.data() + address, 0, length);
        return gap == nullptr ? address + length
                              : static_cast<uint32_t>(static_cast<const uint8_t*>(gap) - written_.data());
    }

    /// The last write to a block, if `pipe` made it; else zero.
    const uint32_t* Wrote(Pipe pipe) const { return wrote_[static_cast<size_t>(pipe)].data(); }

    /// The last read of a block by `pipe`, or zero.
    const uint32_t* Read(Pipe pipe) const { return read_[static_cast<size_t>(pipe)].data(); }

    /// Notes a read of blocks `[first, end)`.
    void NoteRead(Pipe pipe, uint32_t number, size_t first, size_t end)
    {
        uint32_t* notes = read_[static_cast<size_t>(pipe)].data();
        std::fill(notes + first, notes + end, number);
    }

    /// Notes a write to blocks `[first, end)`.
    void NoteWrite(Pipe pipe, uint32_t number, size_t first, size_t end)
    {
        for (size_t other = 0; other < kPipes; ++other) {
            uint32_t* notes = wrote_[other].data();
            std::fill(notes + first, notes + end, other == static_cast<size_t>(pipe) ? number : 0);
        }
    }

private:
    struct alignas(64) Line {
        uint8_t bytes[64];
    };

    std::vector<Line> memory_;
    std::vector<uint8_t> written_;
    std::array<std::vector<uint32_t>, kPipes> wrote_;
    std::array<std::vector<uint32_t>, kPipes> read_;
};

/// Whether a note in `[first, end)` names an instruction later than `known` other than `own`.
inline bool AnyLater(const uint32_t* notes, size_t first, size_t end, uint32_t known, uint32_t own)
{
    // Without a way out, so that a compiler takes many at once.
    bool any = false;
    for (size_t i = first; i < end; ++i) {
        any |= (notes[i] > known) & (notes[i] != own);
    }
    return any;
}

}  // namespace host_model
