mod acceleration;
mod block_lu;
mod bounded;
mod coloring;
mod contact;
mod projection;
mod random;
mod rows_of_three;
