//! Universal programs for macOS: one file with programs for several processors, from which the kernel picks the right
//! one.

use anyhow::{Context, Result, ensure};

use crate::binaries::platform::Platform;

const MAGIC: u32 = 0xcafe_babe;

/// The larger page size of the two processors, 16 KiB, as a power of two.
const ALIGNMENT: u32 = 14;

/// Size of a row of the table, in words.
const ROW: usize = 5;

/// Returns a program's processor as in its header: `cputype` and `cpusubtype`.
fn processor(platform: Platform) -> (u32, u32) {
    match platform {
        Platform::MacArm => (0x0100_000c, 0),
        _ => (0x0100_0007, 3),
    }
}

/// Joins programs into one file. A single program is not changed.
pub(crate) fn join(programs: &[(Platform, Vec<u8>)]) -> Vec<u8> {
    if let [(_, program)] = programs {
        return program.clone();
    }
    let (mut table, mut body) = (vec![MAGIC, programs.len() as u32], Vec::new());
    let page = 1 << ALIGNMENT;
    // The table fits into the first page.
    let mut end = page;
    for (platform, program) in programs {
        let (kind, subkind) = processor(*platform);
        table.extend([kind, subkind, end as u32, program.len() as u32, ALIGNMENT]);
        body.extend_from_slice(program);
        end += program.len().next_multiple_of(page);
        body.resize(end - page, 0);
    }
    let mut joined: Vec<u8> = table.into_iter().flat_map(u32::to_be_bytes).collect();
    joined.resize(page, 0);
    joined.extend(body);
    joined
}

/// Returns the programs in a file.
///
/// # Errors
///
/// Fails if the file is not a macOS program for the processors that plugins support.
pub(crate) fn split(file: &[u8]) -> Result<Vec<(Platform, Vec<u8>)>> {
    let word = |at: usize, read: fn([u8; 4]) -> u32| {
        let bytes = file.get(at..at + 4)?;
        Some(read(bytes.try_into().ok()?))
    };
    let is_for = |platform: &Platform, kind: u32| processor(*platform).0 == kind;
    let find = |kind: u32| {
        [Platform::MacX86, Platform::MacArm]
            .into_iter()
            .find(|platform| is_for(platform, kind))
            .context("it is for a processor that is not supported")
    };
    const NOT_A_PROGRAM: &str = "it is not a macOS program";
    if word(0, u32::from_be_bytes) != Some(MAGIC) {
        ensure!(word(0, u32::from_le_bytes) == Some(0xfeed_facf), NOT_A_PROGRAM);
        let kind = word(4, u32::from_le_bytes).context(NOT_A_PROGRAM)?;
        return Ok(vec![(find(kind)?, file.to_vec())]);
    }
    let count = word(4, u32::from_be_bytes).context(NOT_A_PROGRAM)?;
    ensure!((1..=2).contains(&count), "it has {count} programs");
    let rows = (0..count as usize).map(|row| {
        let field = |number: usize| word(4 * (2 + ROW * row + number), u32::from_be_bytes).context(NOT_A_PROGRAM);
        let (from, length) = (field(2)? as usize, field(3)? as usize);
        let program = file.get(from..from.saturating_add(length)).context(NOT_A_PROGRAM)?;
        Ok((find(field(0)?)?, program.to_vec()))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the beginning of a program, whose length is not a multiple of the page size.
    fn program(platform: Platform, length: usize) -> Vec<u8> {
        let mut program = 0xfeed_facf_u32.to_le_bytes().to_vec();
        program.extend(processor(platform).0.to_le_bytes());
        program.resize(length, 7);
        program
    }

    #[test]
    fn a_joined_file_has_the_programs_at_pages() {
        let programs = vec![
            (Platform::MacX86, program(Platform::MacX86, 20_001)),
            (Platform::MacArm, program(Platform::MacArm, 16_384)),
        ];
        let joined = join(&programs);
        assert_eq!(joined.len(), 16_384 + 32_768 + 16_384);
        assert_eq!(joined[..8], [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2]);
        assert_eq!(joined[16_384..16_388], [0xcf, 0xfa, 0xed, 0xfe]);
        assert_eq!(split(&joined).unwrap(), programs);
    }

    #[test]
    fn a_single_program_stays_as_it_is() {
        let program = program(Platform::MacArm, 100);
        assert_eq!(join(&[(Platform::MacArm, program.clone())]), program);
        assert_eq!(split(&program).unwrap(), [(Platform::MacArm, program)]);
    }

    #[test]
    fn files_that_lie_are_refused() {
        for file in [
            &b""[..],
            b"\x7fELF",
            &[0xca, 0xfe, 0xba, 0xbe, 0xff, 0xff, 0xff, 0xff],
            &[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1],
        ] {
            split(file).unwrap_err();
        }
        let mut joined = join(&[
            (Platform::MacX86, program(Platform::MacX86, 10)),
            (Platform::MacArm, program(Platform::MacArm, 10)),
        ]);
        // The second program's length.
        joined[8 + 4 * ROW + 12..8 + 4 * ROW + 16].fill(0xff);
        split(&joined).unwrap_err();
    }
}
