#pragma once

#include "contexts.h"
