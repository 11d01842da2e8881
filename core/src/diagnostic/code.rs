//! Codes of diagnostics: stable names of the form `room/what-is-wrong`, each with a page that explains it.

/// What kind of end a fault means for a command: whoever calls it from a script tells them apart by the exit status.
///
/// A report with faults of several classes has the status of the last one here: where the world failed not all could be judged, and
/// with wrong usage nothing was.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Class {
    /// The input was judged and refused: somebody has to change it. Exit status 1.
    Refusal,
    /// The command cannot mean anything as it was called. Exit status 2.
    Usage,
    /// A file, the network or a tool failed: the same call may succeed later. Exit status 3.
    World,
}

impl Class {
    /// The exit status of a command that ends with such a fault: 1, 2 or 3.
    pub const fn exit_status(self) -> u8 {
        match self {
            Self::Refusal => 1,
            Self::Usage => 2,
            Self::World => 3,
        }
    }
}

/// The stable name of a kind of fault and the page that explains it.
///
/// Codes are declared by the room that raises them (its `codes.rs`) with [`codes!`](crate::codes), and are never renamed
/// once released: programs and people search for them.
#[derive(Clone, Copy)]
pub struct Code {
    name: &'static str,
    page: &'static str,
    class: Class,
}

impl Code {
    /// A code with its page. Only the `codes!` macro calls this: it keeps name and page path equal.
    #[doc(hidden)]
    pub const fn new(name: &'static str, page: &'static str, class: Class) -> Self {
        Self { name, page, class }
    }

    /// What kind of end it means for a command.
    pub const fn class(self) -> Class {
        self.class
    }

    /// The name, for example `catalogue/duplicate-path`.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The room that raises it: the part of the name before the slash.
    pub fn room(self) -> &'static str {
        self.name.split('/').next().unwrap_or(self.name)
    }

    /// The Markdown page: a heading (the code), what it means, why it is refused and how to mend it.
    pub const fn page(self) -> &'static str {
        self.page
    }

    /// What the code means, in one line: the first paragraph of its page.
    pub fn summary(self) -> String {
        let paragraph = self.page.split("\n\n").nth(1).unwrap_or_default();
        paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Code {}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Declares the codes of a room, each with its page under `diagnostic/pages/<room>/`, and `ALL` with every one of them. One that is no
/// refusal says its [`Class`]: `IO = "io" => World;`.
#[macro_export]
macro_rules! codes {
    (@class) => { $crate::diagnostic::Class::Refusal };
    (@class $class:ident) => { $crate::diagnostic::Class::$class };
    ($room:literal: $($(#[$doc:meta])* $constant:ident = $what:literal $(=> $class:ident)?;)+) => {
        $(
            $(#[$doc])*
            pub const $constant: $crate::diagnostic::Code = $crate::diagnostic::Code::new(
                concat!($room, "/", $what),
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/diagnostic/pages/", $room, "/", $what, ".md")),
                $crate::codes!(@class $($class)?),
            );
        )+
        /// Every code of this room, in the order of declaration.
        pub const ALL: &[$crate::diagnostic::Code] = &[$($constant),+];
    };
}

/// The codes of all rooms, room by room. A new room adds its list here.
#[rustfmt::skip] // a line a room: two rooms that are added at the same time do not meet
const ROOMS: &[&[Code]] = &[
    crate::access::codes::ALL,
    crate::ansible::codes::ALL,
    crate::catalogue::codes::ALL,
    crate::catalogue::extension::codes::ALL,
    crate::certificate::codes::ALL,
    crate::document::codes::ALL,
    crate::edge::codes::ALL,
    crate::environment::codes::ALL,
    crate::explain::codes::ALL,
    crate::file::codes::ALL,
    crate::foundation::codes::ALL,
    crate::gateway::codes::ALL,
    crate::identity::codes::ALL,
    crate::inventory::codes::ALL,
    crate::mesh::codes::ALL,
    crate::module::codes::ALL,
    crate::name::codes::ALL,
    crate::plan::codes::ALL,
    crate::policy::codes::ALL,
    crate::policy::smtp::codes::ALL,
    crate::probe::codes::ALL,
    crate::release::codes::ALL,
    crate::site::codes::ALL,
    crate::trust::codes::ALL,
];

/// Every code there is, room by room.
pub fn all() -> impl Iterator<Item = Code> {
    ROOMS.iter().flat_map(|room| room.iter().copied())
}

/// The code of this name.
pub fn find(name: &str) -> Option<Code> {
    all().find(|code| code.name() == name)
}

/// The names of codes and rooms that are most like `name`, best first, at most three. What has no slash may be a room, or a code whose
/// room was left out.
pub fn similar(name: &str) -> Vec<&'static str> {
    let what = |code: Code| code.name().split_once('/').map_or(code.name(), |(_, what)| what);
    let alike = |part: &str| strsim::jaro_winkler(name, part);
    let is_whole = name.contains('/');
    let of_codes = all().map(|code| {
        let near = if is_whole { 0.0 } else { alike(what(code)) };
        (alike(code.name()).max(near), code.name())
    });
    let rooms: std::collections::BTreeSet<&str> =
        all().filter_map(|code| code.name().split_once('/').map(|(room, _)| room)).collect();
    let of_rooms = rooms.into_iter().map(|room| (if is_whole { 0.0 } else { alike(room) }, room));
    let mut ranked: Vec<(f64, &str)> = of_codes.chain(of_rooms).filter(|(score, _)| *score > 0.7).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    ranked.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::similar;

    #[test]
    fn a_room_and_a_code_without_its_room_are_found() {
        let nearest = |name| similar(name).first().copied();
        assert_eq!(nearest("policyy"), Some("policy"));
        assert_eq!(nearest("catalog"), Some("catalogue"));
        assert_eq!(nearest("requird-service"), Some("policy/required-service"));
        assert_eq!(nearest("policy/requird-service"), Some("policy/required-service"));
        assert_eq!(nearest("xyzzy"), None);
    }
}
