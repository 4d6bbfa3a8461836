//! Running the built program and looking at what it says.

pub(crate) mod schema;

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// The program, away from the colours and the locale of the person who runs the tests.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jewel"));
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "TERM", "LC_ALL", "LC_CTYPE", "LANG"] {
        command.env_remove(name);
    }
    command
}

/// What a run said, as text.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Said {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Said {
            code: output.status.code().expect("no signal"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// Runs the program.
pub(crate) fn run(arguments: &[&str]) -> Said {
    program().args(arguments).output().expect("it starts").into()
}

/// What a run that worked printed.
pub(crate) fn ok(arguments: &[&str]) -> String {
    let said = run(arguments);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{arguments:?}");
    said.stdout
}

/// A text whose lines may be broken anywhere, on one line.
pub(crate) fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The one object of a run with `--json`.
pub(crate) fn json(arguments: &[&str]) -> Value {
    let text = ok(arguments);
    assert_eq!(text.lines().count(), 1, "{arguments:?}: {text}");
    serde_json::from_str(&text).expect("JSON")
}

/// The error line of a run that must fail, without `error: `. The rules for all of them are checked here:
/// exit code 2, one line on stderr, nothing on stdout.
pub(crate) fn error(arguments: &[&str]) -> String {
    let said = run(arguments);
    check_error(&said, &format!("{arguments:?}"))
}

/// [`error`] for a run that has taken place.
pub(crate) fn check_error(said: &Said, what: &str) -> String {
    assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{what}: {said:?}");
    let line = said.stderr.strip_prefix("error: ").and_then(|line| line.strip_suffix('\n'));
    let line = line.unwrap_or_else(|| panic!("{what}: {said:?}"));
    assert!(!line.is_empty() && !line.contains(char::is_control), "{what}: {said:?}");
    line.to_string()
}

/// A file of the test's own.
pub(crate) fn file(name: &str, contents: impl AsRef<[u8]>) -> String {
    let path = place(name);
    fs::write(&path, contents).expect("the directory for tests can be written");
    path
}

/// Where a file of the test's own may be.
pub(crate) fn place(name: &str) -> String {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name).to_str().expect("UTF-8").to_string()
}

/// The variant file of Duel on a board of another size.
pub(crate) fn duel_of(size: &str, start: &str, key: &str) -> String {
    format!(
        "id = \"my-duel\"\nname = \"My Duel\"\n\n[board]\nsize = \"{size}\"\nstart = \"{start} w - - 0 1\"\n\n\
         [[piece]]\nletter = \"L\"\nmoves = \"WD\"\n\n[key]\nsquares = [\"{key}\"]\nobjective = \"hold\"\n"
    )
}

/// The words of a command line; double quotes hold words together.
pub(crate) fn words(line: &str) -> Vec<String> {
    let quoted = |(n, part): (usize, &str)| match n % 2 {
        1 => vec![part.to_string()],
        _ => part.split_whitespace().map(str::to_string).collect(),
    };
    line.split('"').enumerate().flat_map(quoted).collect()
}

/// An empty folder of this name with the example variants in it: a place to run commands as users do.
pub(crate) fn folder_with_examples(name: &str) -> PathBuf {
    let path = PathBuf::from(place(name));
    let _ = fs::remove_dir_all(&path);
    let variants = path.join("examples/variants");
    fs::create_dir_all(&variants).expect("the directory for tests can be written");
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/variants");
    for entry in fs::read_dir(examples).expect("the examples are there") {
        let entry = entry.expect("the examples are there");
        fs::copy(entry.path(), variants.join(entry.file_name())).expect("an example can be copied");
    }
    path
}
