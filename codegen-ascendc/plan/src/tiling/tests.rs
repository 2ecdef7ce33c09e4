use super::*;
use op_dsl_ir::bind::{BoundSplit, Shape};
use proptest::prelude::*;

const UB: u64 = 196_608 - 256;
const CORES: [u32; 4] = [1, 2, 40, 48];

/// Needs of the heaviest and the lightest kernels on a tiling.
///
/// The arguments are the bytes of an element, the UB bits per element of a tile, and further bits if rows are small.
const NEEDS: [Need; 3] = [need(4, 416, 192), need(2, 320, 160), need(2, 288, 160)];

const fn need(size: u64, bits: u64, more: u64) -> Need {
    let dense = Footprint { fixed: 256, bits };
    let small = Some(Footprint { bits: bits + more, ..dense });
    let pairs = Some(Footprint { bits: bits + more / 2, ..dense });
    Need { size, dense, small, pairs, even: 1, gathers: true, rows: None }
}

fn machine(cores: u32) -> Machine {
    Machine { ub: UB, cores, pads: true }
}

fn halves(shape: &[usize], dim: usize) -> Extent {
    let mut part = shape.to_vec();
    part[dim] /= 2;
    let domain = Shape::new(&part).expect("at most eight dimensions");
    let split = BoundSplit { dim, half: part[dim], interleaved: false, gate_first: true };
    Extent::new(&Bound { domain, split: Some(split), ..Bound::default() })
}

/// Checks every property of a tiling that holds for any shape, and returns the tiling.
fn check(extent: &Extent, need: &Need, machine: &Machine) -> Tiling {
    let t = tile(extent, need, machine).expect("UB is large enough");
    let what = format!("{extent:?} {machine:?} {t:?}");
    let used = need.of(t.path, t.columns).expect("the path was taken");
    let capacity = used.capacity(machine.ub, need.size);
    assert!(t.cores <= machine.cores, "{what}");
    let mut next = 0;
    for core in 0..t.cores {
        let begin = next;
        let mut walked = 0u32;
        for tile in t.tiles(core) {
            assert_eq!(tile.row * t.columns + tile.column, next, "{what}: a gap or an overlap");
            assert!(tile.rows == 1 || (tile.column == 0 && tile.columns == t.columns), "{what}");
            assert!(t.occupied(&tile) <= capacity, "{what}: {tile:?} over {capacity}");
            limits(&t, tile, need.size);
            next += tile.rows * tile.columns;
            walked += 1;
            if walked > 100 {
                next = begin + t.load(core); // skip the rest of a long walk, which repeats the same
                break;
            }
        }
        assert_eq!(next - begin, t.load(core), "{what}: core {core}");
        assert!(next > begin, "{what}: core {core} has nothing to do");
    }
    assert_eq!(next, extent.elements(), "{what}: not all elements have an owner");
    t
}

fn limits(t: &Tiling, tile: Tile, size: u64) {
    for side in [Side::Whole, Side::First, Side::Second] {
        let mut bursts = t.bursts(tile, side, size);
        assert!(bursts.size_hint().0 as u64 <= MAX_BLOCK_COUNT, "{tile:?}");
        assert!(bursts.next().is_none_or(|b| b.len <= MAX_BLOCK_LEN), "{tile:?}");
    }
    assert!(tile.rows == 1 || t.columns * size <= u32::MAX as u64, "{tile:?}");
}

/// Returns the bytes of touched sectors in GM, divided by the bytes of the tensors.
///
/// The tensors are those of a gradient: `dy`, `x` and `gelu` are read, and `dx` is written.
fn traffic(t: &Tiling, size: u64) -> f64 {
    let sides = [Side::Whole, Side::First, Side::Second, Side::Whole, Side::First, Side::Second];
    let tiles = (0..t.cores).flat_map(|c| t.tiles(c).collect::<Vec<_>>());
    let touched: u64 = tiles
        .flat_map(|tile| sides.map(|s| t.bursts(tile, s, size).map(|b| b.sectors()).sum::<u64>()))
        .sum();
    (touched * BLOCK) as f64 / (t.rows * t.columns * size * sides.len() as u64) as f64
}

#[test]
fn plain_data_of_whole_words() {
    assert_eq!(std::mem::size_of::<Tiling>(), 64);
    assert_eq!(std::mem::align_of::<Tiling>(), 8);
}

#[test]
fn named_shapes_along_every_dimension() {
    let shapes: &[&[usize]] = &[
        &[23, 12, 2048],
        &[1132, 71, 14],
        &[24, 576, 1280],
        &[5000, 64],
        &[9001, 26],
        &[3, 200_000],
        &[2],
        &[2, 1, 2, 3, 4, 5, 2, 7],
        &[0, 8],
    ];
    for shape in shapes {
        for dim in (0..shape.len()).filter(|&d| shape[d] % 2 == 0) {
            let extent = halves(shape, dim);
            for (need, cores) in NEEDS.iter().flat_map(|n| CORES.map(|c| (n, c))) {
                let t = check(&extent, need, &machine(cores));
                assert_eq!(t.cores == 0, extent.elements() == 0, "{shape:?}");
            }
        }
    }
}

#[test]
fn ranks_one_to_eight() {
    for rank in 1..=8 {
        let shape: Vec<usize> = (0..rank).map(|i| 2 * (i % 3) + 2).collect();
        for dim in 0..rank {
            for need in &NEEDS {
                check(&halves(&shape, dim), need, &machine(48));
            }
        }
    }
}

#[test]
fn path_follows_from_shape_and_element_size() {
    let path = |rows, columns, k: usize| {
        let extent = Extent { rows, columns, split: true };
        check(&extent, &NEEDS[k], &machine(48)).path
    };
    assert_eq!(path(276, 1024, 0), Path::Rows);
    assert_eq!(path(12, 20_480, 0), Path::Columns);
    assert_eq!(path(80_372, 7, 0), Path::Small);
    assert_eq!(path(80_372, 8, 0), Path::Rows);
    assert_eq!(path(80_372, 8, 1), Path::Small);
    assert_eq!(path(80_372, 16, 1), Path::Rows);
}

/// A core's share that fits one tile is cut into two tiles, unless it is too small for that.
///
/// Compares the path and the tile sizes of the busiest core.
#[test]
fn shares_of_one_tile_are_two() {
    let tiles = |rows, columns, k: usize, cores, pads| {
        let extent = Extent { rows, columns, split: true };
        let need = Need { gathers: pads, ..NEEDS[k] };
        let t = check(&extent, &need, &Machine { pads, ..machine(cores) });
        let lengths = |core| t.tiles(core).map(|tile| tile.rows * tile.columns).collect::<Vec<_>>();
        (t.path, (0..t.cores).map(lengths).max_by_key(|l| l.iter().sum::<u64>()).expect("a core"))
    };
    // The halves of (70000, 2): rows of two elements, in tiles of whole blocks of rows.
    assert_eq!(tiles(70_000, 1, 0, 64, true), (Path::Small, vec![576, 576]));
    // Each core has four rows.
    assert_eq!(tiles(192, 512, 0, 48, true), (Path::Rows, vec![1024, 1024]));
    // One row for each core.
    assert_eq!(tiles(48, 2048, 0, 48, true), (Path::Columns, vec![1024, 1024]));
    // Pieces of one row.
    assert_eq!(tiles(1, 100_000, 1, 40, true), (Path::Columns, vec![1280, 1280]));
    // Transposed lanes stay whole: 16 lanes of 8 rows are 128 rows.
    assert_eq!(tiles(3584, 2, 1, 4, false), (Path::Small, vec![1024, 768]));
    // Too few elements for two tiles.
    assert_eq!(tiles(96, 256, 0, 48, true), (Path::Rows, vec![512]));
    assert_eq!(tiles(48, 1000, 0, 48, true), (Path::Rows, vec![1000]));
    // Shares of more than one tile use full tiles first.
    assert_eq!(tiles(48 * 24, 512, 0, 48, true).1[0], 3584);
}

#[test]
fn alternating_elements_are_halves_of_what_lies_inside() {
    let domain = Shape::new(&[5, 6, 7]).expect("three dimensions");
    let of = |dim, interleaved| {
        let split = BoundSplit { dim, half: domain[dim], interleaved, gate_first: true };
        Extent::new(&Bound { domain, split: Some(split), ..Bound::default() })
    };
    assert_eq!(of(1, false), Extent { rows: 5, columns: 42, split: true });
    assert_eq!(of(1, true), Extent { rows: 30, columns: 7, split: true });
    assert_eq!(of(2, true), Extent { rows: 210, columns: 1, split: true });
}

#[test]
fn narrow_rows_without_gaps() {
    for columns in 1..=40 {
        for need in &NEEDS {
            for (rows, cores) in [(1, 48), (4096, 48), (4799, 48), (20_000, 40), (7, 2)] {
                let extent = Extent { rows, columns, split: true };
                check(&extent, need, &machine(cores));
                check(&extent, need, &Machine { pads: false, ..machine(cores) });
            }
        }
    }
}

/// Without padded copies, tiles of narrow rows fill whole lanes to be transposed.
///
/// Tiles with fewer rows are gathered, or their halves are not separated.
#[test]
fn lanes_are_whole() {
    for (columns, gathers) in (1..400).flat_map(|c| [(c, false), (c, true)]) {
        for rows in [3, 4799] {
            let extent = Extent { rows, columns, split: true };
            let need = Need { gathers, ..NEEDS[1] };
            let t = check(&extent, &need, &Machine { ub: 262_144, pads: false, ..machine(8) });
            let (aligned, rows) = (aligned_rows(columns * need.size), t.tile_rows as u64);
            let turned = t.path == Path::Small && rows % (LANES * aligned) == 0;
            let gathered = t.path == Path::Small && gathers && rows < LANES * aligned;
            assert!(turned || gathered && rows % aligned == 0 || t.path != Path::Small, "{t:?}");
            assert!(turned || columns > 15, "{t:?}");
        }
    }
}

/// Without padded copies no core may begin inside a block that another core writes.
#[test]
fn cores_end_on_blocks_where_copies_cannot_be_padded() {
    for columns in 1..=40 {
        let extent = Extent { rows: 4799, columns, split: true };
        let t = check(&extent, &NEEDS[1], &Machine { pads: false, ..machine(8) });
        for core in 0..t.cores {
            let first = t.tiles(core).next().expect("every core has work");
            assert_eq!(first.row * columns * 2 % BLOCK, 0, "{t:?}");
        }
    }
}

/// No core may begin inside a data-cache line where scalar code writes.
///
/// Scalar code writes rows that are too short to be copied and cannot be separated.
#[test]
fn cores_end_on_lines_where_scalar_code_writes() {
    for columns in 1..16 {
        let need = Need { small: None, pairs: None, ..NEEDS[1] };
        let extent = Extent { rows: 4799, columns, split: true };
        let t = check(&extent, &need, &Machine { pads: false, ..machine(8) });
        for core in 0..t.cores {
            let first = t.tiles(core).next().expect("every core has work");
            assert_eq!(first.row * columns * 2 % LINE, 0, "{t:?}");
        }
    }
}

#[test]
fn only_narrow_rows_move_extra_bytes() {
    let of = |rows, columns, k: usize| {
        traffic(
            &check(&Extent { rows, columns, split: true }, &NEEDS[k], &machine(48)),
            NEEDS[k].size,
        )
    };
    for (rows, columns, k) in [(276, 1024, 0), (13_824, 640, 1), (4799, 2048, 0), (48, 65_536, 2)] {
        assert_eq!(of(rows, columns, k), 1.0, "{rows} x {columns}");
    }
    for rows in [40_000, 48 * 800 + 47] {
        assert!(of(rows, 13, 1) <= 1.10, "M = 13: {}", of(rows, 13, 1));
        assert!(of(rows, 1, 1) <= 1.25, "M = 1: {}", of(rows, 1, 1));
    }
}

#[test]
fn ub_is_full_and_never_over() {
    for need in &NEEDS {
        let t = check(&Extent { rows: 1, columns: 1 << 24, split: false }, need, &machine(48));
        let used = t.tile_columns as u64 * need.dense.bits / 8 + need.dense.fixed;
        assert!(used <= UB && used * 100 >= UB * 95, "{used}");
    }
}

#[test]
fn ub_too_small() {
    let extent = Extent { rows: 4, columns: 4, split: true };
    let error = tile(&extent, &NEEDS[0], &Machine { ub: 600, ..machine(1) }).unwrap_err();
    assert_eq!(error, UbTooSmall { need: 256 + 8 * 52, have: 600 });
    let tiny = Machine { ub: error.need, ..machine(1) };
    assert_eq!(check(&extent, &NEEDS[0], &tiny).tile_columns, 8);
}

#[test]
fn units_go_around_one_by_one() {
    let extent = Extent { rows: 64 * 32 + 63, columns: 1024, split: true };
    let t = check(&extent, &NEEDS[0], &machine(64));
    assert!(t.balance(64) < 1.02, "{}", t.balance(64));
}

fn shapes() -> impl Strategy<Value = (Extent, usize, u32, u64)> {
    let rows =
        prop_oneof![1..70u64, 1..6000u64, (0..2000u64).prop_map(|k| 48 * k + 47), 1..1u64 << 33];
    let columns = prop_oneof![1..50u64, 1..5000u64, 1..300_000u64, 1..1u64 << 33];
    let cores = prop_oneof![Just(1u32), Just(2), Just(40), Just(48), 1..65u32];
    let ub = prop_oneof![Just(UB), Just(262_144u64), 1_000..300_000u64];
    (rows, columns, any::<bool>(), 0..NEEDS.len(), cores, ub).prop_map(
        |(rows, columns, split, k, cores, ub)| {
            let rows = if split { rows } else { 1 };
            let rows = rows.min(isize::MAX as u64 / 4 / columns); // the maximum that `bind` accepts
            (Extent { rows, columns, split }, k, cores, ub)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12_000))]

    #[test]
    fn every_element_has_one_owner((extent, k, cores, ub) in shapes()) {
        check(&extent, &NEEDS[k], &Machine { ub, ..machine(cores) });
    }

    #[test]
    fn cores_are_balanced_within_5_percent((k, columns) in (0..900u64, 1..40_000u64), which in 0..NEEDS.len()) {
        let extent = Extent { rows: 48 * k + 47, columns, split: true };
        let size = NEEDS[which].size;
        prop_assume!(extent.elements() * size >= 1000 * UNIT);
        let t = check(&extent, &NEEDS[which], &machine(48));
        prop_assert!(t.balance(48) <= 1.05, "{} {t:?}", t.balance(48));
    }
}
