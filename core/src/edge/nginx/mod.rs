//! nginx's configuration language as values: directives with quoted words, read and printed in one place.

mod files;
pub mod glob;
mod harmless;
mod lex;
mod load;
mod lua;
mod parse;
mod print;
mod quote;
mod tree;
mod words;

pub use files::Files;
pub use load::{Configuration, Include};
pub use parse::{MAX_DEPTH, parse};
pub use print::{print, print_to};
pub use quote::Quoted;
pub use tree::{Body, Directive, Word, WordError};
