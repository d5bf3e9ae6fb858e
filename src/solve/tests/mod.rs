mod block_lu;
mod bounded;
mod contact;
mod order;
mod projection;
mod random;
