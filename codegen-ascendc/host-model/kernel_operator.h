// A host model of the kernel API, the part that elementwise kernels use.
//
// A kernel that includes this file and nothing of its toolkit compiles with a plain
// C++17 compiler and runs on any machine. It computes what a device would, stops on
// what a device would get wrong without a word, and counts what the cost model needs.
// `run.h` runs it.
#pragma once

#include "model/arch.h"
#include "model/cast.h"
#include "model/compound.h"
#include "model/datacopy.h"
#include "model/event.h"
#include "model/gather.h"
#include "model/pipe.h"
#include "model/queue.h"
#include "model/reduce.h"
#include "model/register_calls.h"
#include "model/register_moves.h"
#include "model/registers.h"
#include "model/select.h"
#include "model/tensor.h"
#include "model/tiling.h"
#include "model/transpose.h"
#include "model/types.h"
#include "model/vector.h"
