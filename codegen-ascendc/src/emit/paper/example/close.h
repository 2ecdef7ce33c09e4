bool Close(const char* name, int64_t i, float got, double want)
{
    if (i < 4) {
        std::printf("%s[%ld] = %.6f, by the formula %.6f\n", name, static_cast<long>(i), got, want);
    }
    return std::fabs(got - want) <= 1e-5 + 1e-4 * std::fabs(want);
}
