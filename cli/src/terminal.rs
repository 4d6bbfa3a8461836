//! What stdout can show: colours, and characters beyond ASCII.

use std::env;
use std::io::{IsTerminal, stdout};

/// Whether to colour what goes to stdout: on a terminal, unless `NO_COLOR` is set (no-color.org) or the
/// terminal is dumb; `CLICOLOR_FORCE` colours pipes too.
pub(crate) fn colours() -> bool {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let forced = env::var_os("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
    let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    !set("NO_COLOR") && (forced || stdout().is_terminal() && !dumb)
}

/// Whether box-drawing characters can be shown: everywhere but on a terminal whose locale is not UTF-8.
pub(crate) fn unicode() -> bool {
    if !stdout().is_terminal() {
        return true;
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| env::var(name).ok())
        .find(|value| !value.is_empty())
        .map(|value| value.to_ascii_lowercase());
    locale.is_none_or(|locale| locale.contains("utf-8") || locale.contains("utf8"))
}
