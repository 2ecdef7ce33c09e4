//! Time that the tables of a function add to a build.

mod common;

use common::clock::timed;
use common::pairs::pairs;
use common::{BF16, CASES, Case, F16};
use op_dsl_fit::{Element, Function, Request};
use std::time::Duration;

/// Widths of all tables that a compiler fits.
pub const WIDTHS: [usize; 3] = [32, 16, 8];

fn times(case: &Case) -> (Duration, Vec<Duration>) {
    let oracle = case.oracle();
    let (f, look) = timed(|| Function::new(&oracle, case.hints()));
    let mut all = Vec::new();
    for entries in WIDTHS {
        for element in [Element::F32, BF16, F16] {
            if entries != 16 || element == Element::F32 {
                let request = Request::new(element, entries);
                all.push(timed(|| f.fit(&request)).1);
            }
        }
    }
    (look, all)
}

/// Time limit. Current processors mostly take a tenth of a second; the limit is high so that no build exceeds it by chance.
const BAR: Duration = Duration::from_secs(2);

#[test]
fn all_tables_of_a_function_are_cheap() {
    println!("{:22} all ms = look, f32 bf16 f16 in 32, f32 in 16, f32 bf16 f16 in 8", "");
    let ms = |t: Duration| t.as_secs_f64() * 1e3;
    for case in &CASES {
        let (look, all) = times(case);
        let sum: Duration = look + all.iter().sum();
        print!("{:22} {:6.1} =", case.name, ms(sum));
        print!(" {:.1}", ms(look));
        for t in all {
            print!(" {:6.1}", ms(t));
        }
        println!();
        assert!(sum < BAR, "{}: {sum:?}", case.name);
    }
}

#[test]
fn joint_tables_are_cheap() {
    println!("{:22} all ms = 32, 8, of functions with their derivatives", "");
    for both in pairs() {
        let (f, derivative) = (both.f.oracle(), both.derivative.oracle());
        let (f, derivative) = (
            Function::new(&f, both.f.hints()),
            Function::new(&derivative, both.derivative.hints()),
        );
        let times = [32, 8]
            .map(|entries| timed(|| _ = f.fit_with(&derivative, &Request::joint(entries))).1);
        let [wide, narrow] = times.map(|t| t.as_secs_f64() * 1e3);
        println!("{:22} {:6.1} = {wide:6.1} {narrow:6.1}", both.f.name, wide + narrow);
        assert!(times.iter().sum::<Duration>() < BAR, "{}: {times:?}", both.f.name);
    }
}
