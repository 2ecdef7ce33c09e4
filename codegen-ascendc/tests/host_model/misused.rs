//! Kernels that misuse memory, queues, waits or parameters, each stopped at its line.

use super::format::{bytes, floats};
use super::harness::Program;

#[test]
fn memory_misused() {
    let p = Program::compile("memory", 2201);
    p.broken("ub_capacity", "ub-capacity", "UB has 196352", &[]);
    p.broken("ub_reserved", "ub-capacity", "Select keeps 8192 for itself", &[]);
    p.broken("ub_alignment", "ub-alignment", "VECIN queue 0 buffer 0+4", &[]);
    p.broken("copy_alignment", "ub-alignment", "multiple of 32", &[]);
    p.broken("ub_bounds", "ub-bounds", "1028 bytes at TBuf 4+0", &[]);
    p.broken("uninitialised", "ub-uninitialised", "nobody wrote TBuf 4+0", &[]);
    p.broken(
        "uninitialised_tail",
        "ub-uninitialised",
        "nobody wrote VECIN queue 0 buffer 0+32",
        &[],
    );
    p.broken(
        "uninitialised_pad",
        "ub-uninitialised",
        "nobody wrote VECIN queue 0 buffer 0+12",
        &[],
    );
    p.broken("stale", "ub-uninitialised", "VECIN queue 0 buffer 0", &[]);
    p.broken("overlap", "overlap", "only equal addresses", &[]);
    p.broken("overlap_repeats", "overlap", "only equal addresses", &[]);
    p.broken("overlap_widening", "overlap", "elements that do not grow", &[]);
    p.broken(
        "gm_read_bounds",
        "gm-bounds",
        "read of bytes [8064, 8320) of 'a', which has 8192",
        &[],
    );
    p.broken(
        "gm_write_bounds",
        "gm-bounds",
        "write of bytes [132, 260) of 'b', which has 256",
        &[],
    );
    p.broken("gm_alignment", "gm-alignment", "byte 2 of 'a'", &[]);
    p.broken("gm_read_only", "gm-role", "'a'", &[]);
    p.broken("gm_unwritten", "gm-unwritten", "bytes [252, 256) of output 'b'", &[]);
    p.broken("gm_written_twice", "gm-written-twice", "byte 0 of 'b'", &[]);
    p.broken("gm_two_cores", "gm-written-twice", "written by core 0", &["--blocks", "2"]);
    p.broken("gm_in_place", "gm-in-place", "byte 128 of 'b'", &["in-place"]);
    p.broken("gm_race", "gm-race", "without a SyncAll", &["--blocks", "2"]);
    p.broken("gm_uninitialised", "gm-uninitialised", "byte 0 of output 'b'", &[]);
    p.broken("gm_atomic", "gm-atomic", "nobody set to zero", &[]);
    p.broken("gm_foreign", "gm-bounds", "belongs to no argument", &[]);
}

#[test]
fn queues_misused() {
    let p = Program::compile("queue", 2201);
    let protocol = "queue-protocol";
    p.broken("alloc_without_free", protocol, "none of the 2 buffers of VECIN queue 0 is free", &[]);
    p.broken("enque_foreign", protocol, "not allocated from VECOUT queue 1", &[]);
    p.broken("enque_part", protocol, "not allocated from VECIN queue 0", &[]);
    p.broken("enque_twice", protocol, "queued already", &[]);
    p.broken("enque_beyond_depth", protocol, "already holds 1 tensors, its depth", &[]);
    p.broken("deque_empty", protocol, "VECIN queue 0 is empty", &[]);
    p.broken("free_twice", protocol, "a second time", &[]);
    p.broken("free_queued", protocol, "while it is queued", &[]);
    p.broken("leak", protocol, "not freed by the end", &[]);
    p.broken("use_after_free", protocol, "after FreeTensor", &[]);
    p.broken("use_while_queued", protocol, "between EnQue and DeQue", &[]);
    p.broken(
        "buffers_of_position",
        "buffer-count",
        "10 queue buffers in position VECIN, allowed are 8",
        &[],
    );
    p.broken("buffers_in_all", "buffer-count", "more than 64", &[]);
    p.broken("no_buffers", protocol, "given no buffers", &[]);
    p.broken("init_twice", protocol, "a second time", &[]);
    p.broken("part_of_buffer", "ub-bounds", "has 1024 bytes", &[]);
}

#[test]
fn waits_missing() {
    let p = Program::compile("sync", 2201);
    let wait = "missing-wait";
    p.broken("compute_without_deque", wait, "Adds on pipe V reads VECIN queue 0 buffer 0+0", &[]);
    p.broken(
        "copy_out_without_enque",
        wait,
        "DataCopy on pipe MTE3 reads VECOUT queue 1 buffer 0+0",
        &[],
    );
    p.broken("reuse_while_copied_out", wait, "still read by pipe MTE3", &[]);
    p.broken("load_over_use", wait, "DataCopy on pipe MTE2 writes TBuf 4+0", &[]);
    p.broken("copies_overlap", wait, "written by pipe MTE2", &[]);
    p.broken("wrong_event", wait, "written by pipe MTE2", &[]);
    p.broken("scalar_write", wait, "written by pipe S", &[]);
    p.broken("scalar_read", wait, "GetValue on pipe S", &[]);
    p.broken("flag_twice", "event", "not yet waited for", &[]);
    p.broken("wait_unset", "event", "would wait for ever", &[]);
    p.broken("flag_left", "event", "never waited for", &[]);
    p.broken("flag_number", "event", "allowed is 0..7", &[]);
    p.broken("event_ids", "event", "all 8 ids", &[]);
    p.broken(
        "sync_all",
        "sync-all",
        "block 0 waits at a SyncAll that block 1 never reached",
        &["--blocks", "2"],
    );
    let x = bytes([3.0_f32; 64].map(f32::to_le_bytes));
    assert_eq!(floats(&p.good("good_events", &x, 256, &[]).0), [4.0; 64]);
    barriers_missing(&p.without_auto_sync());
}

/// Checks that a missing barrier between dependent vector calls is a finding.
///
/// It is none on 3510 and with `--auto-sync`, because there the hardware or the compiler orders the calls.
fn barriers_missing(p: &Program) {
    let kernels = [
        ("read_after_write", "reads VECIN queue 0 buffer 0+0 (UB byte 0), written by pipe V", 6.0),
        (
            "write_after_read",
            "writes VECIN queue 0 buffer 0+0 (UB byte 0), still read by pipe V",
            6.0,
        ),
        (
            "write_after_write",
            "writes VECOUT queue 1 buffer 0+0 (UB byte 2048), written by pipe V",
            6.0,
        ),
    ];
    let x = bytes([3.0_f32; 64].map(f32::to_le_bytes));
    let newer = Program::compile("sync", 3510).without_auto_sync();
    for (kernel, what, result) in kernels {
        p.broken(kernel, "missing-wait", what, &[]);
        let by_compiler = p.good(kernel, &x, 256, &["--auto-sync"]);
        let by_hardware = newer.good(kernel, &x, 256, &[]);
        for (out, report) in [by_compiler, by_hardware] {
            assert_eq!(floats(&out), [result; 64], "{kernel}");
            let barriers = u64::from(kernel == "read_after_write");
            assert!(report.contains(&format!("\"barriers\":{barriers}")), "{report}");
        }
    }
    assert_eq!(floats(&p.good("good_barrier", &x, 256, &[]).0), [1.0; 64]);
}

#[test]
fn parameters_out_of_range() {
    let p = Program::compile("params", 2201);
    let parameter = "parameter";
    p.broken("copy_of_12_bytes", parameter, "12 bytes, must be a multiple of 32", &[]);
    p.broken("block_count", parameter, "blockCount is 4096, allowed is 0..4095", &[]);
    p.broken("block_len", parameter, "blockLen is 2097152, allowed is 0..2097151", &[]);
    p.broken("block_len_16", parameter, "blockLen is 65536, allowed is 0..65535", &[]);
    p.broken("stride_16", parameter, "srcStride is 70000", &[]);
    p.broken("stride_32", parameter, "srcStride is 4294967296", &[]);
    p.broken("block_len_element", parameter, "multiple of the element's 4 bytes", &[]);
    p.broken("padding", parameter, "padding of 0 and 36 bytes", &[]);
    p.broken("repeat_time", parameter, "repeatTime is 256, allowed is 0..255", &[]);
    p.broken("mask_64", parameter, "mask is 65, allowed is 1..64", &[]);
    p.broken("mask_128", parameter, "mask is 129, allowed is 1..128", &[]);
    p.broken("compares_count", parameter, "224 bytes, must be a multiple of 256", &[]);
    p.broken("negative_count", parameter, "count is -8", &[]);
    p.broken("exp_of_integers", "dtype", "Exp does not take int32_t", &[]);
    p.broken("bf16_arithmetic", "dtype", "Mul does not take bfloat16_t on 2201", &[]);
    p.broken(
        "cast_bf16_none",
        "cast",
        "allowed is CAST_RINT/CAST_FLOOR/CAST_CEIL/CAST_ROUND/CAST_TRUNC",
        &[],
    );
    p.broken("cast_half_rint", "cast", "allowed is CAST_NONE", &[]);
    p.broken("cast_half_to_bf16", "cast", "from half to bfloat16_t does not exist on 2201", &[]);
    p.broken("gather_element", parameter, "offset 2 of element 0", &[]);
    p.broken("gather_bounds", "ub-bounds", "offset 1024 of element 0", &[]);
    p.broken("gather_pattern", parameter, "pattern is 8, allowed is 1..7", &[]);
    let tiling = p.file("tiling", Some(&[0; 64]));
    p.broken("tiling_size", "tiling", "64 bytes, the kernel's struct 72", &["--tiling", &tiling]);
    p.broken("atomic_left_on", parameter, "SetAtomicAdd is still on", &[]);
}

#[test]
fn reductions() {
    let p = Program::compile("reduce", 2201).without_auto_sync();
    let (parameter, wait) = ("parameter", "missing-wait");
    p.broken("reduce_alignment", "ub-alignment", "multiple of 32", &[]);
    p.broken("reduce_repeats", parameter, "repeatTime is 256, allowed is 0..255", &[]);
    p.broken("reduce_stride", parameter, "srcBlkStride is 65536, allowed is 0..65535", &[]);
    p.broken("reduce_no_lane", parameter, "no lane of the mask is on", &[]);
    p.broken("reduce_bounds", "ub-uninitialised", "nobody wrote VECIN queue 0 buffer 0+256", &[]);
    p.broken("reduce_left_out", "ub-uninitialised", "nobody wrote TBuf 4+28", &[]);
    p.broken("reduce_without_barrier", wait, "written by pipe V", &[]);
    p.broken("repeat_overlap", "overlap", "may not share a byte", &[]);
    p.broken("repeat_stride", parameter, "dstBlkStride is 0", &[]);
    p.broken("repeat_without_barrier", wait, "written by pipe V", &[]);
    p.broken("overlap_interleaved", "overlap", "only equal addresses", &[]);
    let values: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let x = bytes(values.iter().map(|x| x.to_le_bytes()));
    // Numbers of each block are added: 8 k + (8 k + 1) + (8 k + 2).
    let repeated: Vec<f32> = (0..64).map(|i| (24 * (i / 8) + 3) as f32).collect();
    assert_eq!(floats(&p.good("good_reduce", &x, 256, &[]).0), repeated);
    let added: Vec<f32> = (0..64)
        .map(|i| if i / 8 % 2 == 0 { (2 * i + 10) as f32 } else { (i + 1) as f32 })
        .collect();
    assert_eq!(floats(&p.good("good_interleaved", &x, 256, &[]).0), added);
    let older = Program::compile("reduce", 1001);
    older.broken("reduce_bounds", "not-on-arch", "does not exist on 1001", &[]);
}
