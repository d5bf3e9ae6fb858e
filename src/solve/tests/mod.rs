mod block_lu;
mod bounded;
mod contact;
mod projection;
mod random;
