//! What `hooks.c` tells of the host.

unsafe extern "C" {
    /// The distance below which the host takes two points for one.
    #[link_name = "ldy_hook_geometric_epsilon"]
    pub safe fn geometric_epsilon() -> f64;
}
