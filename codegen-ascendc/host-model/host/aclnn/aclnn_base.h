// What an aclnn header includes.
#pragma once

#include "aclnn/acl_meta.h"
