//! Lineages: decisions on what certbot 4.0.0 has written, and the reading of what it has printed.

use pharos_core::certificate::lineage::{
    AcmePolicy, AcmeServer, Action, CertbotRun, CertbotVersion, LineageDecision, LineageFiles, ReasonKind, RenewalConf,
    compare_served, decide,
};
use pharos_core::certificate::{Input, UnixTime};
use pharos_core::diagnostic::{Place, Report};

use super::cases::{WORLD, find, pem};
use super::draft::{AT, Draft};

const CONF: &str = include_str!("../../certbot/b.edge.test.conf");
const HOST: &str = "b.edge.test";

type Decided = (Vec<LineageDecision>, Report);

/// The host as a test finds it, and the policy that it is judged by.
#[derive(Clone)]
struct Site {
    policy: AcmePolicy,
    names: Vec<String>,
    conf: Option<String>,
    chain: Option<Vec<u8>>,
    key: Option<Vec<u8>>,
}

impl Site {
    /// A lineage as the policy asks for.
    fn new() -> Self {
        let leaf = WORLD.issue(&Draft::server(&[HOST]));
        Self {
            policy: AcmePolicy {
                hosts: vec![HOST.parse().unwrap()],
                server: Some("https://127.0.0.1:14000/dir".parse().unwrap()),
                staging: false,
                webroot: "/var/www/acme".parse().unwrap(),
                email: Some("ops@example.org".parse().unwrap()),
            },
            names: vec![HOST.to_owned()],
            conf: Some(CONF.to_owned()),
            chain: Some(pem(&[&leaf, &WORLD.middle])),
            key: Some(WORLD.key.private_key_to_pem_pkcs8().unwrap()),
        }
    }

    fn leaf(mut self, draft: &Draft) -> Self {
        self.chain = Some(pem(&[&WORLD.issue(draft), &WORLD.middle]));
        self
    }

    fn conf(mut self, from: &str, to: &str) -> Self {
        let conf = self.conf.unwrap();
        assert!(conf.contains(from), "{from}");
        self.conf = Some(conf.replace(from, to));
        self
    }

    fn policy(mut self, change: impl FnOnce(&mut AcmePolicy)) -> Self {
        change(&mut self.policy);
        self
    }

    fn decide(&self) -> Result<Decided, Report> {
        let files: Vec<LineageFiles<'_>> = self
            .names
            .iter()
            .map(|name| LineageFiles {
                name,
                renewal: self
                    .conf
                    .as_ref()
                    .map(|conf| Input { name: "renewal/b.edge.test.conf", bytes: conf.as_bytes() }),
                chain: self.chain.as_ref().map(|bytes| Input { name: "live/b.edge.test/fullchain.pem", bytes }),
                key: self.key.as_ref().map(|bytes| Input { name: "live/b.edge.test/privkey.pem", bytes }),
                folders: true,
            })
            .collect();
        decide(&self.policy, &files, UnixTime::new(AT))
    }

    /// The action, the kinds of reason and the arguments.
    fn decided(&self) -> (Action, Vec<ReasonKind>, String) {
        let (decisions, _) = self.decide().unwrap();
        let [decision] = decisions.as_slice() else { panic!("one host, one decision") };
        (decision.action, decision.reasons.iter().map(|reason| reason.kind).collect(), decision.arguments.join(" "))
    }
}

#[test]
fn a_lineage_as_the_policy_asks_is_left_alone() {
    let site = Site::new();
    assert_eq!(site.decided(), (Action::Leave, vec![], String::new()));
    let (decisions, report) = site.decide().unwrap();
    assert!(report.is_empty());
    assert_eq!(
        decisions[0].renewal_check.join(" "),
        "renew --cert-name b.edge.test --dry-run --run-deploy-hooks --no-random-sleep-on-renew --server \
         https://127.0.0.1:14000/dir"
    );
    assert_eq!(decisions[0].stored.as_ref().unwrap().dns_names, [HOST]);
}

#[test]
fn a_missing_lineage_is_requested() {
    let absent = Site { names: Vec::new(), ..Site::new() };
    let command = "certonly -n --agree-tos --webroot -w /var/www/acme -d b.edge.test --cert-name b.edge.test \
                   --deploy-hook nginx -t && systemctl reload nginx --server";
    let (action, reasons, arguments) = absent.decided();
    assert_eq!((action, reasons), (Action::Issue, vec![ReasonKind::Missing]));
    assert_eq!(arguments, format!("{command} https://127.0.0.1:14000/dir --email ops@example.org"));
    let plain = absent.policy(|policy| (policy.server, policy.email, policy.staging) = (None, None, true));
    let staging = "https://acme-staging-v02.api.letsencrypt.org/directory";
    assert_eq!(plain.decided().2, format!("{command} {staging} --register-unsafely-without-email"));
}

#[test]
fn each_difference_is_a_reason_of_its_own() {
    let draft = Draft::server(&[HOST]);
    let staged = Site::new()
        .conf("https://127.0.0.1:14000/dir", AcmeServer::staging().as_str())
        .leaf(&draft)
        .policy(|policy| policy.server = None);
    let other = |policy: &mut AcmePolicy| policy.server = Some("https://ca.example.org/dir".parse().unwrap());
    let rows = [
        (Site::new().leaf(&draft.clone().days(-80, 10)), vec![ReasonKind::Expiring]),
        (Site::new().leaf(&draft.clone().days(-80, -1)), vec![ReasonKind::Expired]),
        (Site::new().leaf(&Draft::server(&["c.edge.test"])), vec![ReasonKind::Names]),
        (Site { key: Some(find("key_mismatch").key.clone()), ..Site::new() }, vec![ReasonKind::KeyMismatch]),
        (staged.clone(), vec![ReasonKind::Staging]),
        (Site::new().policy(other), vec![ReasonKind::Server]),
        (Site::new().conf("renew_hook = ", "deploy_hook = "), vec![ReasonKind::HookMissing]),
        (Site::new().conf("&& systemctl reload", "&& service"), vec![ReasonKind::HookStale]),
        (Site::new().conf("= webroot\n", "= standalone\n"), vec![ReasonKind::Webroot]),
        (Site::new().conf("b.edge.test = /var/www/acme", "b.edge.test = /srv"), vec![ReasonKind::Webroot]),
        (
            staged.leaf(&draft.days(-80, -1)).conf("renew_hook", "post_hook"),
            vec![ReasonKind::Staging, ReasonKind::Expired, ReasonKind::HookMissing],
        ),
    ];
    for (site, expected) in rows {
        let (action, reasons, arguments) = site.decided();
        assert_eq!((action, reasons), (Action::Reissue, expected));
        assert!(arguments.ends_with("--force-renewal --renew-with-new-domains"), "{arguments}");
    }
}

#[test]
fn a_map_without_the_host_falls_back_to_the_last_webroot() {
    let site = Site::new().conf("[[webroot_map]]\nb.edge.test = /var/www/acme", "");
    assert_eq!(site.decided().0, Action::Leave);
    assert_eq!(site.conf("/var/www/acme,", "/var/www/acme, /srv").decided().1, [ReasonKind::Webroot]);
}

#[test]
fn hooks_with_quotes_and_commas_are_read_as_certbot_writes_them() {
    let text = include_str!("../../certbot/c.edge.test.conf");
    let conf = RenewalConf::read(&Input { name: "c.conf", bytes: text.as_bytes() }).unwrap();
    assert_eq!(conf.hook.as_deref(), Some("echo \"a, b\" # x"));
    assert_eq!(conf.webroots.len(), 2);
    assert_eq!(conf.unknown["renewalparams.key_type"], ["ecdsa"]);
    assert_eq!(conf.unknown["version"], ["4.0.0"]);
}

#[test]
fn decisions_survive_their_json_form() {
    let (decisions, _) = Site::new().conf("&& systemctl reload", "&& service").decide().unwrap();
    let json = serde_json::to_string(&decisions).unwrap();
    let read: Vec<LineageDecision> = serde_json::from_str(&json).unwrap();
    assert_eq!(read, decisions);
}

#[test]
fn what_certbot_printed_on_success_is_a_success() {
    for text in [include_str!("../../certbot/issued.run"), include_str!("../../certbot/renewed.run")] {
        assert_eq!(judge("run", text), Report::default(), "{text}");
    }
}

/// The report on a fixture about lineages.
pub(super) fn judge(kind: &str, text: &str) -> Report {
    let host = || HOST.parse().unwrap();
    let line = text.trim();
    match kind {
        "conf" => {
            RenewalConf::read(&Input { name: "renewal/a.conf", bytes: text.as_bytes() }).err().unwrap_or_default()
        }
        "run" => run(text),
        "version" => CertbotVersion::require("edge-1", text).err().unwrap_or_default(),
        "url" => {
            line.parse::<AcmeServer>().err().map(|error| error.at(Place::named("hosts.yml")).into()).unwrap_or_default()
        }
        "serials" => {
            let serial = |word: &str| text.lines().find_map(|line| line.strip_prefix(word)).unwrap().parse().unwrap();
            compare_served(&host(), &serial("stored "), &serial("served ")).err().unwrap_or_default()
        }
        "lineage" => {
            let site = Site::new();
            let site = match line {
                "chain_lost" => Site { chain: None, ..site },
                "key_lost" => Site { key: None, ..site },
                "folders_left" => Site { conf: None, ..site },
                "twin" => Site { names: [HOST, "b.edge.test-0001"].map(str::to_owned).to_vec(), ..site },
                "production_under_staging" => site.policy(|policy| (policy.server, policy.staging) = (None, true)),
                other => panic!("no lineage {other}"),
            };
            site.decide().map_or_else(|report| report, |(_, report)| report)
        }
        other => panic!("no judge for .{other}"),
    }
}

/// A transcript: what was asked of which host, `exit N`, and both streams behind their marks.
fn run(text: &str) -> Report {
    let (head, rest) = text.split_once("--- stdout\n").unwrap();
    let (stdout, stderr) = rest.split_once("--- stderr\n").unwrap();
    let [request, exit] = head.lines().collect::<Vec<_>>()[..] else { panic!("two lines stand before the streams") };
    let run = CertbotRun { exit_code: exit.strip_prefix("exit ").unwrap().parse().unwrap(), stdout, stderr };
    let (verb, host) = request.split_once(' ').unwrap();
    let host = host.parse().unwrap();
    if verb == "issue" { run.issued(&host) } else { run.renewed(&host) }.err().unwrap_or_default()
}
