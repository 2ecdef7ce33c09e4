// The pipe object: it gives out UB and event ids.
#pragma once

#include <cstdint>

#include "limited.h"
#include "queue.h"

namespace AscendC {

/// A plain buffer without any synchronisation of its own.
template <TPosition position = TPosition::VECCALC>
class TBuf {
public:
    TBuf() = default;
    TBuf(const TBuf&) = delete;
    TBuf& operator=(const TBuf&) = delete;

    /// The whole buffer.
    template <typename T>
    HOST_MODEL_ONCE LocalTensor<T> Get(host_model::Where where = host_model::Where::Here())
    {
        const host_model::Slot& slot = Ready(where);
        return LocalTensor<T>(host_model::Span{slot_, slot.generation, slot.address, slot.length}, position);
    }

    /// Its first `count` elements.
    template <typename T>
    LocalTensor<T> Get(uint32_t count, host_model::Where where = host_model::Where::Here())
    {
        return GetWithOffset<T>(count, 0, where);
    }

    /// `count` elements from byte `offset` on.
    template <typename T>
    HOST_MODEL_ONCE LocalTensor<T> GetWithOffset(uint32_t count, uint32_t offset,
                                 host_model::Where where = host_model::Where::Here())
    {
        const host_model::Slot& slot = Ready(where);
        const uint64_t bytes = static_cast<uint64_t>(count) * sizeof(T);
        if (offset + bytes > slot.length) {
            host_model::Fail("ub-bounds", where,
                             "Get of bytes [%u, %llu) of %s, which has %u bytes", offset,
                                                static_cast<unsigned long long>(offset + bytes), slot.name.c_str(),
                                                slot.length);
        }
        return LocalTensor<T>(
            host_model::Span{slot_, slot.generation, slot.address + offset, static_cast<uint32_t>(bytes)}, position);
    }

    uint32_t GetBufLen() const { return host_model::CurrentCore().slots[static_cast<size_t>(slot_)].length; }

    /// For the model's own use.
    void Bind(int slot) { slot_ = slot; }
    bool Bound() const { return slot_ >= 0; }

private:
    const host_model::Slot& Ready(host_model::Where where) const
    {
        if (slot_ < 0) {
            host_model::Fail("queue-protocol", where, "Get on a TBuf that InitBuffer has given no memory");
        }
        return host_model::CurrentCore().slots[static_cast<size_t>(slot_)];
    }

    int slot_ = -1;
};

/// Gives out UB from its start, in the order of the calls.
class TPipe {
public:
    TPipe() { Current() = this; }
    ~TPipe() { Current() = nullptr; }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;

    /// `count` buffers of `length` bytes, rounded up to 32, for a queue.
    template <TPosition src, TPosition dst, int32_t depth, auto mask>
    HOST_MODEL_ONCE bool InitBuffer(TQueBind<src, dst, depth, mask>& queue, host_model::Limited<uint8_t> count,
                    host_model::Limited<uint32_t> length, host_model::Where where = host_model::Where::Here())
    {
        host_model::Core& core = host_model::CurrentCore();
        constexpr TPosition position = TQueBind<src, dst, depth, mask>::Position();
        const char* at = position == TPosition::VECOUT ? "VECOUT" : position == TPosition::VECIN ? "VECIN" : "VECCALC";
        if (queue.Bound()) {
            host_model::Fail("queue-protocol", where, "InitBuffer of a queue a second time");
        }
        const int buffers = static_cast<int>(count.In(1, 255, "InitBuffer", "num", where));
        int& used = core.queue_buffers[static_cast<int>(position)];
        used += buffers;
        if (used > host_model::kEventIds) {
            host_model::Fail("buffer-count", where,
                             "InitBuffer: %d queue buffers in position %s, allowed are %d", used,
                                                at, host_model::kEventIds);
        }
        const int first = static_cast<int>(core.slots.size());
        const int number = core.queues++;
        for (int i = 0; i < buffers; ++i) {
            Add(host_model::Format("%s queue %d buffer %d", at, number, i), length, host_model::SlotState::kFree, where);
        }
        queue.Bind(number, first, buffers);
        return true;
    }

    /// `length` bytes, rounded up to 32, for a plain buffer.
    template <TPosition position>
    HOST_MODEL_ONCE bool InitBuffer(TBuf<position>& buffer, host_model::Limited<uint32_t> length,
                    host_model::Where where = host_model::Where::Here())
    {
        host_model::Core& core = host_model::CurrentCore();
        if (buffer.Bound()) {
            host_model::Fail("queue-protocol", where, "InitBuffer of a TBuf a second time");
        }
        const int slot = static_cast<int>(core.slots.size());
        Add(host_model::Format("TBuf %d", slot), length, host_model::SlotState::kOwned, where);
        buffer.Bind(slot);
        return true;
    }

    /// An event id that stays taken until ReleaseEventID.
    template <HardEvent event>
    TEventID AllocEventID(host_model::Where where = host_model::Where::Here())
    {
        uint32_t& taken = host_model::CurrentCore().event_ids[static_cast<int>(event)];
        for (int id = 0; id < host_model::kEventIds; ++id) {
            if (!(taken & (1u << id))) {
                taken |= 1u << id;
                return static_cast<TEventID>(id);
            }
        }
        host_model::Fail("event", where, "AllocEventID: all %d ids of the event are taken",
                                                            host_model::kEventIds);
    }

    template <HardEvent event>
    void ReleaseEventID(TEventID id)
    {
        host_model::CurrentCore().event_ids[static_cast<int>(event)] &= ~(1u << id);
    }

    /// An id that is free now.
    template <HardEvent event>
    TEventID FetchEventID(host_model::Where where = host_model::Where::Here())
    {
        return FetchEventID(event, where);
    }

    TEventID FetchEventID(HardEvent event, host_model::Where where = host_model::Where::Here())
    {
        const uint32_t taken = host_model::CurrentCore().event_ids[static_cast<int>(event)];
        for (int id = 0; id < host_model::kEventIds; ++id) {
            if (!(taken & (1u << id))) {
                return static_cast<TEventID>(id);
            }
        }
        host_model::Fail("event", where, "FetchEventID: no id of the event is free");
    }

    /// The pipe alive now, or null.
    static TPipe*& Current()
    {
        static thread_local TPipe* pipe = nullptr;
        return pipe;
    }

private:
    HOST_MODEL_ONCE static void Add(const std::string& name, const host_model::Limited<uint32_t>& length, host_model::SlotState state,
                    host_model::Where where)
    {
        host_model::Core& core = host_model::CurrentCore();
        const int64_t bytes = (length.In(1, INT32_MAX, "InitBuffer", "len", where) + 31) / 32 * 32;
        if (static_cast<int>(core.slots.size()) + 1 > host_model::kMaxBuffers) {
            host_model::Fail("buffer-count", where,
                             "InitBuffer: more than %d buffers in all", host_model::kMaxBuffers);
        }
        host_model::Slot slot;
        slot.name = name;
        slot.address = core.ub_used;
        slot.length = static_cast<uint32_t>(bytes);
        slot.state = state;
        if (bytes + core.ub_used > host_model::TheDevice().ub_bytes) {
            host_model::Fail("ub-capacity", where,
                             "InitBuffer of %lld bytes after %u bytes given out, UB has %u",
                                                static_cast<long long>(bytes), core.ub_used,
                                                host_model::TheDevice().ub_bytes);
        }
        core.ub_used += slot.length;
        core.slots.push_back(slot);
        core.CheckCapacity(where);
    }
};

/// The pipe alive now.
inline TPipe* GetTPipePtr() { return TPipe::Current(); }

}  // namespace AscendC
