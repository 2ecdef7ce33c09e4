// Shapes, element types and tensors as op_api sees them. A tensor here has no elements to speak of.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "aclnn/aclnn_base.h"

namespace ge {

enum DataType {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT64 = 9,
    DT_DOUBLE = 11,
    DT_BOOL = 12,
    DT_COMPLEX64 = 16,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_UINT1 = 30
};
enum Format { FORMAT_ND = 2, FORMAT_FRACTAL_NZ = 29 };

class AscendString {
public:
    explicit AscendString(std::string text) : text_(std::move(text)) {}
    const char* GetString() const { return text_.c_str(); }

private:
    std::string text_;
};

} // namespace ge

namespace op {

using DataType = ge::DataType;
using Format = ge::Format;

class Shape {
public:
    Shape() = default;
    Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
    bool operator==(const Shape& other) const { return dims_ == other.dims_; }
    bool operator!=(const Shape& other) const { return dims_ != other.dims_; }
    size_t GetDimNum() const { return dims_.size(); }
    int64_t GetDim(size_t i) const { return i < dims_.size() ? dims_[i] : INT64_MIN; }
    void SetDim(size_t i, int64_t value)
    {
        if (i < dims_.size()) {
            dims_[i] = value;
        }
    }
    Shape& AppendDim(int64_t value)
    {
        dims_.push_back(value);
        return *this;
    }

private:
    std::vector<int64_t> dims_;
};

inline ge::AscendString ToString(const Shape& shape)
{
    std::string text = "[";
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        text += (i == 0 ? "" : ",") + std::to_string(shape.GetDim(i));
    }
    return ge::AscendString(text + "]");
}

inline ge::AscendString ToString(DataType dtype)
{
    switch (dtype) {
        case ge::DT_FLOAT: return ge::AscendString("DT_FLOAT");
        case ge::DT_FLOAT16: return ge::AscendString("DT_FLOAT16");
        case ge::DT_INT32: return ge::AscendString("DT_INT32");
        case ge::DT_DOUBLE: return ge::AscendString("DT_DOUBLE");
        case ge::DT_COMPLEX64: return ge::AscendString("DT_COMPLEX64");
        case ge::DT_BOOL: return ge::AscendString("DT_BOOL");
        case ge::DT_INT8: return ge::AscendString("DT_INT8");
        case ge::DT_UINT8: return ge::AscendString("DT_UINT8");
        case ge::DT_INT64: return ge::AscendString("DT_INT64");
        case ge::DT_UINT1: return ge::AscendString("DT_UINT1");
        case ge::DT_BF16: return ge::AscendString("DT_BF16");
        default: return ge::AscendString("DT_UNDEFINED");
    }
}

} // namespace op

struct aclTensor {
    op::Shape shape;
    op::DataType dtype = ge::DT_FLOAT;
    std::string name = {};
    op::Format format = ge::FORMAT_ND;

    const op::Shape& GetViewShape() const { return shape; }
    op::DataType GetDataType() const { return dtype; }
    op::Format GetStorageFormat() const { return format; }
    bool IsEmpty() const
    {
        for (size_t i = 0; i < shape.GetDimNum(); ++i) {
            if (shape.GetDim(i) == 0) {
                return true;
            }
        }
        return false;
    }
};

struct aclScalar {
    float value;
    op::DataType dtype = ge::DT_FLOAT;

    op::DataType GetDataType() const { return dtype; }
    float ToFloat() const { return value; }
};

struct aclIntArray {
    std::vector<int64_t> values;
};
