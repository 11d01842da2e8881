//! The real nginx of Debian 12 and 13, alone in a network namespace that has the addresses of the tests.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The series that hosts run.
pub(crate) const SERIES: [&str; 2] = ["1.22", "1.26"];

/// Addresses that exist in the namespace, besides 127.0.0.1 and `::1`.
const ADDRESSES: &str = "ip link set lo up
for address in 192.0.2.1 192.0.2.2; do ip address add $address/32 dev lo; done
ip address add 2001:db8::1/128 dev lo nodad
asked() { curl --config requests || true; }
";

/// Starts nginx and waits until it serves; fails if it stops instead.
const START: &str = "$nginx -c $PWD/nginx.conf -e $PWD/error.log & pid=$!
until curl -s -o ready http://127.0.0.1:19999/; do kill -0 $pid; sleep 0.05; done
";

/// Reloads it with another file and waits until it has done so or given up; then until the old worker is gone.
const RELOAD: &str = "cp after.conf nginx.conf; kill -HUP $(cat pid)
until [ $(grep -c 'start worker process ' error.log) -ge 2 ] || grep -q 'still could not bind' error.log; do sleep 0.05; done
until grep -q 'exited with code 0\\|still could not bind' error.log; do sleep 0.05; done
";

/// Stops it.
const STOP: &str = "kill $pid; wait $pid || true";

/// A folder with a configuration, and the nginx that reads it.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
    series: &'static str,
}

/// What `nginx -t` says.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) accepted: bool,
    /// What it printed, `[level] message`, without time and process id.
    pub(crate) lines: Vec<String>,
}

/// A request: where it goes, its Host (empty: HTTP/1.0 without one), its path.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) to: SocketAddr,
    pub(crate) host: String,
    pub(crate) path: String,
}

impl Bench {
    pub(crate) fn new(series: &'static str) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), series }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A whole configuration around what stands in `http`. The server on 127.0.0.1:19999 tells that nginx serves.
    pub(crate) fn main(&self, http: &str) -> String {
        let folder = self.folder().display();
        format!(
            "user root; daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log notice;\n\
             events {{ worker_connections 512; }}\n\
             http {{\naccess_log off; server_names_hash_bucket_size 128;\n\
             server {{ listen 127.0.0.1:19999; return 204; }}\n{http}\n}}\n"
        )
    }

    /// The path of the stream module of this series, which the hosts have as a package that is not installed.
    pub(crate) fn stream_module(&self) -> PathBuf {
        let script = "set -eu; base=$(python3 -c 'import sys; from bed import recipe, roots; \
                      print(roots.ensure(recipe.NGINX[sys.argv[1]]).layers()[-1])' \"$1\"); \
                      dpkg-deb -x \"$base\"/srv/apt/libnginx-mod-stream_*.deb \"$2\"";
        let output = Command::new("sh")
            .args(["-c", script, "sh", self.series])
            .arg(self.folder())
            .env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        self.folder().join("usr/lib/nginx/modules/ngx_stream_module.so")
    }

    /// `nginx -t` of a file.
    pub(crate) fn test(&self, file: &Path) -> Verdict {
        let output = self.run(&format!("$nginx -t -e stderr -c {}", file.display()));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        Verdict { accepted: output.status.success(), lines: text.lines().map(message).collect() }
    }

    /// Starts nginx with a configuration, asks, and stops it. An answer is its body, with the status where that is not 200;
    /// nothing if nobody answered.
    pub(crate) fn ask(&self, main: &str, requests: &[Request]) -> Vec<Option<String>> {
        self.write("nginx.conf", main);
        self.write_requests(requests);
        self.answers(&self.run(&format!("{START}asked\n{STOP}")), requests.len())
    }

    /// Starts nginx with one configuration, reloads it with another, and asks. The flag tells whether nginx's log owns to a failure.
    pub(crate) fn reload(&self, before: &str, after: &str, requests: &[Request]) -> (Vec<Option<String>>, bool) {
        self.write("nginx.conf", before);
        self.write("after.conf", after);
        self.write_requests(requests);
        let output = self.run(&format!("{START}{RELOAD}asked\n{STOP}"));
        (self.answers(&output, requests.len()), self.log().contains("still could not bind"))
    }

    /// Whether nginx starts with this configuration.
    pub(crate) fn starts(&self, main: &str) -> bool {
        self.write("nginx.conf", main);
        self.run(&format!("{START}{STOP}")).status.success()
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder().join("error.log")).unwrap_or_default()
    }

    /// Runs a shell script in the namespace; `$nginx` is the nginx of this series.
    fn run(&self, script: &str) -> Output {
        let nginx = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/bin/nginx-of").canonicalize().unwrap();
        let set_up =
            format!("{ADDRESSES}nginx='{} {}'\ncd {}\n", nginx.display(), self.series, self.folder().display());
        Command::new("unshare").args(["--net", "sh", "-euc", &format!("{set_up}{script}")]).output().unwrap()
    }

    /// Writes curl's list of requests.
    fn write_requests(&self, requests: &[Request]) {
        let one = |request: &Request| {
            let host = match request.host.as_str() {
                "" => "header = \"Host:\"\nhttp1.0".to_owned(),
                host => format!("header = \"Host: {host}\""),
            };
            format!(
                "silent\ngloboff\nmax-time = 5\nurl = \"http://{}{}\"\n{host}\nwrite-out = \"%{{http_code}}\\n--\\n\"\n",
                request.to, request.path
            )
        };
        self.write("requests", &requests.iter().map(one).collect::<Vec<_>>().join("next\n"));
    }

    fn answers(&self, output: &Output, expected: usize) -> Vec<Option<String>> {
        assert!(output.status.success(), "{output:?}\n{}", self.log());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let answers: Vec<Option<String>> = text
            .split_terminator("\n--\n")
            .map(|answer| match answer.split_at(answer.len() - 3) {
                (_, "000") => None,
                (body, "200") => Some(body.to_owned()),
                (_, status) => Some(status.to_owned()),
            })
            .collect();
        assert_eq!(answers.len(), expected, "{text}\n{}", self.log());
        answers
    }
}

/// Judges rows three at a time, for each waits for nginx most of the time; what is wrong comes back.
pub(crate) fn wrong<T: Sync>(rows: &[T], judge: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let judge = &judge;
    std::thread::scope(|scope| {
        let parts: Vec<_> = rows
            .chunks(rows.len().div_ceil(3))
            .map(|part| scope.spawn(move || part.iter().filter_map(judge).collect()))
            .collect();
        parts.into_iter().flat_map(|part| -> Vec<String> { part.join().unwrap() }).collect()
    })
}

/// `[level] message` of a line of nginx's log.
pub(crate) fn message(line: &str) -> String {
    let Some((level, rest)) = line.find('[').and_then(|at| line.get(at..)?.split_once(' ')) else {
        return line.to_owned();
    };
    match rest.split_once('#').and_then(|(_, rest)| rest.split_once(": ")) {
        Some((id, message)) if id.bytes().all(|byte| byte.is_ascii_digit()) => format!("{level} {message}"),
        _ => format!("{level} {rest}"),
    }
}
