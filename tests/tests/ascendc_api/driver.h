// Calls phase 1 with one change to right arguments, and prints what came of it.
#pragma once

#include <cstdio>
#include <string>

#include "opdev/make_op_executor.h"

/// The steps of a call that succeeded, the first error of one that did not.
inline void Show(const char* what, aclnnStatus status, aclOpExecutor* executor, uint64_t workspace,
                 bool inFull)
{
    std::string text;
    if (status != ACLNN_SUCCESS) {
        text = host_model::error.text;
    } else if (executor->steps.empty()) {
        text = "no steps, workspace " + std::to_string(workspace);
    } else if (!inFull) {
        text = std::to_string(executor->steps.size()) + " steps";
    } else {
        for (const std::string& step : executor->steps) {
            text += (text.empty() ? "" : "; ") + step;
        }
    }
    std::printf("%s: %d %s\n", what, status, text.c_str());
    host_model::error = {};
    delete executor;
}
