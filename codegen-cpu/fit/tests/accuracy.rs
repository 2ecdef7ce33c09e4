//! Accuracy of tables: their models compared with the reference.
//!
//! In f32 the inputs have all exponents; in 16 bits they are all inputs.

mod common;

use common::measure::{Measured, measure, measure_all, strided};
use common::{BF16, CASES, Case, F16};
use op_dsl_fit::{Centring, Element, End, Function, Request, Symmetry, Table};
use std::sync::Mutex;

/// Maximum error in units in the last place.
///
/// It is higher for zeros of second or third order, and for a function of both signs with poles at 1.57 i, in 8 segments.
fn bar(case: &Case, entries: usize, table: &Table) -> f64 {
    match (case.name, entries) {
        ("tanhshrink" | "log cosh", _) => 2.0,
        (_, 32) if table.design.symmetry == Symmetry::None => 1.3,
        (_, 32) => 1.25,
        _ => 1.6,
    }
}

/// Formats one line of a report.
fn line(case: &Case, table: &Table, m: Measured) -> String {
    let symmetry = match table.design.symmetry {
        Symmetry::None => "none",
        Symmetry::Even => "even",
        Symmetry::Odd => "odd",
        Symmetry::Point { .. } => "point",
        Symmetry::Linear { .. } => "linear",
    };
    let end = |end| match end {
        End::Clamp => "clamp",
        End::SlowPath => "slow",
        End::Unused => "-",
    };
    let centres = match table.design.centring {
        Centring::Own => "own",
        Centring::Equal => "equal",
        Centring::Origin => "none",
    };
    format!(
        "{:22} {symmetry:6} {:2} {centres:5} {} {} [{:7.3}, {:7.3}) {:5} {:5} {:.3} {:.2} % {}",
        case.name,
        table.design.degree,
        table.design.power,
        table.design.pair as usize,
        table.low,
        table.high,
        end(table.ends[0]),
        end(table.ends[1]),
        m.ulp,
        100.0 * m.right,
        if m.wrong < 20 { m.wrong.to_string() } else { String::new() },
    )
}

/// Returns a report on all functions with tables of a width.
fn report(element: Element, entries: usize) -> String {
    report_of(element, entries, 4)
}

/// Returns a report on inputs that are thinned by `thin` in f32, see `strided`.
fn report_of(element: Element, entries: usize, thin: usize) -> String {
    let mut report = String::from(
        "function symmetry degree centres power pair [from, to) ends ulp right wrong\n",
    );
    for case in &CASES {
        let oracle = case.oracle();
        let function = Function::new(&oracle, case.hints());
        let request = Request::new(element, entries);
        let table = match function.fit(&request) {
            Ok(table) => table,
            Err(why) => {
                report += &format!("{:22} {why}\n", case.name);
                continue;
            }
        };
        let m = match element {
            Element::F32 => measure(case, function.roots(), &table, element, strided(thin)),
            _ => measure(case, function.roots(), &table, element, element.inputs().into_iter()),
        };
        match element {
            Element::F32 => {
                let bar = bar(case, entries, &table);
                assert!(m.ulp <= bar, "{} on {entries}: {m:?}", case.name);
            }
            _ => assert!(m.wrong <= 13 && m.ulp <= 1.0, "{} on {entries}: {m:?}", case.name),
        }
        report += &line(case, &table, m);
        report += "\n";
    }
    report
}

#[test]
fn f32_in_32_segments() {
    insta::assert_snapshot!(report(Element::F32, 32));
}

#[test]
fn f32_in_16_segments() {
    insta::assert_snapshot!(report(Element::F32, 16));
}

#[test]
fn f32_in_8_segments() {
    insta::assert_snapshot!(report(Element::F32, 8));
}

#[test]
fn bf16_tables_are_within_one_ulp() {
    insta::assert_snapshot!("bf16_in_32_segments", report(BF16, 32));
    insta::assert_snapshot!("bf16_in_8_segments", report(BF16, 8));
}

#[test]
fn f16_tables_are_within_one_ulp() {
    insta::assert_snapshot!("f16_in_32_segments", report(F16, 32));
    insta::assert_snapshot!("f16_in_8_segments", report(F16, 8));
}

/// Tables for a variable that can be any float: errors of 16-bit values before rounding, in units of f32.
#[test]
fn of_products() {
    for (element, digits) in [(BF16, 8), (F16, 11)] {
        for entries in [32, 8] {
            for case in &CASES {
                let oracle = case.oracle();
                let function = Function::new(&oracle, case.hints());
                let request = Request { of_product: true, ..Request::new(element, entries) };
                let table =
                    function.fit(&request).unwrap_or_else(|why| panic!("{}: {why}", case.name));
                let m = measure(case, function.roots(), &table, Element::F32, strided(40));
                // A thousandth of a unit, the limit of `request`, and half as much again between samples.
                let bar = 1.5 * f64::from(1 << (24 - digits)) / 1024.0;
                assert!(m.ulp <= bar, "{} on {entries}, {element:?}: {m:?}", case.name);
                assert!(m.inside > 0 && table.design.power == 0, "{}", case.name);
            }
        }
    }
}

/// The same with a hundred times as many floats, which takes minutes.
#[test]
#[ignore = "takes minutes"]
fn f32_more_closely() {
    for entries in [32, 8] {
        println!("{entries} segments\n{}", report_of(Element::F32, entries, 0));
    }
}

/// All 2^32 inputs of ten functions, on all available threads: an hour on two.
#[test]
#[ignore = "takes an hour"]
fn f32_everywhere() {
    let names = "gelu gelu' gelu_tanh' silu silu' sigmoid tanh softplus mish mish'";
    let cases = CASES.iter().filter(|case| names.split(' ').any(|name| name == case.name));
    let left = Mutex::new(cases);
    let next = || left.lock().unwrap().next();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(case) = next() {
                    everywhere(case);
                }
            });
        }
    });
}

fn everywhere(case: &Case) {
    let oracle = case.oracle();
    let function = Function::new(&oracle, case.hints());
    let all_entries = [32, 8];
    let table = |entries| function.fit(&Request::new(Element::F32, entries)).expect("a table");
    let tables = all_entries.map(table);
    let all = (0..=u32::MAX).map(f32::from_bits);
    let found = measure_all(case, function.roots(), tables.each_ref(), Element::F32, all);
    for ((entries, table), m) in all_entries.into_iter().zip(&tables).zip(found) {
        println!("{entries} {}", line(case, table, m));
        assert!(m.ulp <= bar(case, entries, table), "{} on {entries}: {m:?}", case.name);
    }
}
