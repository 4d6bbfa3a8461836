//! The machine that a result was found on, as far as the system describes it.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

/// The machine, as reports name it.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// The processor's name.
    pub(crate) processor: String,
    /// Its cores that this program may use.
    pub(crate) cores: usize,
    /// Mebibytes of memory.
    pub(crate) memory: Option<u64>,
    /// The operating system and the kind of processor.
    pub(crate) system: String,
}

impl Machine {
    /// The machine that this runs on.
    pub(crate) fn here() -> Machine {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let memory = kibibytes(&read("/proc/meminfo"), "MemTotal:").map(|k| k >> 10);
        Machine {
            processor: field(&read("/proc/cpuinfo"), "model name")
                .unwrap_or_else(|| format!("unknown {arch}")),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory,
            system: format!("{os} {arch}"),
        }
    }
}

/// The name of this process among those of all machines that share a folder: the machine's name and the process's number.
pub(crate) fn process_name() -> String {
    let variable = |name| std::env::var(name).ok();
    let host = Some(read("/proc/sys/kernel/hostname"))
        .filter(|name| !name.trim().is_empty())
        .or_else(|| variable("HOSTNAME"))
        .or_else(|| variable("COMPUTERNAME"))
        // Without a name the moment tells machines apart.
        .unwrap_or_else(|| {
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos()).to_string()
        });
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let host: String = host.trim().chars().take(60).map(letter).collect();
    format!("{host}-{}", std::process::id())
}

/// The peak memory of this program in kibibytes, mapped files included.
pub(crate) fn peak_kibibytes() -> Option<u64> {
    kibibytes(&read("/proc/self/status"), "VmHWM:")
}

fn read(file: &str) -> String {
    fs::read_to_string(file).unwrap_or_default()
}

/// The number of a line such as `MemTotal:  24 kB`.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// The text after the colon of the first line that begins with `name`.
fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_the_system_are_read() {
        assert_eq!(kibibytes("A: 1 kB\nVmHWM:\t  12 kB\n", "VmHWM:"), Some(12));
        assert_eq!(kibibytes("A: 1 kB\n", "VmHWM:"), None);
        assert_eq!(field("x : 1\nmodel name\t: A B\n", "model name").as_deref(), Some("A B"));
    }
}
