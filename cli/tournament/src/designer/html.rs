//! The report as one page: no scripts, fonts or links, readable in light and in dark.

use super::story::Board;
use super::text::{Section, WORDS};
use super::{Survey, plot};
use jewel_players::support::svg;
use jewel_players::support::words::escaped;
use std::fmt::Write;

const STYLE: &str = "\
:root { color-scheme: light dark; --paper: #fdfdfb; --ink: #1f2328; --soft: #5b626b; --rule: #dcdcd6; --hue: #2d6cb5;
  --tint: #2d6cb533; --card: #f4f2ec; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #15181c; --ink: #e6e8ea; --soft: #9aa3ad; --rule: #32383f; --hue: #6ea8e6; --tint: #6ea8e640;
    --card: #1d2126; }
}
* { box-sizing: border-box; }
body { margin: 2rem auto; max-width: 46rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, 'DejaVu Sans', sans-serif; }
h1 { font-size: 1.8rem; margin: 0; line-height: 1.2; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .3rem; border-bottom: 2px solid var(--hue); padding-bottom: .15rem; }
p { color: var(--soft); margin: .2rem 0 .6rem; }
.lead { color: var(--ink); font-size: 1.1rem; }
.verdict { display: inline-block; background: var(--tint); color: var(--ink); border-radius: .5rem; padding: .2rem .7rem; }
figure { margin: 1rem 0; }
figcaption { color: var(--soft); font-size: .9rem; }
.start { max-width: 24rem; margin: 1rem auto; }
.plot { max-width: 36rem; }
.grid { display: grid; gap: .8rem; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); margin: 1rem 0; }
.grid figure { margin: 0; background: var(--card); border-radius: .5rem; padding: .5rem; }
.grid figcaption { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2rem 1.2rem .2rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { font-weight: 600; white-space: nowrap; }
td { overflow-wrap: anywhere; }
.columns td { white-space: nowrap; overflow-wrap: normal; }
dt { font-weight: 600; }
dd { margin: 0 0 .5rem; color: var(--soft); }
svg { width: 100%; height: auto; display: block; }
.plot text { fill: var(--soft); font-size: 12px; }
.plot .label { fill: var(--ink); }
.lines { stroke: var(--rule); }
.axis { stroke: var(--soft); }
.bar, .dot { fill: var(--hue); }
.band { fill: var(--tint); }
.curve { fill: none; stroke: var(--hue); stroke-width: 2; }
.spot { fill: var(--hue); opacity: 0; }
.spot:hover { opacity: 1; }
.error { fill: none; stroke: var(--hue); stroke-width: 2; }
code { font: .9em ui-monospace, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
@media (max-width: 32rem) {
  body { margin: 1rem auto; }
  .facts, .facts tbody, .facts tr, .facts th, .facts td { display: block; border: 0; padding: 0; }
  .facts tr { border-bottom: 1px solid var(--rule); padding: .25rem 0; }
  .grid { grid-template-columns: repeat(2, 1fr); }
}
@media print {
  body { margin: 0; max-width: none; font-size: 11pt; }
  figure, tr, dt, dd { break-inside: avoid; }
  h2, dt { break-after: avoid; }
  .plot { max-width: 12cm; }
  .start { max-width: 8cm; }
  .grid { grid-template-columns: repeat(4, 1fr); }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
";

impl Survey {
    /// The page; `command` is the command that makes it.
    pub fn html(&self, command: &str) -> String {
        let name = escaped(&self.name);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{name}</title>\n\
             <style>\n{STYLE}{}</style>\n</head>\n<body>\n<h1>{name}</h1>\n",
            svg::page_style()
        );
        self.introduction(&mut page);
        for section in self.sections() {
            table(&mut page, &section);
            match section.title {
                "Longest win" => boards(&mut page, &self.longest_boards),
                "Self-play" => self.figures(&mut page),
                "Sample game" => boards(&mut page, &self.sample_game.boards),
                "Skill" => figure(
                    &mut page,
                    &plot::ladder(&self.ladder),
                    "What four times the nodes bring, with 95% intervals.",
                ),
                _ => {}
            }
        }
        page.push_str("<h2>Words</h2>\n<dl>\n");
        for (word, meaning) in WORDS {
            let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", escaped(word), escaped(meaning));
        }
        let _ = write!(
            page,
            "</dl>\n<h2>How this page was made</h2>\n<p><code>{}</code></p>\n</body>\n</html>\n",
            escaped(command)
        );
        page
    }

    /// What the game is: in a few words, with its board and its pieces.
    fn introduction(&self, page: &mut String) {
        // Writing to a string cannot fail.
        if !self.summary.is_empty() {
            let _ = writeln!(page, "<p class=\"lead\">{}</p>", escaped(&self.summary));
        }
        let _ = writeln!(page, "<p>To win: {}.</p>", escaped(&self.objective));
        if let Some(exact) = &self.exact {
            let _ = writeln!(
                page,
                "<p class=\"verdict\">Solved: with best play of both sides, {}.</p>",
                escaped(&match (exact.value, exact.distance) {
                    ("draw", _) => "a draw".to_string(),
                    (value, distance) => {
                        let verb = if value == "win" { "wins" } else { "loses" };
                        let plies = distance.map_or(String::new(), |plies| format!(" in {plies} plies"));
                        format!("{}, who moves first, {verb}{plies}", self.first)
                    }
                })
            );
        }
        let caption = format!("The start. {} moves first.", self.first);
        let board = svg::board(&self.start, &[], &caption);
        let _ = writeln!(
            page,
            "<figure class=\"start\">\n{board}<figcaption>{}</figcaption>\n</figure>",
            escaped(&caption)
        );
        page.push_str("<h2>Pieces</h2>\n");
        if self.pieces.iter().any(|piece| piece.picture.is_some()) {
            let _ = writeln!(
                page,
                "<p>How they move on an empty board, as {} sees it: to the dots, by capture alone to the crosses, and \
                 to the rings only without one.</p>",
                escaped(&self.start.sides[0])
            );
        }
        page.push_str("<div class=\"grid\">\n");
        for piece in &self.pieces {
            let mut names: Vec<&str> =
                piece.names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
            names.dedup();
            let names = names.join(" / ");
            let moves = piece
                .moves
                .as_ref()
                .map_or(String::new(), |moves| format!(" <code>{}</code>", escaped(moves)));
            let _ = writeln!(
                page,
                "<figure>{}<figcaption><strong>{}</strong> {}{moves}</figcaption></figure>",
                piece.picture.as_deref().unwrap_or_default(),
                piece.letter,
                escaped(&names)
            );
        }
        page.push_str("</div>\n");
    }

    fn figures(&self, page: &mut String) {
        figure(page, &plot::lengths(&self.sampled.length.histogram), "How long games are.");
        figure(
            page,
            &plot::branching(&self.sampled.branching.plies),
            "How many moves there are: the mean, and the range of four fifths of positions.",
        );
    }
}

/// Boards in a row or more.
fn boards(page: &mut String, boards: &[Board]) {
    page.push_str("<div class=\"grid\">\n");
    for Board { diagram, changed, caption } in boards {
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "<figure>\n{}<figcaption>{}</figcaption></figure>",
            svg::board(diagram, changed, caption),
            escaped(caption)
        );
    }
    page.push_str("</div>\n");
}

fn figure(page: &mut String, svg: &str, caption: &str) {
    if !svg.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(page, "<figure class=\"plot\">\n{svg}<figcaption>{caption}</figcaption>\n</figure>\n");
    }
}

fn table(page: &mut String, section: &Section) {
    let _ = writeln!(page, "<h2>{}</h2>", section.title);
    if !section.about.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", escaped(&section.about));
    }
    let class = if section.heads.is_empty() { "facts" } else { "columns" };
    let _ = writeln!(page, "<div class=\"wide\"><table class=\"{class}\">");
    let cells = |tag: &str, cells: &mut dyn Iterator<Item = &str>| -> String {
        cells.map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect()
    };
    if !section.heads.is_empty() {
        let _ = writeln!(page, "<tr>{}</tr>", cells("th", &mut section.heads.iter().copied()));
    }
    for row in &section.rows {
        let mut row = row.iter().map(String::as_str);
        let head =
            if section.heads.is_empty() { cells("th", &mut row.by_ref().take(1)) } else { String::new() };
        let _ = writeln!(page, "<tr>{head}{}</tr>", cells("td", &mut row));
    }
    page.push_str("</table></div>\n");
}
