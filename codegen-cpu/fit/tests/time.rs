//! What a function's tables cost a build.

mod common;

use common::clock::timed;
use common::{CASES, Case};
use op_dsl_fit::{Element, Function, Request};
use std::time::Duration;

/// All tables that a compiler asks for.
pub const WIDTHS: [usize; 3] = [32, 16, 8];

fn times(case: &Case) -> (Duration, Vec<Duration>) {
    let oracle = case.oracle();
    let (f, look) = timed(|| Function::new(&oracle, case.hints()));
    let mut all = Vec::new();
    for entries in WIDTHS {
        for element in [Element::F32, Element::Bf16, Element::F16] {
            if entries != 16 || element == Element::F32 {
                let request = Request::new(element, entries);
                all.push(timed(|| f.fit(&request)).1);
            }
        }
    }
    (look, all)
}

#[test]
fn prints() {
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
    }
}
