//! Programs that only those need who look at all names of a command.

use super::{Family, READS, family};

/// A program that is not known.
const OTHER: Family = Family {
    skipped: &[
        "--client-cert", "--envfile", "--skip-files", "--sslCAFile", "--sslPEMKeyFile", "--tlsCAFile",
        "--tlsCertificateKeyFile",
    ],
    ..READS
};

/// A program whose long options have one dash.
const OF_GO: Family = Family {
    skipped: &[
        "-ca-cert", "-ca-file", "-cacert", "-cert", "-client-cert", "-client-key", "-key",
    ],
    ..READS
};

/// Returns the family of a program, or that of all others.
pub(in crate::effects) fn family_or_other(program: &str) -> &'static Family {
    match program {
        "consul" | "grpcurl" | "nomad" | "vault" => &OF_GO,
        _ => family(program).unwrap_or(&OTHER),
    }
}
