// Calls from destructors of static and thread-local objects, which may run when the library's own thread-local objects are gone.
#include "acl/acl.h"
#include "aclnnop/aclnn_gelu.h"
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

// Calls the library when it ends: what is refused, and a call large enough for several threads.
class Last {
public:
    Last(const char* kind, bool reports) : kind_(kind), reports_(reports) {}
    Last(const Last&) = delete;
    Last& operator=(const Last&) = delete;
    void touch() { touched_ = true; }

    ~Last()
    {
        CHECK(touched_);
        Call();
        if (failures != 0) {
            std::printf("in the destructor of a %s object\n", kind_);
        }
        if (reports_) {
            std::printf("%d failures\n", failures);
            std::fflush(stdout);
        }
        if (failures != 0) {
            std::_Exit(1);
        }
    }

private:
    void Call()
    {
        const int64_t n = 1 << 18; // two megabytes are worth two threads
        std::vector<float> x(n, 1), y(n, 0);
        for (int round = 0; round < 2; round++) {
            IS(161002, aclDestroyTensor(reinterpret_cast<aclTensor*>(this)));
            IS(161001, aclnnGelu(nullptr, 0, nullptr, nullptr));
            IS(107001, aclrtSetDevice(7));
            CHECK(aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 1, nullptr) == nullptr);
            aclGetRecentErrMsg(); // null or a message
            CHECK(aclGetRecentErrMsg() == nullptr);
            aclTensor* tx = aclCreateTensor(&n, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &n, 1, x.data());
            aclTensor* ty = aclCreateTensor(&n, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &n, 1, y.data());
            uint64_t size = 0;
            aclOpExecutor* executor = nullptr;
            IS(0, aclnnGeluGetWorkspaceSize(tx, ty, &size, &executor));
            IS(0, aclnnGelu(nullptr, 0, executor, nullptr));
            CHECK(near(y[0], gelu(1, 1), 1e-6) && y[n - 1] == y[0]);
            IS(0, aclDestroyTensor(tx));
            IS(0, aclDestroyTensor(ty));
        }
    }

    const char* kind_;
    bool reports_, touched_ = false;
};

Last last_of_all("static", true);
thread_local Last before_messages("thread-local", false);

// The library's messages come after this thread's object, and go before it.
void Use()
{
    before_messages.touch();
    IS(161002, aclDestroyTensor(reinterpret_cast<aclTensor*>(&before_messages)));
    CHECK(aclGetRecentErrMsg() != nullptr);
}

} // namespace

int main()
{
    last_of_all.touch();
    std::thread other(Use);
    other.join();
    Use();
    return 0;
}
