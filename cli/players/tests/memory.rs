//! Sizes, and what the system says of its memory.

use jewel_players::support::memory::{available, parse_size, size_text};

#[test]
fn meminfo_is_read() {
    let text = "MemTotal:       32 kB\nMemAvailable:       2048 kB\n";
    assert_eq!(available(text), Some(2 << 20));
    assert_eq!(available("MemTotal: 1 kB"), None);
}

#[test]
fn sizes_are_read() {
    for (typed, bytes) in
        [("1", 1 << 20), ("12B", 12), ("3k", 3 << 10), ("500M", 500 << 20), ("4GiB", 4 << 30)]
    {
        assert_eq!(parse_size(typed), Ok(bytes), "{typed}");
    }
    for typed in ["", "0", "M", "x", "-1", "1.5G", "1e9", "99999999999T", "1MM", "1\u{e9}"] {
        assert!(parse_size(typed).unwrap_err().contains("such as 500M"), "{typed}");
    }
}

#[test]
fn sizes_are_never_written_smaller() {
    for bytes in [102_400, 1 << 20, (1 << 30) + 1, u64::MAX / 2] {
        let text = size_text(bytes);
        let read = parse_size(&text).unwrap();
        assert!(read >= bytes && read - bytes <= bytes / 99, "{bytes}: {text}");
    }
    assert_eq!((size_text(1), size_text(1025)), ("1K".to_string(), "2K".to_string()));
}
