//! A site, made ready to be asked.

use super::answer::{Answer, Hop, HopName, Paths};
use super::edge::{Edge, Outcome};
use super::question::{Caller, Question};
use super::sources::Sources;
use super::words;
use crate::catalogue::CatalogueDocument;
use crate::diagnostic::{Report, Source};
use crate::document::{self, Document};
use crate::edge::{CertificateFiles, CertificateMode, EdgeHost, HttpSettings, NginxBuild, render};
use crate::policy::PolicyDocument;
use crate::site;

/// A site, rendered and indexed once; each question walks the index.
pub struct Site {
    sources: Sources,
    edge: Edge,
}

impl Site {
    /// From a catalogue and a policy: the name of each and its bytes.
    ///
    /// # Errors
    /// Every finding of both documents; `policy/foundation-only` for a policy without an edge, `edge/plain-origin` for an origin
    /// that the edge cannot serve.
    pub fn of_files(catalogue: (&str, &[u8]), policy: (&str, &[u8])) -> Result<Self, Report> {
        let edge = site::Edge::of_policy_file(catalogue, policy)?;
        let text = |(name, bytes)| document::source_from_bytes(name, bytes);
        Self::of(&text(catalogue)?, &text(policy)?, &edge)
    }

    fn of(
        catalogue: &std::sync::Arc<Source>,
        policy: &std::sync::Arc<Source>,
        edge: &site::Edge,
    ) -> Result<Self, Report> {
        let catalogue: Document<CatalogueDocument> = document::read(catalogue)?;
        let policy: Document<PolicyDocument> = document::read(policy)?;
        let (https, _) = render::https(&edge.table, &edge.environment, &any_host(edge)?)?;
        Ok(Self { edge: Edge::of(https.directives()), sources: Sources::new(catalogue, policy) })
    }

    /// What becomes of a request.
    ///
    /// # Errors
    /// `explain/divided-network` if a rule takes a part of the network that it comes from.
    pub fn explain(&self, question: &Question) -> Result<Answer, Report> {
        let paths = Paths { raw: question.target.as_bytes().to_vec(), ..Paths::default() };
        let mut answer = Answer { from: question.from, paths, route: None, hops: Vec::new() };
        if question.caller == Caller::Client {
            self.at_edge(question, &mut answer)?;
        }
        Ok(answer)
    }

    fn at_edge(&self, question: &Question, answer: &mut Answer) -> Result<(), Report> {
        let step = self.edge.walk(question)?;
        let (rule, places) = words::of_edge(&step, question, &self.sources);
        let (refused, route) = match &step.outcome {
            Outcome::Passed(passed) => (None, Some(passed.route)),
            Outcome::Refused(answered, reason) => (Some(*answered), reason.route()),
        };
        answer.route = route.cloned();
        answer.hops.push(Hop { name: HopName::Edge, refused, object: words::edge_object(&step), rule, places });
        answer.paths.edge = step.path;
        Ok(())
    }
}

/// What a host is like makes no difference to who is served what.
fn any_host(edge: &site::Edge) -> Result<EdgeHost, Report> {
    let names = edge.table.hosts().iter().map(|host| host.origin.host());
    let files = names.map(|name| (name.clone(), CertificateFiles::lineage(name))).collect();
    Ok(EdgeHost {
        nginx: NginxBuild::parse("1.22.1")?,
        ipv6: true,
        listen_addresses: Vec::new(),
        certificates: CertificateMode::Existing { files },
        existing: HttpSettings::new(),
    })
}
