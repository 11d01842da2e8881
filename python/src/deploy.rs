//! A plan of a deployment: its inputs are judged as they are read, then drafted and recorded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pharos_core::access::{Forward, HostAnswer, device_command, not_led, read_devices};
use pharos_core::catalogue::{self, CatalogueDocument, RouteTable};
use pharos_core::certificate::UnixTime;
use pharos_core::diagnostic::{self as core, Findings};
use pharos_core::document::{self, Document};
use pharos_core::environment::{self, Site};
use pharos_core::file::Holder;
use pharos_core::identity::{self, Identity, Requirement};
use pharos_core::inventory::{self, ApiAccess, Facts, Resolved, Source};
use pharos_core::name::NodeName;
use pharos_core::plan::{
    self, CertificateUse, Draft, Expected, KeyedFingerprint, Observations, Recorded, Revision, SeenCertificate,
};
use pharos_core::policy::PolicyDocument;
use pharos_core::site;
use pharos_live::cluster::{self, Access};
use pharos_live::private::PrivateDir;
use pharos_live::records::{self, Writer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::diagnostics::{Report, rejected};
use crate::site::{Text, file};
use crate::value;

/// What a plan is made from, judged part by part. A part that is refused is left out of the plan, whose findings say why.
#[pyclass(module = "pharos")]
pub(crate) struct PlanInputs {
    at: UnixTime,
    policy: Option<Document<PolicyDocument>>,
    routes: Option<RouteTable>,
    requirement: Option<Requirement>,
    /// What the inventory was judged by.
    given: Option<(Facts, Vec<Source>)>,
    resolved: Option<Resolved>,
    /// Whether the API was to be seen and was not.
    api_refused: bool,
    edges: Vec<String>,
    identity: Option<Identity>,
    certificates: Vec<SeenCertificate>,
    observations: Option<Observations>,
    findings: Findings,
}

#[pymethods]
impl PlanInputs {
    /// Judges the committed documents, for an instant (RFC 3339).
    #[new]
    fn new(catalogue: Text, policy: Text, at: &str) -> PyResult<Self> {
        let at = at.parse().map_err(|error| PyValueError::new_err(format!("{error}")))?;
        let mut findings = Findings::new();
        findings.extend(site::check_files([file(&catalogue), file(&policy)]));
        let catalogue: Option<Document<CatalogueDocument>> = sound(&catalogue);
        let policy: Option<Document<PolicyDocument>> = sound(&policy);
        let both = catalogue.as_ref().zip(policy.as_ref());
        let routes = both.filter(|(_, policy)| policy.value.edge.is_some()).and_then(|(catalogue, policy)| {
            // Its findings are those of the whole judgement above.
            catalogue::resolve(catalogue, policy).ok().map(|(table, _)| table)
        });
        let requirement = both.and_then(|(catalogue, policy)| Requirement::of(&catalogue.value, policy));
        let (given, resolved, identity, observations) = (None, None, None, None);
        let (edges, certificates, api_refused) = (Vec::new(), Vec::new(), false);
        Ok(Self {
            at,
            policy,
            routes,
            requirement,
            given,
            resolved,
            api_refused,
            edges,
            identity,
            certificates,
            observations,
            findings,
        })
    }

    /// Judges what Ansible resolved, with the files that it is written in.
    fn inventory(
        &mut self,
        py: Python<'_>,
        facts: &Bound<'_, PyAny>,
        files: Vec<(String, PyBackedBytes)>,
    ) -> PyResult<()> {
        let facts: Facts = value::read(facts)?;
        py.detach(|| {
            let files: Vec<Source> =
                files.iter().map(|(name, bytes)| Source { name: name.clone(), bytes: bytes.to_vec() }).collect();
            self.edges = inventory::edge_hosts(&facts);
            match inventory::resolve(&facts, &files) {
                Ok(resolved) => {
                    self.findings.extend(resolved.notes.clone());
                    self.resolved = Some(resolved);
                }
                Err(report) => self.findings.extend(report),
            }
            self.given = Some((facts, files));
        });
        Ok(())
    }

    /// Adds findings that were made elsewhere.
    fn add(&mut self, report: &Report) {
        self.findings.extend(report.0.clone());
    }

    /// Whether the site needs the private file of its external identity, as far as can be told: not before the inventory is known.
    #[getter]
    fn needs_external_identity(&self) -> bool {
        self.requirement.is_some() && self.resolved.is_some()
    }

    /// The path of that file, as the primary's inventory names it.
    #[getter]
    fn external_identity_file(&self) -> Option<&str> {
        self.resolved.as_ref()?.bindings.external_aai_file.as_deref()
    }

    /// Judges that file: what is in it, or `None` if it is not there.
    fn external_identity(&mut self, py: Python<'_>, content: Option<PyBackedBytes>) {
        let (Some(requirement), Some(resolved)) = (&self.requirement, &self.resolved) else { return };
        let named = resolved.bindings.external_aai_file.as_deref();
        let judged = py.detach(|| match (named, content.as_deref()) {
            (Some(named), Some(content)) => identity::read(named, content, requirement, self.at),
            (named, _) => Err(identity::missing(requirement, resolved.topology.primary.node.as_str(), named)),
        });
        match judged {
            Ok((identity, report)) => {
                let authority = identity.authority().as_bytes();
                self.certificates.extend(SeenCertificate::all(CertificateUse::ExternalIdentity, authority, self.at));
                self.identity = Some(identity);
                self.findings.extend(report);
            }
            Err(report) => self.findings.extend(report),
        }
    }

    /// The members of the cluster and of etcd: the hosts that may be looked at. None before the inventory is known.
    #[getter]
    fn members(&self) -> Vec<&str> {
        self.resolved.iter().flat_map(|resolved| resolved.topology.nodes.keys()).map(NodeName::as_str).collect()
    }

    /// The primary where the Kubernetes API is reached through it over ssh; `None` where it is reached directly.
    #[getter]
    fn api_by_way_of(&self) -> Option<&str> {
        let resolved = self.resolved.as_ref().filter(|resolved| resolved.bindings.api_access == ApiAccess::Ssh)?;
        Some(resolved.topology.primary.node.as_str())
    }

    /// Judges a private kubeconfig, and takes up the public certificates in it. `allowed_plugin` is the program that may be run for
    /// credentials.
    #[pyo3(signature = (kubeconfig, *, allowed_plugin=None))]
    fn kubeconfig(&mut self, py: Python<'_>, kubeconfig: PathBuf, allowed_plugin: Option<String>) -> PyResult<()> {
        let at = self.at;
        let seen = py.detach(|| {
            let access = Access { allowed_plugin: allowed_plugin.as_deref(), ..Access::new(&kubeconfig) };
            cluster::certificates(&access, at)
        });
        let (seen, report) = seen.map_err(|report| rejected(py, report))?;
        self.certificates.extend(seen);
        self.findings.extend(report);
        Ok(())
    }

    /// Adds why nothing is seen of the Kubernetes API.
    fn api_refused(&mut self, report: &Report) {
        self.api_refused = true;
        self.findings.extend(report.0.clone());
    }

    /// Adds that no connection to the API came about by way of the primary: the exit status of the first one's ssh (none if it took
    /// too long) and its complaints.
    fn api_not_led_to(&mut self, address: &str, status: Option<i32>, errors: &str) {
        let Some(resolved) = &self.resolved else { return };
        let host = resolved.topology.primary.node.as_str();
        let forward = Forward { host, asked: resolved.api_access_at.as_ref(), address };
        let report = not_led(&forward, &HostAnswer { status, output: "", errors });
        self.api_refused = true;
        self.findings.extend(report);
    }

    /// What was seen of the site. Before a fresh installation more is asked of the inventory.
    fn observations(&mut self, seen: &Bound<'_, PyAny>) -> PyResult<()> {
        self.observations = Some(value::read(seen)?);
        if let (true, Some((facts, files))) = (self.is_fresh(), &self.given) {
            self.findings.extend(inventory::fresh_faults(facts, files));
        }
        Ok(())
    }

    /// The command that looks for the devices of each host that names some: before a fresh installation, and of the hosts that could
    /// be read.
    #[getter]
    fn device_commands(&self) -> BTreeMap<&str, Vec<String>> {
        let named = self.with_devices().map(|(name, devices)| (name, device_command(devices)));
        if self.is_fresh() { named.collect() } else { BTreeMap::new() }
    }

    /// What the hosts answered to these commands: the host, the exit status of ssh, what was written and what was complained about.
    fn devices(&mut self, answers: Vec<(String, Option<i32>, String, String)>) {
        let mut found = Vec::new();
        for (name, devices) in self.with_devices() {
            let Some((_, status, output, errors)) = answers.iter().find(|(host, ..)| host == name) else { continue };
            found.push((name.to_owned(), read_devices(name, devices, &HostAnswer { status: *status, output, errors })));
        }
        for (name, devices) in found {
            match devices {
                Ok(devices) => {
                    let hosts = self.observations.as_mut().map(|seen| &mut seen.hosts);
                    if let Some(host) = hosts.and_then(|hosts| hosts.get_mut(&name)) {
                        host.devices = devices;
                    }
                }
                Err(report) => self.findings.extend(report),
            }
        }
    }

    /// Drafts the plan of a selected environment. The key of its fingerprints is kept in the private directory of that environment.
    #[pyo3(signature = (*, site, revision))]
    fn draft(&self, py: Python<'_>, site: &Bound<'_, PyAny>, revision: &Bound<'_, PyAny>) -> PyResult<DraftedPlan> {
        let (site, revision): (Site, Revision) = (value::read(site)?, value::read(revision)?);
        let environment = site.environment.parse().map_err(|error| PyValueError::new_err(format!("{error}")))?;
        let private = Path::new(&site.paths.private_root).join(&site.environment);
        let drafted = py.detach(|| {
            let mut findings = self.findings.clone();
            // A key that cannot be had takes its fingerprint out of the plan, and nothing else.
            let external_identity = self.fingerprint(&private).unwrap_or_else(|report| {
                findings.extend(report);
                None
            });
            let report = environment::origins(&site, &findings.into_report());
            let plan = plan::draft(&Draft {
                environment,
                operation: site.operation,
                offline: site.offline,
                revision,
                policy: self.policy.as_ref().map(|policy| &policy.value),
                routes: self.routes.as_ref(),
                topology: self.resolved.as_ref().map(|resolved| &resolved.topology),
                edges: &self.edges,
                external_identity,
                certificates: &self.certificates,
                expected: &self.expected(),
                observations: self.observations.as_ref(),
                api_refused: self.api_refused,
                report: &report,
                at: self.at,
            });
            DraftedPlan { plan }
        });
        Ok(drafted)
    }
}

impl PlanInputs {
    /// Whether what is planned is a fresh installation, as far as could be seen.
    fn is_fresh(&self) -> bool {
        let expected = self.expected();
        self.observations.as_ref().is_some_and(|seen| plan::is_fresh(seen, &expected, self.api_refused))
    }

    /// The hosts that were read and name devices, with these.
    fn with_devices(&self) -> impl Iterator<Item = (&str, &[String])> {
        let nodes = self.resolved.iter().flat_map(|resolved| &resolved.topology.nodes);
        let read = |name: &str| self.observations.as_ref().is_some_and(|seen| seen.hosts.contains_key(name));
        nodes
            .filter(move |(name, node)| !node.devices.is_empty() && read(name.as_str()))
            .map(|(name, node)| (name.as_str(), node.devices.as_slice()))
    }

    fn fingerprint(&self, private: &Path) -> Result<Option<KeyedFingerprint>, core::Report> {
        let Some(identity) = &self.identity else { return Ok(None) };
        let key = records::fingerprint_key(&PrivateDir::create(private)?)?;
        Ok(Some(KeyedFingerprint::of(&key, identity.canonical())))
    }

    fn expected(&self) -> Expected {
        let bindings = self.resolved.as_ref().map(|resolved| resolved.bindings.clone()).unwrap_or_default();
        Expected { cluster_uid: bindings.expected_cluster_uid, ceph_fsid: bindings.expected_ceph_fsid }
    }
}

/// A document that can be read; what is wrong with another one has been said.
fn sound<T: serde::de::DeserializeOwned + schemars::JsonSchema + 'static>(text: &Text) -> Option<Document<T>> {
    let (name, bytes) = file(text);
    document::read(&document::source_from_bytes(name, bytes).ok()?).ok()
}

/// A plan that was drafted.
#[pyclass(frozen, module = "pharos")]
pub(crate) struct DraftedPlan {
    plan: plan::Plan,
}

#[pymethods]
impl DraftedPlan {
    /// The plan for people.
    fn text(&self) -> String {
        plan::human(&Recorded::Known(Box::new(self.plan.clone())))
    }

    /// The exit status of the command that drafted it: 0 unless anything is refused; the findings are in the plan.
    #[getter]
    fn exit_status(&self) -> u8 {
        self.plan.exit_status()
    }
}

/// The records of an environment in the hands of the one operation that may write them: its lock is held until this ends.
#[pyclass(module = "pharos")]
pub(crate) struct PlanRecords(Option<Writer>);

#[pymethods]
impl PlanRecords {
    /// Takes the lock in this directory, or is refused at once with the holder.
    #[new]
    fn new(py: Python<'_>, state: PathBuf, environment: &str, holder: &Bound<'_, PyAny>) -> PyResult<Self> {
        let environment = environment.parse().map_err(|error| PyValueError::new_err(format!("{error}")))?;
        let holder: Holder = value::read(holder)?;
        let writer =
            py.detach(|| Writer::begin(&state, &environment, &holder)).map_err(|report| rejected(py, report))?;
        Ok(Self(Some(writer)))
    }

    /// Records a plan with its report for a browser; gives the paths of both, and what was mended.
    fn record(&self, py: Python<'_>, plan: &DraftedPlan) -> PyResult<(PathBuf, PathBuf, Report)> {
        let writer = self.0.as_ref().ok_or_else(|| PyValueError::new_err("the records are closed"))?;
        let written = py.detach(|| writer.record(&plan.plan, &plan::html(&plan.plan)));
        let (written, report) = written.map_err(|report| rejected(py, report))?;
        Ok((written.plan, written.report, Report(report)))
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __exit__(&mut self, _kind: Py<PyAny>, _error: Py<PyAny>, _trace: Py<PyAny>) {
        self.0 = None;
    }
}
