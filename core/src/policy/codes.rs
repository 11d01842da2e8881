//! The codes of policies and edge environments, also of those faults that only the catalogue brings to light.

crate::codes! { "policy":
    /// The environment is not named as the folder that holds its policy.
    ENVIRONMENT_NAME = "environment-name";
    /// An origin for a service that the catalogue does not have.
    UNKNOWN_SERVICE = "unknown-service";
    /// A profile that the catalogue does not have.
    UNKNOWN_PROFILE = "unknown-profile";
    /// A profile that this mode may not select.
    PROFILE_MODE = "profile-mode";
    /// An origin for a service whose profile is not selected.
    PROFILE_NOT_SELECTED = "profile-not-selected";
    /// A selected profile whose service has no origin.
    PROFILE_WITHOUT_ORIGIN = "profile-without-origin";
    /// No origin for a service that this mode requires.
    REQUIRED_SERVICE = "required-service";
    /// A host name that does not begin with the label that its service requires.
    HOST_LABEL = "host-label";
    /// An origin of a distributed site that is not HTTPS on 443.
    DISTRIBUTED_ORIGIN = "distributed-origin";
    /// One host name for two services.
    DUPLICATE_HOST = "duplicate-host";
    /// An origin in the wrong list of the policy.
    BINDING_LIST = "binding-list";
    /// A service in both lists of the policy.
    BOUND_TWICE = "bound-twice";
    /// An HTTPS gateway without the name or the trust to verify it by.
    GATEWAY_TLS_MISSING = "gateway-tls-missing";
    /// TLS settings for a gateway that is spoken to in plain text.
    GATEWAY_TLS_SURPLUS = "gateway-tls-surplus";
    /// A gateway on another host that is spoken to in plain text.
    GATEWAY_PLAIN = "gateway-plain";
    /// Management networks that hold every address.
    MANAGEMENT_EVERYONE = "management-everyone";
    /// An edge is asked of an environment that has none.
    FOUNDATION_ONLY = "foundation-only";
}
