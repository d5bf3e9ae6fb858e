//! What `hooks.c` tells of the host.

unsafe extern "C" {
    safe fn ldy_hook_geometric_epsilon() -> f64;
}

/// The distance below which the host takes two points for one.
pub fn geometric_epsilon() -> f64 {
    ldy_hook_geometric_epsilon()
}
