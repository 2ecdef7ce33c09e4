//! Vector maths with stated ULP budgets, generic over the SIMD level.
