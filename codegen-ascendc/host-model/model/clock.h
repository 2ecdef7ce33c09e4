// Which instruction is known to have ended before which.
//
// The pipes of a core run side by side. An instruction is named by its pipe and
// its number there; every pipe carries, for each pipe, the highest number it has
// waited for. Events, queues and barriers only merge these vectors, so a wait
// that was reached through a third pipe counts as well.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace host_model {

/// The pipes an elementwise kernel uses.
enum class Pipe : uint8_t { kScalar, kVector, kMte2, kMte3 };
constexpr int kPipes = 4;

/// The name of a pipe in messages.
inline const char* Name(Pipe pipe)
{
    constexpr const char* names[kPipes] = {"S", "V", "MTE2", "MTE3"};
    return names[static_cast<int>(pipe)];
}

/// For every pipe the last instruction that has ended.
using Stamp = std::array<uint32_t, kPipes>;

/// The clocks of one core.
class Clocks {
public:
    /// Numbers the next instruction of `pipe`, which a line of the kernel asked for.
    uint32_t Issue(Pipe pipe, int line)
    {
        lines_[Index(pipe)].push_back(line);
        return ++issued_[Index(pipe)];
    }

    /// The line that asked for an instruction.
    int Line(Pipe pipe, uint32_t number) const { return lines_[Index(pipe)][number - 1]; }

    /// What has ended once all instructions issued to `pipe` so far have.
    Stamp Done(Pipe pipe) const
    {
        Stamp stamp = known_[Index(pipe)];
        stamp[Index(pipe)] = issued_[Index(pipe)];
        return stamp;
    }

    /// Later instructions of `pipe` start after `stamp`.
    void Wait(Pipe pipe, const Stamp& stamp)
    {
        if (pipe == Pipe::kScalar) {
            // The scalar unit issues for all pipes: what it waits for, all wait for.
            for (Stamp& known : known_) {
                Merge(known, stamp);
            }
        } else {
            Merge(known_[Index(pipe)], stamp);
        }
    }

    /// Later instructions of `pipe` start after all earlier ones of it.
    void Barrier(Pipe pipe) { Wait(pipe, Done(pipe)); }

    /// Everything later starts after everything earlier.
    void BarrierAll()
    {
        for (Stamp& known : known_) {
            known = issued_;
        }
    }

    /// The last instruction of `other` that ends before the next one of `pipe` starts.
    uint32_t Known(Pipe pipe, Pipe other) const { return known_[Index(pipe)][Index(other)]; }

private:
    static size_t Index(Pipe pipe) { return static_cast<size_t>(pipe); }

    static void Merge(Stamp& into, const Stamp& from)
    {
        for (size_t i = 0; i < into.size(); ++i) {
            into[i] = std::max(into[i], from[i]);
        }
    }

    Stamp issued_{};
    std::array<Stamp, kPipes> known_{};
    std::array<std::vector<int>, kPipes> lines_;
};

}  // namespace host_model
