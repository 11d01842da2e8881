//! ACME lineages.
