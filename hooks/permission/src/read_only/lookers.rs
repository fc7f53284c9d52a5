//! Programs that look with some of their options.

use hookkit::shell::Word;
use hookkit::shell::programs::table::lists;

use super::programs::{has_only_options, holds_arguments, is_option, long_name};

/// A program that looks with some of its options.
struct Looker {
    programs: &'static str,
    /// The letters of its short options.
    letters: &'static str,
    /// The names of its long ones, in full.
    long: &'static str,
    /// Options one of which it needs to do no more than look.
    needs: &'static [&'static str],
}

const LOOKERS: &[Looker] = &[
    Looker {
        programs: "sort",
        letters: "bdfghiMnRrVcCmsuzktS",
        long: "buffer-size check dictionary-order field-separator general-numeric-sort human-numeric-sort ignore-case \
            ignore-leading-blanks ignore-nonprinting key merge month-sort numeric-sort random-sort reverse sort stable unique \
            version-sort zero-terminated",
        needs: &[],
    },
    Looker {
        programs: "cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum",
        letters: "abltz",
        long: "algorithm base64 binary raw tag text untagged zero",
        needs: &[],
    },
    Looker {
        programs: "file",
        letters: "biLkrs",
        long: "brief mime mime-encoding mime-type dereference",
        needs: &[],
    },
    Looker {
        programs: "tree",
        letters: "adfgLiIPpshDuCFr",
        long: "dirsfirst du filelimit gitignore noreport prune",
        needs: &[],
    },
    Looker {
        programs: "base64 base32",
        letters: "dDiwn",
        long: "decode ignore-garbage version wrap",
        needs: &[],
    },
    Looker {
        programs: "iconv",
        letters: "cflst",
        long: "from-code list silent to-code verbose version",
        needs: &[],
    },
    Looker {
        programs: "gzip gunzip",
        letters: "cdklqtv",
        long: "decompress keep list quiet stdout test to-stdout uncompress verbose",
        needs: &["-c", "-l", "-t", "--stdout", "--to-stdout", "--list", "--test"],
    },
    // Of these `-d` takes back a `-l` or `-t` before it.
    Looker {
        programs: "bzip2 bunzip2 lzma unxz unzstd xz zstd",
        letters: "cdkqv",
        long: "decompress keep quiet stdout verbose",
        needs: &["-c", "--stdout"],
    },
    Looker {
        programs: "bzip2 bunzip2 unxz unzstd xz zstd",
        letters: "lqtv",
        long: "list quiet test verbose",
        needs: &["-l", "-t", "--list", "--test"],
    },
    Looker {
        programs: "bzcat lzcat xzcat zcat zstdcat zipinfo",
        letters: "1lmqv",
        long: "",
        needs: &[],
    },
    Looker {
        programs: "unzip",
        letters: "lqtvZz1",
        long: "",
        needs: &["-l", "-t", "-v", "-Z", "-z"],
    },
    Looker {
        programs: "column",
        letters: "cdenNostx",
        long: "json output-separator separator table table-columns",
        needs: &[],
    },
    Looker {
        programs: "ss netstat",
        letters: "046aeilmnopstuwx",
        long: "all extended listening numeric processes summary tcp udp unix",
        needs: &[],
    },
    Looker {
        programs: "xattr",
        letters: "lprsvx",
        long: "",
        needs: &[],
    },
    Looker {
        programs: "mktemp",
        letters: "dqtu",
        long: "dry-run",
        needs: &["-u", "--dry-run"],
    },
    Looker {
        programs: "nm otool readelf size",
        letters: "aAdDghLnpsStTuvVwWx",
        long: "all-headers demangle defined-only disassemble dynamic file-header file-headers headers no-demangle symbols \
            syms undefined-only wide",
        needs: &[],
    },
    // With `-S` it shows the sources that the file names, wherever they are.
    Looker {
        programs: "objdump",
        letters: "adDfhprRstTx",
        long: "all-headers disassemble dynamic-syms file-headers section-headers syms",
        needs: &[],
    },
];

/// Returns whether a program looks with these options; `None` if it is not one of the list.
pub(super) fn looks_only(name: &str, words: &[Word]) -> Option<bool> {
    let mut lookers = LOOKERS.iter().filter(|looker| lists(looker.programs, name)).peekable();
    lookers.peek()?;
    Some(lookers.any(|looker| looker.looks_only(words)))
}

impl Looker {
    fn looks_only(&self, words: &[Word]) -> bool {
        // Behind the first operand some programs take options for names.
        let leading = words
            .iter()
            .take_while(|word| is_option(word) && word.known_start() != "--");
        let is_given = |word: &&Word| {
            self.needs.iter().any(|option| match option.strip_prefix("--") {
                Some(name) => long_name(word) == Some(name),
                None => long_name(word).is_none() && is_option(word) && word.known_start().contains(&option[1..]),
            })
        };
        has_only_options(words, self.letters, self.long)
            && !words.iter().any(holds_arguments)
            && (self.needs.is_empty() || leading.clone().any(|word| is_given(&word)))
    }
}
