//! The Python bindings of the core: convert, map refusals, nothing more. The package `pharos` is their only user.

#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over by value")]
#![expect(clippy::doc_link_with_quotes, clippy::doc_markdown, reason = "what is exported is documented for Python")]

mod certificate;
mod chart;
mod cluster;
mod deploy;
mod diagnostics;
mod edge;
mod environment;
mod explain;
mod gateway;
mod inventory;
mod module;
mod plan;
mod private;
mod probe;
mod site;
mod value;

use pyo3::prelude::*;

/// The native half of the package `pharos`. Structures cross the border as plain Python values.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::certificate::{certificate_check, certificate_describe};
    #[pymodule_export]
    use crate::chart::{gateway_chart_schema, gateway_schema, gateway_values};
    #[pymodule_export]
    use crate::cluster::{api_address, host_command, observe_cluster, read_hosts};
    #[pymodule_export]
    use crate::deploy::{DraftedPlan, PlanInputs, PlanRecords};
    #[pymodule_export]
    use crate::diagnostics::{Code, Diagnostic, Label, Report, code, codes, file_refusals};
    #[pymodule_export]
    use crate::edge::{edge_inspect, edge_render};
    #[pymodule_export]
    use crate::environment::{
        ansible_report, cluster_groups, environment_origins, environment_select, environment_variables,
        inventory_in_part, inventory_sources, inventory_variables, missing_inventory, operation_tools,
    };
    #[pymodule_export]
    use crate::explain::{RouteExplainer, route_explain};
    #[pymodule_export]
    use crate::gateway::{gateway_render, gateway_yaml};
    #[pymodule_export]
    use crate::inventory::{inventory, inventory_bindings, inventory_graph, inventory_text};
    #[pymodule_export]
    use crate::module::run_module;
    #[pymodule_export]
    use crate::plan::{
        plan_authorise, plan_html, plan_journal, plan_latest, plan_moved, plan_read, plan_text, state_directory,
    };
    #[pymodule_export]
    use crate::private::{private_inventory, private_read, private_survey};
    #[pymodule_export]
    use crate::probe::{Probed, probe_routes};
    #[pymodule_export]
    use crate::site::{check, edge_environment, extension_documents, routes};

    /// The largest document, in bytes.
    #[pymodule_export]
    const MAX_DOCUMENT_BYTES: usize = pharos_core::document::MAX_BYTES;

    /// The largest file of a chain or a key, in bytes.
    #[pymodule_export]
    const MAX_CHAIN_BYTES: usize = pharos_core::certificate::MAX_CHAIN_BYTES;

    /// The largest file of trust anchors, in bytes.
    #[pymodule_export]
    const MAX_TRUST_BYTES: usize = pharos_core::certificate::MAX_TRUST_BYTES;

    /// The most bytes of nginx configuration, all files together.
    #[pymodule_export]
    const MAX_NGINX_BYTES: usize = pharos_core::edge::inspect::MAX_BYTES;

    /// The exit status of a command whose input is refused.
    #[pymodule_export]
    const EXIT_REFUSED: u8 = pharos_core::diagnostic::Class::Refusal.exit_status();

    /// The exit status of a command that cannot mean anything as it was called.
    #[pymodule_export]
    const EXIT_USAGE: u8 = pharos_core::diagnostic::Class::Usage.exit_status();

    /// The exit status of a command that a file, the network or a tool has failed.
    #[pymodule_export]
    const EXIT_WORLD: u8 = pharos_core::diagnostic::Class::World.exit_status();

    /// The version of the core, equal to the package's.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
