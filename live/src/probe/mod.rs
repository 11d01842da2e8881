//! Asking the routes of a live site: one request each, several at a time, and nothing is followed or repeated.
//!
//! Nothing is decided here: [`pharos_core::probe`] makes the questions and judges the answers.

mod connect;
mod request;

use std::net::IpAddr;
use std::time::Duration;

use pharos_core::certificate::{Input, TrustAnchors};
use pharos_core::diagnostic::{Diagnostic, Place, Report};
use pharos_core::file::codes;
use pharos_core::probe::{Outcome, Question};
use tokio::task::JoinSet;

use request::Client;

/// How a site is asked.
#[derive(Clone, Debug)]
pub struct Way<'a> {
    /// The authorities, in PEM, that the edge's certificates must chain to: the name of the file and its content.
    pub trust: Input<'a>,
    /// The one edge that is asked, whatever the names lead to.
    pub address: Option<IpAddr>,
    /// How long each connection, and each wait for an answer, may take.
    pub timeout: Duration,
    /// How many requests are under way at a time, at least one.
    pub at_once: usize,
}

/// The answer to each question, in their order.
///
/// # Errors
/// `certificate/*` if the authorities cannot be read; `file/io` if this machine has no means to connect at all.
pub fn ask(questions: &[Question], way: &Way<'_>) -> Result<Vec<Outcome>, Report> {
    let (anchors, _) = TrustAnchors::read(&way.trust)?;
    let fault = |why: &dyn std::fmt::Display| {
        let said = format!("no connection can be made from here: {why}");
        Report::from(
            Diagnostic::error(codes::IO, said)
                .at(Place::named(way.trust.name), "")
                .help("free descriptors or memory on this machine, and ask again"),
        )
    };
    let client = Client::new(&anchors, way).map_err(|why| fault(&why))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|why| fault(&why))?;
    Ok(runtime.block_on(all(questions, &client, way.at_once.max(1))))
}

/// Each of so many workers takes every so-manieth question.
async fn all(questions: &[Question], client: &Client, at_once: usize) -> Vec<Outcome> {
    let mut workers = JoinSet::new();
    for first in 0..at_once.min(questions.len()) {
        let own: Vec<(usize, Question)> = questions.iter().cloned().enumerate().skip(first).step_by(at_once).collect();
        let client = client.clone();
        workers.spawn(async move {
            let mut answers = Vec::with_capacity(own.len());
            for (index, question) in own {
                answers.push((index, client.ask(&question).await));
            }
            answers
        });
    }
    let mut answers: Vec<(usize, Outcome)> = workers.join_all().await.into_iter().flatten().collect();
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, outcome)| outcome).collect()
}
