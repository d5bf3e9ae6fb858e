//! Writes what follows from the tables of the legacy structures, `src/legacy/layout.tsv` and `enumerations.tsv`: the layouts in Rust,
//! which the build script needs, and the headers in C, the assertions of their layouts and the list of exported names, which
//! `make headers` writes.

mod assertions;
mod c;
mod constants;
mod exports;
mod headers;
mod rust;
mod table;

pub use exports::version_script;
pub use headers::{layout_assertions_c, ldy_bridge_h, ldy_h, ldy_host_h, ldy_parallel_h, ldy_system_h};
pub use rust::emit;
pub use table::*;
