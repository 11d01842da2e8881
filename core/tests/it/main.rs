//! What crosses a border of the core: documents in, reports and configuration out.

mod certificate;
mod document;
mod edge;
mod edge_case;
mod edge_corpus;
mod edge_install;
mod edge_render;
mod file;
mod name;
mod pages;
mod rejected;
