//! Rounding to the 16-bit formats, computed from their definition and independent of the model.

/// Returns numbers as the bytes of a file.
pub fn bytes<const N: usize>(values: impl IntoIterator<Item = [u8; N]>) -> Vec<u8> {
    values.into_iter().flatten().collect()
}

/// Parses a file of floats.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// Parses a file of 16-bit numbers.
pub fn words(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|b| u16::from_le_bytes(b.try_into().unwrap())).collect()
}

/// 16-bit format by the number of its stored mantissa bits: 10 is half, 7 is bfloat16.
#[derive(Clone, Copy)]
pub struct Format(pub u32);

impl Format {
    /// Returns the bits of infinity.
    pub fn infinite(self) -> u16 {
        ((1 << (15 - self.0)) - 1) << self.0
    }

    /// Returns the bits where results beyond the range saturate.
    ///
    /// For example, in half infinity (`0x7c00`) becomes the largest number (`0x7bff`) and NaN becomes 0.
    pub fn saturated(self, bits: u16) -> u16 {
        match (bits & 0x7fff).cmp(&self.infinite()) {
            std::cmp::Ordering::Less => bits,
            std::cmp::Ordering::Equal => bits - 1,
            std::cmp::Ordering::Greater => bits & 0x8000,
        }
    }

    /// Returns the value of a positive number's bits.
    ///
    /// Infinity counts as the number that follows the largest one; for example, `0x7c00` in half gives 65536.
    pub fn value(self, bits: u16) -> f64 {
        let digits = f64::from(bits & ((1 << self.0) - 1));
        let field = i32::from(bits >> self.0);
        let bias = (1 << (14 - self.0)) - 1;
        let one = f64::from(1 << self.0);
        if field == 0 {
            digits / one * 2.0_f64.powi(1 - bias)
        } else {
            (1.0 + digits / one) * 2.0_f64.powi(field - bias)
        }
    }

    /// Rounds by the two neighbours and the distance to them.
    pub fn round(self, x: f32, mode: u32) -> u16 {
        let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
        let m = f64::from(x.abs());
        if x.is_infinite() {
            return sign | self.infinite();
        }
        let (mut low, mut high) = (0_u16, self.infinite());
        while high - low > 1 {
            let middle = low.midpoint(high);
            if self.value(middle) <= m { low = middle } else { high = middle }
        }
        let (below, above) = (m - self.value(low), self.value(high) - m);
        let even = if low % 2 == 0 { low } else { high };
        let bits = match mode {
            _ if below == 0.0 => low,
            0 | 1 if below == above => even,
            4 if below == above => high,
            0 | 1 | 4 => {
                if below < above {
                    low
                } else {
                    high
                }
            }
            2 => {
                if sign == 0 {
                    low
                } else {
                    high
                }
            }
            3 => {
                if sign == 0 {
                    high
                } else {
                    low
                }
            }
            5 => low,
            6 => low | 1,
            _ => unreachable!(),
        };
        sign | bits
    }

    /// Returns numbers of the format, and numbers next to them and around the midpoints of neighbours.
    pub fn probes(self, step: usize) -> Vec<f32> {
        let mut out = vec![f32::INFINITY, -0.0];
        for bits in (0..self.infinite()).step_by(step) {
            #[allow(clippy::cast_possible_truncation)]
            let (x, y) = (self.value(bits) as f32, self.value(bits + 1));
            #[allow(clippy::cast_possible_truncation)]
            let middle = f64::midpoint(f64::from(x), y) as f32;
            for probe in [x, middle, middle.next_up(), middle.next_down(), x.next_up()] {
                out.extend([probe, -probe]);
            }
        }
        out.resize(out.len().next_multiple_of(128), 1.0);
        out
    }
}
