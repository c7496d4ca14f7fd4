//! Plots for papers: quantiles, two configurations against each other, and the heat map, as SVG.

use std::fmt::Write;

use super::escaped;
use crate::plan::Plan;
use crate::statistics::Statistics;

/// Colours that people with any vision tell apart (Okabe and Ito), without the lightest.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"];

/// Dashes, for when colours are used again or printed in black and white.
const DASHES: [&str; 4] = ["", "6 3", "2 2", "8 3 2 3"];

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 44.0;
const RIGHT: f64 = 16.0;

/// Times below this are drawn as this.
const LEAST: f64 = 0.001;

/// A scale of logarithms from one number to another.
#[derive(Copy, Clone)]
struct Scale {
    from: f64,
    to: f64,
}

impl Scale {
    /// Whole powers of ten around these numbers.
    fn around(least: f64, most: f64) -> Scale {
        let from = least.max(LEAST).log10().floor();
        Scale { from, to: most.max(LEAST * 10.0).log10().ceil().max(from + 1.0) }
    }
    /// Where a number is, from 0 to 1.
    fn place(self, number: f64) -> f64 {
        (number.max(LEAST).log10() - self.from) / (self.to - self.from)
    }
    fn powers(self) -> impl Iterator<Item = (f64, String)> {
        (self.from as i32..=self.to as i32).map(|power| {
            let number = 10_f64.powi(power);
            (
                number,
                if power < 0 {
                    format!("{number:.*}", power.unsigned_abs() as usize)
                } else {
                    number.to_string()
                },
            )
        })
    }
}

fn frame(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    )
}

fn word(text: &mut String, x: f64, y: f64, anchor: &str, said: &str) {
    let _ =
        writeln!(text, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escaped(said));
}

fn line(text: &mut String, from: (f64, f64), to: (f64, f64), colour: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        text,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" stroke-width=\"0.7\"/>"
    );
}

/// How many configurations a quantile plot shows: the best ones.
const MAX_CURVES: usize = 12;

/// The quantile plot: how many questions are solved within a time each, for the best configurations and the virtual best.
pub fn quantiles(plan: &Plan, statistics: &Statistics) -> String {
    let times = |at: usize| {
        let cells = (0..plan.questions.len()).filter_map(|question| statistics.cell(question, at));
        let mut times: Vec<f64> =
            cells.filter(|cell| cell.status.is_solved() && !cell.wrong).map(|cell| cell.cpu[0]).collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let mut curves: Vec<(String, Vec<f64>)> =
        plan.configurations.iter().enumerate().map(|(at, it)| (it.name.clone(), times(at))).collect();
    curves.sort_by(|(_, a), (_, b)| {
        let sum = |list: &[f64]| list.iter().sum::<f64>();
        b.len().cmp(&a.len()).then(sum(a).total_cmp(&sum(b)))
    });
    curves.truncate(MAX_CURVES);
    let all = || curves.iter().flat_map(|(_, times)| times.iter().copied());
    let scale = Scale::around(all().fold(f64::INFINITY, f64::min).min(1.0), all().fold(0.0, f64::max));
    let most = curves.iter().map(|(_, times)| times.len()).max().unwrap_or(1).max(1) as f64;
    let legend = 170.0;
    let (right, bottom) = (WIDTH - RIGHT - legend, HEIGHT - BOTTOM);
    let x = |count: f64| LEFT + count / most * (right - LEFT);
    let y = |time: f64| bottom - scale.place(time) * (bottom - TOP);
    let mut text = frame(WIDTH, HEIGHT);
    for (time, said) in scale.powers() {
        line(&mut text, (LEFT, y(time)), (right, y(time)), "#ddd");
        word(&mut text, LEFT - 6.0, y(time) + 4.0, "end", &said);
    }
    for part in 0..=4 {
        let count = (most * f64::from(part) / 4.0).round();
        word(&mut text, x(count), bottom + 16.0, "middle", &count.to_string());
    }
    line(&mut text, (LEFT, bottom), (right, bottom), "black");
    line(&mut text, (LEFT, TOP), (LEFT, bottom), "black");
    word(&mut text, f64::midpoint(LEFT, right), HEIGHT - 8.0, "middle", "questions solved");
    let _ = writeln!(
        text,
        "<text transform=\"translate(14 {:.0}) rotate(-90)\" text-anchor=\"middle\">seconds of the processor</text>",
        f64::midpoint(TOP, bottom)
    );
    for (at, (name, times)) in curves.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let dash = DASHES[at / COLOURS.len() % DASHES.len()];
        let points: Vec<String> = times
            .iter()
            .enumerate()
            .map(|(count, time)| format!("{:.1},{:.1}", x(count as f64 + 1.0), y(*time)))
            .collect();
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" stroke-dasharray=\"{dash}\"/>",
            points.join(" ")
        );
        let height = TOP + 10.0 + at as f64 * 16.0;
        line(&mut text, (right + 10.0, height - 4.0), (right + 30.0, height - 4.0), colour);
        let short: String = name.chars().take(22).collect();
        word(&mut text, right + 34.0, height, "start", &short);
    }
    text + "</svg>\n"
}

/// Two configurations against each other: a point for each question, with diagonals for the same and for ten times the
/// time; what is not solved is on the edge.
pub fn scatter(plan: &Plan, statistics: &Statistics, one: usize, other: usize) -> String {
    let most = plan.limits.cpu_seconds.or(plan.limits.wall_seconds);
    let solved = |question: usize, at: usize| {
        statistics
            .cell(question, at)
            .filter(|cell| cell.status.is_solved() && !cell.wrong)
            .map(|cell| cell.cpu[0])
    };
    let pairs: Vec<(Option<f64>, Option<f64>)> =
        (0..plan.questions.len()).map(|it| (solved(it, one), solved(it, other))).collect();
    let times = || pairs.iter().flat_map(|(a, b)| [*a, *b]).flatten();
    let largest = times().fold(most.unwrap_or(0.0), f64::max);
    let scale = Scale::around(times().fold(f64::INFINITY, f64::min).min(1.0), largest);
    let size = HEIGHT;
    let (right, bottom) = (size - RIGHT, size - BOTTOM);
    let x = |time: f64| LEFT + scale.place(time) * (right - LEFT);
    let y = |time: f64| bottom - scale.place(time) * (bottom - TOP);
    let mut text = frame(size, size);
    for (time, said) in scale.powers() {
        line(&mut text, (LEFT, y(time)), (right, y(time)), "#eee");
        line(&mut text, (x(time), TOP), (x(time), bottom), "#eee");
        word(&mut text, LEFT - 6.0, y(time) + 4.0, "end", &said);
        word(&mut text, x(time), bottom + 15.0, "middle", &said);
    }
    let (from, to) = (10_f64.powf(scale.from), 10_f64.powf(scale.to));
    line(&mut text, (x(from), y(from)), (x(to), y(to)), "#888");
    line(&mut text, (x(from * 10.0), y(from)), (x(to), y(to / 10.0)), "#bbb");
    line(&mut text, (x(from), y(from * 10.0)), (x(to / 10.0), y(to)), "#bbb");
    for (a, b) in pairs.iter().filter(|(a, b)| a.is_some() || b.is_some()) {
        let colour = if a.is_some() && b.is_some() { COLOURS[0] } else { COLOURS[1] };
        let _ = writeln!(
            text,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\" fill-opacity=\"0.6\"/>",
            x(a.unwrap_or(to)),
            y(b.unwrap_or(to))
        );
    }
    word(&mut text, f64::midpoint(LEFT, right), size - 8.0, "middle", &plan.configurations[one].name);
    let _ = writeln!(
        text,
        "<text transform=\"translate(14 {:.0}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        f64::midpoint(TOP, bottom),
        escaped(&plan.configurations[other].name)
    );
    text + "</svg>\n"
}

/// The heat map: for each set of questions and each configuration the share that is solved, with the time for it.
pub fn heat(plan: &Plan, statistics: &Statistics) -> String {
    let mut sets: Vec<&str> = plan.questions.iter().map(|question| question.set.as_str()).collect();
    sets.sort_unstable();
    sets.dedup();
    let (cell, row, left, top) = (64.0, 18.0, 240.0, 90.0);
    let columns: Vec<Option<&str>> = std::iter::once(None).chain(sets.iter().map(|set| Some(*set))).collect();
    let width = left + cell * columns.len() as f64 + RIGHT;
    let height = top + row * plan.configurations.len() as f64 + RIGHT;
    let mut text = frame(width, height);
    for (at, set) in columns.iter().enumerate() {
        let (x, said) = (left + cell * (at as f64 + 0.5), set.unwrap_or("all"));
        let _ = writeln!(
            text,
            "<text transform=\"translate({x:.1} {:.1}) rotate(-40)\">{}</text>",
            top - 6.0,
            escaped(said)
        );
    }
    for (number, configuration) in plan.configurations.iter().enumerate() {
        let y = top + row * number as f64;
        let short: String = configuration.name.chars().take(40).collect();
        word(&mut text, left - 6.0, y + 13.0, "end", &short);
        for (at, set) in columns.iter().enumerate() {
            let asked =
                (0..plan.questions.len()).filter(|it| set.is_none_or(|set| plan.questions[*it].set == set));
            let cells: Vec<_> = asked.map(|question| statistics.cell(question, number)).collect();
            let solved = cells.iter().flatten().filter(|cell| cell.status.is_solved() && !cell.wrong);
            let share = solved.clone().count() as f64 / cells.len().max(1) as f64;
            let x = left + cell * at as f64;
            let light = 96.0 - 46.0 * share;
            let _ = writeln!(
                text,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"hsl(205 60% {light:.0}%)\"/>",
                cell - 1.0,
                row - 1.0
            );
            let seconds: f64 = solved.clone().map(|cell| cell.cpu[0]).sum();
            word(
                &mut text,
                x + cell / 2.0,
                y + 13.0,
                "middle",
                &format!("{} · {seconds:.1} s", solved.count()),
            );
        }
    }
    text + "</svg>\n"
}
