#pragma once

#include <ATen/ATen.h>

namespace c10 {

struct DeviceGuard {
    explicit DeviceGuard(Device) {}
    ~DeviceGuard() {}
};

}  // namespace c10
