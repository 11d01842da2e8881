//! What happens when the program itself has a fault: the caller gets an ordinary failed answer, never a dead process.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pharos_core::diagnostic::{Diagnostic, Place};
use pharos_core::module::codes;

thread_local! {
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps panics off standard error and remembers where the last one of each thread happened.
pub fn silence() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|at| format!("{}:{}:{}", at.file(), at.line(), at.column()));
        PLACE.with(|cell| *cell.borrow_mut() = place);
    }));
}

/// Runs `work`; a panic inside it unwinds (so that locks and mounts are given back) and becomes `module/internal-fault`.
pub fn contain<T>(work: impl FnOnce() -> T) -> Result<T, Diagnostic> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let place = PLACE.with(|cell| cell.borrow_mut().take());
        let diagnostic =
            Diagnostic::error(codes::INTERNAL_FAULT, format!("the program has a fault: {}", words(&*payload)))
                .help("report this message; it is no fault of the task");
        diagnostic.at(Place::named(place.as_deref().unwrap_or("pharos-modules")), "")
    })
}

fn words(payload: &(dyn Any + Send)) -> &str {
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("it stopped without a word")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_fault_names_its_place() {
        let usual = std::panic::take_hook();
        super::silence();
        let found = super::contain(|| panic!("at {} o'clock", 12));
        std::panic::set_hook(usual);
        let diagnostic = found.unwrap_err();
        assert!(diagnostic.message.ends_with("at 12 o'clock"), "{diagnostic:?}");
        assert!(diagnostic.place().unwrap().file().contains("fault.rs:"), "{diagnostic:?}");
        assert_eq!(super::contain(|| 1), Ok(1));
    }
}
