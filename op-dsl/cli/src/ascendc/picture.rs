//! Drawing of a tiling: the matrix with a colour per core and an outline per tile.

use crate::table::escaped;
use codegen_ascendc::tiling::{Path, Tile, Tiling};
use std::fmt::Write;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 540.0;
const MARGIN: f64 = 24.0;
/// Number of lines that the picture breaks a matrix into if it has only one, very long row.
const FOLDS: u64 = 32;
/// Maximum number of tiles that are outlined, because outlines of more could not be seen.
const MOST_TILES: usize = 4000;

/// Columns and rows of elements in the picture, and the number of parts that are side by side.
///
/// A gated tensor has two parts, gate and value, any other has one.
struct Canvas {
    columns: u64,
    rows: u64,
    parts: u64,
}

impl Canvas {
    fn new(t: &Tiling, parts: u64) -> Canvas {
        let columns = if t.rows == 1 { t.columns.div_ceil(FOLDS).max(1) } else { t.columns };
        let rows = (t.rows * t.columns).div_ceil(columns.max(1)).max(1);
        Canvas { columns: columns.max(1), rows, parts }
    }

    /// Returns rectangles (x, y, width, height) of the picture that cover elements `from..to` of each part.
    ///
    /// In each part they are the rest of a line, whole lines, and the start of a line.
    fn rectangles(&self, from: u64, to: u64) -> Vec<[f64; 4]> {
        let mut found = Vec::new();
        let mut at = from;
        while at < to {
            let (row, column) = (at / self.columns, at % self.columns);
            let lines = (to - at) / self.columns;
            let (width, height) = match column == 0 && lines > 0 {
                true => (self.columns, lines),
                false => ((self.columns - column).min(to - at), 1),
            };
            for part in 0..self.parts {
                found.push(self.scaled(part * self.columns + column, row, width, height));
            }
            at += width * height;
        }
        found
    }

    fn scaled(&self, x: u64, y: u64, width: u64, height: u64) -> [f64; 4] {
        let across = WIDTH / (self.columns * self.parts) as f64;
        let down = HEIGHT / self.rows as f64;
        let [x, width] = [x, width].map(|v| v as f64 * across);
        let [y, height] = [y, height].map(|v| v as f64 * down);
        [x + MARGIN, y + 2.0 * MARGIN, width, height]
    }
}

/// Returns an SVG picture of a tiling, with the tensor's `parts` side by side.
///
/// A gated tensor has two parts, gate and value, any other has one.
pub fn svg(title: &str, t: &Tiling, parts: u64) -> String {
    let canvas = Canvas::new(t, parts);
    let (width, height) = (WIDTH + 2.0 * MARGIN, HEIGHT + 3.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"{}\" font-size=\"14\">{}; {}</text>\n",
        1.2 * MARGIN,
        escaped(title),
        t.path.name(),
    );
    let mut begin = 0;
    for core in 0..t.cores {
        let end = begin + t.load(core);
        let hue = core as f64 * 137.508 % 360.0;
        let fill = format!("fill=\"hsl({hue:.0},65%,78%)\" stroke=\"none\"");
        let shapes = canvas.rectangles(begin, end);
        shapes.iter().for_each(|r| rectangle(&mut out, r, &fill));
        for [x, y, w, h] in shapes.iter().filter(|r| r[2] > 24.0 && r[3] > 9.0) {
            let (x, y) = (x + w / 2.0, y + h / 2.0 + 3.0);
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"9\" text-anchor=\"middle\">{core}</text>"
            );
        }
        begin = end;
    }
    let outlined = || (0..t.cores).flat_map(|core| t.tiles(core));
    if outlined().take(MOST_TILES + 1).count() <= MOST_TILES {
        let line = "fill=\"none\" stroke=\"black\" stroke-width=\"0.5\"";
        outlined().for_each(|tile| outline(&mut out, &canvas, t, tile, line));
    }
    let edge = "fill=\"none\" stroke=\"black\" stroke-width=\"1.5\"";
    for part in 0..parts {
        let r = canvas.scaled(part * canvas.columns, 0, canvas.columns, canvas.rows);
        rectangle(&mut out, &r, edge);
    }
    out.push_str("</svg>\n");
    out
}

fn outline(out: &mut String, canvas: &Canvas, t: &Tiling, tile: Tile, line: &str) {
    let from = tile.row * t.columns + tile.column;
    let shapes = canvas.rectangles(from, from + tile.rows * tile.columns);
    // On the path of small rows a tile loads both parts at once, so that their outlines are joined.
    let joined = t.path == Path::Small && canvas.parts == 2;
    for pair in shapes.chunks(if joined { 2 } else { 1 }) {
        let [x, y, w, h] = pair[0];
        rectangle(out, &[x, y, if joined { pair[1][0] + pair[1][2] - x } else { w }, h], line);
    }
}

fn rectangle(out: &mut String, [x, y, w, h]: &[f64; 4], style: &str) {
    let _ = writeln!(
        out,
        "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{w:.2}\" height=\"{h:.2}\" {style}/>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use codegen_ascendc::tiling::{Extent, Footprint, Machine, Need, tile};

    #[test]
    fn every_core_is_in_the_picture() {
        let dense = Footprint { fixed: 0, bits: 384 };
        let need =
            Need { size: 4, dense, small: None, pairs: None, even: 1, gathers: true, rows: None };
        let machine = Machine { ub: 196_352, cores: 4, pads: true };
        let extent = Extent { rows: 10, columns: 1000, split: true };
        let t = tile(&extent, &need, &machine).expect("UB is large enough");
        let text = svg("a < b", &t, 2);
        assert!(
            text.starts_with("<svg") && text.ends_with("</svg>\n") && text.contains("a &lt; b")
        );
        for core in 0..4 {
            assert!(text.contains(&format!(">{core}</text>")), "{core}");
        }
    }

    #[test]
    fn a_range_is_head_body_and_tail() {
        let canvas = Canvas { columns: 10, rows: 10, parts: 1 };
        let areas: Vec<f64> = canvas.rectangles(7, 35).iter().map(|r| r[2] * r[3]).collect();
        let unit = WIDTH * HEIGHT / 100.0;
        let counts: Vec<i64> = areas.iter().map(|a| (a / unit).round() as i64).collect();
        assert_eq!(counts, [3, 20, 5]);
    }
}
