//! Everything that another program starts ends with it, and with this program, however that ends.
//!
//! A program leads a process group of its own, and the whole group is killed when the program has ended or is given up. A
//! guard, a shell that waits for the end of a pipe from this program, kills the groups that are left when this
//! program is gone, even by `kill -9`. It cannot know of a program that was started in the very moment before. Where there
//! are no process groups, only the program itself is killed.

use std::process::{Child, Command};

/// The processes of another program.
pub(super) struct Group(#[cfg_attr(not(unix), allow(dead_code))] u32);

#[cfg(not(unix))]
impl Group {
    pub(super) fn lead(_: &mut Command) {}

    pub(super) fn of(child: &Child) -> Group {
        Group(child.id())
    }

    pub(super) fn kill(&self) {}
}

#[cfg(unix)]
impl Group {
    /// Lets the program that is to be started lead a group. Ctrl-C is then for this program alone, which ends its
    /// games in order.
    pub(super) fn lead(command: &mut Command) {
        // Before there is anything to guard, so that it is told of the program as soon as that runs.
        guard::begin();
        std::os::unix::process::CommandExt::process_group(command, 0);
    }

    /// The group of a program that has been started as its leader.
    pub(super) fn of(child: &Child) -> Group {
        guard::tell('+', child.id());
        Group(child.id())
    }

    /// Kills all of its processes. Call it as soon as the leader has been waited for, or before: later the number may be
    /// another group's.
    pub(super) fn kill(&self) {
        if let Ok(id) = i32::try_from(self.0) {
            // There is nothing to do for a group that is empty.
            let group = nix::unistd::Pid::from_raw(id);
            let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
        }
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        guard::tell('-', self.0);
    }
}

#[cfg(unix)]
mod guard {
    use std::io::Write;
    use std::os::unix::process::CommandExt;
    use std::process::{ChildStdin, Command, Stdio};
    use std::sync::{Mutex, PoisonError};

    /// Reads `+ GROUP` and `- GROUP`; at the end of its input it kills the groups that are left.
    const SCRIPT: &str = "\
        left=
        while read -r sign group; do
            others=
            for one in $left; do
                [ \"$one\" = \"$group\" ] || others=\"$others $one\"
            done
            left=$others
            [ \"$sign\" = - ] || left=\"$left $group\"
        done
        for one in $left; do
            kill -KILL \"-$one\"
        done";

    /// The pipe to the guard; `None` before the first program is started, and where there is no shell.
    static GUARD: Mutex<Option<ChildStdin>> = Mutex::new(None);

    fn start() -> Option<ChildStdin> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT]).current_dir("/").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // It ends with this program, and nobody waits for it.
        command.spawn().ok()?.stdin.take()
    }

    /// Starts the guard if there is none.
    pub(super) fn begin() {
        let mut guard = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
        if guard.is_none() {
            *guard = start();
        }
    }

    pub(super) fn tell(sign: char, group: u32) {
        let mut guard = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
        // Written at once: of a line that ends early the guard would know nothing if this program were killed within it.
        let line = format!("{sign} {group}\n");
        if let Some(pipe) = guard.as_mut()
            && pipe.write_all(line.as_bytes()).is_err()
        {
            // Somebody has killed it: the next program gets another one.
            *guard = None;
        }
    }
}
