//! The codes of this room.

crate::codes! { "release":
    /// Charts from a place that is none.
    CHART_SOURCE = "chart-source";
    /// What Helm said of a release is not what it says of one.
    UNREADABLE = "unreadable";
    /// A release that somebody is removing.
    BEING_REMOVED = "being-removed";
    /// A release of another chart under the name.
    FOREIGN_CHART = "foreign-chart";
    /// A release that Helm could not install or upgrade.
    NOT_APPLIED = "not-applied";
    /// A release whose chart is newer than the one that is wanted.
    DOWNGRADE = "downgrade";
}
