//! Figures of hand-written operators: vector calls, cycles and lines, and the CSV that holds them.
//!
//! Lines that start with `#` are notes: the first is [`FIRST`], the others say where the figures are from. A row has
//! either the cost of a tile, for one specialisation, NPU and element type, or the operator's number of lines.

use crate::lookup::{self, Operators};
use crate::target::{Targets, machine};
use op_dsl_ir::DType;
use std::fmt::Display;
use std::str::FromStr;

/// First line of the CSV; its number rises with every change of the columns.
const FIRST: &str = "# op-dsl by hand 1";
const COLUMNS: [&str; 8] =
    ["operator", "form", "npu", "dtype", "calls", "cycles", "lines", "source"];

/// Figures of hand-written operators, as read from a CSV.
#[derive(Debug, Default, PartialEq)]
pub struct ByHand {
    /// Notes of the CSV, which say where the figures are from.
    pub notes: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Debug, PartialEq)]
struct Row {
    operator: String,
    figures: Figures,
    source: String,
}

#[derive(Debug, PartialEq)]
enum Figures {
    Tile { form: String, npu: &'static str, dtype: DType, cost: Cost },
    Lines(usize),
}

/// Cost of a tile of a hand-written kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Number of vector calls per tile.
    pub calls: usize,
    /// Cycles of the vector unit for 64 elements; `None` if they have not been counted.
    pub cycles: Option<f64>,
}

impl ByHand {
    /// Parses a CSV with figures about these operators; an empty text has no figures.
    ///
    /// # Errors
    /// A phrase to follow the CSV's name that says what is wrong with the text.
    pub fn of_csv(text: &str, operators: Operators, targets: Targets) -> Result<ByHand, String> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        match lines.next() {
            None => return Ok(ByHand::default()),
            Some((_, FIRST)) => {}
            Some(_) => return Err(format!("does not begin with `{FIRST}`")),
        }
        let mut found = ByHand::default();
        let mut has_columns = false;
        for (i, line) in lines {
            let at = |e: String| format!("{e}, line {}", i + 1);
            if let Some(note) = line.strip_prefix('#') {
                found.notes.push(note.trim().to_owned());
            } else if has_columns {
                found.rows.push(Row::of_line(line, operators, targets).map_err(at)?);
            } else if line == COLUMNS.join(",") {
                has_columns = true;
            } else {
                return Err(at(format!("has other columns than {}", COLUMNS.join(","))));
            }
        }
        if found.rows.is_empty() { Err("has no rows".into()) } else { Ok(found) }
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the number of source lines of a hand-written operator, and where that number is from.
    ///
    /// Returns `None` if the CSV does not have it.
    pub fn lines(&self, operator: &str) -> Option<(usize, &str)> {
        self.of(operator).find_map(|row| match row.figures {
            Figures::Lines(count) => Some((count, &*row.source)),
            Figures::Tile { .. } => None,
        })
    }

    /// Returns the cost of a tile of a hand-written kernel, and where the figures are from.
    ///
    /// `form` is the name of the specialisation. Returns `None` if the CSV does not have the cost.
    pub fn cost(
        &self,
        operator: &str,
        form: &str,
        npu: &str,
        dtype: DType,
    ) -> Option<(Cost, &str)> {
        self.of(operator).find_map(|row| match &row.figures {
            Figures::Tile { form: f, npu: n, dtype: d, cost }
                if f == form && *n == npu && *d == dtype =>
            {
                Some((*cost, &*row.source))
            }
            _ => None,
        })
    }

    fn of(&self, operator: &str) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.operator == operator)
    }
}

impl Row {
    fn of_line(line: &str, operators: Operators, targets: Targets) -> Result<Row, String> {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let count = cells.len();
        let [operator, form, npu, dtype, calls, cycles, lines, source] =
            cells.try_into().map_err(|_| format!("has {count} columns instead of 8"))?;
        lookup::operator(operators, operator)
            .map_err(|_| format!("has no operator of this program in `{operator}`"))?;
        if source.is_empty() {
            return Err("says no source".into());
        }
        let figures = match (lines, [form, npu, dtype, calls, cycles]) {
            (lines, ["", "", "", "", ""]) => Figures::Lines(number(lines)?),
            ("", _) => Figures::Tile {
                form: form.to_owned(),
                npu: machine(targets, npu).map_err(|known| allowed(npu, known))?,
                dtype: DType::with(|row| row.name, dtype)
                    .ok_or_else(|| allowed(dtype, DType::names()))?,
                cost: Cost {
                    calls: number(calls)?,
                    cycles: Some(cycles).filter(|c| !c.is_empty()).map(number).transpose()?,
                },
            },
            _ => return Err("has both lines and what a tile takes".into()),
        };
        let cycles = match &figures {
            Figures::Tile { cost, .. } => cost.cycles.unwrap_or_default(),
            Figures::Lines(_) => 0.0,
        };
        match cycles.is_finite() && cycles >= 0.0 {
            true => Ok(Row { operator: operator.into(), figures, source: source.into() }),
            false => Err(format!("has `{cycles}` where a number should be")),
        }
    }
}

fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("has `{text}` where a number should be"))
}

fn allowed(text: &str, known: impl Display) -> String {
    format!("has `{text}`; allowed: {known}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ASCENDC;
    use crate::tests::SCALE;

    const GOOD: &str = "\
# op-dsl by hand 1
# counted by hand
operator,form,npu,dtype,calls,cycles,lines,source
Scale,,,,,,120,its directory
Scale,formula,ascend910b,f32,3,4.5,,its kernel
Scale,formula,ascend910b,f16,5,,,its kernel
";

    fn read(text: &str) -> Result<ByHand, String> {
        ByHand::of_csv(text, &[&SCALE], &[ASCENDC])
    }

    #[test]
    fn figures_are_found_by_what_they_are_of() {
        let found = read(GOOD).expect("figures");
        assert_eq!(found.notes, ["counted by hand"]);
        assert_eq!(found.lines("Scale"), Some((120, "its directory")));
        assert_eq!(found.lines("Other"), None);
        let of =
            |form, npu: usize, dtype| found.cost("Scale", form, ASCENDC.machines()[npu], dtype);
        let cost = |calls, cycles| Some((Cost { calls, cycles }, "its kernel"));
        assert_eq!(of("formula", 0, DType::F32), cost(3, Some(4.5)));
        assert_eq!(of("formula", 0, DType::F16), cost(5, None));
        assert_eq!(of("formula", 0, DType::BF16), None);
        assert_eq!(of("formula", 2, DType::F32), None);
        assert_eq!(of("tanh", 0, DType::F32), None);
        assert_eq!(read(""), Ok(ByHand::default()));
    }

    #[test]
    fn what_is_no_such_file_is_told() {
        for (was, is, part) in [
            ("# op-dsl by hand 1", "# op-dsl by hand 2", "does not begin with"),
            ("cycles,lines", "lines,cycles", "other columns than operator,form,npu"),
            ("Scale,,,,,,120", "Scael,,,,,,120", "no operator of this program in `Scael`, line 4"),
            ("120", "many", "`many` where a number should be, line 4"),
            ("120", "", "`` where a number"),
            (",its directory", ",", "says no source"),
            ("its directory", "here,there", "9 columns instead of 8"),
            ("ascend910b,f32", "ascend910z,f32", "`ascend910z`; allowed: ascend910b"),
            ("f32", "f64", "`f64`; allowed: f16, bf16, f32, line 5"),
            ("3,4.5,", "3.5,4.5,", "`3.5` where"),
            ("4.5", "-4.5", "`-4.5` where"),
            ("4.5", "inf", "`inf` where"),
            ("4.5,,", "4.5,7,", "both lines and what a tile takes"),
        ] {
            let told = read(&GOOD.replacen(was, is, 1)).expect_err(is);
            assert!(told.contains(part) && !told.contains('\n'), "{told}");
        }
        let head: Vec<&str> = GOOD.lines().take(3).collect();
        assert_eq!(read(&head.join("\n")), Err("has no rows".into()));
    }
}
