//! Values of the host, from `hooks.c`.

unsafe extern "C" {
    /// The distance below which the host regards two points as one.
    #[link_name = "ldy_hook_geometric_epsilon"]
    pub safe fn geometric_epsilon() -> f64;
}
