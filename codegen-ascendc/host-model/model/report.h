// How a finding is reported: one line that names the check, the kernel line and
// the core, then the end of the run. What a broken kernel does after its first
// mistake says nothing.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

/// A function that is not copied into its callers: those copies were much of what a program's compiler
/// has to do.
#define HOST_MODEL_ONCE [[gnu::noinline]]

namespace host_model {

/// The kernel line that made a call.
struct Where {
    const char* file;
    int line;

    static constexpr Where Here(const char* file = __builtin_FILE(), int line = __builtin_LINE())
    {
        return Where{file, line};
    }
};

/// For what is only known once the kernel has ended.
constexpr Where kEndOfRun{"end of run", 0};

/// The block that runs now, -1 outside a kernel.
inline int& RunningCore()
{
    static thread_local int core = -1;
    return core;
}

/// `text` as a JSON string.
inline std::string JsonString(const std::string& text)
{
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + "\"";
}

/// printf into a string.
inline std::string Format(const char* format, ...) __attribute__((format(printf, 1, 2)));
inline std::string Format(const char* format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return text;
}

/// Ends the run with a finding of `check`: a line to read on stderr, the same as
/// JSON on stdout, exit code 1. It takes what to print, not a string: calls of it are most of a program.
[[noreturn]] inline void Fail(const char* check, Where where, const char* format, ...)
    __attribute__((format(printf, 3, 4), cold));
inline void Fail(const char* check, Where where, const char* format, ...)
{
    char what[1024];
    va_list args;
    va_start(args, format);
    std::vsnprintf(what, sizeof what, format, args);
    va_end(args);
    std::string file = where.file;
    std::string::size_type slash = file.rfind('/');
    if (slash != std::string::npos) {
        file = file.substr(slash + 1);
    }
    std::fflush(stdout);
    std::fprintf(stderr, "finding: %s: %s:%d: core %d: %s\n", check, file.c_str(), where.line,
                 RunningCore(), what);
    std::printf("{\"record\":\"finding\",\"check\":%s,\"file\":%s,\"line\":%d,\"core\":%d,\"message\":%s}\n",
                JsonString(check).c_str(), JsonString(file).c_str(), where.line, RunningCore(),
                JsonString(what).c_str());
    std::fflush(stdout);
    std::fflush(stderr);
    std::_Exit(1);
}

}  // namespace host_model
