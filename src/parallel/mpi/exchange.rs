//! Words between processes: messages of any length to any process, and messages of known lengths to neighbors that are under way
//! while the process computes.

use std::ffi::c_int;

use crate::ffi::errors::{Code, Result, fail};
use crate::io::words::Words;
use crate::memory::{self, push, repeated};

use super::group::Group;
use super::partners::Partners;

/// Letters have this tag.
const TAG: c_int = 1;

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
    /// Messages that are not under way.
    pub fn new(out: Vec<Message>, inbox: Vec<Message>) -> Self {
        Self { out, inbox, is_under_way: false }
    }

    /// Reserve all that `start` needs.
    ///
    /// # Errors
    /// If memory is exhausted, or a message is longer than MPI can count.
    pub fn reserve(&self, group: &Group) -> Result {
        let mut messages = self.inbox.iter().chain(&self.out);
        messages.try_for_each(|Message { rank, words }| check_length(words.len(), *rank))?;
        group.reserve(self.out.len() + self.inbox.len())
    }

    /// Begin to send and to receive all messages, for which there is a reservation. Empty messages are not sent.
    ///
    /// # Errors
    /// If MPI fails. Then messages may be under way, and the process has to end.
    pub fn start(&mut self, group: &Group, tag: c_int, traffic: &mut Traffic) -> Result {
        assert!(!self.is_under_way);
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

    /// Collective: send and receive messages of lengths that both ends know, where every process has a flight or an error.
    ///
    /// # Errors
    /// The error of the first process that has one: the same on all processes. If MPI fails.
    pub fn exchange(
        group: &Group,
        flight: Result<Self>,
        tag: c_int,
        traffic: &mut Traffic,
    ) -> Result<Vec<Message>> {
        let flight = flight.and_then(|flight| {
            flight.reserve(group)?;
            Ok(flight)
        });
        let mut flight = group.agree(flight)?;
        flight.start(group, tag, traffic)?;
        flight.finish(group)?;
        Ok(flight.inbox)
    }
}

/// Letters to any processes, written before they are sent.
#[derive(Debug)]
pub struct Letters {
    words: Vec<Words>,
}

/// Letters that are ready to be sent, and room for those that arrive.
#[derive(Debug)]
struct Mail {
    flight: Flight,
    /// The letter of the process to itself.
    own: Option<Message>,
}

impl Letters {
    /// No letters.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn new(group: &Group) -> Result<Self> {
        let mut words = memory::with_capacity(group.size())?;
        words.resize_with(group.size(), Words::default);
        Ok(Self { words })
    }

    /// The letter to a process.
    pub fn to(&mut self, rank: usize) -> &mut Words {
        &mut self.words[rank]
    }

    /// Collective: send all letters, and receive the letters of other processes in the order of ranks. No process knows from which others
    /// letters come. A letter to itself arrives, too. A process that could not write its letters has an error instead of them.
    ///
    /// # Errors
    /// The error of the first process that has no letters, or no memory for those that arrive: the same on all processes. If MPI fails.
    pub fn exchange(group: &Group, letters: Result<Self>, traffic: &mut Traffic) -> Result<Vec<Message>> {
        let announced = letters.and_then(|letters| {
            let sent = letters.lengths(group)?;
            let received = repeated(group.size(), 0)?;
            group.reserve(sent.iter().filter(|&&length| length > 0).count())?;
            Ok((letters, sent, received))
        });
        // A process with an error is silent, and hears no other one: all learn of it before letters are on their way.
        let made = match announced {
            Ok((letters, sent, mut received)) => {
                group.announce(&sent, &mut received, traffic)?;
                letters.arrange(group.rank(), &received)
            }
            Err(code) => {
                group.announce(&[], &mut [], traffic)?;
                Err(code)
            }
        };
        Self::deliver(group, made, traffic)
    }

    /// Collective: send letters to partners, which know who sends to whom, and wait for theirs.
    ///
    /// # Errors
    /// As [`Letters::exchange`].
    pub fn exchange_with(
        group: &Group,
        letters: Result<Self>,
        partners: &mut Partners,
        traffic: &mut Traffic,
    ) -> Result<Vec<Message>> {
        partners.exchange_lengths(group, letters.as_ref().ok(), traffic)?;
        let made = letters.and_then(|letters| {
            let mut received = repeated(group.size(), 0)?;
            partners.read_lengths(&mut received);
            letters.arrange(group.rank(), &received)
        });
        Self::deliver(group, made, traffic)
    }

    /// The words for a process.
    pub(super) fn length(&self, rank: usize) -> usize {
        self.words[rank].0.len()
    }

    /// The words for each process, none for this one.
    fn lengths(&self, group: &Group) -> Result<Vec<i64>> {
        let mut lengths = repeated(group.size(), 0)?;
        for (rank, length) in lengths.iter_mut().enumerate().filter(|(rank, _)| *rank != group.rank()) {
            *length = self.length(rank) as i64;
        }
        Ok(lengths)
    }

    /// Send letters, and wait for the letters of others; returns these in the order of ranks. A letter of the process to itself is among them.
    fn deliver(group: &Group, made: Result<Mail>, traffic: &mut Traffic) -> Result<Vec<Message>> {
        let (flight, own) = match made {
            Ok(Mail { flight, own }) => (Ok(flight), own),
            Err(code) => (Err(code), None),
        };
        let mut inbox = Flight::exchange(group, flight, TAG, traffic)?;
        if let Some(own) = own {
            let place = inbox.partition_point(|message| message.rank < own.rank);
            inbox.insert(place, own);
        }
        Ok(inbox)
    }

    /// Put letters in a flight, with room for those that arrive and one more.
    fn arrange(self, own_rank: usize, received: &[i64]) -> Result<Mail> {
        let (mut flight, mut own) = (Flight::default(), None);
        for (rank, Words(words)) in
            self.words.into_iter().enumerate().filter(|(_, words)| !words.0.is_empty())
        {
            match rank == own_rank {
                true => own = Some(Message { rank, words }),
                false => push(&mut flight.out, Message { rank, words })?,
            }
        }
        for (rank, &count) in received.iter().enumerate().filter(|(_, count)| **count > 0) {
            check_length(count as usize, rank)?;
            let words = repeated(count as usize, 0)?;
            push(&mut flight.inbox, Message { rank, words })?;
        }
        flight.inbox.try_reserve(1)?;
        Ok(Mail { flight, own })
    }
}

/// Check that MPI can count the words of a message.
fn check_length(length: usize, rank: usize) -> Result {
    let is_count = c_int::try_from(length).is_ok();
    ensure!(
        is_count,
        fail!(
            Code::TooLarge,
            "a message of {length} words to or from rank {rank}: MPI counts at most {} words",
            c_int::MAX
        )
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_as_many_words_as_mpi_counts() {
        assert_eq!(check_length(c_int::MAX as usize, 1), Ok(()));
        for length in [1 << 31, 1 << 32, (1 << 32) + 7] {
            assert_eq!(check_length(length, 1), Err(Code::TooLarge));
        }
    }

    /// No memory is asked for: it would be 16 GiB.
    #[test]
    fn a_longer_letter_is_refused_when_it_is_announced() {
        for length in [1_i64 << 31, (1 << 32) + 1] {
            let letters = Letters { words: vec![Words::default(), Words(vec![7])] };
            assert_eq!(letters.arrange(0, &[0, length]).err(), Some(Code::TooLarge));
        }
        let letters = Letters { words: vec![Words::default(), Words(vec![7])] };
        let flight = letters.arrange(0, &[0, 3]).unwrap().flight;
        assert_eq!((flight.out[0].words.len(), flight.inbox[0].words.len()), (1, 3));
    }
}
