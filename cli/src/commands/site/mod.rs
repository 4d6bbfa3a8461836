//! `jewel site`: the page of `jewel serve` as files that any web server can serve.

mod exhibit;
mod folder;
mod gallery;

use super::ExitStatus;
use crate::output;
use crate::text::grouped;
use crate::web::{FolderTables, PAGE, SITE};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use exhibit::Exhibit;
use folder::SiteFile;
use jewel_answers::api::site_tables::TableFile;
use jewel_players::support::files;
use jewel_players::support::words::shortened;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Write the board on a page as files for any web server
#[derive(Args)]
#[command(after_long_help = "\
The folder gets the page of `jewel serve`, which answers by itself: rules, engine and graph solver run in the browser, as \
WebAssembly on one thread. A gallery shows the games with what is proven about each; small games are solved for it now. Every \
web server can serve the folder, and nothing is sent anywhere. Of endgame tables the page asks for the parts that it needs.

A release has the WebAssembly module in its folder share/jewel. In the sources `web/wasm-toolchain build --profile wasm -p \
jewel-page` builds it, and this command finds it there. --module names it anywhere else. A module with vector instructions lies \
beside it, with -simd in its name, or is built with `web/wasm-toolchain simd build …`: browsers that have such instructions \
load that one.

An earlier site in the folder is replaced; other files in it stay. Games that hide things from their players need a server.

Examples:
  jewel site duel ambush --out site
  jewel site mine.toml --out site
  jewel site ambush --tables /data/ambush --out site
  python3 -m http.server --directory site --bind 127.0.0.1")]
pub(crate) struct Site {
    /// Games by their ids, or variant files such as mine.toml
    #[arg(value_name = "GAME", required_unless_present = "variant")]
    games: Vec<String>,

    /// A variant file; may be given several times
    #[arg(long, value_name = "FILE")]
    variant: Vec<PathBuf>,

    /// The folder of the site
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Copy the endgame tables of this directory, or of the game's directory in it, to the site, which looks positions up in
    /// them [default: jewel-tables/ID in the working directory]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// The WebAssembly module; one with -simd in its name may lie beside it [default: share/jewel/jewel.wasm beside the
    /// program's folder, jewel.wasm in it, or the one that was built in the working directory]
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
}

/// What the modules are called: the one for any browser, and the one with vector instructions.
const MODULES: [&str; 2] = ["jewel.wasm", "jewel-simd.wasm"];

/// Where `web/wasm-toolchain` puts them.
const BUILT: [&str; 2] = [
    "target/wasm/wasm32-unknown-unknown/wasm/jewel_page.wasm",
    "target/wasm-simd/wasm32-unknown-unknown/wasm/jewel_page.wasm",
];

/// The longest module that is read, in bytes.
const MAX_MODULE: u64 = 64 << 20;

/// How a module of this version is marked.
const MARK: &str = concat!("jewel-page ", env!("CARGO_PKG_VERSION"));

/// The contents of `site.json`, which the page reads.
#[derive(Serialize)]
struct SiteObject<'a> {
    /// The version of the program.
    jewel: &'a str,
    games: Vec<GameObject<'a>>,
    /// The files of the site, but this one.
    files: Vec<&'a str>,
}

#[derive(Serialize)]
struct GameObject<'a> {
    id: &'a str,
    /// The text of its variant file, if it is not one of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<&'a str>,
    /// Its endgame tables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tables: Vec<TableFile>,
}

impl Site {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        folder::check(&self.out)?;
        if let Some(folder) = self.tables.as_deref().filter(|folder| !folder.is_dir()) {
            bail!("--tables: {} is not a directory", folder.display());
        }
        let modules = self.modules()?;
        let exhibits = self.exhibits()?;
        let files = site_files(&exhibits, modules)?;
        let bytes: u64 = files.iter().map(SiteFile::length).sum();
        folder::write(&self.out, &files)?;
        output::print(&format!(
            "wrote {} files with {} bytes to {}; any web server can serve them, such as\n  \
             python3 -m http.server --directory {} --bind 127.0.0.1\n",
            files.len(),
            grouped(bytes),
            self.out.display(),
            self.out.display()
        ))?;
        Ok(ExitStatus::Done)
    }

    /// The games, with what is proven about each.
    fn exhibits(&self) -> Result<Vec<Exhibit>> {
        let tables = FolderTables::new(self.tables.clone());
        let typed = self.games.iter().map(|typed| Exhibit::named(typed));
        let files = self.variant.iter().map(|file| Exhibit::load(file));
        let mut ids = BTreeSet::new();
        let mut exhibits = Vec::new();
        for exhibit in typed.chain(files) {
            let exhibit = exhibit?;
            if !ids.insert(exhibit.card.id.clone()) {
                bail!(
                    "two of the games are called \"{}\": a site shows each once",
                    shortened(&exhibit.card.id)
                );
            }
            exhibits.push(exhibit);
        }
        exhibits.into_iter().map(|exhibit| exhibit.with_proof(&tables)).collect()
    }

    /// The modules, with their names: the one for any browser, and the one with vector instructions if it is there.
    fn modules(&self) -> Result<Vec<(&'static str, Vec<u8>)>> {
        let [plain, simd] = match &self.module {
            Some(file) => [file.clone(), with_simd(file)],
            None => places().into_iter().find(|[plain, _]| plain.is_file()).ok_or_else(|| {
                anyhow!(
                    "the WebAssembly module {} is not there: releases have it in share/jewel, and in the sources \
                     `web/wasm-toolchain build --profile wasm -p jewel-page` builds it; --module FILE names it",
                    MODULES[0]
                )
            })?,
        };
        let mut modules = vec![(MODULES[0], read_module(&plain)?)];
        if simd.is_file() {
            modules.push((MODULES[1], read_module(&simd)?));
        }
        Ok(modules)
    }
}

/// A module, if it is there and of this version.
fn read_module(file: &Path) -> Result<Vec<u8>> {
    let bytes = files::read(file, MAX_MODULE).context("--module")?;
    let has = |mark: &[u8]| bytes.windows(mark.len()).any(|part| part == mark);
    if !bytes.starts_with(b"\0asm") || !has(b"jewel-page ") {
        bail!("--module: {}: not the WebAssembly module of jewel", file.display());
    }
    if !has(MARK.as_bytes()) {
        let version = env!("CARGO_PKG_VERSION");
        bail!("--module: {}: the module of another version of jewel than {version}", file.display());
    }
    Ok(bytes)
}

/// Where the modules may be.
fn places() -> Vec<[PathBuf; 2]> {
    let program = std::env::current_exe().ok();
    let folder = program.as_deref().and_then(Path::parent);
    let shared = folder.and_then(Path::parent).map(|root| root.join("share/jewel"));
    let folders = shared.into_iter().chain(folder.map(Path::to_path_buf));
    folders.map(|folder| MODULES.map(|name| folder.join(name))).chain([BUILT.map(PathBuf::from)]).collect()
}

/// The file with vector instructions that belongs to a module: `jewel-simd.wasm` to `jewel.wasm`.
fn with_simd(module: &Path) -> PathBuf {
    let stem = module.file_stem().unwrap_or_default().to_string_lossy();
    module.with_file_name(format!("{stem}-simd.wasm"))
}

/// Everything that is to be written; `site.json`, by which a site is known, at the end.
fn site_files(exhibits: &[Exhibit], modules: Vec<(&str, Vec<u8>)>) -> Result<Vec<SiteFile>> {
    let mut files = Vec::new();
    for (path, bytes) in PAGE.iter().chain(SITE).map(|(path, _, bytes)| (&path[1..], *bytes)) {
        match path {
            // Of the server.
            "api.js" => {}
            "local.js" => files.push(SiteFile::new("api.js", bytes)),
            "index.html" => files.push(SiteFile::new("board.html", gallery::board_page(bytes)?)),
            path => files.push(SiteFile::new(path, bytes)),
        }
    }
    files.extend(modules.into_iter().map(|(name, bytes)| SiteFile::new(name, bytes)));
    files.extend(
        exhibits
            .iter()
            .enumerate()
            .map(|(n, exhibit)| SiteFile::new(gallery::picture_name(n), exhibit.picture())),
    );
    for (n, exhibit) in exhibits.iter().enumerate() {
        files.extend(exhibit.tables.iter().map(|table| table.copied(n)));
    }
    files.push(SiteFile::new("index.html", gallery::page(exhibits)));
    let site = SiteObject {
        jewel: env!("CARGO_PKG_VERSION"),
        games: exhibits
            .iter()
            .enumerate()
            .map(|(n, exhibit)| GameObject {
                id: &exhibit.card.id,
                variant: exhibit.text.as_deref(),
                tables: exhibit.tables.iter().map(|table| table.listed(n)).collect(),
            })
            .collect(),
        files: files.iter().map(|file| file.name.as_str()).collect(),
    };
    let site = output::json_line(&site)?;
    files.push(SiteFile::new(folder::SITE_FILE, site));
    Ok(files)
}
