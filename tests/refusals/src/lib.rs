//! The refusals of the macros and their messages: the cases are in `cases`.
