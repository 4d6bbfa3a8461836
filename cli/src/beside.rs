//! The line about a network beside a variant file.

use jewel_players::catalogue::AnyGame;

/// What lies beside the variant file of a game: that it evaluates, and how that is turned off, or why it does not.
/// `None` where nothing is there.
pub(crate) fn line(game: AnyGame, turned_off_by: &str) -> Option<String> {
    let beside = game.beside()?;
    let hint = if beside.net.is_none() || turned_off_by.is_empty() {
        String::new()
    } else {
        format!("; {turned_off_by} turns it off")
    };
    Some(format!("{}{hint}", beside.note))
}

/// Says it on stderr.
pub(crate) fn tell(game: AnyGame, turned_off_by: &str) {
    if let Some(line) = line(game, turned_off_by) {
        eprintln!("{line}");
    }
}
