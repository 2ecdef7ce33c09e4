// As much of a test framework as the emitted unit tests use.
#pragma once

#include <cmath>
#include <cstdio>
#include <vector>

namespace testing {

struct Case {
    const char* group;
    const char* name;
    void (*run)();
};

inline std::vector<Case> cases;
inline int failures = 0;
// Bytes of UB that the platform keeps for itself.
inline unsigned long kept = 0;

inline bool Add(const char* group, const char* name, void (*run)())
{
    cases.push_back(Case{group, name, run});
    return true;
}

inline void Fail(const char* what, const char* file, int line)
{
    ++failures;
    std::printf("%s:%d: %s\n", file, line, what);
}

} // namespace testing

#define TEST(group, name)                                                                      \
    void group##_##name();                                                                     \
    const bool group##_##name##_added = testing::Add(#group, #name, group##_##name);           \
    void group##_##name()

#define EXPECT_TRUE(what)                                 \
    do {                                                  \
        if (!(what)) {                                    \
            testing::Fail(#what, __FILE__, __LINE__);     \
        }                                                 \
    } while (false)
#define EXPECT_FALSE(what) EXPECT_TRUE(!(what))
#define EXPECT_EQ(a, b) EXPECT_TRUE((a) == (b))
#define EXPECT_NEAR(a, b, most) EXPECT_TRUE(std::fabs((a) - (b)) <= (most))
#define ASSERT_TRUE(what)                                 \
    do {                                                  \
        if (!(what)) {                                    \
            testing::Fail(#what, __FILE__, __LINE__);     \
            return;                                       \
        }                                                 \
    } while (false)
#define ASSERT_GE(a, b) ASSERT_TRUE((a) >= (b))
