//! What can go wrong between a caller of a module and the room that answers, the way to the host included: only the codes live here, so that
//! `pharos explain` knows them; the runner itself is the crate `pharos-modules`.

pub mod codes;
