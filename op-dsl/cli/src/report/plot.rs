//! Line chart of errors over the activation.

use super::errors::{Errors, across};
use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 200.0;
/// Left, top, right and bottom margin of the plot.
const MARGIN: [f64; 4] = [56.0, 12.0, 18.0, 30.0];
/// Magnitudes of the activations that the axis marks, drawn on either side of zero.
const MARKS: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];

/// Returns an SVG plot with a line for each element type, whose colour is in the page's style sheet.
pub fn plot(title: &str, all: &[Errors]) -> String {
    let most = all.iter().map(Errors::largest).filter(|v| v.is_finite()).fold(1.0, f64::max);
    let top = (2.0 * most).ceil() / 2.0;
    let [left, above, right, below] = MARGIN;
    let (wide, high) = (WIDTH - left - right, HEIGHT - above - below);
    let x = |v: f64| left + wide * across(v);
    let y = |v: f64| above + high * (1.0 - (v / top).min(1.0));
    let mut svg = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">"
    );
    for v in [0.0, 0.5 * top, top] {
        let at = y(v);
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{left} {at:.0}h{wide}\"/><text x=\"{:.0}\" y=\"{:.0}\" \
             text-anchor=\"end\">{v}</text>",
            left - 6.0,
            at + 4.0
        );
    }
    for v in MARKS.iter().rev().map(|m| -m).chain(MARKS) {
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{0:.0} {above}v{high}\"/><text class=\"{2}\" x=\"{0:.0}\" y=\"{1:.0}\" \
             text-anchor=\"middle\">{v}</text>",
            x(v),
            HEIGHT - 9.0,
            if v.abs() < 0.1 { "fine" } else { "" }
        );
    }
    for errors in all {
        let points = errors.points.iter().map(|(at, v)| format!("{:.0},{:.0}", x(*at), y(*v)));
        let points: Vec<String> = points.collect();
        let _ =
            write!(svg, "<polyline class=\"{}\" points=\"{}\"/>", errors.dtype, points.join(" "));
    }
    svg + "</svg>"
}
