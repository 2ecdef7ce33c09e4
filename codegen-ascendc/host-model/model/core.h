// One core: what it may do with its unified buffer, its clocks and its counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
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
#include "ub.h"

namespace host_model {

/// What all cores share.
struct Device {
    uint32_t ub_bytes = 0;
    int blocks = 1;
    uint64_t tiling_key = 0;
    /// Whether dependent vector instructions need PipeBarrier<PIPE_V>: unless hardware orders them, or the compiler
    /// (--cce-auto-sync), which a build of a kernel states by this macro.
#ifdef COMPILER_ORDERS_VECTOR_CALLS
    bool needs_barriers = false;
#else
    bool needs_barriers = !kOrdersVectors;
#endif
    /// Whether exponentials, logarithms, roots and quotients in registers have zeros for subnormals.
    bool flush = false;
    /// What picks the last digit of exponentials, logarithms, roots and quotients: up to one unit off; 0
    /// for none.
    uint32_t noise = 0;
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
    explicit Core(host_model::Ub& ub) : ub_(ub) {}

    uint8_t* Ub(uint32_t address) { return ub_.At(address); }

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
    HOST_MODEL_ONCE void CheckSpan(const Span& span, uint32_t address, uint64_t length, uint32_t align, const char* api,
                   Where where) const
    {
        if (span.slot < 0) {
            Fail("ub-tensor", where, "%s: the tensor has no buffer", api);
        }
        const Slot& slot = slots[static_cast<size_t>(span.slot)];
        if (span.generation != slot.generation || slot.state == SlotState::kFree) {
            Fail("queue-protocol", where, "%s uses a tensor of %s after FreeTensor", api, slot.name.c_str());
        }
        if (slot.state == SlotState::kQueued) {
            Fail("queue-protocol", where,
                 "%s uses a tensor of %s between EnQue and DeQue", api, slot.name.c_str());
        }
        if (address % align != 0) {
            Fail("ub-alignment", where,
                 "%s at %s: the address must be a multiple of %u bytes", api,
                        Describe(span, address).c_str(), align);
        }
        if (address + length > slot.address + slot.length) {
            Fail("ub-bounds", where,
                 "%s touches %llu bytes at %s, whose buffer has %u bytes", api,
                        static_cast<unsigned long long>(length), Describe(span, address).c_str(), slot.length);
        }
    }

    /// Notes that instruction `number` of `pipe` reads.
    HOST_MODEL_ONCE void Read(const Span& span, uint32_t address, uint32_t length, Pipe pipe, uint32_t number, const char* api,
              Where where)
    {
        if (length == 0) {
            return;
        }
        const uint32_t gap = ub_.FirstGap(address, length);
        if (gap != address + length) {
            Fail("ub-uninitialised", where,
                 "%s reads %u bytes at %s, but nobody wrote %s", api, length,
                        Describe(span, address).c_str(), Describe(span, gap).c_str());
        }
        const Access access{span, address / kBlock, (address + length - 1) / kBlock + 1, pipe, 0, api, where};
        CheckWrites(access, "reads");
        ub_.NoteRead(pipe, number, access.first, access.end);
    }

    /// Notes that instruction `number` of `pipe` writes.
    HOST_MODEL_ONCE void Write(const Span& span, uint32_t address, uint32_t length, Pipe pipe, uint32_t number, const char* api,
               Where where)
    {
        if (length == 0) {
            return;
        }
        const Access access{span, address / kBlock, (address + length - 1) / kBlock + 1, pipe, number, api, where};
        CheckWrites(access, "writes");
        for (int i = 0; i < kPipes; ++i) {
            const Pipe other = static_cast<Pipe>(i);
            if (other != pipe || (pipe == Pipe::kVector && TheDevice().needs_barriers)) {
                CheckKnown(access, "writes", other, "still read", ub_.Read(other));
            }
        }
        ub_.NoteWrite(pipe, number, access.first, access.end);
        ub_.Define(address, length);
    }

    /// Notes that instruction `number` of the pipe to GM writes `length` bytes at `offset` there. Such copies may
    /// overtake each other: one over the bytes of another starts once that has ended.
    HOST_MODEL_ONCE void Store(const Region& region, uint64_t offset, uint64_t length, uint32_t number, const char* api,
                               Where where)
    {
        const uint32_t known = clocks.Known(Pipe::kMte3, Pipe::kMte3);
        while (!stores_.empty() && stores_.front().number <= known) {
            stores_.pop_front();
        }
        if (!region.Fresh(offset, length)) {
            for (const GmStore& other : stores_) {
                if (other.region == &region && other.number != number && other.offset < offset + length &&
                    offset < other.offset + other.length) {
                    Fail("missing-wait", where,
                         "%s writes byte %llu of '%s', written by the copy in line %d: a PipeBarrier<PIPE_MTE3> or an "
                                "event must come in between",
                                api, static_cast<unsigned long long>(std::max(offset, other.offset)), region.name.c_str(),
                                clocks.Line(Pipe::kMte3, other.number));
                }
            }
        }
        stores_.push_back({&region, offset, length, number});
    }

    /// Bytes whose content no one may rely on any more.
    void Forget(uint32_t address, uint32_t length) { ub_.Forget(address, length); }

    /// The first of these bytes that nobody wrote, or the end.
    uint32_t FirstGap(uint32_t address, uint32_t length) const { return ub_.FirstGap(address, length); }

    /// Counts one vector call on elements of so many bytes.
    HOST_MODEL_ONCE void Count(const char* api, uint64_t bytes, uint64_t repeats, uint64_t passes, bool cast)
    {
        VectorWork& work = tiles == 0 ? setup : tile;
        work.calls[api] += 1;
        work.repeats_of[api + ("/" + std::to_string(bytes))] += repeats * passes;
        work.passes += passes;
        work.repeats += repeats * passes;
        work.casts += cast ? 1 : 0;
    }

    /// Counts one call on registers.
    void CountRegisters(RegisterCall call) { (tiles == 0 ? setup : tile).registers[static_cast<size_t>(call)] += 1; }

    /// Counts one barrier of the vector pipe.
    void CountBarrier() { (tiles == 0 ? setup : tile).barriers += 1; }

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
    HOST_MODEL_ONCE void EndTile()
    {
        total.Add(tile);
        if (tile.Weight() > largest.Weight()) {
            largest = tile;
        }
        tile = VectorWork{};
    }

    /// Stops if the buffers and what a call keeps for itself exceed UB.
    void CheckCapacity(Where where) const
    {
        const uint32_t all = TheDevice().ub_bytes;
        if (ub_used + reserved > all) {
            const std::string more = reserved == 0 ? "" : Format(" and %s keeps %u for itself", reserved_by, reserved);
            Fail("ub-capacity", where, "InitBuffer has given out %u bytes%s, UB has %u", ub_used, more.c_str(), all);
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
    /// Elements that scalar code wrote, to UB and to GM.
    uint64_t ub_scalar_stores = 0;
    uint64_t gm_scalar_stores = 0;

private:
    /// An instruction at 32-byte blocks `[first, end)` of UB.
    struct Access {
        const Span& span;
        uint32_t first;
        uint32_t end;
        Pipe pipe;
        /// Whose writes it may meet: its own.
        uint32_t own;
        const char* api;
        Where where;
    };

    /// Scalar code runs in order. Vector code does too if hardware or the compiler sees to it. Copies of one
    /// direction may overtake each other.
    static bool MustWait(Pipe pipe, Pipe other)
    {
        if (pipe != other) {
            return true;
        }
        return pipe == Pipe::kMte2 || pipe == Pipe::kMte3 || (pipe == Pipe::kVector && TheDevice().needs_barriers);
    }

    /// Stops unless the last writer of each block has ended.
    void CheckWrites(const Access& access, const char* verb) const
    {
        for (int i = 0; i < kPipes; ++i) {
            const Pipe other = static_cast<Pipe>(i);
            if (MustWait(access.pipe, other)) {
                CheckKnown(access, verb, other, "written", ub_.Wrote(other));
            }
        }
    }

    /// Stops if one of the instructions of `other` that `notes` name may still run.
    void CheckKnown(const Access& access, const char* verb, Pipe other, const char* done, const uint32_t* notes) const
    {
        const uint32_t known = clocks.Known(access.pipe, other);
        const uint32_t own = access.pipe == other ? access.own : 0;
        if (!AnyLater(notes, access.first, access.end, known, own)) {
            return;
        }
        uint32_t block = access.first;
        while (notes[block] <= known || notes[block] == own) {
            ++block;
        }
        Fail("missing-wait", access.where,
             "%s on pipe %s %s %s, %s by pipe %s in line %d: a queue hand-over, an event or a barrier "
                    "must come in between",
                    access.api, Name(access.pipe), verb, Describe(access.span, block * kBlock).c_str(), done,
                    Name(other), clocks.Line(other, notes[block]));
    }

    /// A burst to GM that may not have ended.
    struct GmStore {
        const Region* region;
        uint64_t offset;
        uint64_t length;
        uint32_t number;
    };

    host_model::Ub& ub_;
    int first_queue_ = -1;
    std::deque<GmStore> stores_;
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
