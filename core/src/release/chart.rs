//! Where a chart comes from.

use std::str::FromStr;

use super::codes;
use crate::diagnostic::{Diagnostic, Place, Report};
use crate::name::AbsolutePath;

/// Where the charts of a publisher come from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ChartSource {
    /// A repository with an index.
    Repository(String),
    /// A registry: the charts lie below the address.
    Registry(String),
    /// A folder of the controller with archives, as `helm package` and `helm pull` write them.
    Folder(AbsolutePath),
}

/// The words that name a chart to Helm.
pub type ChartWords = Vec<String>;

impl ChartSource {
    /// The words that name one version of a chart.
    pub fn words(&self, chart: &str, version: &str) -> ChartWords {
        let pinned = format!("--version={version}");
        match self {
            Self::Repository(address) => vec![chart.to_owned(), format!("--repo={address}"), pinned],
            Self::Registry(address) => vec![format!("{address}/{chart}"), pinned],
            Self::Folder(folder) => vec![format!("{folder}/{chart}-{version}.tgz")],
        }
    }
}

impl FromStr for ChartSource {
    type Err = Report;

    /// # Errors
    /// `release/chart-source` for anything else than the address of a repository or registry, or an absolute path.
    fn from_str(text: &str) -> Result<Self, Report> {
        let address = text.trim_end_matches('/');
        let plain = !address.contains(|c: char| c.is_whitespace() || c.is_control() || c == '@');
        if plain && address.starts_with("https://") && address.len() > 8 {
            return Ok(Self::Repository(address.to_owned()));
        }
        if plain && address.starts_with("oci://") && address.len() > 6 {
            return Ok(Self::Registry(address.to_owned()));
        }
        address.parse().map(Self::Folder).map_err(|_| {
            // The text may hold a password.
            Diagnostic::error(codes::CHART_SOURCE, "this is no place that charts come from")
                .at(Place::named("charts"), "")
                .help("state a repository (`https://...`), a registry (`oci://...`), or the absolute path of a folder with the archives")
                .into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ChartSource;

    #[test]
    fn a_chart_is_named_with_its_version() {
        let words = |text: &str| text.parse::<ChartSource>().unwrap().words("base", "1.31.4");
        assert_eq!(
            words("https://charts.example.org/istio/"),
            ["base", "--repo=https://charts.example.org/istio", "--version=1.31.4"]
        );
        assert_eq!(
            words("oci://registry.example.org/istio"),
            ["oci://registry.example.org/istio/base", "--version=1.31.4"]
        );
        assert_eq!(words("/srv/charts"), ["/srv/charts/base-1.31.4.tgz"]);
        for bad in [
            "",
            "charts",
            "http://charts.example.org",
            "https://",
            "https://me:secret@charts.example.org",
            "oci://",
            "--repo",
        ] {
            let refused = bad.parse::<ChartSource>().unwrap_err().to_string();
            assert!(refused.contains("release/chart-source") && !refused.contains("secret"), "{bad}");
        }
    }
}
