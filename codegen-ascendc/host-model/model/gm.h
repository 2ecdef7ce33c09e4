// Global memory: one region per kernel argument, with a note of who wrote which byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "arch.h"
#include "counters.h"
#include "report.h"

namespace host_model {

/// What a kernel may do with an argument.
enum class Role {
    /// Read only.
    kInput,
    /// Every byte written once.
    kOutput,
    /// An output that lies on an input: a byte is read before it is written.
    kInOut,
    /// Zeroed, then read and written at will.
    kWorkspace,
    /// A workspace that nobody zeroed: a byte is written before it is read.
    kScratch,
    /// The bytes of the tiling struct.
    kTiling,
};

/// One argument's memory.
class Region {
public:
    Region(std::string name, Role role, uint64_t size) : name(std::move(name)), role(role), size(size)
    {
        // Guards on both sides keep a pointer that ran off its buffer recognisable.
        const uint64_t total = (size + 2 * kGuard + 511) / 512 * 512;
        memory_.reset(static_cast<uint8_t*>(std::aligned_alloc(512, total)));
        std::memset(memory_.get(), role == Role::kWorkspace ? 0 : 0xa5, total);
        if (role != Role::kInput && role != Role::kTiling) {
            marks_.assign(size, 0);
        }
    }

    uint8_t* Base() const { return memory_.get() + kGuard; }

    /// Whether `address` was made from this argument's pointer.
    bool Near(const void* address) const
    {
        const uint8_t* byte = static_cast<const uint8_t*>(address);
        return byte >= memory_.get() && byte < Base() + size + kGuard;
    }

    /// Offset of an address that is near; negative before the buffer.
    int64_t Offset(const void* address) const { return static_cast<const uint8_t*>(address) - Base(); }

    /// Stops unless `length` bytes at `offset` exist.
    void CheckRange(int64_t offset, uint64_t length, const char* verb, Where where) const
    {
        if (offset < 0 || static_cast<uint64_t>(offset) + length > size) {
            Fail("gm-bounds", where,
                 "%s of bytes [%lld, %lld) of '%s', which has %llu bytes", verb,
                        static_cast<long long>(offset), static_cast<long long>(offset) + static_cast<long long>(length),
                        name.c_str(), static_cast<unsigned long long>(size));
        }
    }

    /// Notes a read by `core` after `epoch` barriers over all cores.
    HOST_MODEL_ONCE void Read(int64_t offset, uint64_t length, int core, uint32_t epoch, Where where) const
    {
        CheckRange(offset, length, "read", where);
        if (marks_.empty()) {
            return;
        }
        for (uint64_t i = static_cast<uint64_t>(offset); i < static_cast<uint64_t>(offset) + length; ++i) {
            const uint16_t mark = marks_[i];
            if (mark == 0 && (role == Role::kOutput || role == Role::kScratch)) {
                Fail("gm-uninitialised", where,
                     "read of byte %llu of %s '%s', which nobody wrote",
                            static_cast<unsigned long long>(i), role == Role::kOutput ? "output" : "workspace",
                            name.c_str());
            }
            if (mark != 0 && role == Role::kInOut) {
                Fail("gm-in-place", where,
                     "read of byte %llu of '%s' after core %d wrote the result over it",
                            static_cast<unsigned long long>(i), name.c_str(), Writer(mark));
            }
            if (mark != 0 && Writer(mark) != core && Epoch(mark) == Cap(epoch)) {
                Fail("gm-race", where,
                     "read of byte %llu of '%s', written by core %d without a SyncAll in between",
                            static_cast<unsigned long long>(i), name.c_str(), Writer(mark));
            }
        }
    }

    /// Whether nobody wrote any of these bytes: the usual case, without a look at each.
    bool Fresh(uint64_t offset, uint64_t length) const
    {
        uint16_t any = 0;
        for (uint64_t i = offset; i < std::min<uint64_t>(offset + length, marks_.size()); ++i) {
            any |= marks_[i];
        }
        return any == 0;
    }

    /// Notes a write; `add` is an atomic addition. Where copies take whole blocks only, the last
    /// block of a row may cover what its core has written already, with the same `bytes`.
    HOST_MODEL_ONCE void Write(int64_t offset, uint64_t length, int core, uint32_t epoch, bool add, Where where,
               const uint8_t* bytes = nullptr)
    {
        CheckRange(offset, length, "write", where);
        if (role == Role::kInput || role == Role::kTiling) {
            Fail("gm-role", where, "write to '%s', which is read only", name.c_str());
        }
        const uint16_t own = static_cast<uint16_t>((Cap(epoch) << 10) | static_cast<uint32_t>(core + 1));
        if (!add && lines_.empty() && Fresh(static_cast<uint64_t>(offset), length)) {
            std::fill_n(marks_.begin() + offset, length, own);
            return;
        }
        for (uint64_t i = static_cast<uint64_t>(offset); i < static_cast<uint64_t>(offset) + length; ++i) {
            const uint16_t mark = marks_[i];
            const bool race = mark != 0 && Writer(mark) != core && Epoch(mark) == Cap(epoch);
            if (add) {
                if (race || (mark == 0 && role != Role::kWorkspace)) {
                    const std::string zero = mark == 0 ? "which nobody set to zero"
                                                       : Format("set by core %d without a SyncAll in between", Writer(mark));
                    Fail("gm-atomic", where, "atomic add to byte %llu of '%s', %s", static_cast<unsigned long long>(i),
                         name.c_str(), zero.c_str());
                }
                continue;
            }
            const bool repeats = !kHasCopyPad && mark == own && length == kBlock && bytes != nullptr &&
                                 bytes[i - static_cast<uint64_t>(offset)] == Base()[i];
            if (role == Role::kWorkspace || role == Role::kScratch ? race : mark != 0 && !repeats) {
                Fail("gm-written-twice", where,
                     "byte %llu of '%s' was already written by core %d",
                            static_cast<unsigned long long>(i), name.c_str(), Writer(mark));
            }
            CheckLine(i, core, where);
            marks_[i] = own;
        }
    }

    /// Notes that scalar code of `core` wrote to an output. Its data cache holds whole lines, and may
    /// write them over what other cores write next to it.
    void Cache(int64_t offset, int core, Where where)
    {
        if (role != Role::kOutput && role != Role::kInOut) {
            return;
        }
        const uint64_t line = static_cast<uint64_t>(offset) / kLine;
        lines_.resize(size / kLine + 1, 0);
        lines_[line] = static_cast<uint16_t>(core + 1);
        for (uint64_t i = line * kLine; i < std::min((line + 1) * kLine, size); ++i) {
            if (marks_[i] != 0) {
                CheckLine(i, Writer(marks_[i]), where);
            }
        }
    }

    /// Stops if a byte of an output was left out.
    void CheckComplete() const
    {
        if (role != Role::kOutput && role != Role::kInOut) {
            return;
        }
        for (uint64_t i = 0; i < size; ++i) {
            if (marks_[i] == 0) {
                uint64_t end = i;
                while (end < size && marks_[end] == 0) {
                    ++end;
                }
                Fail("gm-unwritten", kEndOfRun,
                     "bytes [%llu, %llu) of output '%s' (%llu bytes) were never written",
                            static_cast<unsigned long long>(i), static_cast<unsigned long long>(end),
                            name.c_str(), static_cast<unsigned long long>(size));
            }
        }
    }

    const std::string name;
    const Role role;
    const uint64_t size;
    Traffic reads;
    Traffic writes;

private:
    static constexpr uint64_t kGuard = 64 * 1024;
    static constexpr uint64_t kLine = 64;

    struct Free {
        void operator()(uint8_t* memory) const { std::free(memory); }
    };

    // Stops if `core` writes to a line that the data cache of another core holds.
    void CheckLine(uint64_t byte, int core, Where where) const
    {
        const uint64_t line = byte / kLine;
        if (line < lines_.size() && lines_[line] != 0 && lines_[line] != core + 1) {
            Fail("gm-cache-line", where,
                 "cores %d and %d write to bytes [%llu, %llu) of '%s', a line of a data cache", core,
                        lines_[line] - 1, static_cast<unsigned long long>(line * kLine),
                        static_cast<unsigned long long>((line + 1) * kLine), name.c_str());
        }
    }

    // A mark holds the writer plus one and the number of barriers before the write.
    static int Writer(uint16_t mark) { return (mark & 0x3ff) - 1; }
    static uint32_t Epoch(uint16_t mark) { return mark >> 10; }
    static uint32_t Cap(uint32_t epoch) { return epoch < 63 ? epoch : 63; }

    std::unique_ptr<uint8_t, Free> memory_;
    std::vector<uint16_t> marks_;
    std::vector<uint16_t> lines_;  // per line, the core whose data cache holds it, plus one
};

}  // namespace host_model
