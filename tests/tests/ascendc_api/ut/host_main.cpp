// Runs the emitted unit tests of host functions: once for platforms that keep 256 bytes of UB for
// themselves, and once for those that keep none.
#include <gtest/gtest.h>

int main()
{
    for (const unsigned long kept : {0, 256}) {
        testing::kept = kept;
        for (const testing::Case& test : testing::cases) {
            const int before = testing::failures;
            test.run();
            std::printf("%s %s.%s\n", testing::failures == before ? "ok" : "FAILED", test.group, test.name);
        }
    }
    return testing::failures == 0 ? 0 : 1;
}
