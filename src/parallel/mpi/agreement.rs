//! One result of the results of all processes: an error of one is the same error of all, with its text and rank.

use std::result;

use crate::ffi::errors::{self, Code, Result, Whereabouts, invalid, located};

use super::group::Group;

/// The collective calls. The numbers are those in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Call {
    AddGhosts = 1,
    Refresh,
    Update,
    Multiply,
    Dot,
    Solve,
    ApplyReactions,
    Migrate,
    Partition,
    RowsWrite,
}

const NAMES: [&str; 11] = [
    "no function",
    "ldy_parallel_add_ghosts",
    "ldy_parallel_refresh",
    "ldy_parallel_update",
    "ldy_parallel_multiply",
    "ldy_parallel_dot",
    "ldy_parallel_solve",
    "ldy_parallel_apply_reactions",
    "ldy_parallel_migrate",
    "ldy_parallel_partition",
    "ldy_parallel_rows_write",
];

fn name_of(call: i64) -> &'static str {
    usize::try_from(call).ok().and_then(|call| NAMES.get(call).copied()).unwrap_or(NAMES[0])
}

/// Bytes of an error's text, and of where it occurred.
const TEXT: usize = crate::ffi::codes::LDY_REPORT_TEXT;
const PLACE: usize = 4 * size_of::<i64>();

impl Group {
    /// Agree at the begin of a call: all processes call the same function with the same argument, and none has an error. Returns
    /// whether `flag` is set on any process.
    ///
    /// # Errors
    /// The same on all processes: the error of the first process that has one; [`Code::InvalidArgument`] if they call different
    /// functions, or the arguments differ.
    pub fn begin<T>(&self, call: Call, argument: u64, flag: bool, own: &Result<T>) -> Result<bool> {
        let half = |shift: u32| (argument >> shift & 0xffff_ffff) as i64;
        let (high, low, call) = (half(32), half(0), call as i64);
        let mut values = [self.code_of(own), call, -call, high, -high, low, -low, i64::from(flag)];
        self.max(&mut values)?;
        let [code, largest, least, high, other_high, low, other_low, flag] = values;
        if largest != -least {
            return Err(self.different_calls(call, largest)?);
        }
        self.fail_if(code, own.is_err())?;
        let is_same = high == -other_high && low == -other_low;
        let name = name_of(call);
        ensure!(is_same, invalid!("{name}: the arguments of the processes differ"));
        Ok(flag != 0)
    }

    /// Agree on a result: all processes return the error of the first one that has an error with the largest code, or else each its own
    /// value.
    ///
    /// # Errors
    /// The same on all processes.
    pub fn agree<T, E: Into<Code>>(&self, own: result::Result<T, E>) -> Result<T> {
        let own = own.map_err(E::into);
        self.agree_on(&own, false)?;
        own
    }

    /// As `agree`; returns whether `flag` is set on any process.
    ///
    /// # Errors
    /// The same on all processes.
    pub fn agree_on<T>(&self, own: &Result<T>, flag: bool) -> Result<bool> {
        let mut values = [self.code_of(own), i64::from(flag)];
        self.max(&mut values)?;
        self.fail_if(values[0], own.is_err())?;
        Ok(values[1] != 0)
    }

    /// The code of a result with the rank: among equal codes the first rank has the largest number. The numbers of C are positive.
    fn code_of<T>(&self, own: &Result<T>) -> i64 {
        match own {
            Ok(_) => 0,
            Err(code) => ((*code as i64) << 32) + (u32::MAX as i64 - self.rank() as i64),
        }
    }

    /// Return the error that has won, if there is one, on all processes. `has_failed`: this process has an error.
    fn fail_if(&self, code: i64, has_failed: bool) -> Result {
        if code == 0 {
            return Ok(());
        }
        let rank = (u32::MAX as i64 - (code & 0xffff_ffff)) as usize;
        let mut message = [0; TEXT + PLACE];
        if rank == self.rank() && has_failed {
            message[..TEXT].copy_from_slice(errors::last().bytes());
            let (_, Whereabouts { constraint, body, entry, row }) = errors::last_place();
            for (to, number) in message[TEXT..].chunks_exact_mut(8).zip([constraint, body, entry, row]) {
                to.copy_from_slice(&number.to_le_bytes());
            }
        }
        if self.size() > 1 {
            self.share(&mut message, rank)?;
        }
        let (text, numbers) = message.split_at(TEXT);
        let number = |k: usize| numbers.as_chunks().0.get(k).map_or(-1, |bytes| i64::from_le_bytes(*bytes));
        let place = Whereabouts { constraint: number(0), body: number(1), entry: number(2), row: number(3) };
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(TEXT);
        let text = std::str::from_utf8(&text[..end]).unwrap_or_default();
        let code = errors::code_of_number((code >> 32) as i32);
        Err(located(code, format_args!("rank {rank}: {text}"), place))
    }

    /// The error of processes that call different functions: the first process that does not call `largest`, and the first that does.
    fn different_calls(&self, own: i64, largest: i64) -> Result<Code> {
        let place = self.size() as i64 - self.rank() as i64;
        let mut firsts = if own == largest { [place, 0, 0] } else { [0, place, own] };
        self.max(&mut firsts)?;
        let rank = |place: i64| self.size() as i64 - place;
        let (one, other) = (rank(firsts[0]), rank(firsts[1]));
        Ok(invalid!(
            "rank {one} calls {}, rank {other} another function, such as {}",
            name_of(largest),
            name_of(firsts[2])
        ))
    }
}
