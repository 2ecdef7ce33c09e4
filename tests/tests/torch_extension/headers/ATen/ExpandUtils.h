#pragma once

#include <ATen/ATen.h>

#include <algorithm>

namespace at {

inline std::vector<int64_t> infer_size_symint(const std::vector<int64_t>& a, const std::vector<int64_t>& b)
{
    std::vector<int64_t> shape(std::max(a.size(), b.size()));
    for (size_t i = 0; i < shape.size(); ++i) { // from the innermost
        const int64_t m = i < a.size() ? a[a.size() - 1 - i] : 1;
        const int64_t n = i < b.size() ? b[b.size() - 1 - i] : 1;
        Check<std::runtime_error>(m == n || m == 1 || n == 1, "shapes do not broadcast");
        shape[shape.size() - 1 - i] = m == 1 ? n : m;
    }
    return shape;
}

}  // namespace at
