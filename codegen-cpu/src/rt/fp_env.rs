//! Floating-point environment of a thread: rounding mode, denormals, traps.
//!
//! Kernels are compiled for the default environment, but threads of a pool inherit that of whoever started it. Each thread
//! therefore works in the default environment, otherwise bits would depend on the thread that computes them.

use register::{CONTROL, DEFAULT, read, write};

/// Guard that keeps the thread in the default floating-point environment until it is dropped.
pub(super) struct DefaultMode {
    /// Previous environment of the thread; `None` if it was the default.
    before: Option<register::Bits>,
}

impl DefaultMode {
    /// Sets the default floating-point environment on this thread, until the guard is dropped.
    #[inline]
    pub fn enter() -> DefaultMode {
        let before = read();
        if before & CONTROL == DEFAULT {
            return DefaultMode { before: None };
        }
        write(DEFAULT | before & !CONTROL);
        DefaultMode { before: Some(before) }
    }
}

impl Drop for DefaultMode {
    #[inline]
    fn drop(&mut self) {
        if let Some(before) = self.before {
            write(before);
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod register {
    use core::arch::asm;

    pub type Bits = u32;
    /// MXCSR of the default environment: rounds to nearest, keeps denormals, masks every exception.
    pub const DEFAULT: Bits = 0x1f80;
    /// Bits of MXCSR that belong to the environment: all but the sticky exception flags.
    pub const CONTROL: Bits = 0xffc0;

    #[inline]
    pub fn read() -> Bits {
        let mut bits: Bits = 0;
        // SAFETY: writes four bytes to the address of `bits`.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut bits, options(nostack)) };
        bits
    }

    pub fn write(bits: Bits) {
        // SAFETY: reads four bytes from the address of `bits`. It sets the mode that compiled code expects, or the previous one
        // of the library's caller.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &bits, options(nostack)) };
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod register {
    use core::arch::asm;

    pub type Bits = u64;
    /// FPCR of the default environment: rounds to nearest, keeps denormals, enables no traps.
    pub const DEFAULT: Bits = 0;
    /// Bits of FPCR that belong to the environment: all of them.
    ///
    /// The sticky exception flags are in another register.
    pub const CONTROL: Bits = !0;

    #[inline]
    pub fn read() -> Bits {
        let bits: Bits;
        // SAFETY: reads a register that every program may read.
        unsafe { asm!("mrs {}, fpcr", out(reg) bits, options(nostack)) };
        bits
    }

    pub fn write(bits: Bits) {
        // SAFETY: sets the mode that compiled code expects, or the previous one of the library's caller.
        unsafe { asm!("msr fpcr, {}", in(reg) bits, options(nostack)) };
    }
}

/// Stand-in for other architectures, which keep the caller's floating-point environment.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
mod register {
    pub type Bits = u32;
    pub const DEFAULT: Bits = 0;
    pub const CONTROL: Bits = 0;

    pub fn read() -> Bits {
        DEFAULT
    }

    pub fn write(_: Bits) {}
}
