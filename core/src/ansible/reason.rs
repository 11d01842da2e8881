//! Why an inventory plugin could not read its source, without a word of what is written there.

use serde::Deserialize;

use super::Failure;
use crate::inventory::shown;

/// The reasons that are told; of any other one Ansible's own words may hold what the source says.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A Python library of the plugin is not installed.
    Library,
    /// The plugin takes no file of this name.
    FileName,
    /// An option of the plugin that must be there is not.
    Missing,
    /// An option of the plugin has a value that it does not take.
    Option,
    /// A template of the source fails, or names a variable that is not there.
    Template,
}

/// What is wrong, and what to do; `None` where no reason is known.
pub(super) fn words(failure: &Failure, plugin: &str) -> Option<(String, String)> {
    let subject = failure.subject.as_deref().map_or("one".into(), shown);
    let subject = subject.escape_debug();
    let options = format!("`ansible-doc -t inventory {}` shows its options", plugin.escape_debug());
    Some(match failure.reason? {
        Reason::Library => (
            format!("the Python library `{subject}` is not installed"),
            "install it for the Python that runs Ansible; `ansible --version` shows which one that is".to_owned(),
        ),
        Reason::FileName => (
            "it takes no file of this name".to_owned(),
            format!("`ansible-doc -t inventory {}` shows how its files are called", plugin.escape_debug()),
        ),
        Reason::Missing => (format!("its option `{subject}` is not there"), options),
        Reason::Option => (format!("its option `{subject}` has a value that it does not take"), options),
        Reason::Template => (
            "a template in it fails, or names a variable that is not there".to_owned(),
            "define that variable, give the template a `default(...)`, or write `strict: false`".to_owned(),
        ),
    })
}
