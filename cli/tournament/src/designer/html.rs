//! The report as one page: no scripts, fonts or links, readable in light and in dark.

use super::text::Section;
use super::{Survey, plot};
use jewel_players::support::words::escaped;
use std::fmt::Write;

const STYLE: &str = "\
:root { color-scheme: light dark; --paper: #fdfdfb; --ink: #1f2328; --soft: #5b626b; --rule: #dcdcd6; --hue: #2d6cb5;
  --tint: #2d6cb533; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15181c; --ink: #e6e8ea; --soft: #9aa3ad; --rule: #32383f; --hue: #6ea8e6; --tint: #6ea8e640; }
}
body { margin: 2rem auto; max-width: 46rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, 'DejaVu Sans', sans-serif; }
h1 { font-size: 1.7rem; margin-bottom: 0; }
h2 { font-size: 1.2rem; margin: 2rem 0 .3rem; }
p { color: var(--soft); margin: .2rem 0 .6rem; }
figure { margin: 1rem 0; }
figcaption { color: var(--soft); font-size: .9rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2rem 1.2rem .2rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { font-weight: 600; }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font-size: 12px; }
svg .label { fill: var(--ink); }
.grid { stroke: var(--rule); }
.axis { stroke: var(--soft); }
.bar, .dot { fill: var(--hue); }
.band { fill: var(--tint); }
.curve { fill: none; stroke: var(--hue); stroke-width: 2; }
.spot { fill: var(--hue); opacity: 0; }
.spot:hover { opacity: 1; }
.error { fill: none; stroke: var(--hue); stroke-width: 2; }
code { font: .9em ui-monospace, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
";

impl Survey {
    /// The page; `command` is the command that makes it.
    pub fn html(&self, command: &str) -> String {
        let name = escaped(&self.name);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{name}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>\n<p>{}</p>\n",
            escaped(&self.objective)
        );
        for section in self.sections() {
            table(&mut page, &section);
            match section.title {
                "Self-play" => self.figures(&mut page),
                "Skill" => figure(
                    &mut page,
                    &plot::ladder(&self.ladder),
                    "What four times the nodes bring, with 95% intervals.",
                ),
                _ => {}
            }
        }
        let _ = write!(
            page,
            "<h2>How it was made</h2>\n<p><code>{}</code></p>\n</body>\n</html>\n",
            escaped(command)
        );
        page
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

fn figure(page: &mut String, svg: &str, caption: &str) {
    if !svg.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(page, "<figure>\n{svg}<figcaption>{caption}</figcaption>\n</figure>\n");
    }
}

fn table(page: &mut String, section: &Section) {
    let _ = writeln!(page, "<h2>{}</h2>", section.title);
    if !section.about.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", escaped(&section.about));
    }
    page.push_str("<div class=\"wide\"><table>\n");
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
