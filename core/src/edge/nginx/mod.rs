//! nginx's configuration language as values: directives with quoted words, printed in one place.

mod tree;

pub use tree::{Body, Directive, Word, WordError};
