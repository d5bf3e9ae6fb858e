mod block_lu;
mod bounded;
mod contact;
mod momentum;
mod order;
mod padded;
mod projection;
mod random;
