//! The choice between registers and the unified buffer.

/// Memory in which a kernel keeps its intermediate values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Storage {
    /// In registers, if the architecture computes in registers and has enough of them for the kernel.
    #[default]
    Registers,
    /// In the unified buffer (UB): each call processes a whole tile before the next call starts.
    Memory,
}
