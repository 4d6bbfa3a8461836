//! One line in place of "Bus error (core dumped)": what the system says when a file that a build has mapped loses its bytes.

/// Makes a bus error end the program with an error line. To be called before a build maps its scratch files.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "a handler of a signal has no safe form")]
pub(super) fn explain() {
    const LINE: &[u8] =
        b"error: a file of the unfinished build was cut short by another program, or its disk has failed; \
        what is done is kept: give the same command again\n";
    extern "C" fn end(_: libc::c_int) {
        // SAFETY: both functions are allowed in a handler. Nothing of the program runs after them.
        unsafe {
            libc::write(libc::STDERR_FILENO, LINE.as_ptr().cast(), LINE.len());
            libc::_exit(2);
        }
    }
    let handler: extern "C" fn(libc::c_int) = end;
    // SAFETY: the handler does nothing that a handler may not do, and nothing else in the program handles this signal but
    // the standard library, which prints the same line as the system does.
    unsafe {
        libc::signal(libc::SIGBUS, handler as libc::sighandler_t);
    }
}

/// Elsewhere the system's own words must do.
#[cfg(not(target_os = "linux"))]
pub(super) fn explain() {}
