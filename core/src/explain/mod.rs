//! Why a request reaches its backend, or where it ends and by which rule: `pharos route explain`.
//!
//! A [`Question`] is one request, byte for byte, and who sends it. A [`Site`] is rendered as it would be delivered and indexed once; each
//! question then walks what was rendered, not what the catalogue meant by it. The [`Answer`] names for each hop the rule that decides
//! and where it stands in the documents.

mod address;
mod answer;
pub mod codes;
pub mod edge;
mod gateway;
mod human;
mod question;
mod site;
mod sources;
mod through;
mod vantage;
mod words;

pub use answer::{Answer, Answered, Divided, Hop, HopName, Paths, Verdict};
pub use gateway::Normalization;
pub use human::render;
pub use question::{Caller, CallerWord, MAX_TEXT, Presented, PresentedGateway, Question, QuestionDocument};
pub use site::Site;
pub use vantage::Vantage;
