//! The tests that cross crates are in `tests/tests`; this library is empty.
