//! A buffer for a writer.

use std::io::{self, Write};

const SIZE: usize = 8192;

/// Collects small pieces of text and writes them together. Unlike [`std::io::BufWriter`] it needs no memory of the heap. Its contents
/// are lost unless [`Buffered::finish`] is called, so that an error of the last write is reported.
pub struct Buffered<W> {
    target: W,
    bytes: [u8; SIZE],
    length: usize,
}

impl<W: Write> Buffered<W> {
    /// An empty buffer that writes to `target`.
    pub fn new(target: W) -> Self {
        Self { target, bytes: [0; SIZE], length: 0 }
    }

    /// Write the remaining contents. Returns the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.target)
    }

    fn empty(&mut self) -> io::Result<()> {
        let length = std::mem::take(&mut self.length);
        self.target.write_all(&self.bytes[..length])
    }
}

impl<W: Write> Write for Buffered<W> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.length == SIZE {
            self.empty()?;
        }
        let count = piece.len().min(SIZE - self.length);
        self.bytes[self.length..self.length + count].copy_from_slice(&piece[..count]);
        self.length += count;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.empty()?;
        self.target.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_arrives_in_order() {
        let pieces = (0..3000).map(|k| format!("{k} ")).chain(["x".repeat(3 * SIZE), "end".into()]);
        let (mut out, mut expected) = (Buffered::new(Vec::new()), String::new());
        for piece in pieces {
            out.write_all(piece.as_bytes()).unwrap();
            expected += &piece;
        }
        assert_eq!(out.finish().unwrap(), expected.as_bytes());
    }

    /// Accepts a number of bytes and no more.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
            let count = piece.len().min(self.0);
            self.0 -= count;
            if count == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(count) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn errors_are_reported_at_the_end_at_the_latest() {
        let kind = |error: io::Error| error.kind();
        let mut late = Buffered::new(Full(3));
        late.write_all(b"four").unwrap();
        assert_eq!(late.finish().map(|_| ()).map_err(kind), Err(io::ErrorKind::StorageFull));
        let mut early = Buffered::new(Full(3));
        assert_eq!(early.write_all(&[b'x'; 2 * SIZE]).map_err(kind), Err(io::ErrorKind::StorageFull));
    }
}
