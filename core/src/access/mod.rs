//! How a site is reached to be looked at: its private kubeconfig, judged before any of it is used, and what stopped a reader.

pub mod codes;
mod device;
mod failure;
mod forward;
mod host;
mod kubeconfig;
mod stored;

pub use device::{Devices, device_command, read_devices};
pub use failure::{Failure, several_ceph_clusters};
pub use forward::{Forward, not_led};
pub use host::{HostAnswer, host_command, read_host, read_hosts};
pub use kubeconfig::{Kubeconfig, judge_kubeconfig};
pub use stored::{Stored, StoredAt};
