mod acceleration;
mod block_lu;
mod bounded;
mod coloring;
mod contact;
mod projection;
mod rows_of_three;
