//! Contents of buffers or registers while the calls of a plan are computed, without hardware.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// For each place (a buffer or a register), one value per element; NaN where nothing was written.
pub(super) struct Contents<P> {
    held: FxHashMap<P, Vec<f32>>, // only ever looked up
    nothing: Vec<f32>,
    old: Vec<f32>,
    scalars: Vec<f32>,
}

impl<P: Copy + Eq + Hash> Contents<P> {
    /// Returns empty places for `n` elements.
    pub fn new(n: usize) -> Contents<P> {
        let nothing = vec![f32::NAN; n];
        let (old, scalars) = (nothing.clone(), nothing.clone());
        Contents { held: FxHashMap::default(), nothing, old, scalars }
    }

    pub fn set(&mut self, place: P, values: Vec<f32>) {
        self.held.insert(place, values);
    }

    pub fn get(&self, place: P) -> &[f32] {
        self.held.get(&place).unwrap_or(&self.nothing)
    }

    /// Computes a call by `f`, which receives the sources and the values of `dst`, to be overwritten.
    ///
    /// The scalar `s` fills the arguments without a source, because an overload has its scalar last.
    pub fn call(&mut self, dst: P, srcs: &[P], s: f32, f: impl FnOnce([&[f32]; 3], &mut [f32])) {
        let mut out = self.held.remove(&dst).unwrap_or_else(|| self.nothing.clone());
        if srcs.contains(&dst) {
            self.old.clone_from(&out);
        }
        self.scalars.fill(s);
        let mut args = [&self.scalars[..]; 3];
        for (to, src) in args.iter_mut().zip(srcs) {
            *to = if *src == dst { &self.old } else { self.get(*src) };
        }
        f(args, &mut out);
        self.held.insert(dst, out);
    }
}
