//! A kubeconfig, judged by its text.

use super::{Stored, StoredAt, codes};
use crate::diagnostic::{Code, Diagnostic, Findings, Report, Source};
use crate::document::tree::Tree;
use crate::document::{outline, source_from_bytes};
use crate::name::is_wrong_address;
use crate::plan::CertificateUse;

/// The variable by which an operator allows a program for the credentials of a kubeconfig.
pub(super) const PLUGIN_VARIABLE: &str = "PHAROS_KUBECONFIG_PLUGIN";

/// What is known of a kubeconfig that may be used. Nothing of it is secret.
#[derive(Clone, Debug)]
pub struct Kubeconfig {
    /// Where the API is: `https://HOST:PORT`.
    pub server: String,
    /// The program that gives the user's credentials, if one does: it is the one that was allowed.
    pub plugin: Option<String>,
    /// The certificates that it holds or names: the authority of the API server, and what the user signs in with.
    pub certificates: Vec<Stored>,
}

/// Judges what the current context of a kubeconfig names. `allowed_plugin` is the program that may be run for the user's credentials,
/// by the very name that the kubeconfig gives it. No text of the file enters a finding but the keys.
///
/// # Errors
/// `access/kubeconfig`, `access/unverified`, `access/exec-plugin`, `document/*`
pub fn judge_kubeconfig(name: &str, bytes: &[u8], allowed_plugin: Option<&str>) -> Result<Kubeconfig, Report> {
    let text = source_from_bytes(name, bytes)?;
    let tree = outline(&Source::private(name, text.text()))?;
    let mut judgement = Judgement { tree: &tree, findings: Findings::new() };
    let kubeconfig = judgement.current(allowed_plugin);
    judgement.findings.conclude(kubeconfig).map(|(kubeconfig, _)| kubeconfig)
}

struct Judgement<'t> {
    tree: &'t Tree,
    findings: Findings,
}

impl Judgement<'_> {
    fn current(&mut self, allowed_plugin: Option<&str>) -> Kubeconfig {
        let mut found = Kubeconfig { server: String::new(), plugin: None, certificates: Vec::new() };
        let Some(wanted) = self.text("/current-context") else {
            self.incomplete("/current-context", "no current context is set");
            return found;
        };
        let Some(context) = self.named("contexts", &wanted) else {
            self.incomplete("/contexts", "the current context is not among the contexts");
            return found;
        };
        match self.of_context(&context, "cluster", "clusters") {
            Some(cluster) => {
                let at = format!("{cluster}/cluster");
                found.server = self.cluster(&at);
                let key = format!("{at}/certificate-authority");
                found.certificates.extend(self.stored(CertificateUse::ClusterAuthority, &key));
            }
            None => self.incomplete("/clusters", "the cluster of the current context is not among the clusters"),
        }
        match self.of_context(&context, "user", "users") {
            Some(user) => {
                let at = format!("{user}/user");
                found.plugin = self.user(&at, allowed_plugin);
                let key = format!("{at}/client-certificate");
                found.certificates.extend(self.stored(CertificateUse::Administrator, &key));
            }
            None => self.incomplete("/users", "the user of the current context is not among the users"),
        }
        found
    }

    /// The certificates under a key: its form with `-data` goes before the one that names a file, as for kubectl.
    fn stored(&self, r#use: CertificateUse, key: &str) -> Option<Stored> {
        let data = format!("{key}-data");
        if let Some(text) = self.text(&data) {
            let text: String = text.split_ascii_whitespace().collect();
            // What is no base64 is refused by whoever connects with it.
            let bytes = openssl::base64::decode_block(&text).ok()?;
            return Some(Stored { r#use, at: StoredAt::Here(bytes), place: self.tree.key_place(&data) });
        }
        let file = self.text(key)?;
        Some(Stored { r#use, at: StoredAt::File(file), place: self.tree.key_place(key) })
    }

    /// The pointer of the entry that a context names.
    fn of_context(&self, context: &str, what: &str, list: &str) -> Option<String> {
        let name = self.text(&format!("{context}/context/{what}"))?;
        self.named(list, &name)
    }

    /// The pointer of the first entry of a list that has this name: kubectl takes the first, too.
    fn named(&self, list: &str, name: &str) -> Option<String> {
        (0..self.tree.length_at(&format!("/{list}")))
            .map(|at| format!("/{list}/{at}"))
            .find(|entry| self.tree.text_at(&format!("{entry}/name")) == Some(name))
    }

    fn cluster(&mut self, at: &str) -> String {
        let server = self.text(&format!("{at}/server")).unwrap_or_default();
        if !server.starts_with("https://") {
            let help = "write its address as `https://HOST:PORT`";
            self.refuse(codes::UNVERIFIED, &format!("{at}/server"), "the API is not reached by https", help);
        }
        let authority = server.split_once("://").map_or("", |(_, rest)| rest).split('/').next().unwrap_or_default();
        if is_wrong_address(authority) {
            let what = "the API is at what is neither an address nor a host name";
            let help = "write its address or name: four numbers up to 255, or a name whose last label is no number";
            self.refuse(codes::KUBECONFIG, &format!("{at}/server"), what, help);
        }
        let skip = format!("{at}/insecure-skip-tls-verify");
        if self.text(&skip).is_some_and(|value| value != "false") {
            let help = "remove the key and give the authority's certificate as `certificate-authority-data`";
            self.refuse(codes::UNVERIFIED, &skip, "the certificate of the API server would not be verified", help);
        }
        let authorities = [format!("{at}/certificate-authority-data"), format!("{at}/certificate-authority")];
        if authorities.iter().all(|key| self.text(key).is_none()) {
            let what = "no authority is given, against which the certificate of the API server is verified";
            let help = "give `certificate-authority-data`: the authorities of this machine are not used";
            self.refuse(codes::UNVERIFIED, at, what, help);
        }
        let proxy = format!("{at}/proxy-url");
        if self.text(&proxy).is_some() {
            let help =
                "remove the key; where the API is not reached directly, set `pharos_api_access: ssh` on the primary";
            self.refuse(
                codes::KUBECONFIG,
                &proxy,
                "the API would be reached through a proxy, which is not supported",
                help,
            );
        }
        server
    }

    fn user(&mut self, at: &str, allowed: Option<&str>) -> Option<String> {
        let provider = format!("{at}/auth-provider");
        if self.written(&provider) {
            let what = "the user's credentials come from an `auth-provider`, which Kubernetes has removed";
            self.refuse(codes::KUBECONFIG, &provider, what, "use a client certificate or a token");
        }
        let exec = format!("{at}/exec");
        if !self.written(&exec) {
            return None;
        }
        let command = self.text(&format!("{exec}/command"));
        if command.is_none() || command.as_deref() != allowed {
            let what = match allowed {
                None => "the user's credentials come from a program that is named here, and none is allowed",
                Some(_) => "the user's credentials come from another program than the one that is allowed",
            };
            let help = format!(
                "use a client certificate or a token; or, after a look at what it is, allow the program with \
                 `{PLUGIN_VARIABLE}=NAME`, where NAME is what stands under `exec.command`, letter by letter"
            );
            self.refuse(codes::EXEC_PLUGIN, &exec, what, &help);
        }
        command
    }

    /// Whether a mapping or list stands at this pointer: null is nothing.
    fn written(&self, pointer: &str) -> bool {
        let (above, key) = pointer.rsplit_once('/').unwrap_or_default();
        let above = self.tree.find(above).value;
        self.tree.entry(above, key).is_some_and(|entry| self.tree.text(entry.value).is_none())
    }

    /// The text at this pointer, unless it is empty.
    fn text(&self, pointer: &str) -> Option<String> {
        self.tree.text_at(pointer).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn incomplete(&mut self, pointer: &str, what: &str) {
        let help = "`kubectl config get-contexts --kubeconfig FILE` lists what is there";
        self.refuse(codes::KUBECONFIG, pointer, what, help);
    }

    fn refuse(&mut self, code: Code, pointer: &str, what: &str, help: &str) {
        self.findings.push(Diagnostic::error(code, what).at(self.tree.key_place(pointer), "").help(help));
    }
}
