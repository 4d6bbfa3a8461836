//! The pages of a site: the gallery of its games, and the page of the board.

use super::exhibit::Exhibit;
use anyhow::{Result, anyhow};
use jewel_players::support::words::escaped;

/// What the pages may do: run their own files, the module among them. The policy of the names of scripts is that of
/// `local.js`.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; \
    trusted-types jewel";

/// What is different on the page of a site: text of `index.html`, and what takes its place.
const CHANGES: [(&str, &str); 2] = [
    ("<html lang=\"en\">", "<html lang=\"en\" class=\"site\">"),
    (
        "<label class=\"picker\">",
        "<a class=\"all\" href=\"index.html\">All games</a>\n<label class=\"picker\">",
    ),
];

/// The head of every page, up to the policy, which is to come before all that it is about.
const CHARSET: &str = "<meta charset=\"utf-8\">\n";

/// The page of the board, made of that of the server.
///
/// # Errors
/// If that is not the page which this knows.
pub(super) fn board_page(index: &[u8]) -> Result<String> {
    let policy = format!("{CHARSET}{}", policy());
    let mut page = String::from_utf8(index.to_vec())?;
    for (from, to) in CHANGES.into_iter().chain([(CHARSET, policy.as_str())]) {
        if page.matches(from).count() != 1 {
            return Err(anyhow!("index.html has {from} not once"));
        }
        page = page.replacen(from, to, 1);
    }
    Ok(page)
}

fn policy() -> String {
    format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", escaped(POLICY))
}

/// The name of the picture of the `n`th game. An id may have characters that no file has.
pub(super) fn picture_name(n: usize) -> String {
    format!("game-{n}.svg")
}

/// The gallery.
pub(super) fn page(exhibits: &[Exhibit]) -> String {
    let mut cards = String::new();
    for (n, exhibit) in exhibits.iter().enumerate() {
        cards.push_str(&card(n, exhibit));
    }
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n{CHARSET}{}\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Games</title>\n\
         <link rel=\"icon\" href=\"icon.svg\">\n<link rel=\"stylesheet\" href=\"style.css\">\n</head>\n<body>\n\
         <header>\n<h1><img src=\"icon.svg\" alt=\"\" width=\"28\" height=\"28\"> Games</h1>\n</header>\n\
         <main class=\"gallery\">\n{cards}</main>\n<footer class=\"source\">Made by jewel {version}. Everything runs in your \
         browser.</footer>\n</body>\n</html>\n",
        policy()
    )
}

fn card(n: usize, exhibit: &Exhibit) -> String {
    let card = &exhibit.card;
    let (name, summary, objective) = (escaped(&card.name), escaped(&card.summary), escaped(&card.objective));
    let address = format!("board.html#game={}", encoded(&card.id));
    let lines =
        |texts: &[String]| texts.iter().map(|text| format!("<p>{}</p>\n", escaped(text))).collect::<String>();
    let claims: String =
        exhibit.claims.iter().map(|claim| format!("<li>{}</li>\n", escaped(claim))).collect();
    let claims = if claims.is_empty() {
        claims
    } else {
        format!("<details><summary>Published claims, checked</summary>\n<ul>\n{claims}</ul>\n</details>\n")
    };
    format!(
        "<article class=\"card\">\n<a href=\"{address}\"><img src=\"{}\" alt=\"{name}: the board at the start\"></a>\n\
         <h2><a href=\"{address}\">{name}</a></h2>\n<p>{summary}</p>\n<p class=\"source\">To win: {objective}.</p>\n\
         <div class=\"proven\">\n{}</div>\n{}{claims}</article>\n",
        picture_name(n),
        lines(&exhibit.proven),
        exhibit.unproven.map_or(String::new(), |why| format!("<p>{why}</p>\n")),
    )
}

/// Text as a part of an address.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::PAGE;

    #[test]
    fn the_board_page_is_that_of_the_server() {
        let (_, _, index) = PAGE.iter().find(|(path, _, _)| *path == "/index.html").unwrap();
        let page = board_page(index).unwrap();
        assert!(page.contains("http-equiv=\"Content-Security-Policy\"") && page.contains("class=\"site\""));
        assert!(
            page.find("Content-Security-Policy") < page.find("<script"),
            "the policy is about what follows"
        );
        assert!(!page.contains("=\"/"), "no address of the page begins at the root of the host");
        assert!(board_page(b"<html>").is_err());
    }

    #[test]
    fn names_from_files_are_text() {
        let text = "id = \"x\"\nname = \"<img onerror=1>\"\n[board]\nsize = \"3x3\"\nstart = \"l2/3/2L w - - 0 1\"\n\
            [[piece]]\nletter = \"L\"\nmoves = \"W\"\n[key]\nsquares = [\"b2\"]\nobjective = \"hold\"\n";
        let file = std::env::temp_dir().join(format!("jewel-gallery-{}.toml", std::process::id()));
        std::fs::write(&file, text).unwrap();
        let exhibit = Exhibit::load(&file);
        std::fs::remove_file(&file).unwrap();
        let page = page(&[exhibit.unwrap()]);
        assert!(page.contains("&lt;img onerror=1&gt;") && !page.contains("<img onerror"), "{page}");
    }

    #[test]
    fn addresses_have_no_marks_of_their_own() {
        assert_eq!(encoded("world-tree:start=standard"), "world-tree%3Astart%3Dstandard");
    }
}
