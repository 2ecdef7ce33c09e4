// What host code asks of the platform.
#pragma once

#include "exe_graph/contexts.h"
#include "platform/soc_spec.h"

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6 };

class PlatformAscendC {
public:
    explicit PlatformAscendC(fe::PlatFormInfos* infos) : infos_(infos) {}
    uint32_t GetCoreNumAiv() const { return infos_->aiv; }
    NpuArch GetCurNpuArch() const { return static_cast<NpuArch>(infos_->arch); }
    uint32_t GetLibApiWorkSpaceSize() const { return infos_->workspace; }
    void GetCoreMemSize(const CoreMemType& type, uint64_t& size) const
    {
        size = type == CoreMemType::UB ? infos_->ub : 0;
    }

private:
    fe::PlatFormInfos* infos_;
};

class PlatformAscendCManager {
public:
    static PlatformAscendC* GetInstance() { return nullptr; }
};

}  // namespace platform_ascendc
