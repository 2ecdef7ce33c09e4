// Runs a kernel over all its blocks and reports what it did.
//
// A program is the kernel's source, this file and one line:
//
//     HOST_MODEL_MAIN({"name", host_model::Bind(kernel)})
//
// Its command line names the kernel's arguments in their order:
//
//     --in NAME=FILE         read only
//     --out NAME=FILE:BYTES  written to FILE at the end
//     --inout NAME=IN:OUT    an output that lies on an input
//     --absent NAME          a null pointer
//     --workspace BYTES      zeroed
//     --scratch BYTES        a workspace that nobody zeroed
//     --tiling FILE          the bytes of the tiling struct
//
// and the device: --blocks N, --ub BYTES, --key N, --auto-sync, --saturate, --flush, --noise SEED,
// --kernel NAME (the first by default). The report is one JSON object per line on stdout, with a
// "record" of kernel, buffer, core, tile or finding. The exit code is 1 after a
// finding and 2 for a command line that makes no sense.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kernel_operator.h"

namespace host_model {

/// A kernel of any number of GM arguments.
struct Kernel {
    size_t arguments;
    std::function<void(const std::vector<uint8_t*>&)> call;
};

template <typename... A, size_t... I>
Kernel BindAt(void (*kernel)(A...), std::index_sequence<I...>)
{
    static_assert((std::is_same_v<A, GM_ADDR> && ...), "a kernel takes GM addresses");
    return Kernel{sizeof...(A), [kernel](const std::vector<uint8_t*>& args) { kernel(args[I]...); }};
}

/// Makes a kernel function known to the runner.
template <typename... A>
Kernel Bind(void (*kernel)(A...))
{
    return BindAt(kernel, std::index_sequence_for<A...>());
}

/// A kernel and its name.
struct Named {
    const char* name;
    Kernel kernel;
};

[[noreturn]] inline void Usage(const std::string& what)
{
    std::fprintf(stderr, "host model: %s\n", what.c_str());
    std::exit(2);
}

/// What the command line asks for.
struct Request {
    std::string kernel;
    std::vector<uint8_t*> arguments;
    /// Outputs and the files they go to.
    std::vector<std::pair<const Region*, std::string>> outputs;
};

/// A file that is read.
class Source {
public:
    explicit Source(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb"))
    {
        if (file_ == nullptr || std::fseek(file_, 0, SEEK_END) != 0 || (size_ = std::ftell(file_)) < 0) {
            Usage("cannot read " + path);
        }
        std::rewind(file_);
    }
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    ~Source() { std::fclose(file_); }

    uint64_t Size() const { return static_cast<uint64_t>(size_); }

    /// All of it.
    void Read(uint8_t* to)
    {
        if (std::fread(to, 1, Size(), file_) != Size()) {
            Usage("cannot read " + path_);
        }
    }

private:
    std::string path_;
    std::FILE* file_;
    long size_ = 0;
};

/// `text` cut at `mark`, from the right; both parts must be there.
inline std::pair<std::string, std::string> Cut(const std::string& text, char mark, bool right)
{
    const std::string::size_type at = right ? text.rfind(mark) : text.find(mark);
    if (at == std::string::npos) {
        Usage("'" + text + "' lacks a '" + mark + "'");
    }
    return {text.substr(0, at), text.substr(at + 1)};
}

inline uint64_t Number(const std::string& text)
{
    char* end = nullptr;
    const uint64_t value = std::strtoull(text.c_str(), &end, 0);
    if (text.empty() || *end != '\0') {
        Usage("'" + text + "' is no number");
    }
    return value;
}

/// Adds an argument.
inline Region& AddRegion(Request& request, const std::string& name, Role role, uint64_t size)
{
    TheDevice().regions.push_back(std::make_unique<Region>(name, role, size));
    Region& region = *TheDevice().regions.back();
    request.arguments.push_back(region.Base());
    return region;
}

/// Adds an argument with the content of a file.
inline Region& AddRegion(Request& request, const std::string& name, Role role, const std::string& path)
{
    Source source(path);
    Region& region = AddRegion(request, name, role, source.Size());
    source.Read(region.Base());
    return region;
}

inline Request Parse(int argc, char** argv)
{
    Request request;
    Device& device = TheDevice();
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--auto-sync") {
            device.needs_barriers = false;
            continue;
        }
        if (option == "--saturate") {
            if (!kHasSaturation) {
                Usage(Format("bit 48 of CTRL does not exist on %d", kArch));
            }
            Saturates() = true;
            continue;
        }
        if (option == "--flush") {
            device.flush = true;
            continue;
        }
        if (i + 1 == argc) {
            Usage(option + " lacks its value or is unknown");
        }
        const std::string value = argv[++i];
        if (option == "--in") {
            const auto parts = Cut(value, '=', false);
            AddRegion(request, parts.first, Role::kInput, parts.second);
        } else if (option == "--out") {
            const auto parts = Cut(value, '=', false);
            const auto file = Cut(parts.second, ':', true);
            request.outputs.emplace_back(&AddRegion(request, parts.first, Role::kOutput, Number(file.second)), file.first);
        } else if (option == "--inout") {
            const auto parts = Cut(value, '=', false);
            const auto files = Cut(parts.second, ':', true);
            request.outputs.emplace_back(&AddRegion(request, parts.first, Role::kInOut, files.first), files.second);
        } else if (option == "--absent") {
            request.arguments.push_back(nullptr);
        } else if (option == "--workspace") {
            AddRegion(request, "workspace", Role::kWorkspace, Number(value));
        } else if (option == "--scratch") {
            AddRegion(request, "workspace", Role::kScratch, Number(value));
        } else if (option == "--tiling") {
            AddRegion(request, "tiling", Role::kTiling, value);
        } else if (option == "--blocks") {
            device.blocks = static_cast<int>(Number(value));
        } else if (option == "--ub") {
            device.ub_bytes = static_cast<uint32_t>(Number(value));
        } else if (option == "--key") {
            device.tiling_key = Number(value);
        } else if (option == "--noise") {
            device.noise = static_cast<uint32_t>(Number(value));
        } else if (option == "--kernel") {
            request.kernel = value;
        } else {
            Usage("unknown option " + option);
        }
    }
    if (device.ub_bytes == 0 || device.ub_bytes > (1u << 24)) {
        Usage("--ub BYTES is needed");
    }
    // Marks of GM bytes have room for this many cores.
    if (device.blocks < 1 || device.blocks > 1000) {
        Usage("--blocks takes 1 to 1000");
    }
    return request;
}

/// Checks that nothing is left open at the end of a block.
inline void CheckEnd(const Core& core)
{
    for (const Slot& slot : core.slots) {
        if (slot.state != SlotState::kFree && slot.state != SlotState::kOwned) {
            Fail("queue-protocol", slot.allocated,
                 "%s was allocated and not freed by the end of the kernel", slot.name.c_str());
        }
    }
    for (const auto& flag : core.flags) {
        Fail("event", flag.second.second, "event id %d was set and never waited for", flag.first.second);
    }
    if (core.atomic_add) {
        Fail("parameter", kEndOfRun, "SetAtomicAdd is still on at the end of the kernel");
    }
}

/// What is kept of a core after its block.
struct Summary {
    VectorWork setup, total, largest;
    uint64_t tiles, gm_bytes, sync_all, ub_scalar_stores, gm_scalar_stores;
    uint32_t ub_used, reserved;
};

/// The blocks of a run. A thread runs them in order; one that waits at a SyncAll keeps its thread, and
/// the next block gets another.
class Blocks {
public:
    Blocks(const Kernel& kernel, const std::vector<uint8_t*>& arguments)
        : kernel_(kernel), arguments_(arguments), count_(TheDevice().blocks), ended_(static_cast<size_t>(count_), false),
          summaries_(static_cast<size_t>(count_))
    {}

    /// Runs all, one at a time, from SyncAll to SyncAll.
    std::vector<Summary> Run()
    {
        std::vector<std::thread> threads;
        while (next_ < count_) {
            const int first = next_;
            threads.emplace_back([this, first] { RunFrom(first); });
            TheBaton().Step(first);
        }
        while (AnyWaits()) {
            TheDevice().epoch += 1;
            for (int block = 0; block < count_; ++block) {
                TheBaton().Step(block);
            }
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        return summaries_;
    }

private:
    void RunFrom(int first)
    {
        TheBaton().Take(first);
        Ub ub(TheDevice().ub_bytes);
        while (!RunOne(ub) && next_ < count_) {
        }
        TheBaton().Give();
    }

    /// Runs the next block; whether it waited on its way.
    bool RunOne(Ub& ub)
    {
        const int block = next_++;
        RunningCore() = block;
        Core core(ub);
        CurrentCorePointer() = &core;
        kernel_.call(arguments_);
        core.EndTile();
        CheckEnd(core);
        const size_t at = static_cast<size_t>(block);
        ended_[at] = true;
        summaries_[at] = Summary{core.setup,    core.total,    core.largest,          core.tiles,
                                 core.gm_bytes, core.sync_all, core.ub_scalar_stores, core.gm_scalar_stores,
                                 core.ub_used,  core.reserved};
        ub.Clear(core.ub_used);
        return core.sync_all != 0;
    }

    /// Whether all blocks wait; stops if only some do.
    bool AnyWaits() const
    {
        int waiting = -1;
        int gone = -1;
        for (int block = 0; block < count_; ++block) {
            (ended_[static_cast<size_t>(block)] ? gone : waiting) = block;
        }
        if (waiting >= 0 && gone >= 0) {
            Fail("sync-all", kEndOfRun,
                 "block %d waits at a SyncAll that block %d never reached", waiting, gone);
        }
        return waiting >= 0;
    }

    const Kernel& kernel_;
    const std::vector<uint8_t*>& arguments_;
    const int count_;
    int next_ = 0;
    std::vector<bool> ended_;
    std::vector<Summary> summaries_;
};

/// Prints the report.
inline void Report(const std::string& name, const std::vector<Summary>& cores)
{
    VectorWork setup, total, largest;
    uint64_t tiles = 0;
    uint64_t sync_all = 0;
    uint64_t ub_scalar_stores = 0;
    uint64_t gm_scalar_stores = 0;
    uint32_t ub_used = 0;
    uint32_t reserved = 0;
    for (const Summary& core : cores) {
        setup.Add(core.setup);
        total.Add(core.total);
        if (core.largest.Weight() > largest.Weight()) {
            largest = core.largest;
        }
        tiles += core.tiles;
        ub_scalar_stores += core.ub_scalar_stores;
        gm_scalar_stores += core.gm_scalar_stores;
        sync_all = std::max(sync_all, core.sync_all);
        ub_used = std::max(ub_used, core.ub_used);
        reserved = std::max(reserved, core.reserved);
    }
    Traffic reads, writes;
    for (const auto& region : TheDevice().regions) {
        reads.Add(region->reads);
        writes.Add(region->writes);
        std::printf("{\"record\":\"buffer\",\"name\":%s,\"bytes\":%llu,\"read\":%s,\"write\":%s}\n",
                    JsonString(region->name).c_str(), static_cast<unsigned long long>(region->size),
                    region->reads.Json().c_str(), region->writes.Json().c_str());
    }
    for (size_t i = 0; i < cores.size(); ++i) {
        VectorWork all = cores[i].setup;
        all.Add(cores[i].total);
        std::printf("{\"record\":\"core\",\"core\":%zu,\"tiles\":%llu,\"repeats\":%llu,\"repeats_of\":%s%s,"
                    "\"gm_bytes\":%llu}\n",
                    i, static_cast<unsigned long long>(cores[i].tiles), static_cast<unsigned long long>(all.repeats),
                    VectorWork::Json(all.repeats_of).c_str(), all.Registers().c_str(), static_cast<unsigned long long>(cores[i].gm_bytes));
    }
    std::printf("{\"record\":\"setup\",%s}\n", setup.Json().c_str());
    std::printf("{\"record\":\"tile\",%s}\n", largest.Json().c_str());
    std::printf("{\"record\":\"kernel\",\"name\":%s,\"arch\":%d,\"blocks\":%d,\"tiles\":%llu,%s,"
                "\"ub_scalar_stores\":%llu,\"gm_scalar_stores\":%llu,\"ub_high_water\":%u,\"ub_reserved\":%u,"
                "\"ub_bytes\":%u,\"sync_all\":%llu,\"read\":%s,\"write\":%s}\n",
                JsonString(name).c_str(), kArch, TheDevice().blocks, static_cast<unsigned long long>(tiles),
                total.Json().c_str(), static_cast<unsigned long long>(ub_scalar_stores),
                static_cast<unsigned long long>(gm_scalar_stores), ub_used, reserved, TheDevice().ub_bytes, static_cast<unsigned long long>(sync_all),
                reads.Json().c_str(), writes.Json().c_str());
}

/// The program: parse, run, write the outputs, check that they are whole, report.
inline int Main(int argc, char** argv, std::initializer_list<Named> kernels)
{
    const Request request = Parse(argc, argv);
    const Named* chosen = kernels.begin();
    if (!request.kernel.empty()) {
        while (chosen != kernels.end() && request.kernel != chosen->name) {
            ++chosen;
        }
        if (chosen == kernels.end()) {
            Usage("no kernel '" + request.kernel + "'");
        }
    }
    if (chosen->kernel.arguments != request.arguments.size()) {
        Usage(Format("kernel '%s' takes %d arguments, the command line names %d", chosen->name,
                     static_cast<int>(chosen->kernel.arguments), static_cast<int>(request.arguments.size())));
    }
    const std::vector<Summary> cores = Blocks(chosen->kernel, request.arguments).Run();
    for (const auto& output : request.outputs) {
        std::FILE* file = std::fopen(output.second.c_str(), "wb");
        if (file == nullptr || std::fwrite(output.first->Base(), 1, output.first->size, file) != output.first->size) {
            Usage("cannot write " + output.second);
        }
        std::fclose(file);
    }
    for (const auto& region : TheDevice().regions) {
        region->CheckComplete();
    }
    Report(chosen->name, cores);
    return 0;
}

/// The bytes of a tiling struct.
struct Bytes {
    const void* data;
    size_t size;
};

/// The program for a call whose tiling is known, and with it the kernel, the blocks and the bytes of workspace.
inline int MainTiled(int argc, char** argv, std::initializer_list<Named> kernels, const char* kernel, uint64_t ub,
                     uint32_t cores, Bytes tiling, uint64_t workspace = 0)
{
    std::FILE* file = std::fopen("tiling.bin", "wb");
    if (file == nullptr || std::fwrite(tiling.data, tiling.size, 1, file) != 1 || std::fclose(file) != 0) {
        Usage("cannot write tiling.bin");
    }
    std::vector<std::string> words(argv, argv + argc);
    words.insert(words.end(), {"--kernel", kernel, "--ub", std::to_string(ub), "--blocks", std::to_string(std::max(cores, 1u)),
                               workspace == 0 ? "--absent" : "--scratch",
                               workspace == 0 ? "workspace" : std::to_string(workspace), "--tiling", "tiling.bin"});
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    return Main(static_cast<int>(arguments.size()), arguments.data(), kernels);
}

}  // namespace host_model

/// The main function of a program that runs one of the given kernels.
#define HOST_MODEL_MAIN(...)                              \
    int main(int argc, char** argv)                       \
    {                                                     \
        return host_model::Main(argc, argv, {__VA_ARGS__}); \
    }
