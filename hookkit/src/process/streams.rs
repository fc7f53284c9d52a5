//! The input and output of a running program.

use std::io::{self, PipeReader, Read, Write};
use std::process::ChildStdin;
use std::time::Duration;

use crate::sys;

/// Number of bytes for each read.
pub(super) const BLOCK: usize = 8 * 1024;

/// The maximum size of an output stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutputLimit {
    pub(super) limit: usize,
    /// `true` to keep the end of the output, `false` to keep its beginning.
    pub(super) keeps_end: bool,
}

/// The input and output of a program.
pub(super) struct Streams<'a> {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) unwritten: &'a [u8],
    pub(super) stdout: Received,
    pub(super) stderr: Received,
}

impl Streams<'_> {
    pub(super) fn is_closed(&self) -> bool {
        self.stdin.is_none() && self.stdout.pipe.is_none() && self.stderr.pipe.is_none()
    }

    /// Waits until a stream is ready, and transfers the available bytes. Returns `true` if there was anything to do.
    pub(super) fn transfer(&mut self, timeout: Duration) -> io::Result<bool> {
        let requested = [
            (self.stdin.as_ref().map(sys::descriptor_of), sys::POLLOUT),
            (self.stdout.descriptor(), sys::POLLIN),
            (self.stderr.descriptor(), sys::POLLIN),
        ];
        let ready @ [stdin, stdout, stderr] = sys::ready(requested, timeout)?;
        if stdin {
            self.write_stdin();
        }
        if stdout {
            self.stdout.read_available()?;
        }
        if stderr {
            self.stderr.read_available()?;
        }
        Ok(ready.contains(&true))
    }

    fn write_stdin(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        // A pipe that is ready has room for this much, so that the write does not block.
        let part = &self.unwritten[..self.unwritten.len().min(sys::WRITE_SIZE)];
        match stdin.write(part) {
            Ok(written) if written < self.unwritten.len() => self.unwritten = &self.unwritten[written..],
            // Everything was written, or the program does not read it.
            Ok(_) | Err(_) => self.stdin = None,
        }
    }
}

/// The output of a pipe.
pub(super) struct Received {
    /// The reading side of the pipe; `None` after the other side closed it.
    pipe: Option<PipeReader>,
    bytes: Vec<u8>,
    output_limit: OutputLimit,
    pub(super) is_cut_off: bool,
}

impl Received {
    pub(super) fn new(pipe: Option<PipeReader>, output_limit: OutputLimit) -> Self {
        Self { pipe, bytes: Vec::new(), output_limit, is_cut_off: false }
    }

    fn descriptor(&self) -> Option<sys::Descriptor> {
        self.pipe.as_ref().map(sys::descriptor_of)
    }

    fn read_available(&mut self) -> io::Result<()> {
        let mut block = [0; BLOCK];
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        match pipe.read(&mut block) {
            Ok(0) => self.pipe = None,
            Ok(read) => self.keep(&block[..read]),
            Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
            Err(err) => return Err(err),
        }
        Ok(())
    }

    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        let excess = self.bytes.len().saturating_sub(self.output_limit.limit);
        self.bytes.drain(..excess);
        self.bytes
    }

    fn keep(&mut self, bytes: &[u8]) {
        let OutputLimit { limit, keeps_end } = self.output_limit;
        let excess = (self.bytes.len() + bytes.len()).saturating_sub(limit);
        self.is_cut_off |= excess > 0;
        if keeps_end {
            self.bytes.extend_from_slice(bytes);
            // Not each time, since draining moves all that is kept.
            if self.bytes.len() > limit.saturating_mul(2) {
                self.bytes.drain(..self.bytes.len() - limit);
            }
        } else {
            self.bytes.extend_from_slice(&bytes[..bytes.len().saturating_sub(excess)]);
        }
    }
}
