#define REQUIRE(call)                                              \
    do {                                                           \
        const int code = static_cast<int>(call);                   \
        if (code != 0) {                                           \
            std::printf("%s answers with %d\n", #call, code);     \
            return false;                                          \
        }                                                          \
    } while (false)

// Numbers on the host, and the same on the device.
struct Numbers {
    std::vector<int64_t> shape;
    std::vector<float> host;
    void* device = nullptr;
    aclTensor* tensor = nullptr;

    Numbers(const std::vector<int64_t>& dims, float phase) : shape(dims), host(dims[0] * dims[1])
    {
        for (size_t i = 0; i < host.size(); ++i) {
            host[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + phase);
        }
    }
    ~Numbers()
    {
        if (tensor != nullptr) {
            aclDestroyTensor(tensor);
        }
        if (device != nullptr) {
            aclrtFree(device);
        }
    }
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;

    size_t Bytes() const { return host.size() * sizeof(float); }
    bool ToDevice()
    {
        REQUIRE(aclrtMalloc(&device, Bytes(), ACL_MEM_MALLOC_HUGE_FIRST));
        REQUIRE(aclrtMemcpy(device, Bytes(), host.data(), Bytes(), ACL_MEMCPY_HOST_TO_DEVICE));
        const int64_t strides[] = {shape[1], 1};
        tensor = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape.data(),
                                 shape.size(), device);
        return tensor != nullptr;
    }
    bool ToHost()
    {
        REQUIRE(aclrtMemcpy(host.data(), Bytes(), device, Bytes(), ACL_MEMCPY_DEVICE_TO_HOST));
        return true;
    }
};
