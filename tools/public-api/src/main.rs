//! Compares the public items of the libraries with the lists in `docs/api`, so that no change of what others build on goes
//! unseen:
//!
//! ```text
//! cargo run --manifest-path tools/public-api/Cargo.toml              says what differs
//! cargo run --manifest-path tools/public-api/Cargo.toml -- --write   writes the lists anew
//! ```
//!
//! Where the compiler in use describes items in another form than this program reads, it says so, and nothing is compared.
#![forbid(unsafe_code)]

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

/// The libraries that strangers build on.
const LIBRARIES: [&str; 4] = ["jewel-engine", "jewel-tables", "jewel-search", "jewel-solver"];

/// The form of descriptions that [`public_api`] reads.
const FORM: u64 = 57;

/// Set where this program stands in for rustdoc.
const AS_RUSTDOC: &str = "JEWEL_PUBLIC_API_AS_RUSTDOC";

fn main() -> Result<ExitCode> {
    if env::var_os(AS_RUSTDOC).is_some() {
        return rustdoc();
    }
    let write = match env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [option] if option == "--write" => true,
        other => bail!("expected nothing or --write, found {}", other.join(" ")),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .context("cannot find the root of the repository: this program is not in its tools folder")?;
    let lists = root.join("docs/api");
    let mut differ = Vec::new();
    for library in LIBRARIES {
        let description = described(root, library)?;
        let text = fs::read_to_string(&description)
            .with_context(|| format!("{} cannot be read", description.display()))?;
        let form = &serde_json::from_str::<serde_json::Value>(&text)?["format_version"];
        if form.as_u64() != Some(FORM) {
            ensure!(!write, "this compiler describes items in form {form}, and form {FORM} is read");
            eprintln!("this compiler describes items in form {form}, and form {FORM} is read: not compared");
            return Ok(ExitCode::SUCCESS);
        }
        let found = listed(&description)?;
        ensure!(!found.is_empty(), "{library} has no public items");
        let list = lists.join(format!("{library}.txt"));
        if write {
            fs::write(&list, found).with_context(|| format!("{} cannot be written", list.display()))?;
            continue;
        }
        let kept = fs::read_to_string(&list).with_context(|| format!("{} cannot be read", list.display()))?;
        if kept != found {
            differ.push(library);
            let [kept, found] = [&kept, &found].map(|text| text.lines().collect::<BTreeSet<_>>());
            kept.difference(&found).for_each(|item| println!("-{item}"));
            found.difference(&kept).for_each(|item| println!("+{item}"));
        }
    }
    if differ.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!(
        "error: the public items of {} are not those of docs/api: if that is meant, run `cargo run --manifest-path \
         tools/public-api/Cargo.toml -- --write`, and say in CHANGELOG.md what others have to change",
        differ.join(", ")
    );
    Ok(ExitCode::from(1))
}

/// Lets rustdoc describe a library in JSON, and says where that is.
fn described(root: &Path, library: &str) -> Result<PathBuf> {
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root)
        .args(["rustdoc", "--quiet", "--locked", "--lib", "--package", library])
        .args(["--", "-Zunstable-options", "--output-format", "json"])
        .env("RUSTDOC", env::current_exe()?)
        .env(AS_RUSTDOC, "yes")
        .status()
        .context("cargo cannot be started")?;
    ensure!(status.success(), "rustdoc failed for {library}");
    let target = root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
    Ok(target.join("doc").join(library.replace('-', "_")).with_extension("json"))
}

/// The public items, one a line. Of what is derived only the name of the trait.
fn listed(description: &Path) -> Result<String> {
    let without = |derived| -> Result<Vec<String>> {
        let builder = public_api::Builder::from_rustdoc_json(description)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true);
        let items = builder.omit_auto_derived_impls(derived).build()?;
        Ok(items.items().map(ToString::to_string).collect())
    };
    let written: BTreeSet<String> = without(true)?.into_iter().collect();
    let mut found = without(false)?;
    found.retain(|item| {
        written.contains(item)
            || item.starts_with("impl") && !item.contains(" core::marker::StructuralPartialEq ")
    });
    Ok(found.iter().map(|item| format!("{item}\n")).collect())
}

/// Rustdoc, with its unstable options: set for it alone, since with another environment everything would be compiled anew.
fn rustdoc() -> Result<ExitCode> {
    let status = Command::new("rustdoc")
        .args(env::args_os().skip(1))
        .env("RUSTC_BOOTSTRAP", "1")
        .status()
        .context("rustdoc cannot be started")?;
    Ok(ExitCode::from(status.code().map_or(1, |code| code.clamp(0, 255) as u8)))
}
