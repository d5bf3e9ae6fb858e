//! The C interface of systems across processes: `include/ldy_parallel.h` is generated from this module.

#![allow(non_camel_case_types, reason = "the names of the C types")]
#![allow(non_snake_case, reason = "arguments have the names of the theory")]
#![allow(rustdoc::broken_intra_doc_links, reason = "brackets are those of C")]

mod bodies;
mod constraints;
mod handles;
mod lists;
mod migrate;
mod partition;
mod results;
mod solve;

use crate::memory;
use crate::system::Id;

/// The body of a collective function. If this process has bad arguments, the others get the error, too. The reader of the handle and of
/// arguments are those of `entry!`. After the arguments there may be values that are made of them, and may be errors.
macro_rules! collective {
    ($parallel:ident, $call:expr; $($name:ident: $($reader:ident)+ $(($count:expr))?),* $(; $($made:ident = $value:expr),+)? => $action:expr) => {
        $crate::ffi::status(|| {
            let $parallel = entry!(@read $parallel exclusive)?;
            let arguments = || -> $crate::ffi::errors::Result<_> {
                $(let $name = entry!(@read $name $($reader)+ $(, $count)?)?;)*
                Ok(($($name,)*))
            };
            match arguments() {
                Ok(($($name,)*)) => {
                    $(let made = || -> $crate::ffi::errors::Result<_> { Ok(($($value?,)+)) };
                    let ($($made,)+) = match made() {
                        Ok(made) => made,
                        Err(code) => return $parallel.withdraw($call, code),
                    };)?
                    $action
                }
                Err(code) => $parallel.withdraw($call, code),
            }
        })
    };
}
use collective;

/// Each id with its rank. A negative rank becomes one that no process has.
fn with_ranks(ids: impl Iterator<Item = Id>, ranks: &[i32]) -> memory::Result<Vec<(Id, usize)>> {
    let ranks = ranks.iter().map(|&rank| usize::try_from(rank).unwrap_or(usize::MAX));
    memory::collected(ranks.len(), ids.zip(ranks))
}
