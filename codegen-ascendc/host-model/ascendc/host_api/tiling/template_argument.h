// Where a tiling-key header looks for the template declarations.
#pragma once

#include "../../../model/tiling.h"
