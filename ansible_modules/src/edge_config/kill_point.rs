//! Places where a test kills the program. Only with the feature `kill-points`, which no shipped binary has.

/// Says that so many steps were performed: the program kills itself if `PHAROS_KILL_AFTER` is that number.
#[cfg(feature = "kill-points")]
pub(super) fn passed(performed: usize) {
    if std::env::var("PHAROS_KILL_AFTER").is_ok_and(|after| after == performed.to_string()) {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

/// Nothing.
#[cfg(not(feature = "kill-points"))]
pub(super) fn passed(_: usize) {}
