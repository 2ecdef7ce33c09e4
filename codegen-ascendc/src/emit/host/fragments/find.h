// An architecture; null if there are no kernels for it.
inline const Arch* FindArch(uint32_t number)
{
    for (const Arch& arch : ARCHS) {
        if (arch.number == number) {
            return &arch;
        }
    }
    return nullptr;
}

// UB that a kernel needs; null if there is none of this form and type on this architecture.
inline const Need* FindNeed(uint32_t arch, uint32_t form, uint32_t type)
{
    for (const Kernel& kernel : KERNELS) {
        if (kernel.arch == arch && kernel.form == form && kernel.type == type) {
            return &kernel.need;
        }
    }
    return nullptr;
}
