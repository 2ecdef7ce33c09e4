// Messages, and checks that write them. The last error is kept for whoever asks why a call failed.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

#include "opdev/op_errno.h"

namespace host_model {

/// Code and text of the first error since `Reset`.
struct Error {
    int code = 0;
    std::string text;
};

inline Error error;

__attribute__((format(printf, 2, 3))) inline void Log(int code, const char* format, ...)
{
    if (error.code != 0) {
        return;
    }
    char text[512];
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error = Error{code, text};
}

} // namespace host_model

#define OP_LOGE(code, ...) host_model::Log(code, __VA_ARGS__)

#define CHECK_RET(condition, ret_value) \
    do {                                \
        if (!(condition)) {             \
            return ret_value;           \
        }                               \
    } while (false)

#define OP_CHECK(cond, log_func, return_expr) \
    do {                                      \
        if (!(cond)) {                        \
            log_func;                         \
            return_expr;                      \
        }                                     \
    } while (false)
