//! What is done to a host, one step at a time.

use super::Marker;

/// A step of a transaction. Each leaves the host in a state in which nginx's test, a reload and a restart succeed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Step {
    /// Write the marker.
    Mark(Marker),
    /// Remove the link of the package's welcome site.
    RetireWelcome,
    /// Put the link of the welcome site back.
    PutBackWelcome {
        /// Where it pointed to.
        target: String,
    },
    /// Replace the listener's file by one with this text.
    Write(String),
    /// Remove the listener's file.
    Remove,
    /// Let nginx test the live tree.
    Test,
    /// Have nginx started at boot.
    Enable,
    /// Have it no longer started at boot.
    Disable,
    /// Reload the running nginx.
    Reload,
    /// Start the stopped nginx.
    Start,
    /// Stop and start nginx.
    Restart,
    /// Stop nginx.
    Stop,
    /// Prove that what is served is what was installed.
    Prove,
    /// Wait until a new generation of workers has taken over, whatever it serves.
    Settle,
    /// Remove the marker: the transaction is over.
    Clear,
}

impl Step {
    /// What it does, as it is listed in a result: `write`, `reload`.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Mark(_) => "mark",
            Self::RetireWelcome => "retire_welcome",
            Self::PutBackWelcome { .. } => "put_back_welcome",
            Self::Write(_) => "write",
            Self::Remove => "remove",
            Self::Test => "test",
            Self::Enable => "enable",
            Self::Disable => "disable",
            Self::Reload => "reload",
            Self::Start => "start",
            Self::Restart => "restart",
            Self::Stop => "stop",
            Self::Prove => "prove",
            Self::Settle => "settle",
            Self::Clear => "clear",
        }
    }

    /// Whether it changes the tree that nginx reads.
    pub const fn changes_tree(&self) -> bool {
        matches!(self, Self::RetireWelcome | Self::PutBackWelcome { .. } | Self::Write(_) | Self::Remove)
    }

    /// Whether it makes nginx read its files.
    pub const fn activates(&self) -> bool {
        matches!(self, Self::Reload | Self::Start | Self::Restart)
    }
}
