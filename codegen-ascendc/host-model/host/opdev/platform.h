// The product that an interface runs on: 2201, unless the environment's HOST_MODEL_ARCH says otherwise.
#pragma once

#include <cstdlib>

#include "platform/soc_spec.h"

namespace op {

class PlatformInfo {
public:
    NpuArch GetCurNpuArch() const
    {
        const char* number = std::getenv("HOST_MODEL_ARCH");
        return number == nullptr ? NpuArch::DAV_2201 : static_cast<NpuArch>(std::atoi(number));
    }
};

inline const PlatformInfo& GetCurrentPlatformInfo()
{
    static const PlatformInfo info;
    return info;
}

}  // namespace op
