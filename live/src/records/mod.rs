//! The records of an environment: its plans, its journal and the key of its keyed fingerprints.
//!
//! ```text
//! <STATE_DIR>/lock                   who operates on the environment now
//! <STATE_DIR>/journal.jsonl          what was recorded, an entry a line
//! <STATE_DIR>/latest.json            the newest plan, and how far the journal reaches
//! <STATE_DIR>/plans/<name>.json      a plan; beside it <name>.html, the same to be read in a browser
//! ```
//!
//! A plan is written whole, then entered into the journal, then pointed to: whoever is killed between two of these leaves what
//! was there before, and can be read.

mod key;

use std::path::{Path, PathBuf};

use pharos_core::diagnostic::{Report, Source};
use pharos_core::file::Holder;
use pharos_core::name::EnvironmentName;
use pharos_core::plan::journal::{self, Event, Journal, News};
use pharos_core::plan::{Latest, Plan, Recorded, file_name, read, unchanged, write};

use rustix::io::Errno;

use crate::error::io;
use crate::lock::Lock;
use crate::private::PrivateDir;

pub use key::fingerprint_key;

const LOCK: &str = "lock";
const JOURNAL: &str = "journal.jsonl";
const LATEST: &str = "latest.json";
const PLANS: &str = "plans";

/// The records of an environment, to be read. Reading takes no lock: what is replaced is replaced whole.
#[derive(Debug)]
pub struct Records {
    directory: PrivateDir,
}

/// A record with the path of its file.
#[derive(Debug)]
pub struct Record {
    /// The file.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The plan that they are.
    pub content: Recorded,
}

impl Record {
    /// Judges that this is a plan of that environment: two of them never share a directory.
    ///
    /// # Errors
    /// `plan/other-environment`
    pub fn of(&self, environment: &EnvironmentName) -> Result<(), Report> {
        self.content.of(&self.path.to_string_lossy(), environment)
    }
}

impl Records {
    /// The records in this directory.
    ///
    /// # Errors
    /// `file/*`
    pub fn open(directory: &Path) -> Result<Self, Report> {
        PrivateDir::open(directory).map(|directory| Self { directory })
    }

    /// The records in this directory; `None` if there is no such directory.
    ///
    /// # Errors
    /// `file/*`
    pub fn find(directory: &Path) -> Result<Option<Self>, Report> {
        match directory.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            _ => Self::open(directory).map(Some),
        }
    }

    /// The newest plan; `None` before the first.
    ///
    /// # Errors
    /// `file/*`, `plan/unreadable`, `plan/newer`, `plan/changed`
    pub fn latest(&self) -> Result<Option<Record>, Report> {
        let Some(latest) = self.pointer()? else { return Ok(None) };
        let plans = self.directory.enter(PLANS)?;
        let path = plans.path().join(&latest.plan);
        let bytes = plans.read(&latest.plan)?.ok_or_else(|| io(&path, "read", &Errno::NOENT))?;
        let name = path.to_string_lossy().into_owned();
        unchanged(&name, &bytes, &latest.fingerprint)?;
        let content = read(&name, &bytes)?;
        Ok(Some(Record { path, bytes, content }))
    }

    /// The journal, whose chain closes and which reaches as far as it was recorded; the report may hold a warning.
    ///
    /// # Errors
    /// `file/*`, `plan/journal-*`
    pub fn journal(&self) -> Result<(Journal, Report), Report> {
        let path = self.directory.path().join(JOURNAL);
        let bytes = self.directory.read(JOURNAL)?.unwrap_or_default();
        // A byte that is no text damages its line, and no other.
        let source = Source::private(&path.to_string_lossy(), &String::from_utf8_lossy(&bytes));
        let (journal, report) = journal::read(&source)?;
        if let Some(latest) = self.pointer()? {
            journal.reaches(source.name(), &latest.journal)?;
        }
        Ok((journal, report))
    }

    /// The newest plan; where nothing sound points to it, the last one that can be read. A next one replaces what cannot.
    fn newest(&self) -> Option<Record> {
        if let Ok(Some(latest)) = self.latest() {
            return Some(latest);
        }
        let plans = self.directory.enter(PLANS).ok()?;
        let mut names = plans.names().ok()?;
        names.sort();
        names.iter().rev().find_map(|name| {
            let path = plans.path().join(name);
            let bytes = plans.read(name).ok()??;
            let content = read(&path.to_string_lossy(), &bytes).ok()?;
            Some(Record { path, bytes, content })
        })
    }

    fn pointer(&self) -> Result<Option<Latest>, Report> {
        let path = self.directory.path().join(LATEST);
        self.directory.read(LATEST)?.map(|bytes| Latest::read(&path.to_string_lossy(), &bytes)).transpose()
    }
}

/// The records of an environment in the hands of the one operation that may write them.
#[derive(Debug)]
pub struct Writer {
    records: Records,
    lock: Lock,
}

/// What was recorded.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Written {
    /// The file of the plan.
    pub plan: PathBuf,
    /// The file of the report.
    pub report: PathBuf,
}

impl Writer {
    /// Takes the environment's lock, or says at once who holds it. Missing directories are made, and what a killed operation left
    /// unfinished is removed.
    ///
    /// # Errors
    /// `file/*`; `file/lock-held` while another operation runs; `plan/other-environment` if the newest plan here is another one's.
    pub fn begin(directory: &Path, environment: &EnvironmentName, holder: &Holder) -> Result<Self, Report> {
        let directory = PrivateDir::create(directory)?;
        let lock = Lock::take(&directory, LOCK, holder)?;
        directory.sweep()?;
        directory.make(PLANS)?.sweep()?;
        let records = Records { directory };
        if let Some(newest) = records.newest() {
            newest.of(environment)?;
        }
        Ok(Self { records, lock })
    }

    /// The records.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// The lock file.
    pub fn lock(&self) -> &Path {
        self.lock.path()
    }

    /// Records a plan with its report. What the journal warns about is mended by the entry, and returned.
    ///
    /// # Errors
    /// `file/*`, and `plan/journal-*` for a journal that is damaged: nothing is written then.
    pub fn record(&self, plan: &Plan, html: &str) -> Result<(Written, Report), Report> {
        let directory = &self.records.directory;
        let (journal, report) = self.records.journal()?;
        let plans = directory.make(PLANS)?;
        let name = file_name(plan);
        let beside = Path::new(&name).with_extension("html").to_string_lossy().into_owned();
        plans.write(&name, write(plan).as_bytes())?;
        plans.write(&beside, html.as_bytes())?;
        let news = News { at: plan.at, event: Event::Planned, operation: plan.operation, plan: plan.fingerprint() };
        let entry = journal.next(news);
        directory.append(JOURNAL, journal.whole as u64, entry.line().as_bytes())?;
        directory.write(LATEST, Latest::of(plan, &entry).write().as_bytes())?;
        Ok((Written { plan: plans.path().join(&name), report: plans.path().join(&beside) }, report))
    }
}
