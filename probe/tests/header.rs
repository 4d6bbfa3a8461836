//! The header is the one that the library has. `JEWEL_WRITE=1` writes it anew.

use std::path::Path;

#[test]
fn the_header_declares_what_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let source = root.join("src/lib.rs");
    let bindings = cbindgen::Builder::new().with_config(config).with_src(source).generate().unwrap();
    let mut text = Vec::new();
    bindings.write(&mut text);
    let file = root.join("include/jewel_probe.h");
    if std::env::var_os("JEWEL_WRITE").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let text = String::from_utf8(text).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "write it anew with JEWEL_WRITE=1");
}
