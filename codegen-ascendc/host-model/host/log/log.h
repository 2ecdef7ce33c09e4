// The operators' log: the lines so far, for whoever asks why a call was refused.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>
#include <vector>

namespace host_model {

inline std::vector<std::string> log_lines;

__attribute__((format(printf, 2, 3))) inline void LogLine(const char* node, const char* format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    log_lines.push_back(std::string("[") + node + "] " + text);
}

}  // namespace host_model

#define OP_LOGE(opName, ...) host_model::LogLine(opName, __VA_ARGS__)
