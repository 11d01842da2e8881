//! Every module there is.

use crate::module::Entry;

/// The modules, by name. A new one is one line here; `--generate` then writes its documentation and action plugin.
#[rustfmt::skip] // a line a module: two that are added at the same time do not meet
pub const MODULES: &[Entry] = &[
    Entry::of::<crate::acme_lineage::AcmeLineage>(),
    Entry::of::<crate::acme_lineages_info::AcmeLineagesInfo>(),
    Entry::of::<crate::certificate_files::CertificateFiles>(),
    Entry::of::<crate::certificate_files::CertificateFilesInfo>(),
    Entry::of::<crate::certificate_info::CertificateInfo>(),
    Entry::of::<crate::development_certificate::DevelopmentCertificate>(),
    Entry::of::<crate::edge_config::EdgeConfig>(),
    Entry::of::<crate::edge_listeners_info::EdgeListenersInfo>(),
    Entry::of::<crate::edge_render::EdgeRender>(),
    Entry::of::<crate::mesh_node::MeshNode>(),
    Entry::of::<crate::mesh_render::MeshRender>(),
    Entry::of::<crate::release_info::ReleaseInfo>(),
    Entry::of::<crate::route_extension::RouteExtension>(),
    Entry::of::<crate::routes_render::RoutesRender>(),
    Entry::of::<crate::service_binding::ServiceBinding>(),
    Entry::of::<crate::site_info::SiteInfo>(),
    Entry::of::<crate::site_trust_render::SiteTrustRender>(),
    Entry::of::<crate::stages_info::StagesInfo>(),
    Entry::of::<crate::variables_info::VariablesInfo>(),
];

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails loudly")]
mod tests {
    use super::MODULES;
    use crate::module::Family;
    use crate::options::{Kind, OptionSpec, schema};

    /// The keys of an answer that belong to the runner and to Ansible.
    const RESERVED: [&str; 9] =
        ["changed", "failed", "msg", "diff", "diagnostics", "warnings", "invocation", "results", "exception"];

    #[test]
    fn names_tell_the_family() {
        assert!(MODULES.is_sorted_by_key(|entry| entry.name));
        for entry in MODULES {
            assert_eq!(entry.name.ends_with("_info"), entry.family == Family::Info, "{}", entry.name);
            assert_eq!(entry.name.ends_with("_render"), entry.family == Family::Render, "{}", entry.name);
        }
    }

    #[test]
    fn options_are_flat_and_documented() {
        for entry in MODULES {
            assert!(entry.description().len() > 1, "{}: a short description and a longer one", entry.name);
            for option in entry.options() {
                documented(entry.name, &option);
                assert!(is_plain(&option.kind), "{}: option {} is {:?}", entry.name, option.name, option.kind);
            }
        }
    }

    #[test]
    fn what_is_needed_in_some_cases_is_said_of_options() {
        let mut requirements = 0;
        for entry in MODULES {
            let said = entry.argument_schema().as_value().get("x-required-if").cloned();
            let said = said.map_or(0, |list| list.as_array().unwrap().len());
            let read = entry.requirements();
            assert_eq!(read.len(), said, "{}: a requirement in another form", entry.name);
            let options = entry.options();
            for name in read.iter().flat_map(|one| one.when.keys().chain(&one.needs)) {
                assert!(options.iter().any(|option| option.name == *name), "{}: no option {name}", entry.name);
            }
            requirements += said;
        }
        assert!(requirements > 0);
    }

    #[test]
    fn return_values_are_documented_and_none_is_the_runners() {
        for entry in MODULES {
            for value in entry.returns() {
                documented(entry.name, &value);
                assert!(!RESERVED.contains(&value.name.as_str()), "{}: returns {}", entry.name, value.name);
            }
        }
    }

    fn documented(module: &str, option: &OptionSpec) {
        assert!(!option.description.is_empty(), "{module}: {} has no doc comment", option.name);
        if let Kind::Dictionary(inner) = &option.kind {
            for option in inner {
                documented(module, option);
            }
        }
    }

    fn is_plain(kind: &Kind) -> bool {
        match kind {
            Kind::List { of, .. } => is_plain(of),
            Kind::Dictionary(options) => options.iter().all(|option| is_plain(&option.kind)),
            Kind::Map(_) | Kind::Variants(_) | Kind::Number | Kind::Any => false,
            Kind::Text { .. } | Kind::Path | Kind::Integer { .. } | Kind::Boolean | Kind::Document => true,
        }
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Word {
        One,
        Two,
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Inner {
        _text: String,
        _words: Vec<Word>,
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Tagged {
        File { _path: String },
        Text { _text: String },
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "its schema alone is read")]
    enum Untagged {
        Number(u16),
        Text(String),
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "its schema alone is read")]
    enum External {
        File(String),
        Text(Inner),
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Flattened {
        #[serde(flatten)]
        _rest: std::collections::BTreeMap<String, String>,
    }

    /// The kind of an option of this type, alone, optional and in a list.
    fn kinds<T: schemars::JsonSchema>() -> [Kind; 3] {
        #[derive(schemars::JsonSchema)]
        #[expect(dead_code, reason = "its schema alone is read")]
        struct Arguments<T> {
            alone: T,
            optional: Option<T>,
            list: Vec<T>,
        }
        let options = schema::read(&schema::of_arguments::<Arguments<T>>());
        let kinds: Vec<Kind> = options.into_iter().map(|option| option.kind).collect();
        kinds.try_into().unwrap()
    }

    #[test]
    fn a_shape_that_is_not_flat_is_refused() {
        let flat = [kinds::<String>(), kinds::<u16>(), kinds::<bool>(), kinds::<Word>(), kinds::<Inner>()];
        for kind in flat.iter().flatten() {
            assert!(is_plain(kind), "{kind:?}");
        }
        let others = [
            ("sum with a tag", kinds::<Tagged>()),
            ("sum without a tag", kinds::<Untagged>()),
            ("sum with keys", kinds::<External>()),
            ("flattened", kinds::<Flattened>()),
            ("free keys", kinds::<std::collections::BTreeMap<String, String>>()),
            ("anything", kinds::<serde_json::Value>()),
            ("fraction", kinds::<f64>()),
            ("tuple", kinds::<(u8, String)>()),
            ("nothing", kinds::<()>()),
        ];
        for (what, kinds) in others {
            for kind in kinds {
                assert!(!is_plain(&kind), "{what}: {kind:?}");
            }
        }
    }
}
