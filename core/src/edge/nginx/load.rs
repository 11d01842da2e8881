//! A configuration: the root file with every include in its place.

use super::files::Files;
use super::{Body, Directive, MAX_DEPTH, glob, parse};
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::edge::codes;

/// How many files may be read, each as often as it is included.
const MAX_FILES: usize = 5_000;
/// How many directives a configuration may grow to.
const MAX_DIRECTIVES: usize = 1_000_000;

/// Where the packages of Debian keep the configuration; a copy elsewhere still names it.
const HOME: &str = "/etc/nginx/";

/// A whole configuration, includes resolved.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The path of the root file.
    pub root: Box<str>,
    /// Its directives; an include is replaced by what it includes.
    pub directives: Vec<Directive>,
    /// Every include that was met, in reading order.
    pub includes: Vec<Include>,
}

/// An include directive and what it found.
#[derive(Clone, Debug)]
pub struct Include {
    /// The path or pattern, complete and normal.
    pub pattern: Box<str>,
    /// Where it stands.
    pub place: Option<Place>,
    /// The names of the blocks around it, outermost first.
    pub context: Vec<Box<str>>,
    /// The files that it found, in reading order.
    pub files: Vec<Box<str>>,
}

impl Configuration {
    /// Reads the configuration with this root.
    ///
    /// Findings: `edge/nginx-syntax`, `edge/nginx-budget`, `edge/include-missing`, `edge/include-loop`. What could be read is the
    /// answer all the same.
    pub fn load(files: &Files, root: &str, findings: &mut Findings) -> Self {
        let root = glob::normal(root);
        let mut loading = Loading::new(files, &root, findings);
        let mut directives = Vec::new();
        if let Some(source) = files.get(&root) {
            loading.file(source, &mut directives);
        } else {
            loading.findings.push(
                Diagnostic::error(codes::INCLUDE_MISSING, format!("the configuration file `{root}` is not there"))
                    .at(Place::named(&root), "")
                    .help("name the file that nginx is started with, or pass the output of `nginx -T`"),
            );
        }
        let includes = std::mem::take(&mut loading.includes);
        Self { root: root.into(), directives, includes }
    }

    /// The directives of all top-level blocks of this name (`http`, `stream`, `mail`, `events`), in order.
    pub fn inside<'a>(&'a self, block: &'a str) -> impl Iterator<Item = &'a Directive> {
        self.directives.iter().filter(move |directive| directive.is(block)).flat_map(Directive::children)
    }

    /// The paths of all files that were read, without repetition, the root first.
    pub fn files(&self) -> Vec<&str> {
        let mut all = vec![&*self.root];
        for file in self.includes.iter().flat_map(|include| &include.files) {
            if !all.contains(&&**file) {
                all.push(file);
            }
        }
        all
    }
}

struct Loading<'a> {
    files: &'a Files,
    /// The folder of the root: relative includes start here, wherever they stand.
    folder: String,
    findings: &'a mut Findings,
    includes: Vec<Include>,
    context: Vec<Box<str>>,
    /// The files being read, outermost first.
    path: Vec<Box<str>>,
    read: usize,
    directives: usize,
}

impl<'a> Loading<'a> {
    fn new(files: &'a Files, root: &str, findings: &'a mut Findings) -> Self {
        Self {
            files,
            folder: glob::folder(root).to_owned(),
            findings,
            includes: Vec::new(),
            context: Vec::new(),
            path: Vec::new(),
            read: 0,
            directives: 0,
        }
    }

    fn file(&mut self, source: &std::sync::Arc<crate::diagnostic::Source>, into: &mut Vec<Directive>) {
        self.read += 1;
        self.path.push(source.name().into());
        for directive in parse(source, self.findings) {
            self.directive(directive, into);
        }
        self.path.pop();
    }

    fn directive(&mut self, mut directive: Directive, into: &mut Vec<Directive>) {
        self.directives += 1;
        if self.directives > MAX_DIRECTIVES {
            if self.directives == MAX_DIRECTIVES + 1 {
                self.budget(&directive, &format!("the configuration has more than {MAX_DIRECTIVES} directives"));
            }
            return;
        }
        if directive.is("include") && directive.arguments.len() == 1 && directive.body == Body::Simple {
            self.include(&directive, into);
            return;
        }
        if let Body::Block(children) = &mut directive.body {
            self.context.push(directive.name.as_str().into());
            if self.context.len() > MAX_DEPTH {
                let children = std::mem::take(children);
                if !children.is_empty() {
                    self.budget(&directive, &format!("blocks stand in each other more than {MAX_DEPTH} deep"));
                }
            } else {
                let inner = std::mem::take(children);
                for child in inner {
                    self.directive(child, children);
                }
            }
            self.context.pop();
        }
        into.push(directive);
    }

    fn include(&mut self, directive: &Directive, into: &mut Vec<Directive>) {
        let (pattern, found) = self.find(directive.argument(0).unwrap_or_default());
        self.includes.push(Include {
            pattern: pattern.as_str().into(),
            place: directive.place.clone(),
            context: self.context.clone(),
            files: found.clone(),
        });
        if found.is_empty() && !glob::is_pattern(&pattern) {
            self.missing(directive, &pattern);
        }
        for path in found {
            if self.path.contains(&path) {
                self.looped(directive, &path);
            } else if self.read >= MAX_FILES {
                if self.read == MAX_FILES {
                    self.read += 1;
                    self.budget(directive, &format!("more than {MAX_FILES} files are included"));
                }
            } else if let Some(source) = self.files.get(&path) {
                self.file(source, into);
            }
        }
    }

    /// The complete pattern and what it finds; in a copy of the tree, what stands at the same place in the copy.
    fn find(&self, argument: &str) -> (String, Vec<Box<str>>) {
        let complete = glob::normal(&if argument.starts_with('/') {
            argument.to_owned()
        } else {
            format!("{}/{argument}", self.folder)
        });
        let found = self.look(&complete);
        if found.is_empty()
            && !self.folder.starts_with(HOME.trim_end_matches('/'))
            && let Some(inside) = complete.strip_prefix(HOME)
        {
            let copy = glob::normal(&format!("{}/{inside}", self.folder));
            let found = self.look(&copy);
            if !found.is_empty() {
                return (copy, found);
            }
        }
        (complete, found)
    }

    fn look(&self, pattern: &str) -> Vec<Box<str>> {
        if glob::is_pattern(pattern) {
            self.files.matching(pattern).into_iter().map(Into::into).collect()
        } else {
            self.files.get(pattern).map(|_| pattern.into()).into_iter().collect()
        }
    }

    fn missing(&mut self, directive: &Directive, pattern: &str) {
        self.findings.push(
            at(
                Diagnostic::error(codes::INCLUDE_MISSING, format!("the included file `{pattern}` is not there")),
                directive,
                "included here",
            )
            .help("pass this file too, or pass the output of `nginx -T`; nginx itself refuses to start without it"),
        );
    }

    fn looped(&mut self, directive: &Directive, path: &str) {
        let way: Vec<&str> = self.path.iter().map(AsRef::as_ref).chain([path]).collect();
        self.findings.push(
            at(
                Diagnostic::error(codes::INCLUDE_LOOP, format!("`{path}` includes itself")),
                directive,
                &format!("by way of {}", way.join(" -> ")),
            )
            .help("remove one of the includes, or narrow a pattern that also matches the file it stands in"),
        );
    }

    fn budget(&mut self, directive: &Directive, message: &str) {
        self.findings.push(
            at(Diagnostic::error(codes::NGINX_BUDGET, message), directive, "reading stops here")
                .help("pass the configuration that nginx really runs with (`nginx -T`)"),
        );
    }
}

/// The diagnostic at the directive's place.
fn at(diagnostic: Diagnostic, directive: &Directive, text: &str) -> Diagnostic {
    match &directive.place {
        Some(place) => diagnostic.at(place.clone(), text),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::Configuration;
    use crate::diagnostic::{Findings, Report};
    use crate::edge::nginx::Files;

    fn load(files: &[(&str, &str)]) -> (Configuration, Report) {
        let mut all = Files::new();
        for (path, text) in files {
            all.insert(path, text.as_bytes());
        }
        let mut findings = Findings::new();
        let configuration = Configuration::load(&all, files[0].0, &mut findings);
        (configuration, findings.into_report())
    }

    #[test]
    fn includes_stand_where_they_are_named() {
        let (configuration, report) = load(&[
            ("/etc/nginx/nginx.conf", "http { include conf.d/*.conf; include /etc/nginx/sites/x; }"),
            ("/etc/nginx/conf.d/b.conf", "b;"),
            ("/etc/nginx/conf.d/a.conf", "a; include snippets/s;"),
            ("/etc/nginx/snippets/s", "s;"),
            ("/etc/nginx/sites/x", "x;"),
        ]);
        assert!(report.is_empty(), "{report}");
        let names: Vec<&str> = configuration.inside("http").map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["a", "s", "b", "x"]);
        assert_eq!(
            configuration.inside("http").nth(1).unwrap().place.as_ref().unwrap().to_text(),
            "/etc/nginx/snippets/s:1:1"
        );
        assert_eq!(configuration.includes[1].context, ["http".into()]);
    }

    #[test]
    fn a_copy_of_the_tree_is_read_as_one() {
        let (configuration, report) =
            load(&[("copy/nginx.conf", "http { include /etc/nginx/conf.d/*.conf; }"), ("copy/conf.d/a.conf", "a;")]);
        assert!(report.is_empty(), "{report}");
        assert_eq!(configuration.inside("http").count(), 1);
    }

    #[test]
    fn what_is_missing_and_what_loops_is_said() {
        let (_, report) = load(&[
            ("/n", "include gone; include *.none; include /a;"),
            ("/a", "a; include b;"),
            ("/b", "include /a;"),
        ]);
        let codes: Vec<&str> = report.diagnostics().iter().map(|d| d.code.name()).collect();
        assert_eq!(codes, ["edge/include-missing", "edge/include-loop"]);
    }

    #[test]
    fn includes_that_multiply_end() {
        let mut files: Vec<(String, String)> =
            (0..20).map(|n| (format!("/f{n}"), format!("include /f{0}; include /f{0};", n + 1))).collect();
        files.push(("/f20".to_owned(), "x;".to_owned()));
        let borrowed: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (_, report) = load(&borrowed);
        assert_eq!(report.diagnostics().iter().map(|d| d.code.name()).collect::<Vec<_>>(), ["edge/nginx-budget"]);
    }

    #[test]
    fn nesting_through_includes_ends() {
        let mut files: Vec<(String, String)> =
            (0..100).map(|n| (format!("/f{n}"), format!("a {{ include /f{}; }}", n + 1))).collect();
        files.push(("/f100".to_owned(), "x;".to_owned()));
        let borrowed: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (_, report) = load(&borrowed);
        assert_eq!(report.diagnostics().iter().map(|d| d.code.name()).collect::<Vec<_>>(), ["edge/nginx-budget"]);
    }
}
