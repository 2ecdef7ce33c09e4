//! Calls that must wait for the calls before them.
//!
//! The vector pipe starts calls in order, but a call may start while the one before it still reads and writes. Where
//! neither hardware ([`Arch::orders_vectors`](crate::arch::Arch::orders_vectors)) nor the compiler orders dependent
//! calls, a barrier must stand between two of them if one writes a buffer that the other touches. A barrier covers all
//! calls before it, so one is placed as late as possible: before the first call that depends on one since the last
//! barrier. No other placement has fewer.
//!
//! Tiles follow each other: temporary buffers hold what the last tile left there. Buffers of queues do not, since a
//! queue hands a buffer over once all of its uses have ended.

use super::instr::{Buffer, Instr, Operand};
use super::planned::Plan;

/// Buffers that vector calls since the last barrier may still be reading or writing.
#[derive(Clone, Debug, Default, PartialEq)]
struct Pending {
    read: Vec<Buffer>,
    written: Vec<Buffer>,
}

impl Pending {
    /// Returns true if `instr` must wait for one of the pending calls.
    ///
    /// It must if it reads or writes a buffer that one of them writes, or writes a buffer that one of them reads.
    fn conflicts(&self, instr: &Instr) -> bool {
        reads(instr).any(|b| self.written.contains(&b))
            || self.read.contains(&instr.dst)
            || self.written.contains(&instr.dst)
    }

    fn add(&mut self, instr: &Instr) {
        self.read.extend(reads(instr));
        self.written.push(instr.dst);
    }

    /// Returns the buffers that the next tile has to wait for, merged with `others`, each once.
    ///
    /// Buffers of queues are left out, because a queue hands a buffer over once all of its uses have ended.
    fn left_for_next_tile(self, others: Pending) -> Pending {
        let merged = |a: Vec<Buffer>, b: Vec<Buffer>| {
            let is_queue = |b: &Buffer| matches!(b, Buffer::In(_) | Buffer::Out(_));
            let mut all: Vec<Buffer> = a.into_iter().chain(b).filter(|b| !is_queue(b)).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        Pending {
            read: merged(self.read, others.read),
            written: merged(self.written, others.written),
        }
    }
}

/// Returns the buffers that a vector call reads.
///
/// Splats (256 bytes of one number) are left out, because they are written once, ahead of all tiles.
fn reads(instr: &Instr) -> impl Iterator<Item = Buffer> + '_ {
    let of = |src: &Operand| if let Operand::Buffer(b) = *src { Some(b) } else { None };
    let accumulator = instr.api.accumulates().then_some(instr.dst);
    instr.srcs.iter().filter_map(of).chain(accumulator)
}

impl Plan {
    /// For each vector call, returns true if a barrier of the vector pipe must precede it.
    pub fn barriers(&self) -> Vec<bool> {
        if self.soc.arch.orders_vectors {
            return vec![false; self.instrs.len()];
        }
        // Vector calls pad the inputs to whole repeats, ahead of the plan's calls.
        let read = |k: &usize| self.whole_repeats() && self.inputs[*k].is_some();
        let completed: Vec<Buffer> = (0..self.inputs.len()).filter(read).map(Buffer::In).collect();
        // The calls that a tile leaves pending depend on where its last barrier is, and that on what the tile before left. The
        // sets only grow, so the loop ends.
        let mut left = Pending::default();
        loop {
            let mut start = left.clone();
            start.written.extend(&completed);
            let (barriers, end) = place(&self.instrs, start);
            let next = end.left_for_next_tile(left.clone());
            if next == left {
                return barriers;
            }
            left = next;
        }
    }
}

/// For each call of a tile, returns true if a barrier precedes it; and the buffers still in use.
///
/// `pending` are the buffers that calls before the tile may still be using.
fn place(instrs: &[Instr], mut pending: Pending) -> (Vec<bool>, Pending) {
    let mut barriers = Vec::with_capacity(instrs.len());
    for instr in instrs {
        let waits = pending.conflicts(instr);
        if waits {
            pending = Pending::default();
        }
        pending.add(instr);
        barriers.push(waits);
    }
    (barriers, pending)
}
