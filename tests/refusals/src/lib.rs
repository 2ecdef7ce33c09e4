//! What the macros refuse, and how they say so: the cases are in `cases`.
