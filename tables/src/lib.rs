//! Files of exact values of positions. So far: how any file of ours comes into being, whole or not at all.
#![deny(missing_docs)]

pub mod atomic;
