// What a kernel did, for the cost model.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>

#include "report.h"

namespace host_model {

/// Classes of calls on registers. A step of a loop, which has its mask, and a constant are no work
/// on elements.
enum class RegisterCall { kLoad, kStore, kCast, kLinear, kSlow, kStep, kConstant };
constexpr size_t kRegisterCalls = 7;

/// Vector work: of a tile, of a core or of a kernel.
struct VectorWork {
    /// API calls by name.
    std::map<std::string, uint64_t> calls;
    /// Calls, where one at half rate counts two.
    uint64_t passes = 0;
    /// 256-byte repeats, where one at half rate counts two.
    uint64_t repeats = 0;
    /// The same by call and bytes of its wider element: `Mul/4`.
    std::map<std::string, uint64_t> repeats_of;
    /// Of the calls, those that change the type.
    uint64_t casts = 0;
    /// Barriers of the vector pipe.
    uint64_t barriers = 0;
    /// Calls on registers, by class.
    std::array<uint64_t, kRegisterCalls> registers{};

    void Add(const VectorWork& other)
    {
        for (const auto& entry : other.calls) {
            calls[entry.first] += entry.second;
        }
        for (const auto& entry : other.repeats_of) {
            repeats_of[entry.first] += entry.second;
        }
        passes += other.passes;
        repeats += other.repeats;
        casts += other.casts;
        barriers += other.barriers;
        for (size_t i = 0; i < kRegisterCalls; ++i) {
            registers[i] += other.registers[i];
        }
    }

    /// What tells the largest tile from others.
    uint64_t Weight() const { return std::accumulate(registers.begin(), registers.end(), repeats); }

    uint64_t TotalCalls() const
    {
        uint64_t total = 0;
        for (const auto& entry : calls) {
            total += entry.second;
        }
        return total;
    }

    /// The members of a JSON object, without its braces.
    std::string Json() const
    {
        return "\"calls\":" + Json(calls) + ",\"vector_calls\":" + std::to_string(TotalCalls()) +
               ",\"passes\":" + std::to_string(passes) + ",\"repeats\":" + std::to_string(repeats) +
               ",\"casts\":" + std::to_string(casts) + ",\"repeats_of\":" + Json(repeats_of) + ",\"barriers\":" +
               std::to_string(barriers) + Registers();
    }

    /// Counts by name as a JSON object.
    static std::string Json(const std::map<std::string, uint64_t>& counts)
    {
        std::string members;
        for (const auto& entry : counts) {
            members += (members.empty() ? "" : ",") + JsonString(entry.first) + ":" + std::to_string(entry.second);
        }
        return "{" + members + "}";
    }

    /// The member for registers, with a comma before it, if there are any.
    std::string Registers() const
    {
        constexpr const char* names[kRegisterCalls] = {"loads", "stores", "casts", "linear", "slow", "steps", "constants"};
        std::string text;
        for (size_t i = 0; i < kRegisterCalls; ++i) {
            text += (i == 0 ? "" : ",") + JsonString(names[i]) + ":" + std::to_string(registers[i]);
        }
        return Weight() == repeats ? "" : ",\"registers\":{" + text + "}";
    }
};

/// Traffic in one direction of one GM buffer.
struct Traffic {
    uint64_t copies = 0;
    uint64_t bursts = 0;
    uint64_t bytes = 0;
    /// 32-byte sectors touched, counted for every burst by itself.
    uint64_t sectors = 0;

    void Burst(uint64_t offset, uint64_t length)
    {
        if (length == 0) {
            return;
        }
        bursts += 1;
        bytes += length;
        sectors += (offset + length - 1) / 32 - offset / 32 + 1;
    }

    void Add(const Traffic& other)
    {
        copies += other.copies;
        bursts += other.bursts;
        bytes += other.bytes;
        sectors += other.sectors;
    }

    std::string Json() const
    {
        return "{\"copies\":" + std::to_string(copies) + ",\"bursts\":" + std::to_string(bursts) +
               ",\"bytes\":" + std::to_string(bytes) +
               ",\"sector_bytes\":" + std::to_string(sectors * 32) + "}";
    }
};

}  // namespace host_model
