#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "register/op_impl_registry.h"
#if __has_include("log/log.h")
#include "log/log.h"
#else  // a toolkit without the operators' log
#include <cstdio>
#define OP_LOGE(node, format, ...) std::fprintf(stderr, "[ERROR] %s " format "\n", node, __VA_ARGS__)
#endif
