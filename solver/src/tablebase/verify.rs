//! Checking tables by the rules.
