//! Tests of the library from outside: through its Rust interface, and as the archive and the shared library that C programs are linked
//! with. Two other programs have what belongs to a whole process: `allocations` and `threads`.

mod bindgen_layouts;
mod c_harness;
mod changelog;
mod check_host;
mod compatibility;
mod compiler;
mod constrained;
mod contact_dynamics;
mod cpp_header;
mod critical_step;
mod documentation;
mod documented_names;
mod exported_symbols;
mod fclib;
mod generated_headers;
mod header_compile;
mod install;
mod law_changes;
mod layout_table;
mod library;
mod link_archive;
mod link_check;
mod link_shared;
mod linking;
mod make_jobs;
mod printf;
mod progress;
mod redundant_rows;
mod solve;
mod system;
mod system_files;
