// Queues: buffers that pass from one pipe to the next, with the wait built in.
#pragma once

#include <cstdint>
#include <deque>

#include "tensor.h"

namespace AscendC {

/// A queue from the pipe that fills position `src` to the one that empties `dst`.
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
    static_assert(depth >= 0, "a queue has no negative depth");

public:
    TQueBind() = default;
    TQueBind(const TQueBind&) = delete;
    TQueBind& operator=(const TQueBind&) = delete;

    /// A free buffer; the pipe that fills it waits for its last user.
    template <typename T>
    HOST_MODEL_ONCE LocalTensor<T> AllocTensor(host_model::Where where = host_model::Where::Here())
    {
        host_model::Core& core = Ready("AllocTensor", where);
        for (int i = first_; i < first_ + count_; ++i) {
            host_model::Slot& slot = core.slots[static_cast<size_t>(i)];
            if (slot.state != host_model::SlotState::kFree) {
                continue;
            }
            slot.state = host_model::SlotState::kAllocated;
            slot.generation += 1;
            slot.allocated = where;
            core.clocks.Wait(Producer(), slot.ready);
            core.Forget(slot.address, slot.length);
            core.Allocated(queue_);
            return Tensor<T>(i);
        }
        host_model::Fail("queue-protocol", where,
                         "AllocTensor: none of the %d buffers of %s is free, the core would wait "
                                            "for ever",
                                            count_, Name().c_str());
    }

    template <typename T>
    void AllocTensor(LocalTensor<T>& tensor, host_model::Where where = host_model::Where::Here())
    {
        tensor = AllocTensor<T>(where);
    }

    /// Hands a filled buffer over.
    template <typename T>
    HOST_MODEL_ONCE bool EnQue(const LocalTensor<T>& tensor, host_model::Where where = host_model::Where::Here())
    {
        host_model::Core& core = Ready("EnQue", where);
        const int i = Own(tensor.Span(), "EnQue", where);
        host_model::Slot& slot = core.slots[static_cast<size_t>(i)];
        if (slot.state != host_model::SlotState::kAllocated) {
            host_model::Fail("queue-protocol", where,
                             "EnQue of %s, which is %s", slot.name.c_str(), Text(slot.state));
        }
        if (queued_.size() >= static_cast<size_t>(depth == 0 ? 1 : depth)) {
            host_model::Fail("queue-protocol", where,
                             "EnQue: %s already holds %d tensors, its depth", Name().c_str(),
                                                static_cast<int>(queued_.size()));
        }
        slot.state = host_model::SlotState::kQueued;
        slot.ready = core.clocks.Done(Producer());
        queued_.push_back(i);
        return true;
    }

    /// The oldest filled buffer; the pipe that empties it waits for the one that filled it.
    template <typename T>
    HOST_MODEL_ONCE LocalTensor<T> DeQue(host_model::Where where = host_model::Where::Here())
    {
        host_model::Core& core = Ready("DeQue", where);
        if (queued_.empty()) {
            host_model::Fail("queue-protocol", where, "DeQue: %s is empty", Name().c_str());
        }
        const int i = queued_.front();
        queued_.pop_front();
        host_model::Slot& slot = core.slots[static_cast<size_t>(i)];
        slot.state = host_model::SlotState::kDequeued;
        core.clocks.Wait(Consumer(), slot.ready);
        return Tensor<T>(i);
    }

    template <typename T>
    void DeQue(LocalTensor<T>& tensor, host_model::Where where = host_model::Where::Here())
    {
        tensor = DeQue<T>(where);
    }

    /// Gives a buffer back.
    template <typename T>
    HOST_MODEL_ONCE void FreeTensor(LocalTensor<T>& tensor, host_model::Where where = host_model::Where::Here())
    {
        host_model::Core& core = Ready("FreeTensor", where);
        const int i = Own(tensor.Span(), "FreeTensor", where);
        host_model::Slot& slot = core.slots[static_cast<size_t>(i)];
        if (slot.state == host_model::SlotState::kFree || slot.generation != tensor.Span().generation) {
            host_model::Fail("queue-protocol", where,
                             "FreeTensor of %s a second time", slot.name.c_str());
        }
        if (slot.state == host_model::SlotState::kQueued) {
            host_model::Fail("queue-protocol", where,
                             "FreeTensor of %s while it is queued", slot.name.c_str());
        }
        // A tensor that never went through the queue was only seen by its producer.
        const host_model::Pipe last = slot.state == host_model::SlotState::kDequeued ? Consumer() : Producer();
        slot.state = host_model::SlotState::kFree;
        slot.ready = core.clocks.Done(last);
    }

    bool HasTensorInQue() const { return !queued_.empty(); }
    int32_t GetTensorCountInQue() const { return static_cast<int32_t>(queued_.size()); }
    bool VacantInQue() const { return queued_.size() < static_cast<size_t>(depth == 0 ? 1 : depth); }
    bool HasIdleBuffer() const
    {
        for (int i = first_; i < first_ + count_; ++i) {
            if (host_model::CurrentCore().slots[static_cast<size_t>(i)].state == host_model::SlotState::kFree) {
                return true;
            }
        }
        return false;
    }

    /// For the model's own use: `count` buffers from slot `first` on are this queue's.
    void Bind(int queue, int first, int count)
    {
        queue_ = queue;
        first_ = first;
        count_ = count;
    }

    /// For the model's own use.
    bool Bound() const { return first_ >= 0; }

    /// For the model's own use: the position whose event ids the queue takes.
    static constexpr TPosition Position() { return src == TPosition::GM ? dst : src; }

private:
    /// Vector code fills what goes out, the inbound copy all else.
    static constexpr host_model::Pipe Producer()
    {
        return src == TPosition::VECOUT || src == TPosition::VECCALC ? host_model::Pipe::kVector
                                                                     : host_model::Pipe::kMte2;
    }

    static constexpr host_model::Pipe Consumer()
    {
        return dst == TPosition::GM || dst == TPosition::VECOUT ? host_model::Pipe::kMte3 : host_model::Pipe::kVector;
    }

    static const char* Text(host_model::SlotState state)
    {
        switch (state) {
            case host_model::SlotState::kFree:
                return "free";
            case host_model::SlotState::kQueued:
                return "queued already";
            case host_model::SlotState::kDequeued:
                return "dequeued and not allocated again";
            default:
                return "held";
        }
    }

    std::string Name() const
    {
        const std::string& buffer = host_model::CurrentCore().slots[static_cast<size_t>(first_)].name;
        return buffer.substr(0, buffer.find(" buffer"));
    }

    host_model::Core& Ready(const char* api, host_model::Where where) const
    {
        if (first_ < 0) {
            host_model::Fail("queue-protocol", where,
                             "%s on a queue that InitBuffer has given no buffers", api);
        }
        return host_model::CurrentCore();
    }

    /// The slot of a tensor of this queue.
    int Own(const host_model::Span& span, const char* api, host_model::Where where) const
    {
        const bool ours = span.slot >= first_ && span.slot < first_ + count_;
        if (!ours || span.address != host_model::CurrentCore().slots[static_cast<size_t>(span.slot)].address) {
            host_model::Fail("queue-protocol", where,
                             "%s of a tensor that was not allocated from %s", api, Name().c_str());
        }
        return span.slot;
    }

    template <typename T>
    LocalTensor<T> Tensor(int index) const
    {
        const host_model::Slot& slot = host_model::CurrentCore().slots[static_cast<size_t>(index)];
        return LocalTensor<T>(host_model::Span{index, slot.generation, slot.address, slot.length}, Position());
    }

    int queue_ = -1;
    int first_ = -1;
    int count_ = 0;
    std::deque<int> queued_;
};

/// The two ends of a queue by its position.
constexpr TPosition QueueEnd(TPosition position, bool source)
{
    if (position == TPosition::VECOUT) {
        return source ? TPosition::VECOUT : TPosition::GM;
    }
    return source ? TPosition::GM : position;
}

/// A queue for data coming in (VECIN) or going out (VECOUT).
template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<QueueEnd(position, true), QueueEnd(position, false), depth, mask> {};

}  // namespace AscendC
