// What the framework hands to shape inference and tiling. Members below `public:` that are fields are
// for whoever makes the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "graph/types.h"

namespace fe {

/// The device, as the caller describes it.
class PlatFormInfos {
public:
    uint64_t ub = 0;
    uint32_t aiv = 0;
    uint32_t workspace = 0;
    uint32_t arch = 0;
};

}  // namespace fe

namespace gert {

class Shape {
public:
    static constexpr size_t kMaxDimNum = 25;
    static constexpr int64_t kInvalidDimValue = INT64_MIN;

    Shape() = default;
    Shape(const std::initializer_list<int64_t>& dims)
    {
        for (int64_t dim : dims) {
            AppendDim(dim);
        }
    }
    size_t GetDimNum() const { return count_; }
    void SetDimNum(size_t count) { count_ = count; }
    int64_t GetDim(size_t index) const { return index < kMaxDimNum ? dims_[index] : kInvalidDimValue; }
    Shape& AppendDim(int64_t value)
    {
        if (count_ < kMaxDimNum) {
            dims_[count_++] = value;
        }
        return *this;
    }

private:
    size_t count_ = 0;
    int64_t dims_[kMaxDimNum] = {};
};

class StorageShape {
public:
    explicit StorageShape(const Shape& shape) : shape_(shape) {}
    StorageShape(const std::initializer_list<int64_t>&, const std::initializer_list<int64_t>& storage)
        : shape_(storage)
    {}
    const Shape& GetOriginShape() const { return shape_; }
    const Shape& GetStorageShape() const { return shape_; }

private:
    Shape shape_;
};

class CompileTimeTensorDesc {
public:
    explicit CompileTimeTensorDesc(ge::DataType type) : type_(type) {}
    ge::DataType GetDataType() const { return type_; }

private:
    ge::DataType type_;
};

/// Values in the order of the definition; null where the caller gives none.
class RuntimeAttrs {
public:
    const int64_t* GetInt(size_t index) const { return Get<int64_t>(index); }
    const char* GetStr(size_t index) const { return Get<char>(index); }
    const float* GetFloat(size_t index) const { return Get<float>(index); }
    const bool* GetBool(size_t index) const { return Get<bool>(index); }

    std::vector<const void*> values;

private:
    template <typename T>
    const T* Get(size_t index) const
    {
        return index < values.size() ? static_cast<const T*>(values[index]) : nullptr;
    }
};

class ExtendedKernelContext {
public:
    const char* GetNodeName() const { return node_name; }
    const RuntimeAttrs* GetAttrs() const { return attrs; }
    const CompileTimeTensorDesc* GetInputDesc(size_t index) const { return At(input_descs, index); }
    const CompileTimeTensorDesc* GetOptionalInputDesc(size_t index) const { return At(input_descs, index); }
    const CompileTimeTensorDesc* GetRequiredInputDesc(size_t index) const { return At(input_descs, index); }
    const CompileTimeTensorDesc* GetOutputDesc(size_t index) const { return At(output_descs, index); }

    const char* node_name = nullptr;
    const RuntimeAttrs* attrs = nullptr;
    std::vector<const CompileTimeTensorDesc*> input_descs;
    std::vector<const CompileTimeTensorDesc*> output_descs;

protected:
    template <typename T>
    static T* At(const std::vector<T*>& list, size_t index)
    {
        return index < list.size() ? list[index] : nullptr;
    }
};

class InferShapeContext : public ExtendedKernelContext {
public:
    const Shape* GetInputShape(size_t index) const { return At(inputs, index); }
    const Shape* GetOptionalInputShape(size_t index) const { return At(inputs, index); }
    const Shape* GetRequiredInputShape(size_t index) const { return At(inputs, index); }
    Shape* GetOutputShape(size_t index) { return At(outputs, index); }

    std::vector<const Shape*> inputs;
    std::vector<Shape*> outputs;
};

class InferDataTypeContext : public ExtendedKernelContext {
public:
    ge::DataType GetInputDataType(size_t index) const
    {
        return index < inputs.size() ? inputs[index] : ge::DT_UNDEFINED;
    }
    ge::DataType GetOptionalInputDataType(size_t index) const { return GetInputDataType(index); }
    ge::DataType GetRequiredInputDataType(size_t index) const { return GetInputDataType(index); }
    ge::graphStatus SetOutputDataType(size_t index, ge::DataType type)
    {
        if (index >= outputs.size()) {
            return ge::GRAPH_FAILED;
        }
        outputs[index] = type;
        return ge::GRAPH_SUCCESS;
    }

    std::vector<ge::DataType> inputs;
    std::vector<ge::DataType> outputs;
};

class TilingContext : public ExtendedKernelContext {
public:
    const StorageShape* GetInputShape(size_t index) const { return At(inputs, index); }
    const StorageShape* GetOptionalInputShape(size_t index) const { return At(inputs, index); }
    const StorageShape* GetRequiredInputShape(size_t index) const { return At(inputs, index); }
    const StorageShape* GetOutputShape(size_t index) const { return At(outputs, index); }
    fe::PlatFormInfos* GetPlatformInfo() const { return platform; }
    template <typename T>
    const T* GetCompileInfo() const
    {
        return static_cast<const T*>(compile_info);
    }

    template <typename T>
    T* GetTilingData()
    {
        if (capacity < sizeof(T)) {
            return nullptr;
        }
        // Neither zeroed nor of the right size before: what is not written shows.
        data.assign((sizeof(T) + 7) / 8, 0xA5A5A5A5A5A5A5A5);
        data_size = sizeof(T);
        return reinterpret_cast<T*>(data.data());
    }
    size_t* GetWorkspaceSizes(size_t count)
    {
        workspaces.assign(count, SIZE_MAX);
        return workspaces.data();
    }
    ge::graphStatus SetTilingKey(uint64_t key)
    {
        tiling_key = key;
        return ge::GRAPH_SUCCESS;
    }
    ge::graphStatus SetBlockDim(uint32_t count)
    {
        block_dim = count;
        return ge::GRAPH_SUCCESS;
    }

    ge::graphStatus SetScheduleMode(const uint32_t mode)
    {
        schedule_mode = mode;
        return ge::GRAPH_SUCCESS;
    }

    std::vector<const StorageShape*> inputs;
    std::vector<const StorageShape*> outputs;
    uint32_t schedule_mode = 0;
    fe::PlatFormInfos* platform = nullptr;
    const void* compile_info = nullptr;
    size_t capacity = 2048;
    std::vector<uint64_t> data;
    size_t data_size = 0;
    std::vector<size_t> workspaces;
    uint64_t tiling_key = 0;
    uint32_t block_dim = 0;
};

class TilingParseContext : public ExtendedKernelContext {
public:
    template <typename T>
    T* GetCompiledInfo()
    {
        return static_cast<T*>(compiled_info);
    }
    fe::PlatFormInfos* GetPlatformInfo() const { return platform; }

    void* compiled_info = nullptr;
    fe::PlatFormInfos* platform = nullptr;
};

}  // namespace gert
