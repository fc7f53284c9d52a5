//! Cloud metadata addresses that serve credentials, in any notation.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::files::lists;

/// Metadata servers that serve credentials, in the normal form of their addresses.
const MACHINES: &str = "100.100.100.200 169.254.169.254 169.254.170.2 169.254.170.23 192.0.0.192 fd00:ec2::23 fd00:ec2::254 \
    fd20:ce::254 instance-data.ec2.internal metadata.goog metadata.google.internal";

/// Parts of paths to credentials, and the server that serves only credentials.
const PATHS: &str = "169.254.170.2 credentials identity kube-env recursive token user-data user_data userdata";

/// Returns `true` for an address that serves a cloud machine's credentials, in any notation of its number:
/// `http://0xa9fea9fe/latest/meta-data/iam/security-credentials/a`.
///
/// ```
/// use hookkit::secrets::addresses::gives_credentials;
///
/// assert!(gives_credentials("http://[::ffff:169.254.169.254]/latest/user-data"));
/// assert!(!gives_credentials("http://169.254.169.254/latest/meta-data/placement/region"));
/// ```
pub fn gives_credentials(address: &str) -> bool {
    is_of_machine(address) && speaks_of_credentials(address)
}

/// Returns `true` for the address of a server that serves credentials, with any path.
pub fn is_of_machine(address: &str) -> bool {
    let address = address.to_lowercase().replace("%2e", ".");
    let place = address
        .split_once("://")
        .map_or(&*address, |(_, rest)| rest)
        .split(['/', '\\', '?', '#'])
        .next()
        .unwrap_or_default()
        .rsplit('@')
        .next()
        .unwrap_or_default();
    let host = match place.strip_prefix('[') {
        Some(host) => host.split(']').next(),
        None => place.split(':').next(),
    };
    let host = host.unwrap_or_default().trim_end_matches('.');
    let is_listed = |name: &str| lists(MACHINES, name);
    // A short address is at the end of a long one, and at the start of a name that leads to it: `169.254.169.254.nip.io`.
    match (host.parse::<Ipv6Addr>(), ipv4(host)) {
        (Ok(long), _) => {
            let [.., a, b, c, d] = long.octets();
            is_listed(&long.to_string()) || is_listed(&Ipv4Addr::new(a, b, c, d).to_string())
        }
        (_, Some(short)) => is_listed(&short.to_string()),
        _ => {
            let is_bare = address.contains("://") && matches!(host, "metadata" | "instance-data");
            is_bare || is_listed(host) || host.starts_with("169.254.169.254.")
        }
    }
}

/// Returns `true` if a text contains a part of the path to credentials.
pub fn speaks_of_credentials(text: &str) -> bool {
    let text = text.to_lowercase();
    PATHS.split(' ').any(|part| text.contains(part))
}

/// Parses an address like the C library: `0xa9fea9fe`, `2852039166`, `0251.0376.0251.0376`, `169.254.43518`.
fn ipv4(host: &str) -> Option<Ipv4Addr> {
    let number = |part: &str| {
        let (digits, radix) = match part.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None if part.starts_with('0') => (part, 8),
            None => (part, 10),
        };
        u32::from_str_radix(digits, radix).ok()
    };
    let parts: Vec<u32> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = parts.split_last().filter(|(_, first)| first.len() < 4)?;
    Some(first.iter().zip([24, 16, 8]).fold(*last, |all, (part, place)| all | part << place).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_known_in_each_spelling() {
        test_support::lines!("lines/addresses.txt").check(|_, address| {
            let gives = if gives_credentials(address) { "gives" } else { "pass" };
            gives.to_owned()
        });
    }
}
