// Whole numbers that remember what they were given.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "report.h"

namespace host_model {

/// A parameter of type `T` that keeps the value before it is cut to `T`, so that
/// a number that does not fit is found and not silently reduced.
template <typename T>
class Limited {
public:
    Limited() = default;
    template <typename N, typename = std::enable_if_t<std::is_integral_v<N> || std::is_enum_v<N>>>
    constexpr Limited(N value) : raw_(static_cast<int64_t>(value))
    {}

    constexpr operator T() const { return static_cast<T>(raw_); }

    /// The value, after a check that it lies in `[low, high]`.
    int64_t In(int64_t low, int64_t high, const char* api, const char* name, Where where) const
    {
        if (raw_ < low || raw_ > high) {
            Fail("parameter", where,
                 "%s: %s is %lld, allowed is %lld..%lld", api, name, static_cast<long long>(raw_),
                        static_cast<long long>(low), static_cast<long long>(high));
        }
        return raw_;
    }

    /// The value, after a check that `T` can hold it.
    int64_t Fits(const char* api, const char* name, Where where) const
    {
        return In(static_cast<int64_t>(std::numeric_limits<T>::min()),
                  static_cast<int64_t>(std::numeric_limits<T>::max()), api, name, where);
    }

private:
    int64_t raw_;
};

}  // namespace host_model
