//! Writing: equal values give equal bytes, and every text that some reader would take for something else is in quotes.

use serde::Serialize;

/// The document as YAML, ending in a newline.
///
/// # Errors
/// In words, if the value cannot be written as YAML: a number that is infinite, or a type that refuses to be serialized.
pub fn write<T: Serialize>(value: &T) -> Result<String, String> {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    let mut text = serde_saphyr::to_string_with_options(value, options).map_err(|error| error.to_string())?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}
