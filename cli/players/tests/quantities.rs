//! Times and sizes as they are typed.

use jewel_players::support::quantities::{parse_mebibytes, parse_time};
use std::time::Duration;

#[test]
fn times_are_read() {
    for (typed, ms) in
        [("1", 1000), ("1.5s", 1500), ("500ms", 500), ("2m", 120_000), ("1H", 3_600_000), ("0", 0)]
    {
        assert_eq!(parse_time(typed), Ok(Duration::from_millis(ms)), "{typed}");
    }
    for typed in ["", "s", "-1", "1e9", "inf", "nan", "1.2.3", "1d", "100000001", "5 m s"] {
        assert!(parse_time(typed).is_err(), "{typed}");
    }
}

#[test]
fn tables_are_sized_in_mebibytes() {
    for (typed, mebibytes) in [("64", 64), ("1", 1), ("2G", 2048), ("512k", 1), ("100MiB", 100)] {
        assert_eq!(parse_mebibytes(typed), Ok(mebibytes), "{typed}");
    }
    for typed in ["", "0", "-1", "x", "1.5G"] {
        assert!(parse_mebibytes(typed).is_err(), "{typed}");
    }
}
