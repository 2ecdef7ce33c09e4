/* AscendCL, as far as programs that call operators need it; see docs/c-api.md. */
#ifndef ACL_ACL_H
#define ACL_ACL_H

#include "acl/acl_rt.h"

#endif
