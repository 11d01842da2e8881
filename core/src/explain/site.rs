//! A site, made ready to be asked.

use std::sync::Arc;

use super::answer::{Answer, Hop, HopName, Paths};
use super::edge::{Edge, Outcome};
use super::gateway::{Forwarded, Gateway, Incoming};
use super::question::{Caller, Question};
use super::sources::Sources;
use super::through::{self, Through};
use super::{codes, words};
use crate::catalogue::{CatalogueDocument, ExtensionDocument};
use crate::diagnostic::{Diagnostic, Place, Report, Source};
use crate::document::{self, Document};
use crate::edge::{CertificateFiles, CertificateMode, EdgeHost, HttpSettings, NginxBuild, render};
use crate::gateway::{self, GatewaySettings};
use crate::name::EnvironmentName;
use crate::policy::PolicyDocument;
use crate::site;

/// A site, rendered and indexed once; each question walks the index.
pub struct Site {
    sources: Sources,
    edge: Edge,
    /// `None` for a site that describes none: another gateway stands behind its edge.
    gateway: Option<Gateway>,
    environment: EnvironmentName,
}

impl Site {
    /// From a catalogue, a policy and the extensions of laboratories: the name of each and its bytes.
    ///
    /// # Errors
    /// Every finding of all documents; `policy/foundation-only` for a policy without an edge, `edge/plain-origin` for an origin that the
    /// edge cannot serve.
    pub fn of_files(
        catalogue: (&str, &[u8]),
        policy: (&str, &[u8]),
        laboratories: &[(&str, &[u8])],
    ) -> Result<Self, Report> {
        let edge = site::Edge::of_files(catalogue, policy, laboratories)?;
        let text = |(name, bytes)| document::source_from_bytes(name, bytes);
        let laboratories: Result<Vec<_>, _> = laboratories.iter().copied().map(text).collect();
        Self::of(&text(catalogue)?, &text(policy)?, &laboratories?, &edge)
    }

    fn of(
        catalogue: &Arc<Source>,
        policy: &Arc<Source>,
        laboratories: &[Arc<Source>],
        edge: &site::Edge,
    ) -> Result<Self, Report> {
        let catalogue: Document<CatalogueDocument> = document::read(catalogue)?;
        let policy: Document<PolicyDocument> = document::read(policy)?;
        let laboratories: Result<Vec<Document<ExtensionDocument>>, Report> =
            laboratories.iter().map(document::read).collect();
        let (https, _) = render::https(&edge.table, &edge.environment, &any_host(edge)?)?;
        let gateway = if policy.value.gateway.is_some() {
            let (settings, _) = GatewaySettings::of(&catalogue, &policy)?;
            let (objects, _) = gateway::render(&edge.table, &settings)?;
            Some(Gateway::of(&objects, &settings))
        } else {
            None
        };
        Ok(Self {
            edge: Edge::of(https.directives()),
            gateway,
            environment: policy.value.environment.clone(),
            sources: Sources::new(catalogue, policy, laboratories?),
        })
    }

    /// What becomes of a request.
    ///
    /// # Errors
    /// `explain/divided-network` if a rule takes a part of the network that it comes from; `explain/no-gateway` for a sender that speaks
    /// to the gateway itself, where none is described.
    pub fn explain(&self, question: &Question) -> Result<Answer, Report> {
        let paths = Paths { raw: question.target.as_bytes().to_vec(), ..Paths::default() };
        let mut answer = Answer {
            from: question.from,
            paths,
            route: None,
            transport: None,
            upgraded: question.websocket.then_some(true),
            to_backend: self.gateway.is_some(),
            hops: Vec::new(),
        };
        let incoming = if question.caller == Caller::Client {
            self.at_edge(question, &mut answer)?
        } else {
            Some(Incoming {
                method: &question.method,
                target: question.target.as_bytes().to_vec(),
                host: question.host.to_string(),
                forwarded_for: question.forwarded_for.as_deref().map_or(Forwarded::Absent, Forwarded::Text),
                verified: None,
            })
        };
        let Some(incoming) = incoming else { return Ok(answer) };
        match &self.gateway {
            Some(gateway) => {
                let peer = through::peer(gateway, question);
                Through { gateway, sources: &self.sources, question, peer }.walk(&incoming, &mut answer)?;
            }
            None if question.caller == Caller::Client => self.handed_over(&incoming, question, &mut answer),
            None => return Err(self.no_gateway().into()),
        }
        Ok(answer)
    }

    /// The end of what can be said where the gateway is not described: whom the edge hands the request to.
    fn handed_over(&self, incoming: &Incoming<'_>, question: &Question, answer: &mut Answer) {
        if let Some(verified) = incoming.verified {
            let hop = through::entrance_trust(&self.sources, question, verified);
            let refused = hop.refused.is_some();
            answer.hops.push(hop);
            if refused {
                return;
            }
        }
        answer.hops.push(Hop {
            name: HopName::Gateway,
            refused: None,
            object: format!("no gateway: environment `{}` describes none", self.environment),
            rule: "the edge passes the request on; what the gateway there makes of it is not judged".to_owned(),
            places: self.sources.policy("/edge/gateway", "where it goes"),
        });
    }

    fn no_gateway(&self) -> Diagnostic {
        let words = format!("environment `{}` describes no gateway that could be spoken to", self.environment);
        let help = "ask about a `client` of the edge, or describe the gateway: `gateway` in the policy and `mesh` in the catalogue";
        Diagnostic::error(codes::NO_GATEWAY, words).at(Place::named("by"), "").help(help)
    }

    /// What goes on to the gateway, if it does.
    fn at_edge<'a>(&'a self, question: &'a Question, answer: &mut Answer) -> Result<Option<Incoming<'a>>, Report> {
        let step = self.edge.walk(question)?;
        let (rule, places) = words::of_edge(&step, question, &self.sources);
        let object = words::edge_object(&step);
        let (refused, route, incoming) = match step.outcome {
            Outcome::Refused(answered, reason) => (Some(answered), reason.route(), None),
            Outcome::Passed(passed) => {
                let forwarded_for = Forwarded::Client(passed.forwarded_for);
                let (method, host) = (&*question.method, passed.host.to_owned());
                answer.transport = Some(passed.transport);
                answer.upgraded = question.websocket.then_some(passed.upgraded);
                let verified = passed.verified;
                let incoming = Incoming { method, target: passed.target, host, forwarded_for, verified };
                (None, Some(passed.route), Some(incoming))
            }
        };
        answer.route = route.cloned();
        answer.hops.push(Hop { name: HopName::Edge, refused, object, rule, places });
        answer.paths.edge = step.path;
        Ok(incoming)
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

#[cfg(test)]
mod tests {
    use super::{Site, gateway, site};
    use crate::diagnostic::Source;
    use crate::document;
    use crate::explain::gateway::Gateway;
    use crate::explain::{Answer, Answered, HopName, Question, QuestionDocument};
    use crate::gateway::{GatewaySettings, Objects};

    const CATALOGUE: (&str, &str) = ("catalogue.yaml", include_str!("../../tests/explain/catalogue.yaml"));
    const POLICY: (&str, &str) = ("environments/example/policy.yaml", include_str!("../../tests/explain/policy.yaml"));

    /// The site of the cases, with objects that were changed after they were rendered.
    fn with(change: impl for<'a> FnOnce(&mut Objects<'a>)) -> Site {
        let files = |(name, text): (&'static str, &'static str)| (name, text.as_bytes());
        let mut site = Site::of_files(files(CATALOGUE), files(POLICY), &[]).unwrap();
        let edge = site::Edge::of_files(files(CATALOGUE), files(POLICY), &[]).unwrap();
        let catalogue = document::read(&Source::public(CATALOGUE.0, CATALOGUE.1)).unwrap();
        let policy = document::read(&Source::public(POLICY.0, POLICY.1)).unwrap();
        let (settings, _) = GatewaySettings::of(&catalogue, &policy).unwrap();
        let (mut objects, _) = gateway::render(&edge.table, &settings).unwrap();
        change(&mut objects);
        site.gateway = Some(Gateway::of(&objects, &settings));
        site
    }

    fn ask(site: &Site, url: &str) -> Answer {
        let document =
            QuestionDocument { url: url.to_owned(), from: Some("192.0.2.7".to_owned()), ..Default::default() };
        site.explain(&Question::parse(&document).unwrap()).unwrap()
    }

    /// Where a request ends, and with what.
    fn refusal(site: &Site, url: &str) -> Option<(HopName, Answered)> {
        ask(site, url).refusal().and_then(|hop| Some((hop.name, hop.refused?)))
    }

    const SITE: &str = "https://site.example.org/v1/site";
    const ADMIN: &str = "https://platform.example.org/admin";

    /// What is walked is what was rendered, object by object.
    #[test]
    fn without_an_object_the_answer_is_another() {
        let whole = with(|_| ());
        for url in [SITE, ADMIN] {
            assert_eq!(refusal(&whole, url), None);
        }
        let without = with(|objects| objects.virtual_services.clear());
        assert_eq!(refusal(&without, SITE), Some((HopName::Gateway, Answered::Status(404))));
        let without = with(|objects| objects.gateways.clear());
        assert_eq!(refusal(&without, SITE), Some((HopName::Gateway, Answered::Status(404))));
        let without =
            with(|objects| objects.authorization_policies.retain(|policy| policy.metadata.name != "site-site"));
        assert_eq!(refusal(&without, SITE), Some((HopName::Authorization, Answered::Status(403))));
        assert_eq!(refusal(&without, ADMIN), None);
        let without = with(|objects| {
            objects.virtual_services.clear();
            objects.authorization_policies.retain(|policy| policy.metadata.name != "site-site");
        });
        assert_eq!(
            refusal(&without, SITE),
            Some((HopName::Gateway, Answered::Status(403))),
            "the policies are asked first"
        );
        let without =
            with(|objects| objects.network_policies.retain(|policy| policy.metadata.name != "site-site-egress"));
        assert_eq!(refusal(&without, SITE), Some((HopName::NetworkPolicy, Answered::Status(503))));
        let unguarded = with(|objects| objects.authorization_policies.clear());
        assert_eq!(refusal(&unguarded, SITE), None);
        let plain = ask(&with(|objects| objects.destination_rules.clear()), SITE);
        let trust = plain.hops.iter().find(|hop| hop.name == HopName::Trust).unwrap();
        assert_eq!(trust.rule, "the backend is spoken to in plain text");
    }

    /// Policies that let nobody in keep the edge out as well, which answers in the gateway's place.
    #[test]
    fn an_entrance_for_nobody_is_closed_to_the_edge() {
        let closed = with(|objects| {
            for policy in &mut objects.network_policies {
                policy.spec.ingress.clear();
            }
        });
        assert_eq!(refusal(&closed, SITE), Some((HopName::Entrance, Answered::Status(504))));
        let open = ask(&with(|objects| objects.network_policies.clear()), SITE);
        assert!(open.hops.iter().all(|hop| hop.refused.is_none()));
        assert!(open.hops.iter().filter(|hop| hop.object == "no NetworkPolicy").count() == 2, "{open:?}");
    }

    /// How many proxies are trusted is read from the mesh's configuration.
    #[test]
    fn the_client_is_who_the_trusted_proxies_name() {
        let nobody = with(|objects| objects.mesh_config.default_config.gateway_topology.num_trusted_proxies = 0);
        assert_eq!(refusal(&nobody, ADMIN), Some((HopName::Authorization, Answered::Status(403))));
        let two = with(|objects| objects.mesh_config.default_config.gateway_topology.num_trusted_proxies = 2);
        assert_eq!(refusal(&two, ADMIN), Some((HopName::Authorization, Answered::Status(403))));
    }
}
