//! A cactus plot: how many tasks a configuration decides within a time each.

use std::fmt::Write;

use crate::report::Measured;

// The picture and the part of it that has the curves, in pixels.
const SIZE: (f64, f64) = (1000.0, 640.0);
const LEFT: f64 = 70.0;
const RIGHT: f64 = 850.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 580.0;

/// The least time that is told apart, in seconds.
const LEAST: f64 = 1e-4;

/// The plot as SVG; times grow by factors.
pub fn cactus(configs: &[String], rows: &[Measured]) -> String {
    let times = |at: usize| {
        let good = rows.iter().map(|row| &row.outcomes[at]).filter(|outcome| outcome.is_decided());
        let mut list: Vec<f64> = good.map(|outcome| outcome.seconds.max(LEAST)).collect();
        list.sort_by(f64::total_cmp);
        list
    };
    let curves: Vec<Vec<f64>> = (0..configs.len()).map(times).collect();
    let most = curves.iter().flatten().copied().fold(LEAST, f64::max).max(1.0);
    let decades = (most / LEAST).log10().ceil();
    let x = |count: usize| LEFT + (RIGHT - LEFT) * count as f64 / rows.len().max(1) as f64;
    let y = |seconds: f64| BOTTOM - (BOTTOM - TOP) * (seconds / LEAST).log10() / decades;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
        SIZE.0, SIZE.1
    );
    for decade in 0..=decades as i32 {
        let (seconds, at) = (LEAST * 10f64.powi(decade), y(LEAST * 10f64.powi(decade)));
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{seconds} s</text>",
            LEFT - 6.0,
            at + 4.0
        );
    }
    for count in (0..=rows.len()).step_by(20) {
        let at = x(count);
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{count}</text>",
            BOTTOM + 18.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">tasks decided within this time each</text>",
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 42.0
    );
    for (at, (config, curve)) in configs.iter().zip(&curves).enumerate() {
        let hue = 360 * at / configs.len().max(1);
        // Orders of one family have colours near each other, and dashes tell them apart.
        let dashes = ["", "6 3", "2 3"][at % 3];
        let points: Vec<String> = curve
            .iter()
            .enumerate()
            .map(|(count, seconds)| format!("{:.1},{:.1}", x(count + 1), y(*seconds)))
            .collect();
        let style =
            format!("stroke=\"hsl({hue},70%,42%)\" stroke-width=\"1.5\" stroke-dasharray=\"{dashes}\"");
        let row = TOP + 10.0 + 22.0 * at as f64;
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" {style} points=\"{}\"/>\n<line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{row:.1}\" \
             y2=\"{row:.1}\" {style}/><text x=\"{:.1}\" y=\"{:.1}\">{config} ({})</text>",
            points.join(" "),
            RIGHT + 20.0,
            RIGHT + 50.0,
            RIGHT + 58.0,
            row + 4.0,
            curve.len()
        );
    }
    svg.push_str("</svg>\n");
    svg
}
