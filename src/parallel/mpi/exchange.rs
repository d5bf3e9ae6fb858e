//! Words between processes: messages of any length to any process, and messages of known lengths to neighbors that are under way
//! while the process computes.

use std::ffi::c_int;

use crate::ffi::errors::{Code, Result, fail};
use crate::io::words::Words;
use crate::memory::{self, push, repeated};

use super::group::Group;

/// Messages and bytes that this process has sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    /// Messages to other processes.
    pub messages: u64,
    /// Bytes in them.
    pub bytes: u64,
}

/// A message to or from another process.
#[derive(Debug, Default)]
pub struct Message {
    /// The other process.
    pub rank: usize,
    /// The words.
    pub words: Vec<u64>,
}

/// The error of exhausted memory.
pub fn no_memory<E>(_: E) -> Code {
    fail!(Code::OutOfMemory, "no memory for messages to other processes")
}

/// Messages that are under way together; none is touched before all have arrived.
#[derive(Debug, Default)]
pub struct Flight {
    /// Messages to other processes; lengths may differ from flight to flight.
    pub out: Vec<Message>,
    /// Messages from other processes, with the lengths that will arrive.
    pub inbox: Vec<Message>,
    is_under_way: bool,
}

impl Flight {
    /// Begin to send and to receive all messages. Empty messages are not sent.
    ///
    /// # Errors
    /// If MPI fails. Then messages may be under way, and the process has to end.
    pub fn start(&mut self, group: &Group, tag: c_int, traffic: &mut Traffic) -> Result {
        assert!(!self.is_under_way);
        group.reserve(self.out.len() + self.inbox.len())?;
        self.is_under_way = true;
        let mut request = 0..;
        for Message { rank, words } in self.inbox.iter_mut().filter(|message| !message.words.is_empty()) {
            // SAFETY: the words of a message under way stay until `finish`, which this flight does before all else; the requests are
            // numbered.
            unsafe { group.receive(words, *rank, tag, request.next().unwrap_or(0)) }?;
        }
        for Message { rank, words } in self.out.iter().filter(|message| !message.words.is_empty()) {
            traffic.messages += 1;
            traffic.bytes += 8 * words.len() as u64;
            // SAFETY: as above.
            unsafe { group.send(words, *rank, tag, request.next().unwrap_or(0)) }?;
        }
        Ok(())
    }

    /// Wait until all messages have arrived and been sent.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn finish(&mut self, group: &Group) -> Result {
        if !self.is_under_way {
            return Ok(());
        }
        let messages = self.inbox.iter().chain(&self.out).filter(|message| !message.words.is_empty());
        for (request, _) in messages.enumerate() {
            group.finish(request)?;
        }
        self.is_under_way = false;
        Ok(())
    }
}

/// Letters to any processes, written before they are sent.
#[derive(Debug)]
pub struct Letters {
    words: Vec<Words>,
}

impl Letters {
    /// No letters.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn new(group: &Group) -> Result<Self> {
        let mut words = memory::with_capacity(group.size()).map_err(no_memory)?;
        words.resize_with(group.size(), Words::default);
        Ok(Self { words })
    }

    /// The letter to a process.
    pub fn to(&mut self, rank: usize) -> &mut Words {
        &mut self.words[rank]
    }

    /// Collective: send all letters, and receive those of other processes in the order of ranks. A letter to itself arrives, too. A
    /// process that could not write its letters has an error instead of them.
    ///
    /// # Errors
    /// The error of the first process that has no letters, or no memory for those that arrive: the same on all processes. If MPI fails.
    pub fn exchange(group: &Group, letters: Result<Self>, traffic: &mut Traffic) -> Result<Vec<Message>> {
        let made = letters.and_then(|Self { words }| {
            let counts = || repeated(group.size(), 0_i64).map_err(no_memory);
            let (mut sent, received) = (counts()?, counts()?);
            sent.iter_mut().zip(&words).for_each(|(count, words)| *count = words.0.len() as i64);
            Ok((words, sent, received))
        });
        group.agree(made.as_ref().map(|_| ()).map_err(|&code| code))?;
        let (words, sent, mut received) = made?;
        group.counts(&sent, &mut received)?;
        let mut flight = Flight::default();
        let arranged = arrange(words, &received, group.rank(), &mut flight).map_err(no_memory);
        group.agree(arranged.as_ref().map(|_| ()).map_err(|&code| code))?;
        let own = arranged?;
        flight.start(group, 1, traffic)?;
        flight.finish(group)?;
        let mut inbox = flight.inbox;
        if let Some(own) = own {
            let place = inbox.partition_point(|message| message.rank < own.rank);
            inbox.insert(place, own);
        }
        Ok(inbox)
    }
}

/// Put letters in a flight, with room for those that arrive and one more. Returns the letter of the process to itself.
fn arrange(
    words: Vec<Words>,
    received: &[i64],
    own_rank: usize,
    flight: &mut Flight,
) -> memory::Result<Option<Message>> {
    let mut own = None;
    for (rank, Words(words)) in words.into_iter().enumerate().filter(|(_, words)| !words.0.is_empty()) {
        match rank == own_rank {
            true => own = Some(Message { rank, words }),
            false => push(&mut flight.out, Message { rank, words })?,
        }
    }
    for (rank, &count) in received.iter().enumerate().filter(|&(rank, &count)| count > 0 && rank != own_rank)
    {
        push(&mut flight.inbox, Message { rank, words: repeated(count as usize, 0)? })?;
    }
    flight.inbox.try_reserve(1)?;
    Ok(own)
}
