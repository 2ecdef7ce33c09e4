//! A row of a benchmark, and the CSV that rows are stored in.
//!
//! Lines that start with `#` are notes. The first says which version of the columns the file has, those before the
//! column names describe the machine. Files may be joined end to end.

use std::fmt::Write;

/// Version of the CSV format, raised with every change of the columns or of their meaning.
const VERSION: u32 = 2;
/// Start of the first line of a CSV file; the version follows.
const FIRST: &str = "# op-dsl bench ";
const NOTE: &str = "# ";

/// Subject of a measurement: the operator and how it was timed.
///
/// Rows with equal subjects can be compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Subject {
    /// The timed system: this program, or the floor (the same memory traffic without arithmetic).
    pub system: String,
    pub op: String,
    /// Values of the attributes that the formula branches on.
    ///
    /// For a floor (the same memory traffic without arithmetic) it is the kind of stores: `nt` (non-temporal) or
    /// `plain`.
    pub mode: String,
    pub dtype: String,
    /// Dimensions of the formula's domain, for example `8192x4096`.
    pub size: String,
    pub threads: String,
    /// SIMD level, kind of data, and other attributes that differ from their defaults.
    pub setting: String,
}

/// Times of a subject.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    pub subject: Subject,
    /// Median of nanoseconds per element of the formula.
    pub ns_per_elem: f64,
    /// Bytes that the formula must move, per nanosecond of the median.
    pub gbps: f64,
    /// Median divided by the floor's median in the same run; `None` for floors.
    ///
    /// A floor is an operator with the same memory traffic and no arithmetic.
    pub x_floor: Option<f64>,
    /// The shortest run, in nanoseconds per element.
    pub least_ns: f64,
}

/// Contents of the CSV file of an earlier run.
#[derive(Debug, Default, PartialEq)]
pub struct Earlier {
    pub machine: Vec<String>,
    pub records: Vec<Record>,
}

impl Record {
    pub const COLUMNS: [&str; 11] = [
        "system", "op", "mode", "dtype", "size", "threads", "ns_per_elem", "gbps", "x_floor",
        "least_ns", "setting",
    ];

    /// Returns the text of the record in each of the columns [`Record::COLUMNS`].
    pub fn cells(&self) -> [String; 11] {
        let Subject { system, op, mode, dtype, size, threads, setting } = self.subject.clone();
        let ns = format!("{:.4}", self.ns_per_elem);
        let ratio = self.x_floor.map(|x| format!("{x:.3}")).unwrap_or_default();
        let least = format!("{:.4}", self.least_ns);
        let gbps = format!("{:.2}", self.gbps);
        [system, op, mode, dtype, size, threads, ns, gbps, ratio, least, setting]
    }

    /// Parses a line of the CSV: the texts of [`Record::cells`], separated by commas.
    fn of_line(line: &str) -> Result<Record, String> {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let count = cells.len();
        let cells: [&str; 11] =
            cells.try_into().map_err(|_| format!("has {count} columns instead of 11"))?;
        let number = |text: &str| match text.parse::<f64>() {
            Ok(n) if n.is_finite() && n >= 0.0 => Ok(n),
            _ => Err(format!("has `{text}` where a number should be")),
        };
        let [system, op, mode, dtype, size, threads, ns, gbps, ratio, least, setting] = cells;
        let [system, op, mode, dtype, size, threads, setting] =
            [system, op, mode, dtype, size, threads, setting].map(str::to_string);
        Ok(Record {
            subject: Subject { system, op, mode, dtype, size, threads, setting },
            ns_per_elem: number(ns)?,
            gbps: number(gbps)?,
            x_floor: Some(ratio).filter(|r| !r.is_empty()).map(number).transpose()?,
            least_ns: number(least)?,
        })
    }
}

/// Returns the CSV file of these records, with the lines of `machine` as notes.
pub fn to_csv(machine: &[String], records: &[Record]) -> String {
    let mut text = format!("{FIRST}{VERSION}\n{}{}\n", notes(machine), Record::COLUMNS.join(","));
    for record in records {
        let _ = writeln!(text, "{}", record.cells().join(","));
    }
    text
}

/// Returns the lines as notes of a CSV file: each begins with `# `, and readers skip it.
pub fn notes<S: AsRef<str>>(lines: impl IntoIterator<Item = S>) -> String {
    lines.into_iter().map(|line| format!("{NOTE}{}\n", line.as_ref())).collect()
}

/// Parses the output of [`to_csv`].
///
/// # Errors
/// A phrase to follow the file's name that says what is wrong with the text.
pub fn of_csv(text: &str) -> Result<Earlier, String> {
    let first = text.lines().next().unwrap_or_default();
    match first.strip_prefix(FIRST).map(|version| version.trim().parse::<u32>()) {
        Some(Ok(VERSION)) => {}
        Some(Ok(other)) => {
            return Err(format!("is of version {other}; this program reads version {VERSION}"));
        }
        None if first.starts_with(&Record::COLUMNS[..8].join(",")) => {
            return Err(format!("is of no version; this program reads version {VERSION}"));
        }
        _ => return Err("is none of `bench`".into()),
    }
    let mut earlier = Earlier::default();
    let mut in_head = true;
    for (i, line) in text.lines().enumerate() {
        if line.starts_with(FIRST) {
            in_head = true;
        } else if let Some(note) = line.strip_prefix(NOTE) {
            if in_head && !earlier.machine.iter().any(|known| known == note) {
                earlier.machine.push(note.to_string());
            }
        } else if in_head {
            if line != Record::COLUMNS.join(",") {
                return Err(format!("has other columns, line {}", i + 1));
            }
            in_head = false;
        } else {
            let record = Record::of_line(line).map_err(|e| format!("{e}, line {}", i + 1))?;
            earlier.records.push(record);
        }
    }
    match earlier.records.is_empty() {
        true => Err("has no rows".into()),
        false => Ok(earlier),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(op: &str, ns_per_elem: f64, x_floor: Option<f64>) -> Record {
        let subject =
            Subject { op: op.into(), setting: "avx512 tail".into(), ..Subject::default() };
        Record { subject, ns_per_elem, gbps: 20.25, x_floor, least_ns: 0.25 }
    }

    #[test]
    fn what_is_written_is_read() {
        let machine = ["processor  a, b".to_string(), "cores      2".to_string()];
        let records = [record("A", 0.5, Some(1.125)), record("B", 0.75, None)];
        let text = to_csv(&machine, &records);
        let joined = format!("{text}{}{text}", notes(["1.1x of what it was"]));
        assert_eq!(
            of_csv(&text),
            Ok(Earlier { machine: machine.to_vec(), records: records.to_vec() })
        );
        let joined = of_csv(&joined).expect("two files end to end");
        assert_eq!((joined.machine, joined.records.len()), (machine.to_vec(), 4));
    }

    #[test]
    fn what_is_no_such_file_is_told() {
        let good = to_csv(&["processor  p".to_string()], &[record("A", 0.5, None)]);
        let old = "system,op,mode,dtype,size,threads,ns_per_elem,gbps\nfloor,A,nt,f32,8,1,0.5,20\n";
        for (text, part) in [
            ("", "is none"),
            ("dy,x\n1,2\n", "is none"),
            ("# op-dsl bench two\n", "is none"),
            (old, "no version"),
            (&good.replace("bench 2", "bench 3"), "version 3"),
            (&good.replace("gbps", "gibps"), "other columns, line 3"),
            (&good.replace("0.5000", "fast"), "`fast` where a number should be, line 4"),
            (&good.replace("0.5000", "-0.5"), "`-0.5`"),
            (&good.replace("0.5000", "NaN"), "`NaN`"),
            (&good.replace(",avx512 tail", ""), "10 columns"),
            (good.lines().next().expect("a line"), "no rows"),
        ] {
            let told = of_csv(text).expect_err(text);
            assert!(told.contains(part) && !told.contains('\n'), "{told}");
        }
    }
}
