//! Which forces are unique, how far others can change, and canonical forces: closed forms, null spaces by singular values, and scenes
//! in another order.

mod canonical;
mod intervals;
mod null_spaces;
mod scenes;
