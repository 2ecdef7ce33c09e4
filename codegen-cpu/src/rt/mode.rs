//! The floating-point mode of a thread: rounding, denormals, traps.
//!
//! Kernels are compiled for the default one, and threads of a pool have that of whoever started it. So each
//! thread is put into the default mode while it works, else bits would depend on who works.

use register::{CONTROL, DEFAULT, read, write};

/// The default mode, until it is dropped.
pub(super) struct DefaultMode {
    /// The thread's own mode, if it is another.
    before: Option<register::Bits>,
}

impl DefaultMode {
    /// Puts this thread into the default mode.
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
    /// To nearest, denormals kept, every exception masked.
    pub const DEFAULT: Bits = 0x1f80;
    /// All of the register but the exceptions that were seen.
    pub const CONTROL: Bits = 0xffc0;

    #[inline]
    pub fn read() -> Bits {
        let mut bits: Bits = 0;
        // SAFETY: writes four bytes to where it is told.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut bits, options(nostack)) };
        bits
    }

    pub fn write(bits: Bits) {
        // SAFETY: reads four bytes from where it is told. It sets the mode that compiled code expects, or
        // what the caller of the library had before.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &bits, options(nostack)) };
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod register {
    use core::arch::asm;

    pub type Bits = u64;
    /// To nearest, denormals kept, no traps.
    pub const DEFAULT: Bits = 0;
    /// The whole register: exceptions that were seen are in another.
    pub const CONTROL: Bits = !0;

    #[inline]
    pub fn read() -> Bits {
        let bits: Bits;
        // SAFETY: reads a register that every program may read.
        unsafe { asm!("mrs {}, fpcr", out(reg) bits, options(nostack)) };
        bits
    }

    pub fn write(bits: Bits) {
        // SAFETY: sets the mode that compiled code expects, or what the caller of the library had before.
        unsafe { asm!("msr fpcr, {}", in(reg) bits, options(nostack)) };
    }
}

/// Elsewhere the mode is left alone.
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
