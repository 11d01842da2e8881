//! Which site a command is about, and where its private files are: decided from the variables that the operator gave.
//!
//! [`select`] is asked before anything is opened. An environment is never mixed with a personal selection, and a site that has an
//! administration runner is never planned from elsewhere.

pub mod codes;
mod operation;
mod origin;
mod paths;
mod select;
mod state;

pub use operation::{Operation, Tool};
pub use origin::origins;
pub use paths::{SitePaths, missing_inventory};
pub use select::{Given, Site, VARIABLES, select};
pub use state::state_directory;
