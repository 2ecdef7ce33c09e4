// Waits: between pipes, within a pipe, over all cores.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "tensor.h"

namespace host_model {

/// The two pipes of an event.
constexpr Pipe EventPipe(AscendC::HardEvent event, bool source)
{
    using AscendC::HardEvent;
    switch (event) {
        case HardEvent::MTE2_V:
            return source ? Pipe::kMte2 : Pipe::kVector;
        case HardEvent::V_MTE2:
            return source ? Pipe::kVector : Pipe::kMte2;
        case HardEvent::MTE3_V:
            return source ? Pipe::kMte3 : Pipe::kVector;
        case HardEvent::V_MTE3:
            return source ? Pipe::kVector : Pipe::kMte3;
        case HardEvent::MTE2_MTE3:
            return source ? Pipe::kMte2 : Pipe::kMte3;
        case HardEvent::MTE3_MTE2:
            return source ? Pipe::kMte3 : Pipe::kMte2;
        case HardEvent::S_V:
            return source ? Pipe::kScalar : Pipe::kVector;
        case HardEvent::V_S:
            return source ? Pipe::kVector : Pipe::kScalar;
        case HardEvent::S_MTE2:
            return source ? Pipe::kScalar : Pipe::kMte2;
        case HardEvent::MTE2_S:
            return source ? Pipe::kMte2 : Pipe::kScalar;
        case HardEvent::S_MTE3:
            return source ? Pipe::kScalar : Pipe::kMte3;
        case HardEvent::MTE3_S:
            break;
    }
    return source ? Pipe::kMte3 : Pipe::kScalar;
}

/// Lets one block run at a time and brings all of them together at a SyncAll.
/// Blocks run in the order of their numbers, so every run gives the same report.
class Baton {
public:
    /// A block's turn has come.
    void Take(int block)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return turn_ == block; });
    }

    /// The running block waits at a SyncAll or has ended.
    void Give()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        turn_ = -1;
        changed_.notify_all();
    }

    /// Runs `block` up to its next stop.
    void Step(int block)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        turn_ = block;
        changed_.notify_all();
        changed_.wait(lock, [&] { return turn_ == -1; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int turn_ = -1;
};

/// The baton of this process.
inline Baton& TheBaton()
{
    static Baton baton;
    return baton;
}

/// All cores end all that they have begun.
inline void MeetAllCores()
{
    Core& core = CurrentCore();
    core.clocks.BarrierAll();
    core.sync_all += 1;
    const int block = RunningCore();
    TheBaton().Give();
    TheBaton().Take(block);
}

}  // namespace host_model

namespace AscendC {

/// The number of this block.
inline int64_t GetBlockIdx() { return host_model::RunningCore(); }

/// The number of blocks.
inline int64_t GetBlockNum() { return host_model::TheDevice().blocks; }

/// Raises a flag once the source pipe has ended what it has begun.
template <HardEvent event>
void SetFlag(int32_t id, host_model::Where where = host_model::Where::Here())
{
    host_model::Core& core = host_model::CurrentCore();
    if (id < 0 || id >= host_model::kEventIds) {
        host_model::Fail("event", where, "SetFlag: event id %d, allowed is 0..%d", id,
                                                            host_model::kEventIds - 1);
    }
    const std::pair<int, int> key(static_cast<int>(event), id);
    if (core.flags.count(key) != 0) {
        host_model::Fail("event", where,
                         "SetFlag of event id %d, set in line %d and not yet waited for", id,
                                            core.flags.at(key).second.line);
    }
    core.flags[key] = {core.clocks.Done(host_model::EventPipe(event, true)), where};
}

/// Holds the target pipe until the flag is up, and lowers it.
template <HardEvent event>
void WaitFlag(int32_t id, host_model::Where where = host_model::Where::Here())
{
    host_model::Core& core = host_model::CurrentCore();
    const auto flag = core.flags.find({static_cast<int>(event), id});
    if (flag == core.flags.end()) {
        host_model::Fail("event", where,
                         "WaitFlag of event id %d that nobody set: the core would wait for ever", id);
    }
    core.clocks.Wait(host_model::EventPipe(event, false), flag->second.first);
    core.flags.erase(flag);
}

/// Holds a pipe, or all, until what it has begun has ended.
template <pipe_t pipe>
void PipeBarrier()
{
    static_assert(pipe == PIPE_V || pipe == PIPE_MTE2 || pipe == PIPE_MTE3 || pipe == PIPE_ALL,
                  "an elementwise kernel holds V, MTE2, MTE3 or all pipes");
    host_model::Core& core = host_model::CurrentCore();
    host_model::Clocks& clocks = core.clocks;
    if constexpr (pipe == PIPE_ALL) {
        clocks.BarrierAll();
    } else if constexpr (pipe == PIPE_V) {
        core.CountBarrier();
        clocks.Barrier(host_model::Pipe::kVector);
    } else if constexpr (pipe == PIPE_MTE2) {
        clocks.Barrier(host_model::Pipe::kMte2);
    } else {
        clocks.Barrier(host_model::Pipe::kMte3);
    }
}

/// The events between two pipes.
template <pipe_t source, pipe_t target>
class TQueSync {
public:
    void SetFlag(TEventID id, host_model::Where where = host_model::Where::Here())
    {
        AscendC::SetFlag<Event()>(id, where);
    }
    void WaitFlag(TEventID id, host_model::Where where = host_model::Where::Here())
    {
        AscendC::WaitFlag<Event()>(id, where);
    }

private:
    static constexpr HardEvent Event()
    {
        for (int i = 0; i <= static_cast<int>(HardEvent::MTE3_S); ++i) {
            const HardEvent event = static_cast<HardEvent>(i);
            if (Pipe(host_model::EventPipe(event, true)) == source &&
                Pipe(host_model::EventPipe(event, false)) == target) {
                return event;
            }
        }
        return HardEvent::MTE2_V;
    }

    static constexpr pipe_t Pipe(host_model::Pipe pipe)
    {
        switch (pipe) {
            case host_model::Pipe::kVector:
                return PIPE_V;
            case host_model::Pipe::kMte2:
                return PIPE_MTE2;
            case host_model::Pipe::kMte3:
                return PIPE_MTE3;
            default:
                return PIPE_S;
        }
    }
};

/// Waits for all cores, by hardware.
template <bool isAIVOnly = true>
void SyncAll(host_model::Where where = host_model::Where::Here())
{
    if (!host_model::kHasHardSyncAll) {
        host_model::Fail("not-on-arch", where,
                         "SyncAll without workspaces does not exist on %d", host_model::kArch);
    }
    host_model::MeetAllCores();
}

/// Waits for all cores by flags in GM, which must be zero at first.
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
             const int32_t usedCores = 0, host_model::Where where = host_model::Where::Here())
{
    const int64_t need = GetBlockNum() * 32;
    const int64_t at = gmWorkspace.Locate(0, "SyncAll", where);
    const host_model::Region& region = *gmWorkspace.Region();
    region.CheckRange(at, static_cast<uint64_t>(need), "SyncAll use", where);
    if (static_cast<int64_t>(ubWorkspace.GetLength()) < need) {
        host_model::Fail("parameter", where,
                         "SyncAll: the UB workspace has %u bytes, %d cores need %lld",
                                            ubWorkspace.GetLength(), static_cast<int>(GetBlockNum()),
                                            static_cast<long long>(need));
    }
    if (usedCores != 0 && usedCores != GetBlockNum()) {
        host_model::Fail("parameter", where,
                         "SyncAll over %d of %d cores is not modelled", usedCores,
                                            static_cast<int>(GetBlockNum()));
    }
    for (int64_t i = at; i < at + need; ++i) {
        if (region.Base()[i] != 0) {
            host_model::Fail("parameter", where,
                             "SyncAll: byte %lld of workspace '%s' is not zero",
                                                static_cast<long long>(i), region.name.c_str());
        }
    }
    host_model::MeetAllCores();
}

}  // namespace AscendC
