// One core: its unified buffer, the notes taken about every byte of it, and its clocks.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arch.h"
#include "clock.h"
#include "counters.h"
#include "gm.h"
#include "report.h"

namespace host_model {

/// What all cores share.
struct Device {
    uint32_t ub_bytes = 0;
    int blocks = 1;
    uint64_t tiling_key = 0;
    /// Whether dependent vector instructions need PipeBarrier<PIPE_V> as well, as
    /// in a build without automatic synchronisation.
    bool strict_v = false;
    /// Barriers over all cores passed so far.
    uint32_t epoch = 0;
    std::vector<std::unique_ptr<Region>> regions;

    /// The argument `address` points into, or null.
    Region* Find(const void* address) const
    {
        for (const auto& region : regions) {
            if (region->Near(address)) {
                return region.get();
            }
        }
        return nullptr;
    }
};

/// The device of this process.
inline Device& TheDevice()
{
    static Device device;
    return device;
}

/// Life of one buffer: what may be done with the tensor in it.
enum class SlotState { kFree, kAllocated, kQueued, kDequeued, kOwned };

/// One buffer of a queue, or a TBuf.
struct Slot {
    std::string name;
    uint32_t address = 0;
    uint32_t length = 0;
    SlotState state = SlotState::kFree;
    /// Tells a tensor of an earlier AllocTensor from the present one.
    uint32_t generation = 0;
    /// Where the present tensor was allocated.
    Where allocated{"", 0};
    /// What must have ended before the next user of the buffer starts.
    Stamp ready{};
};

/// A piece of a buffer, as a tensor refers to it.
struct Span {
    int slot = -1;
    uint32_t generation = 0;
    uint32_t address = 0;
    uint32_t length = 0;
};

/// The state of one core while it runs a block.
class Core {
public:
    explicit Core(uint32_t ub_bytes)
        : memory_((ub_bytes + 63) / 64), written_(ub_bytes, 0), notes_((ub_bytes + kBlock - 1) / kBlock)
    {}

    uint8_t* Ub(uint32_t address) { return reinterpret_cast<uint8_t*>(memory_.data()) + address; }

    /// How messages name a span: the buffer and the offset in it.
    std::string Describe(const Span& span, uint32_t address) const
    {
        if (span.slot < 0) {
            return Format("UB byte %u", address);
        }
        const Slot& slot = slots[static_cast<size_t>(span.slot)];
        return Format("%s+%lld (UB byte %u)", slot.name.c_str(),
                      static_cast<long long>(address) - static_cast<long long>(slot.address), address);
    }

    /// Stops unless `length` bytes of `span` at `address` lie in its buffer, the
    /// tensor is held by the kernel and the address is a multiple of `align`.
    void CheckSpan(const Span& span, uint32_t address, uint64_t length, uint32_t align, const char* api,
                   Where where) const
    {
        if (span.slot < 0) {
            Fail("ub-tensor", where, Format("%s: the tensor has no buffer", api));
        }
        const Slot& slot = slots[static_cast<size_t>(span.slot)];
        if (span.generation != slot.generation || slot.state == SlotState::kFree) {
            Fail("queue-protocol", where, Format("%s uses a tensor of %s after FreeTensor", api, slot.name.c_str()));
        }
        if (slot.state == SlotState::kQueued) {
            Fail("queue-protocol", where,
                 Format("%s uses a tensor of %s between EnQue and DeQue", api, slot.name.c_str()));
        }
        if (address % align != 0) {
            Fail("ub-alignment", where,
                 Format("%s at %s: the address must be a multiple of %u bytes", api,
                        Describe(span, address).c_str(), align));
        }
        if (address + length > slot.address + slot.length) {
            Fail("ub-bounds", where,
                 Format("%s touches %llu bytes at %s, whose buffer has %u bytes", api,
                        static_cast<unsigned long long>(length), Describe(span, address).c_str(), slot.length));
        }
    }

    /// Notes that instruction `number` of `pipe` reads.
    void Read(const Span& span, uint32_t address, uint32_t length, Pipe pipe, uint32_t number, const char* api,
              Where where)
    {
        if (length == 0) {
            return;
        }
        const void* gap = std::memchr(&written_[address], 0, length);
        if (gap != nullptr) {
            const uint32_t at = static_cast<uint32_t>(static_cast<const uint8_t*>(gap) - written_.data());
            Fail("ub-uninitialised", where,
                 Format("%s reads %u bytes at %s, but nobody wrote %s", api, length,
                        Describe(span, address).c_str(), Describe(span, at).c_str()));
        }
        for (uint32_t i = address / kBlock; i <= (address + length - 1) / kBlock; ++i) {
            Note& note = notes_[i];
            if (note.write != 0 && MustWait(pipe, note.write_pipe) && !clocks.Knows(pipe, note.write_pipe, note.write)) {
                MissingWait(span, i, pipe, api, "reads", note.write_pipe, "written", note.write_line, where);
            }
            note.read[static_cast<size_t>(pipe)] = number;
            note.read_line[static_cast<size_t>(pipe)] = where.line;
        }
    }

    /// Notes that instruction `number` of `pipe` writes.
    void Write(const Span& span, uint32_t address, uint32_t length, Pipe pipe, uint32_t number, const char* api,
               Where where)
    {
        if (length == 0) {
            return;
        }
        for (uint32_t i = address / kBlock; i <= (address + length - 1) / kBlock; ++i) {
            Note& note = notes_[i];
            const bool own = note.write_pipe == pipe && note.write == number;
            if (note.write != 0 && !own && MustWait(pipe, note.write_pipe) &&
                !clocks.Knows(pipe, note.write_pipe, note.write)) {
                MissingWait(span, i, pipe, api, "writes", note.write_pipe, "written", note.write_line, where);
            }
            for (int other = 0; other < kPipes; ++other) {
                const uint32_t read = note.read[static_cast<size_t>(other)];
                if (other != static_cast<int>(pipe) && read != 0 && !clocks.Knows(pipe, static_cast<Pipe>(other), read)) {
                    MissingWait(span, i, pipe, api, "writes", static_cast<Pipe>(other), "still read",
                                note.read_line[static_cast<size_t>(other)], where);
                }
            }
            note.write = number;
            note.write_pipe = pipe;
            note.write_line = where.line;
        }
        std::memset(&written_[address], 1, length);
    }

    /// Bytes whose content no one may rely on any more.
    void Forget(uint32_t address, uint32_t length) { std::memset(&written_[address], 0, length); }

    /// Counts one vector call.
    void Count(const char* api, uint64_t repeats, uint64_t passes, bool cast)
    {
        VectorWork& work = tiles == 0 ? setup : tile;
        work.calls[api] += 1;
        work.passes += passes;
        work.repeats += repeats * passes;
        work.casts += cast ? 1 : 0;
    }

    /// A tile starts with every AllocTensor of the queue that was allocated from first.
    void Allocated(int queue)
    {
        if (first_queue_ < 0) {
            first_queue_ = queue;
        }
        if (queue == first_queue_) {
            EndTile();
            tiles += 1;
        }
    }

    /// Adds the present tile to the sums.
    void EndTile()
    {
        total.Add(tile);
        if (tile.repeats > largest.repeats) {
            largest = tile;
        }
        tile = VectorWork{};
    }

    /// Stops if the buffers and what a call keeps for itself exceed UB.
    void CheckCapacity(Where where) const
    {
        const uint32_t all = TheDevice().ub_bytes;
        if (ub_used + reserved > all) {
            Fail("ub-capacity", where,
                 reserved == 0 ? Format("InitBuffer has given out %u bytes, UB has %u", ub_used, all)
                               : Format("InitBuffer has given out %u bytes and %s keeps %u for itself, UB has %u",
                                        ub_used, reserved_by, reserved, all));
        }
    }

    /// Notes that `api` works in the reserved part of UB.
    void Reserve(const char* api, Where where)
    {
        if (reserved == 0) {
            reserved = kReservedUb;
            reserved_by = api;
            CheckCapacity(where);
        }
    }

    Clocks clocks;
    std::vector<Slot> slots;
    int queues = 0;
    /// Buffers of queues by position.
    std::map<int, int> queue_buffers;
    /// Flags set and not yet waited for.
    std::map<std::pair<int, int>, std::pair<Stamp, Where>> flags;
    /// Event ids handed out by the pipe.
    std::map<int, uint32_t> event_ids;
    uint32_t ub_used = 0;
    uint32_t reserved = 0;
    const char* reserved_by = "";
    bool atomic_add = false;
    uint64_t sync_all = 0;

    /// Work before the first tile, of the present tile, of the tile with most repeats, of all tiles.
    VectorWork setup, tile, largest, total;
    uint64_t tiles = 0;
    uint64_t gm_bytes = 0;

private:
    /// Who touched a 32-byte block last.
    struct Note {
        uint32_t write = 0;
        Pipe write_pipe = Pipe::kScalar;
        int write_line = 0;
        std::array<uint32_t, kPipes> read{};
        std::array<int, kPipes> read_line{};
    };

    /// Scalar code runs in order, vector code too unless asked otherwise; copies
    /// of one direction may overtake each other.
    static bool MustWait(Pipe pipe, Pipe other)
    {
        if (pipe != other) {
            return true;
        }
        return pipe == Pipe::kMte2 || pipe == Pipe::kMte3 || (pipe == Pipe::kVector && TheDevice().strict_v);
    }

    [[noreturn]] void MissingWait(const Span& span, uint32_t block, Pipe pipe, const char* api, const char* verb,
                                  Pipe other, const char* done, int line, Where where) const
    {
        Fail("missing-wait", where,
             Format("%s on pipe %s %s %s, %s by pipe %s in line %d: a queue hand-over, an event or a barrier "
                    "must come in between",
                    api, Name(pipe), verb, Describe(span, block * kBlock).c_str(), done, Name(other), line));
    }

    struct alignas(64) Line {
        uint8_t bytes[64];
    };

    std::vector<Line> memory_;
    std::vector<uint8_t> written_;
    std::vector<Note> notes_;
    int first_queue_ = -1;
};

/// The core this thread runs.
inline Core*& CurrentCorePointer()
{
    static thread_local Core* core = nullptr;
    return core;
}

/// The core this thread runs.
inline Core& CurrentCore() { return *CurrentCorePointer(); }

}  // namespace host_model
