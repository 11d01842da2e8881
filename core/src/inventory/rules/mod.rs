//! The rules of an inventory, one module a subject.

pub(super) mod address;
pub(super) mod device;
pub(super) mod group;
pub(super) mod label;
pub(super) mod primary;
pub(super) mod taint;
pub(super) mod variable;
