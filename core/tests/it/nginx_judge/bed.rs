//! A network namespace with a running nginx in it.

use std::net::TcpStream;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use pharos_core::edge::nginx::{Body, Directive, Word, print};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Moves this thread, and every thread and process that it starts from now on, into a new network namespace that has the loopback
/// interface and, on it, the addresses of the documentation networks that the cases use.
pub(crate) fn enter() {
    let mut holder = Command::new("unshare")
        .args(["--net", "sh", "-c"])
        .arg(
            "ip link set lo up && ip addr add 192.0.2.7/32 dev lo && ip addr add 198.51.100.7/32 dev lo \
             && ip addr add 2001:db8::7/128 dev lo nodad && echo ready && exec sleep infinity",
        )
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = [0; 6];
    std::io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut line).expect("the tests of nginx need root");
    let namespace = std::fs::File::open(format!("/proc/{}/ns/net", holder.id())).unwrap();
    move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
    holder.kill().unwrap();
    holder.wait().unwrap();
}

/// A folder with a configuration, for the nginx of one release.
pub(crate) struct Nginx {
    series: &'static str,
    folder: tempfile::TempDir,
    running: Option<Child>,
}

impl Nginx {
    /// Writes the main file, as Debian's package lays it out, and the files of ours. `extra` stands in the `http` block before them.
    pub(crate) fn new(series: &'static str, extra: &str, files: &[(&str, Vec<Directive>)]) -> Self {
        let folder = tempfile::Builder::new().permissions(mode(0o755)).tempdir().unwrap();
        let path = folder.path().display().to_string();
        let main = format!(
            "daemon off;\nuser www-data;\nworker_processes 2;\npid {path}/nginx.pid;\nerror_log /var/log/nginx/error.log;\n\
             events {{ worker_connections 768; }}\n\
             http {{\n sendfile on;\n tcp_nopush on;\n types_hash_max_size 2048;\n include /etc/nginx/mime.types;\n\
             default_type application/octet-stream;\n ssl_protocols TLSv1 TLSv1.1 TLSv1.2 TLSv1.3;\n\
             ssl_prefer_server_ciphers on;\n access_log /var/log/nginx/access.log;\n gzip on;\n{extra}\n\
             include {path}/conf.d/*.conf;\n}}\n"
        );
        std::fs::write(folder.path().join("nginx.conf"), main).unwrap();
        std::fs::create_dir(folder.path().join("conf.d")).unwrap();
        let nginx = Self { series, folder, running: None };
        for (name, directives) in files {
            nginx.write(name, directives);
        }
        nginx
    }

    fn write(&self, name: &str, directives: &[Directive]) {
        std::fs::write(self.folder.path().join("conf.d").join(name), print(directives)).unwrap();
    }

    fn command(&self) -> Command {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/bin/nginx-of");
        let mut command = Command::new(program);
        command.args([self.series, "-c"]).arg(self.folder.path().join("nginx.conf")).args(["-e", "stderr"]);
        command
    }

    /// `nginx -t`.
    pub(crate) fn test(&self) -> Output {
        self.command().arg("-t").output().unwrap()
    }

    /// What `nginx -V` says.
    pub(crate) fn version(&self) -> String {
        String::from_utf8(self.command().arg("-V").output().unwrap().stderr).unwrap()
    }

    /// Starts it and waits until it accepts connections.
    pub(crate) fn start(mut self, port: u16) -> Self {
        let log = std::fs::File::create(self.folder.path().join("stderr")).unwrap();
        self.running = Some(self.command().stderr(log).stdout(Stdio::null()).spawn().unwrap());
        for _ in 0..600 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return self;
            }
            if self.running.as_mut().unwrap().try_wait().unwrap().is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("nginx does not listen: {}", std::fs::read_to_string(self.folder.path().join("stderr")).unwrap());
    }

    /// A file of the running nginx's own root.
    fn inside(&self, path: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root{path}", self.running.as_ref().unwrap().id()))
    }

    /// Takes away the folder that it buffers request bodies in.
    pub(crate) fn lose_body_folder(&self) {
        std::fs::remove_dir_all(self.inside("/var/lib/nginx/body")).unwrap();
    }

    /// Every log of it, by name, as it is now.
    pub(crate) fn logs(&self) -> Vec<(String, String)> {
        let folder = self.inside("/var/log/nginx");
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut logs: Vec<(String, String)> = entries
            .map(|path| {
                let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                (path.file_name().unwrap().to_string_lossy().into_owned(), text)
            })
            .collect();
        logs.push(("stderr".to_owned(), std::fs::read_to_string(self.folder.path().join("stderr")).unwrap()));
        logs
    }

    /// The access log of a server, once it has this many lines.
    pub(crate) fn access_log(&self, name: &str, lines: usize) -> Vec<serde_json::Value> {
        let path = self.inside(&format!("/var/log/nginx/pharos-{name}.access.log"));
        for _ in 0..200 {
            let text = std::fs::read_to_string(&path).unwrap();
            if text.lines().count() >= lines {
                return text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{} never has {lines} lines", path.display());
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        if let Some(child) = &mut self.running {
            let pid = rustix::process::Pid::from_child(child);
            // Already gone is as good.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
            let _ = child.wait();
        }
    }
}

fn mode(bits: u32) -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(bits)
}

/// The same directives with other words: `change` is given each directive's name and arguments.
pub(crate) fn rewritten(directives: &[Directive], change: &mut impl FnMut(&str, &mut Vec<Word>)) -> Vec<Directive> {
    directives
        .iter()
        .map(|directive| {
            let mut copy = directive.clone();
            change(directive.name.as_str(), &mut copy.arguments);
            if let Body::Block(children) = &directive.body {
                copy.body = Body::Block(rewritten(children, change));
            }
            copy
        })
        .collect()
}
