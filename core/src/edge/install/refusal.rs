//! What a performer of steps reports when the world answers otherwise than planned.

use super::{Listener, Marker, Stage, Step};
use crate::diagnostic::{Diagnostic, Place};
use crate::edge::codes;

/// `edge/not-root`.
pub fn not_root(user: u32) -> Diagnostic {
    Diagnostic::error(codes::NOT_ROOT, format!("user {user} cannot install a listener"))
        .at(Place::named("nginx"), "")
        .help("let the play become root: `become: true`")
}

/// `edge/foreign-file`: what stands at the place of a file of ours is somebody else's.
pub fn foreign_file(listener: Listener, what: &str) -> Diagnostic {
    Diagnostic::error(
        codes::FOREIGN_FILE,
        format!("somebody else's file is in the place of the {} listener: {what}", listener.word()),
    )
    .at(Place::named(listener.file()), "")
    .help("look at what it serves, then move it away and run this again: it is never overwritten")
}

/// `edge/pending`: an interrupted run is completed.
pub fn pending(marker: &Marker) -> Diagnostic {
    let how_far = match marker.stage {
        Stage::Begun => "before its files were validated",
        Stage::Validated => "with its files validated, and its reload or the proof of it pending",
    };
    Diagnostic::note(codes::PENDING, format!("an earlier run was interrupted {how_far}; this one goes on from there"))
        .at(Place::named(marker.listener.file()), "")
}

/// `edge/reload-failed`: systemd could not do this step. `said` is what it and nginx said.
pub fn reload_failed(step: &Step, said: &str, stays_pending: bool) -> Diagnostic {
    let help = if stays_pending {
        "mend the cause and run this again: the validated file stays, and its reload is completed first"
    } else {
        "mend the cause and run this again: what was there is put back"
    };
    let said = said.trim();
    let said = if said.is_empty() { "it does not say why" } else { said };
    Diagnostic::error(codes::RELOAD_FAILED, format!("nginx could not {}: {said}", step.word()))
        .at(Place::named("nginx.service"), "")
        .help(help)
}

/// `edge/not-restored`: a step of the undo failed.
pub fn not_restored(step: &Step, listener: Listener) -> Diagnostic {
    Diagnostic::error(
        codes::NOT_RESTORED,
        format!("what was there could not be put back: the step `{}` failed too", step.word()),
    )
    .at(Place::named(listener.file()), "")
    .help("mend the cause and run this again: the marker stays, and the next run goes on from it")
}
