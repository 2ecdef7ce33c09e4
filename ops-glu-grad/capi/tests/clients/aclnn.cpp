// aclnn from C++: 16-bit types, executors that run twice, tensors gone before execution, threads.
#include "acl/acl.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_gelu.h"
#include "check.h"

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using Shape = std::vector<int64_t>;

// Device memory of a tensor, with its tensor.
class Array {
public:
    Array(const Shape& shape, aclDataType dtype, const std::vector<float>& values)
    {
        size_t count = 1;
        for (int64_t n : shape) {
            count *= static_cast<size_t>(n);
        }
        std::vector<unsigned char> host(count * aclDataTypeSize(dtype));
        for (size_t i = 0; i < count && i < values.size(); i++) {
            write(host.data(), i, dtype, values[i]);
        }
        bytes_ = host.size();
        dtype_ = dtype;
        IS(ACL_SUCCESS, aclrtMalloc(&memory_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST));
        IS(ACL_SUCCESS, aclrtMemcpy(memory_, bytes_, host.data(), bytes_, ACL_MEMCPY_HOST_TO_DEVICE));
        tensor_ = aclCreateTensor(shape.data(), shape.size(), dtype, nullptr, 0, aclFormat::ACL_FORMAT_ND,
                                  shape.data(), shape.size(), memory_);
    }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    ~Array()
    {
        destroy();
        aclrtFree(memory_);
    }

    void destroy()
    {
        IS(OK, aclDestroyTensor(tensor_)); // null the second time, which is fine
        tensor_ = nullptr;
    }

    std::vector<double> values() const
    {
        std::vector<unsigned char> host(bytes_);
        IS(ACL_SUCCESS, aclrtMemcpy(host.data(), bytes_, memory_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST));
        std::vector<double> all;
        for (size_t i = 0; i < bytes_ / aclDataTypeSize(dtype_); i++) {
            all.push_back(read(host.data(), i, dtype_));
        }
        return all;
    }

    aclTensor* get() const { return tensor_; }
    void* memory() const { return memory_; }

private:
    static void write(unsigned char* to, size_t i, aclDataType dtype, float value)
    {
        uint32_t bits;
        std::memcpy(&bits, &value, 4);
        const uint16_t half = dtype == ACL_FLOAT16 ? aclFloatToFloat16(value) : static_cast<uint16_t>(bits >> 16);
        dtype == ACL_FLOAT ? std::memcpy(to + 4 * i, &value, 4) : std::memcpy(to + 2 * i, &half, 2);
    }
    static double read(const unsigned char* from, size_t i, aclDataType dtype)
    {
        float value;
        uint16_t half;
        if (dtype == ACL_FLOAT) {
            std::memcpy(&value, from + 4 * i, 4);
            return value;
        }
        std::memcpy(&half, from + 2 * i, 2);
        const uint32_t bits = static_cast<uint32_t>(half) << 16;
        std::memcpy(&value, &bits, 4);
        return dtype == ACL_FLOAT16 ? aclFloat16ToFloat(half) : value;
    }

    void* memory_ = nullptr;
    aclTensor* tensor_ = nullptr;
    size_t bytes_ = 0;
    aclDataType dtype_ = ACL_FLOAT;
};

// dy, x, gelu -> dx for a small GeGLU, each exact in every element type.
void Backward(aclDataType dtype, double tolerance)
{
    Array dy({2, 1}, dtype, {-2, -1}), x({2, 2}, dtype, {-2, -1, 0, 1}), gelu_({2, 1}, dtype, {-2, -1});
    Array dx({2, 2}, dtype, {});
    uint64_t size = 1;
    aclOpExecutor* executor = nullptr;
    IS(OK, aclnnGeGluV3BackwardGetWorkspaceSize(dy.get(), x.get(), gelu_.get(), -1, 1, false, dx.get(), &size,
                                                &executor));
    CHECK(size == 0);
    // Executors own what they need.
    dy.destroy();
    x.destroy();
    gelu_.destroy();
    dx.destroy();
    IS(OK, aclnnGeGluV3Backward(nullptr, size, executor, nullptr));
    const std::vector<double> got = dx.values();
    const double want[4] = {4, -2 * -2 * gelu_grad(-1, 1), 1, 0};
    for (int i = 0; i < 4; i++) {
        CHECK(near(got[i], want[i], tolerance));
    }
    IS(161002, aclnnGeGluV3Backward(nullptr, size, executor, nullptr)); // it ran
    IS(561000, aclDestroyAclOpExecutor(executor));
}

// A repeatable executor runs until it is destroyed, on whatever memory it is moved to.
void Repeatable()
{
    Array x({4}, ACL_FLOAT, {-1, 0, 1, 2}), other({4}, ACL_FLOAT, {3, 4, 5, 6}), y({4}, ACL_FLOAT, {});
    Array z({4}, ACL_FLOAT, {});
    uint64_t size = 1;
    aclOpExecutor* executor = nullptr;
    IS(OK, aclnnGeluGetWorkspaceSize(x.get(), y.get(), &size, &executor));
    IS(OK, aclSetAclOpExecutorRepeatable(executor));
    for (int i = 0; i < 3; i++) {
        IS(OK, aclnnGelu(nullptr, 0, executor, nullptr));
    }
    CHECK(near(y.values()[3], gelu(2, 1), 1e-6));
    IS(OK, aclSetInputTensorAddr(executor, 0, x.get(), other.memory()));
    IS(OK, aclSetTensorAddr(executor, 1, y.get(), z.memory()));
    IS(OK, aclnnGelu(nullptr, 0, executor, nullptr));
    CHECK(near(z.values()[3], gelu(6, 1), 1e-6));
    // It follows its tensors: x and y again, then z in the place of y.
    IS(OK, aclSetRawTensorAddr(x.get(), x.memory()));
    IS(OK, aclSetRawTensorAddr(y.get(), y.memory()));
    IS(OK, aclrtMemset(y.memory(), 16, 0, 16));
    IS(OK, aclnnGelu(nullptr, 0, executor, nullptr));
    CHECK(near(y.values()[3], gelu(2, 1), 1e-6));
    IS(OK, AclSetOutputTensorAddr(executor, 0, z.get(), y.memory()));
    IS(OK, aclSetRawTensorAddr(y.get(), nullptr)); // no longer its output
    IS(OK, aclSetRawTensorAddr(z.get(), z.memory()));
    IS(OK, aclrtMemset(z.memory(), 16, 0, 16));
    IS(OK, aclnnGelu(nullptr, 0, executor, nullptr));
    CHECK(near(z.values()[3], gelu(2, 1), 1e-6));
    IS(OK, AclSetInputTensorAddr(executor, 0, x.get(), other.memory()));
    IS(OK, AclSetTensorAddr(executor, 1, y.get(), y.memory()));
    IS(OK, aclnnGelu(nullptr, 0, executor, nullptr));
    CHECK(near(y.values()[3], gelu(6, 1), 1e-6));
    // It owns what it needs of a tensor that is gone, or another one by now.
    z.destroy();
    const int64_t one = 1;
    IS(OK, aclInitTensor(x.get(), &one, 1, ACL_INT8, nullptr, 0, ACL_FORMAT_ND, &one, 1, nullptr));
    IS(OK, aclnnGelu(nullptr, 0, executor, nullptr));
    IS(161002, aclSetTensorAddr(executor, 0, reinterpret_cast<aclTensor*>(executor), other.memory()));
    IS(161002, aclSetInputTensorAddr(executor, 1, x.get(), other.memory()));
    IS(161002, aclSetInputTensorAddr(executor, static_cast<size_t>(-1), x.get(), other.memory()));
    IS(161002, aclSetTensorAddr(executor, 2, x.get(), other.memory()));
    IS(161002, aclSetOutputTensorAddr(executor, 1, y.get(), other.memory()));
    IS(561103, aclSetOutputTensorAddr(executor, 0, nullptr, other.memory()));
    IS(561103, aclSetOutputTensorAddr(nullptr, 0, y.get(), other.memory()));
    IS(561000, aclSetTensorAddr(reinterpret_cast<aclOpExecutor*>(x.get()), 0, x.get(), other.memory()));
    IS(OK, aclDestroyAclOpExecutor(executor));
    IS(161002, aclnnGelu(nullptr, 0, executor, nullptr));
    IS(561000, aclSetTensorAddr(executor, 0, x.get(), other.memory()));
}

// In place, one tensor is input and output: where it moves, both are.
void InPlace()
{
    Array x({4}, ACL_FLOAT, {-1, 0, 1, 2}), other({4}, ACL_FLOAT, {3, 4, 5, 6});
    uint64_t size = 1;
    aclOpExecutor* executor = nullptr;
    IS(OK, aclnnGeluGetWorkspaceSize(x.get(), x.get(), &size, &executor));
    IS(OK, aclSetAclOpExecutorRepeatable(executor));
    IS(OK, aclnnGelu(nullptr, 0, executor, nullptr));
    CHECK(near(x.values()[3], gelu(2, 1), 1e-6));
    IS(OK, aclSetInputTensorAddr(executor, 0, x.get(), other.memory()));
    IS(OK, aclnnGelu(nullptr, 0, executor, nullptr));
    CHECK(near(other.values()[3], gelu(6, 1), 1e-6));
    CHECK(near(x.values()[3], gelu(2, 1), 1e-6));
    IS(OK, aclDestroyAclOpExecutor(executor));
}

// Each thread has its stream and its messages.
void Threads()
{
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int k = 0; k < 8; k++) {
        threads.emplace_back([k, &wrong] {
            aclrtStream stream = nullptr;
            wrong += aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0;
            for (int round = 0; round < 50; round++) {
                float x[3] = {static_cast<float>(k), -1, 1}, y[3];
                const int64_t n = 3;
                aclTensor* tx = aclCreateTensor(&n, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &n, 1, x);
                aclTensor* ty = aclCreateTensor(&n, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &n, 1, y);
                uint64_t size = 1;
                aclOpExecutor* executor = nullptr;
                wrong += aclnnGeluGetWorkspaceSize(tx, ty, &size, &executor) != 0;
                wrong += aclnnGelu(nullptr, size, executor, stream) != 0;
                wrong += aclrtSynchronizeStream(stream) != 0;
                wrong += !near(y[0], gelu(k, 1), 1e-6);
                wrong += aclDestroyTensor(tx) != 0 || aclDestroyTensor(ty) != 0;
                if (k % 2 == 1) {
                    wrong += aclDestroyTensor(tx) != 161002 || aclGetRecentErrMsg() == nullptr;
                } else {
                    wrong += aclGetRecentErrMsg() != nullptr;
                }
            }
            wrong += aclrtDestroyStream(stream) != 0;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(wrong == 0);
}

// Lists that the library allocates are freed with `delete[]` in C++.
void Getters()
{
    Array x({3, 5}, ACL_FLOAT16, {});
    int64_t* dims = nullptr;
    uint64_t count = 0;
    IS(OK, aclGetViewStrides(x.get(), &dims, &count));
    CHECK(count == 2 && dims[0] == 5 && dims[1] == 1);
    delete[] dims;
}

} // namespace

int main()
{
    IS(ACL_SUCCESS, aclInit(nullptr));
    Backward(ACL_FLOAT, 1e-6);
    Backward(ACL_FLOAT16, 1e-3);
    Backward(ACL_BF16, 8e-3);
    Repeatable();
    InPlace();
    Threads();
    Getters();
    IS(ACL_SUCCESS, aclFinalize());
    std::printf("%d failures\n", failures);
    return failures != 0;
}
