// Types of acl that op_api and its callers share.
#pragma once

#include <cstddef>
#include <cstdint>

#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))

using aclError = int;
using aclrtStream = void*;

constexpr aclError ACL_SUCCESS = 0;

enum aclDataType { ACL_DT_UNDEFINED = -1, ACL_FLOAT = 0, ACL_FLOAT16 = 1, ACL_INT64 = 9, ACL_BOOL = 12, ACL_BF16 = 27, ACL_UINT1 = 30 };
enum aclFormat { ACL_FORMAT_UNDEFINED = -1, ACL_FORMAT_ND = 2 };
