//! Writing: equal values give equal bytes, and every text that some reader would take for something else is in quotes.

use serde::Serialize;

use super::codes;
use crate::diagnostic::{Diagnostic, Place, Report};

/// The document as YAML in block style, ending in a newline. Give it types whose maps are sorted.
///
/// # Errors
/// `document/unwritable` if the type refuses to be written.
pub fn write<T: Serialize>(value: &T) -> Result<String, Report> {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    let mut text = serde_saphyr::to_string_with_options(value, options).map_err(|error| {
        let words = format!("this document cannot be written: {error}");
        Report::from(
            Diagnostic::error(codes::UNWRITABLE, words)
                .at(Place::named(std::any::type_name::<T>()), "")
                .help("this is a defect of the program; please report it"),
        )
    })?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}
