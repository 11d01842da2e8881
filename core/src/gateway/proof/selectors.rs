//! Which pods a selector takes, as far as the documents know the pods.

use crate::catalogue::PodLabels;
use crate::gateway::GatewaySettings;
use crate::gateway::kind::{Map, Metadata};

/// What is known of a selector and of pods.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Takes {
    /// It takes them.
    Surely,
    /// It asks for labels of which the documents say nothing.
    Perhaps,
    /// It asks for another value of a label that they have.
    Never,
}

/// Whether a selector takes pods that have these labels, and maybe more.
pub(super) fn takes(selector: &Map<'_>, pods: &PodLabels) -> Takes {
    let mut all = Takes::Surely;
    for (key, value) in &selector.0 {
        match pods.iter().find(|(known, _)| known.as_str() == key) {
            Some((_, known)) if known.as_str() == value => {}
            Some(_) => return Takes::Never,
            None => all = Takes::Perhaps,
        }
    }
    all
}

/// Whether an object takes the gateway's pods: what configures a gateway does so from its own namespace alone.
pub(super) fn takes_gateway(metadata: &Metadata<'_>, selector: &Map<'_>, settings: &GatewaySettings) -> Takes {
    if metadata.namespace != settings.mesh.namespace.as_str() {
        return Takes::Never;
    }
    takes(selector, &settings.mesh.pods)
}

/// Whether an object takes the gateway's pods and no others that one could tell from them.
pub(super) fn is_gateway(metadata: &Metadata<'_>, selector: &Map<'_>, settings: &GatewaySettings) -> bool {
    takes_gateway(metadata, selector, settings) == Takes::Surely && selector.0.len() == settings.mesh.pods.len()
}

/// The pods that a selector takes, as people say it.
pub(super) fn named(selector: &Map<'_>) -> String {
    if selector.is_empty() {
        return "all pods".to_owned();
    }
    let labels: Vec<String> = selector.0.iter().map(|(key, value)| format!("{key}={value}")).collect();
    format!("pods `{}`", labels.join(","))
}

#[cfg(test)]
mod tests {
    use super::{Takes, takes};
    use crate::catalogue::PodLabels;
    use crate::gateway::kind::Map;

    #[test]
    fn a_selector_and_pods() {
        let label = |key: &str, value: &str| (key.parse().unwrap(), value.parse().unwrap());
        let pods = PodLabels::from([label("app", "front"), label("tier", "edge")]);
        let of = |labels: &[(&'static str, &'static str)]| {
            let selector = Map(labels.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect());
            takes(&selector, &pods)
        };
        assert_eq!(of(&[]), Takes::Surely);
        assert_eq!(of(&[("app", "front")]), Takes::Surely);
        assert_eq!(of(&[("tier", "edge"), ("app", "front")]), Takes::Surely);
        assert_eq!(of(&[("app", "front"), ("zone", "a")]), Takes::Perhaps);
        assert_eq!(of(&[("zone", "a"), ("app", "back")]), Takes::Never);
    }
}
