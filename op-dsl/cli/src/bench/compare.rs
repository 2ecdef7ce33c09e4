//! Comparison of this run's rows with those of an earlier run.

use super::record::{Earlier, Record, Subject};
use crate::table::Table;
use std::fmt::Write;

const COLUMNS: [&str; 12] = [
    "system", "op", "mode", "dtype", "size", "threads", "setting", "before", "now", "ratio",
    "x_floor before", "x_floor now",
];

/// Returns a table that compares the rows of this run (`now`) with those of an earlier run (`before`).
///
/// There is a line for every subject of either run. The earlier machine is shown only if it differs from `machine`.
pub fn compare(name: &str, before: &Earlier, machine: &[String], now: &[Record]) -> String {
    let mut text = format!("Compared with {name}, medians in ns per element:\n");
    if before.machine != machine {
        text.push_str("the machine is another one; it was\n");
        before.machine.iter().for_each(|line| _ = writeln!(text, "  {line}"));
    }
    let mut table = Table::new(&COLUMNS);
    let mut known: Vec<&Subject> = Vec::new();
    for record in now.iter().chain(&before.records) {
        if !known.contains(&&record.subject) {
            known.push(&record.subject);
            table.row(row(
                &record.subject,
                of(&before.records, &record.subject),
                of(now, &record.subject),
            ));
        }
    }
    text + &table.to_text()
}

/// Returns a subject's median time in ns per element, and the median of its ratios to the floor.
///
/// The floor is an operator with the same memory traffic and no arithmetic. `None` means that no record has the
/// subject.
fn of(records: &[Record], subject: &Subject) -> Option<(f64, Option<f64>)> {
    let rows = || records.iter().filter(|r| r.subject == *subject);
    let time = median(rows().map(|r| r.ns_per_elem).collect())?;
    Some((time, median(rows().filter_map(|r| r.x_floor).collect())))
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

type Times = Option<(f64, Option<f64>)>;

fn row(subject: &Subject, before: Times, now: Times) -> [String; 12] {
    let Subject { system, op, mode, dtype, size, threads, setting } = subject.clone();
    let time = |side: Times| side.map(|(ns, _)| format!("{ns:.4}")).unwrap_or_default();
    let floor =
        |side: Times| side.and_then(|(_, x)| x).map(|x| format!("{x:.3}")).unwrap_or_default();
    let ratio = match (before, now) {
        (Some((before, _)), Some((now, _))) if before > 0.0 => format!("{:.3}x", now / before),
        (_, Some(_)) => "only now".to_string(),
        (_, None) => "only before".to_string(),
    };
    let (was, is) = (time(before), time(now));
    [system, op, mode, dtype, size, threads, setting, was, is, ratio, floor(before), floor(now)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(op: &str, ns_per_elem: f64, x_floor: Option<f64>) -> Record {
        let subject = Subject { op: op.into(), ..Subject::default() };
        Record { subject, ns_per_elem, x_floor, ..Record::default() }
    }

    #[test]
    fn every_row_of_either_side_once() {
        let machine = vec!["processor  p".to_string()];
        let records = [3.0, 1.0, 2.0].map(|ns| record("Both", ns, Some(ns))).to_vec();
        let records = [records, vec![record("Gone", 1.0, None)]].concat();
        let before = Earlier { machine: machine.clone(), records };
        let now = [record("Both", 1.0, Some(1.5)), record("New", 1.0, None)];
        let text = compare("old.csv", &before, &machine, &now);
        let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
        assert_eq!(lines.len(), 2 + 3, "{text}");
        assert_eq!(lines[2], ["Both", "2.0000", "1.0000", "0.500x", "2.000", "1.500"], "{text}");
        assert_eq!(lines[3], ["New", "1.0000", "only", "now"], "{text}");
        assert_eq!(lines[4], ["Gone", "1.0000", "only", "before"], "{text}");
    }

    #[test]
    fn another_machine_is_told() {
        let before = Earlier { machine: vec!["processor  p".into()], records: Vec::new() };
        let text = compare("old.csv", &before, &["processor  q".to_string()], &[]);
        assert!(text.contains("another") && text.contains("\n  processor  p\n"), "{text}");
    }
}
