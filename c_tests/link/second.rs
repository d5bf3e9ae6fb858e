//! A static library in Rust that has nothing to do with the one under test: panics, allocates, runs a thread.

#[unsafe(no_mangle)]
pub extern "C" fn second_catches_a_panic() -> i32 {
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| vec![1, 2, 3].iter().position(|&value| value == 4).unwrap());
    drop(std::panic::take_hook());
    i32::from(caught.is_err())
}

#[unsafe(no_mangle)]
pub extern "C" fn second_runs_a_thread() -> i32 {
    std::thread::spawn(|| 42).join().unwrap_or(0)
}
