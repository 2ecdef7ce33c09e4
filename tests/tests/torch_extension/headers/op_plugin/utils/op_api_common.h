// torch_npu's call of an aclnn function, which writes down what it is handed.
#pragma once

#include <ATen/ATen.h>

#include <iostream>

// The function of an installed package, or null.
void* GetOpApiFuncAddr(const char* name);

namespace recording {

inline void Show(const at::Tensor& tensor) { std::cout << " " << tensor.Shown(); }
inline void Show(const std::optional<at::Tensor>& tensor) { std::cout << " " << (tensor ? tensor->Shown() : "null"); }
inline void Show(char* text) { std::cout << " \"" << text << "\""; }
inline void Show(int64_t number) { std::cout << " int64 " << number; }
inline void Show(bool truth) { std::cout << " bool " << truth; }
inline void Show(double number) { std::cout << " double " << number; }

// By reference to what is not constant, as the original takes them.
template <typename... Arguments>
void Call(const char* name, Arguments&... arguments)
{
    std::cout << name;
    (Show(arguments), ...);
    std::cout << "\n";
}

}  // namespace recording

#define EXEC_NPU_CMD(function, ...) recording::Call(#function, __VA_ARGS__)
