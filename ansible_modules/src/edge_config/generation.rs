//! Whether a new generation of workers took over.

use std::collections::BTreeSet;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pharos_core::diagnostic::Report;
use pharos_core::edge::install::Generation;

use crate::host::{processes, system};

/// nginx tries to bind five times within 2.5 s before it gives up; a busy host may need longer to start its workers.
const PATIENCE: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(20);

/// The state before nginx is made to read its files.
pub(super) struct Before {
    workers: BTreeSet<u32>,
    log: PathBuf,
    log_end: u64,
}

impl Before {
    /// Looks at the running nginx, if there is one, and at the end of its error log.
    pub(super) fn look(error_log: &str) -> Result<Self, Report> {
        let workers = system::unit()?.main_pid.map_or_else(Vec::new, processes::workers);
        let log_end = std::fs::metadata(error_log).map_or(0, |log| log.len());
        Ok(Self { workers: workers.into_iter().collect(), log: error_log.into(), log_end })
    }

    /// Waits until new workers serve and the old ones no longer accept, or until it is known that they will not.
    pub(super) fn settle(&self) -> Result<Generation, Report> {
        let until = Instant::now() + PATIENCE;
        let main = system::unit()?.main_pid;
        loop {
            let now: BTreeSet<u32> = main.map_or_else(Vec::new, processes::workers).into_iter().collect();
            if !now.is_empty() && now.is_disjoint(&self.workers) {
                return Ok(Generation::New);
            }
            if let Some(why) = Generation::refusal(&self.log_since()) {
                return Ok(Generation::Refused(why));
            }
            if Instant::now() > until {
                return Ok(Generation::Old);
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// What nginx has written to its error log since; nothing if the log is no file.
    fn log_since(&self) -> String {
        let read = || -> std::io::Result<String> {
            let mut log = std::fs::File::open(&self.log)?;
            let start = if log.metadata()?.len() < self.log_end { 0 } else { self.log_end };
            log.seek(SeekFrom::Start(start))?;
            let mut bytes = Vec::new();
            log.take(1 << 20).read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        read().unwrap_or_default()
    }
}
