//! Plots as inline SVG: a frame with axes, and what is drawn in it. Colours are the page's.

use super::sample::{AtPly, Bar};
use super::{FACTOR, Step};
use std::fmt::Write;

/// Size of a plot.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 260.0;
/// Margins: left, right, top, bottom.
const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;

/// The range of both axes.
#[derive(Clone, Copy)]
struct Frame {
    x: [f64; 2],
    y: [f64; 2],
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        LEFT + (value - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - (value - self.y[0]) / (self.y[1] - self.y[0]) * (HEIGHT - TOP - BOTTOM)
    }

    /// The picture: what `draw` adds, between the grid and the axis. `about` describes it in words.
    fn picture(
        &self,
        about: &str,
        labels: [&str; 2],
        ticks: &[(f64, String)],
        draw: impl FnOnce(&mut String),
    ) -> String {
        let mut svg = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(svg, "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{about}\">");
        for (value, text) in ticks_of(self.y) {
            let y = self.y(value);
            let _ = writeln!(
                svg,
                "<line class=\"lines\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                WIDTH - RIGHT,
                LEFT - 7.0,
                y + 4.0
            );
        }
        draw(&mut svg);
        let floor = HEIGHT - BOTTOM;
        let _ = writeln!(
            svg,
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{floor}\" y2=\"{floor}\"/>",
            WIDTH - RIGHT
        );
        for (value, text) in ticks {
            let _ = writeln!(
                svg,
                "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                self.x(*value),
                floor + 17.0
            );
        }
        let middle = (TOP + floor) / 2.0;
        let _ = writeln!(
            svg,
            "<text class=\"label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text class=\"label\" transform=\"translate(14 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n</svg>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 8.0,
            labels[0],
            labels[1]
        );
        svg
    }
}

/// Round values within a range, at most eight, with their texts.
fn ticks_of([low, high]: [f64; 2]) -> Vec<(f64, String)> {
    let least = (high - low) / 7.0;
    let power = 10f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|step| *step >= least);
    let step = step.unwrap_or(10.0 * power);
    let digits = if step < 1.0 { (-step.log10()).ceil() as usize } else { 0 };
    let first = (low / step).ceil() as i64;
    let values = (first..).map(|n| n as f64 * step).take_while(|value| *value <= high + step * 1e-9).take(9);
    values.map(|value| (value, format!("{value:.digits$}"))).collect()
}

/// Games by their length.
pub(super) fn lengths(bars: &[Bar]) -> String {
    let (Some(first), Some(last)) = (bars.first(), bars.last()) else { return String::new() };
    let most = bars.iter().map(|bar| bar.games).max().unwrap_or(1).max(1) as f64;
    let frame = Frame { x: [first.from as f64, last.to as f64 + 1.0], y: [0.0, most * 1.05] };
    let width = (last.to + 1 - last.from) as f64;
    // A bar of one length is labelled by its middle.
    let shift = if width == 1.0 { 0.5 } else { 0.0 };
    let whole = |(value, text): (f64, String)| (value.fract() == 0.0).then_some((value + shift, text));
    let fits = |(value, _): &(f64, String)| *value <= frame.x[1];
    let ticks: Vec<_> = ticks_of(frame.x).into_iter().filter_map(whole).filter(fits).collect();
    frame.picture("Histogram of the length of games", ["plies of a game", "games"], &ticks, |svg| {
        for bar in bars.iter().filter(|bar| bar.games > 0) {
            let (left, right) = (frame.x(bar.from as f64) + 1.0, frame.x(bar.to as f64 + 1.0) - 1.0);
            let top = frame.y(bar.games as f64);
            let range =
                if bar.from == bar.to { bar.from.to_string() } else { format!("{} to {}", bar.from, bar.to) };
            let _ = writeln!(
                svg,
                "<rect class=\"bar\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"2\">\
                 <title>{range} plies: {} games</title></rect>",
                (right - left).max(1.0),
                frame.y(0.0) - top,
                bar.games
            );
        }
    })
}

/// Legal moves by the number of plies played: the mean, and where four fifths of positions are.
pub(super) fn branching(plies: &[AtPly]) -> String {
    let (Some(first), Some(last)) = (plies.first(), plies.last()) else { return String::new() };
    let most = plies.iter().map(|at| at.high).max().unwrap_or(1).max(1) as f64;
    let frame = Frame { x: [first.ply as f64, (last.ply.max(first.ply + 1)) as f64], y: [0.0, most * 1.05] };
    let ticks = ticks_of(frame.x);
    let about = "Legal moves by the number of plies played";
    frame.picture(about, ["plies played", "legal moves"], &ticks, |svg| {
        let point = |at: &AtPly, moves: f64| format!("{:.1},{:.1}", frame.x(at.ply as f64), frame.y(moves));
        let upper = plies.iter().map(|at| point(at, at.high as f64));
        let lower = plies.iter().rev().map(|at| point(at, at.low as f64));
        let band: Vec<String> = upper.chain(lower).collect();
        let mean: Vec<String> = plies.iter().map(|at| point(at, at.mean)).collect();
        let _ = writeln!(
            svg,
            "<polygon class=\"band\" points=\"{}\"/>\n<polyline class=\"curve\" points=\"{}\"/>",
            band.join(" "),
            mean.join(" ")
        );
        for at in plies {
            let _ = writeln!(
                svg,
                "<circle class=\"spot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\"><title>after {} plies, {} games: \
                 {:.1} moves, four fifths of positions from {} to {}</title></circle>",
                frame.x(at.ply as f64),
                frame.y(at.mean),
                at.ply,
                at.games,
                at.mean,
                at.low,
                at.high
            );
        }
    })
}

/// The gain of each step of the ladder, with its error.
pub(super) fn ladder(steps: &[Step]) -> String {
    let ends = steps.iter().flat_map(|step| [step.elo.low, step.elo.value, step.elo.high]);
    let finite: Vec<f64> = ends.filter(|elo| elo.is_finite()).chain([0.0]).collect();
    let (low, high) = finite.iter().fold((0f64, 50f64), |(low, high), elo| (low.min(*elo), high.max(*elo)));
    let space = (high - low) * 0.06;
    let bottom = if low < 0.0 { low - space } else { 0.0 };
    let frame = Frame { x: [-0.5, steps.len() as f64 - 0.5], y: [bottom, high + space] };
    let clamp = |elo: f64| frame.y(elo.clamp(frame.y[0], frame.y[1]));
    let ticks: Vec<(f64, String)> = steps
        .iter()
        .enumerate()
        .map(|(n, step)| (n as f64, format!("{} v {}", step.nodes, step.against)))
        .collect();
    let about = format!("Elo gained by {FACTOR} times the nodes");
    frame.picture(&about, ["nodes a move", "Elo"], &ticks, |svg| {
        let zero = frame.y(0.0);
        let _ = writeln!(
            svg,
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{zero:.1}\" y2=\"{zero:.1}\"/>",
            WIDTH - RIGHT
        );
        for (n, step) in steps.iter().enumerate() {
            let (x, low, high) = (frame.x(n as f64), clamp(step.elo.low), clamp(step.elo.high));
            let _ = writeln!(
                svg,
                "<path class=\"error\" d=\"M{x:.1} {low:.1}V{high:.1}M{:.1} {low:.1}h12M{:.1} {high:.1}h12\"/>\
                 <circle class=\"dot\" cx=\"{x:.1}\" cy=\"{:.1}\" r=\"5\"><title>{} nodes against {}: {} Elo</title></circle>",
                x - 6.0,
                x - 6.0,
                clamp(step.elo.value),
                step.nodes,
                step.against,
                super::text::elo(step.elo)
            );
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::designer::interval::Estimate;

    #[test]
    fn ticks_are_round_and_few() {
        let texts = |range| ticks_of(range).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts([0.0, 10.5]), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(texts([0.0, 1.05]), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts([-30.0, 220.0]), ["0", "50", "100", "150", "200"]);
        for high in [1e-3, 3.0, 17.0, 99.0, 1e6, 1e12] {
            let ticks = ticks_of([0.0, high]);
            assert!((3..=9).contains(&ticks.len()), "{high}: {ticks:?}");
        }
    }

    #[test]
    fn what_has_no_bounds_stays_in_the_frame() {
        let elo = Estimate { value: f64::INFINITY, low: 120.0, high: f64::INFINITY };
        let svg = ladder(&[Step { nodes: 4, against: 1, results: [9, 0, 0], elo }]);
        assert!(!svg.contains("inf\"") && !svg.contains("NaN"), "{svg}");
        assert!(svg.contains("more than 120"), "{svg}");
    }

    #[test]
    fn bars_are_as_many_as_there_are() {
        let bar = |from, games| Bar { from, to: from + 1, games };
        let svg = lengths(&[bar(2, 5), bar(4, 0), bar(6, 1)]);
        assert_eq!(svg.matches("class=\"bar\"").count(), 2);
        assert!(svg.contains("<title>2 to 3 plies: 5 games</title>"), "{svg}");
        assert_eq!((lengths(&[]), branching(&[])), (String::new(), String::new()));
    }
}
