//! Text for people: one-line errors, grouped digits, times.

use jewel_engine::text::is_disruptive;

/// A message on one line, with control characters and direction marks spelled out.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.trim().chars() {
        if is_disruptive(c) { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// A message without the numbers that the system gives its errors.
pub fn without_error_numbers(text: &str) -> String {
    let mut rest = text;
    let mut out = String::with_capacity(text.len());
    while let Some(at) = rest.find(" (os error ") {
        let Some(end) = rest[at..].find(')') else { break };
        out.push_str(&rest[..at]);
        rest = &rest[at + end + 1..];
    }
    out + rest
}

/// What the argument parser says, on one line and without its usage: what is wrong, then its tip.
pub fn usage_line(message: &str) -> String {
    let mut parts = Vec::new();
    for line in message.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with("Usage:") || line.starts_with("For more information") {
            break;
        }
        parts.push(line.strip_prefix("error: ").unwrap_or(line).to_string());
    }
    for part in parts.iter_mut().filter(|part| part.starts_with("tip: ")) {
        *part = format!("({})", &part["tip: ".len()..]);
    }
    parts.join(" ")
}

/// Digits in groups of three: `41,175,486`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number that is an estimate, with two digits or so: `950`, `41,000`, `3.2 million`, `410 million`, `1.5 billion`.
pub fn rounded(number: u64) -> String {
    let step = 10u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(1));
    let number = (number + step / 2) / step * step;
    let (unit, word) = match number {
        ..1_000_000 => return grouped(number),
        1_000_000..1_000_000_000 => (1_000_000, "million"),
        _ => (1_000_000_000, "billion"),
    };
    match (number / unit, number % unit / (unit / 10)) {
        (whole, tenths) if whole < 10 && tenths > 0 => format!("{whole}.{tenths} {word}"),
        (whole, _) => format!("{whole} {word}"),
    }
}

/// A time in the unit that suits it: `0.4 s`, `12 s`, `3 min`, `2.5 h`.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 5970.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// `1 ply`, `5 plies`.
pub fn plies(number: u32) -> String {
    if number == 1 { "1 ply".to_string() } else { format!("{number} plies") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_one_line() {
        assert_eq!(one_line("a\nb\u{1b}[0m \n"), "a\\nb\\u{1b}[0m");
        let clap = "error: invalid value 'x' for '<A>'\n\n  tip: try y\n\nUsage: jewel\n\nFor more";
        assert_eq!(usage_line(clap), "invalid value 'x' for '<A>' (try y)");
    }

    #[test]
    fn digits_are_grouped_from_the_right() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (41_175_486, "41,175,486")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn estimates_have_two_digits() {
        for (number, text) in [
            (0, "0"),
            (7, "7"),
            (954, "950"),
            (41_499, "41,000"),
            (996_000, "1 million"),
            (3_249_000, "3.2 million"),
            (3_040_000, "3 million"),
            (409_900_000, "410 million"),
            (1_450_000_000, "1.5 billion"),
            (u64::MAX / 2, "9200000000 billion"),
        ] {
            assert_eq!(rounded(number), text);
        }
    }

    #[test]
    fn times_have_a_unit() {
        for (seconds, text) in
            [(0.04, "0.0 s"), (9.9, "9.9 s"), (9.96, "10 s"), (120.0, "2 min"), (7200.0, "2.0 h")]
        {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn error_numbers_go() {
        assert_eq!(without_error_numbers("a: full (os error 28); b"), "a: full; b");
        assert_eq!(without_error_numbers("a (os error"), "a (os error");
    }
}
