//! The files of the page, in the program.

use super::error::ApiError;
use super::refusal::Refusal;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// A file: its path on the server, its type, its bytes.
type Asset = (&'static str, &'static str, &'static [u8]);

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

/// A file of the folder `web`.
macro_rules! asset {
    ($path:literal, $kind:expr) => {
        (
            concat!("/", $path),
            $kind,
            include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../web/", $path)) as &[u8],
        )
    };
}

/// Those of the page.
pub(crate) const PAGE: &[Asset] = &[
    asset!("api.js", SCRIPT),
    asset!("board.js", SCRIPT),
    asset!("dom.js", SCRIPT),
    asset!("engine.js", SCRIPT),
    asset!("errors.js", SCRIPT),
    asset!("icon.svg", PICTURE),
    asset!("index.html", HTML),
    asset!("main.js", SCRIPT),
    asset!("pieces.js", SCRIPT),
    asset!("play.js", SCRIPT),
    asset!("plots.js", SCRIPT),
    asset!("report.js", SCRIPT),
    asset!("room.js", SCRIPT),
    asset!("session.js", SCRIPT),
    asset!("style.css", STYLE),
    asset!("tournament.js", SCRIPT),
    asset!("values.js", SCRIPT),
    asset!("workshop.js", SCRIPT),
];

/// Those of the page without a server, beside most of [`PAGE`].
pub(crate) const SITE: &[Asset] = &[asset!("local.js", SCRIPT), asset!("worker.js", SCRIPT)];

/// The file of a path; the page itself at `/`.
pub(super) fn serve(path: &str) -> Response {
    let path = if path == "/" { "/index.html" } else { path };
    match PAGE.iter().find(|(name, _, _)| *name == path) {
        Some((_, kind, bytes)) => ([(header::CONTENT_TYPE, *kind)], Body::from(*bytes)).into_response(),
        None => Refusal(ApiError::new(StatusCode::NOT_FOUND, "there is nothing here")).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Most bytes of the page of a server, and of that of a site.
    const MOST: usize = 148_000;

    /// Most bytes of all files together.
    const MOST_TOGETHER: usize = 150_000;

    #[test]
    fn the_page_is_small() {
        let bytes =
            |files: &mut dyn Iterator<Item = &Asset>| files.map(|(_, _, bytes)| bytes.len()).sum::<usize>();
        let server = bytes(&mut PAGE.iter());
        assert!(server <= MOST, "{server}");
        let site = bytes(&mut PAGE.iter().filter(|(path, _, _)| *path != "/api.js").chain(SITE));
        assert!(site <= MOST, "{site}");
        let together = bytes(&mut PAGE.iter().chain(SITE));
        assert!(together <= MOST_TOGETHER, "{together}");
    }
}
