//! Files that hold secrets, by their names.
//!
//! `protect-secrets` keeps them from the model, and `approve-read-only` approves no command that reads one.

use std::io::{self, ErrorKind};
use std::path::Path;

const ENVIRONMENT: &str = "an environment file";
const KEY: &str = "a private key or a key store";
const LOGIN: &str = "a file of login data";
const PROCESS: &str = "the environment of a process";

/// Ends of paths, in lowercase, and the kind of the file.
///
/// A `*` at either end of a name means anything, and for nothing.
pub const SECRETS: &[(&str, &str)] = &[
    ("*.env", ENVIRONMENT),
    (".env.*", ENVIRONMENT),
    (".dev.vars", ENVIRONMENT),
    (".dev.vars.*", ENVIRONMENT),
    ("id_rsa", KEY),
    ("id_rsa.bak", KEY),
    ("id_rsa.old", KEY),
    ("id_dsa", KEY),
    ("id_ecdsa", KEY),
    ("id_ecdsa_sk", KEY),
    ("id_ed25519", KEY),
    ("id_ed25519_sk", KEY),
    (".ssh/id_*", KEY),
    ("*.pem", KEY),
    ("*.key", KEY),
    ("*.p12", KEY),
    ("*.pfx", KEY),
    ("*.ppk", KEY),
    ("*.jks", KEY),
    ("*.keystore", KEY),
    ("*.kdbx", KEY),
    (".netrc", LOGIN),
    (".pgpass", LOGIN),
    (".my.cnf", LOGIN),
    (".pypirc", LOGIN),
    (".htpasswd", LOGIN),
    (".vault-token", LOGIN),
    (".git-credentials", LOGIN),
    ("git/credentials", LOGIN),
    (".aws/credentials", LOGIN),
    (".azure/msal_token_cache.json", LOGIN),
    (".cargo/credentials", LOGIN),
    (".cargo/credentials.toml", LOGIN),
    (".claude/.credentials.json", LOGIN),
    (".docker/config.json", LOGIN),
    (".kube/config", LOGIN),
    ("gcloud/application_default_credentials.json", LOGIN),
    ("gcloud/credentials.db", LOGIN),
    ("gh/hosts.yml", LOGIN),
    (".config/hub", LOGIN),
    (".aws/sso/cache/*", LOGIN),
    (".terraform.d/credentials.tfrc.json", LOGIN),
    (".config/doctl/config.yaml", LOGIN),
    (".fly/config.yml", LOGIN),
    (".config/rclone/rclone.conf", LOGIN),
    (".s3cfg", LOGIN),
    (".boto", LOGIN),
    (".composer/auth.json", LOGIN),
    (".gem/credentials", LOGIN),
    (".bundle/config", LOGIN),
    (".codex/auth.json", LOGIN),
    (".gemini/oauth_creds.json", LOGIN),
    (".local/share/opencode/auth.json", LOGIN),
    ("huggingface/token", LOGIN),
    (".kaggle/kaggle.json", LOGIN),
    (".gnupg/private-keys-v1.d/*", KEY),
    (".gnupg/secring.gpg", KEY),
    ("library/keychains/*", KEY),
    (".local/share/keyrings/*", KEY),
    (".password-store/*", LOGIN),
    ("etc/shadow", LOGIN),
    ("etc/gshadow", LOGIN),
    ("run/secrets/*", LOGIN),
    (".streamlit/secrets.toml", LOGIN),
    ("config/secrets.yml", LOGIN),
    ("serviceaccount/token", LOGIN),
    ("etc/master.passwd", LOGIN),
    ("client_secret*", LOGIN),
    ("credentials.json", LOGIN),
    ("service-account.json", LOGIN),
    ("service_account.json", LOGIN),
    ("serviceaccount.json", LOGIN),
    ("terraform.tfstate", LOGIN),
    ("terraform.tfstate.backup", LOGIN),
    (".config/glab-cli/config.yml", LOGIN),
    ("pypoetry/auth.toml", LOGIN),
    (".azure/accesstokens.json", LOGIN),
    (".azure/service_principal_entries.json", LOGIN),
    (".config/stripe/config.toml", LOGIN),
    (".databrickscfg", LOGIN),
    (".mc/config.json", LOGIN),
    (".mylogin.cnf", LOGIN),
    (".wrangler/config/default.toml", LOGIN),
    ("adc.json", LOGIN),
    ("configstore/firebase-tools.json", LOGIN),
    ("containers/auth.json", LOGIN),
    ("gcloud/access_tokens.db", LOGIN),
    ("github-copilot/apps.json", LOGIN),
    ("github-copilot/hosts.json", LOGIN),
    ("key4.db", KEY),
    ("serviceaccountkey.json", LOGIN),
    ("sops/age/keys.txt", KEY),
];

/// Files that hold tokens in the user's home folder, and elsewhere settings, among which there may be one.
pub const AT_HOME: &[&str] = &[
    ".npmrc", ".yarnrc.yml", ".m2/settings.xml", ".gradle/gradle.properties", ".curlrc", ".wgetrc", ".sentryclirc",
    ".ngrok2/ngrok.yml", ".config/ngrok/ngrok.yml", ".nuget/nuget/nuget.config", ".config/nuget/nuget.config",
];

/// Names by which programs keep what they log in with, in a folder of their own in the user's home folder.
const OF_PROGRAMS: &[&str] = &[
    "access-token", "access_token", "auth.json", "auth.toml", "credentials", "credentials.db", "credentials.json",
    "credentials.toml", "credentials.yaml", "credentials.yml", "hosts.json", "token", "token.json", "tokens.json",
];

/// Folders of programs in the home folder.
const PLACES: &[&str] = &[".config/", ".local/share/", "library/application support/", "."];

/// Files of a browser's profile, and parts of the names of its folders.
const OF_PROFILES: &[&str] = &["cookies", "cookies.sqlite", "login data", "logins.json"];
const BROWSERS: &[&str] = &[
    "brave", "chrome", "chromium", "edge", "firefox", "mozilla", "opera", "vivaldi",
];

/// Files of settings that may have a token wherever they are.
const SETTINGS: &[&str] = &[".envrc", "gradle.properties", "ngrok.yml"];

/// Ends of the names of settings whose value is a secret, in lowercase.
const LOGINS: &[&str] = &[
    "_auth", "access_key", "api_key", "apikey", "authident", "passwd", "password", "secret", "token",
];

/// Folders of files that hold secrets: a command that reads one reads them all.
const FOLDERS: &[&str] = &[
    ".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".config/gcloud", ".config/gh", ".password-store",
    "library/keychains", ".local/share/keyrings",
];

/// The description of such a folder.
pub const FOLDER: &str = "a folder of files that hold secrets";

/// Names of files that are made to be shared.
const PUBLIC: &[&str] = &[
    "*.pub", "*.example", "*.sample", "*.template", "*.dist", "*.default", "*.defaults", "example.env", "sample.env",
    "template.env",
];

/// Returns the kind of a file of this name, if it holds secrets. Some are known by the user's home folder, some by their text.
///
/// Letters are compared without their case on every platform: whether a file system distinguishes `.ENV` from `.env` is a
/// property of the volume, and a secret is one under either name.
///
/// A `*.pem` that is there and has no private key in it holds certificates, as one does that is called so and cannot be read; a
/// `*.gpg.key` may have a public key; a file of settings is one if a token is written in it.
pub fn kind(path: &Path, home: &Path, read: Read) -> Option<&'static str> {
    let file = path;
    let at_home = || {
        let name = path.strip_prefix(home).ok()?.to_string_lossy().to_lowercase();
        let of_program = || {
            let rest = PLACES.iter().find_map(|place| name.strip_prefix(place))?;
            let (folder, name) = rest.split_once('/')?;
            (!folder.is_empty() && OF_PROGRAMS.contains(&name)).then_some(LOGIN)
        };
        AT_HOME.contains(&&*name).then_some(LOGIN).or_else(of_program)
    };
    let path = path.to_string_lossy().to_lowercase();
    let names = last_names(&path);
    if PUBLIC.iter().any(|pattern| ends_in(&names, pattern)) {
        return None;
    }
    let found = SECRETS.iter().find(|(pattern, _)| ends_in(&names, pattern));
    let found = found.filter(|(pattern, _)| match *pattern {
        "client_secret*" => path.ends_with(".json"),
        "run/secrets/*" => path.starts_with("/run/") || path.starts_with("/var/run/"),
        // In an encrypted form.
        ".env.*" => ![".age", ".enc", ".encrypted", ".gpg"]
            .iter()
            .any(|end| path.ends_with(end)),
        // Variables in code for Node.
        "*.env" => !matches!(names[0], "import.meta.env" | "process.env"),
        "*.pem" => !holds_certificates(file, names[0], read),
        // With such keys packages are verified.
        "*.key" if path.ends_with(".gpg.key") || path.ends_with(".asc.key") => {
            match read(file, LONGEST) {
                Ok(text) => !text.contains("PUBLIC KEY BLOCK") || text.contains("PRIVATE KEY"),
                // A download.
                Err(err) => err.kind() != ErrorKind::NotFound,
            }
        }
        _ => true,
    });
    let with_login = || {
        let mut settings = AT_HOME.iter().chain(SETTINGS);
        (settings.any(|pattern| ends_in(&names, pattern)) && holds_login(file, read)).then_some(LOGIN)
    };
    let of_other = || {
        if names[0] == "environ" && path.starts_with("/proc/") {
            return Some(PROCESS);
        }
        let is_of_firebase = names[0].contains("firebase-adminsdk") && names[0].ends_with(".json");
        let is_of_browser = || BROWSERS.iter().any(|browser| path.contains(browser));
        (is_of_firebase || OF_PROFILES.contains(&names[0]) && is_of_browser()).then_some(LOGIN)
    };
    (found.map(|(_, kind)| *kind).or_else(at_home))
        .or_else(of_other)
        .or_else(with_login)
}

/// Reads a file of at most so many bytes as text, and waits for nothing.
pub type Read = fn(&Path, u64) -> io::Result<String>;

/// The longest key, certificate or file of settings that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// Returns `true` if a file of settings has a secret written in it, and not the name of a variable.
fn holds_login(path: &Path, read: Read) -> bool {
    let is_login = |line: &str| {
        let line = line.to_lowercase();
        // Behind a `$` is a variable's name.
        let settings = line.split('$').next().unwrap_or_default();
        let is_written = |name: &str, at: usize| {
            let value = line[at + name.len()..].trim_start().strip_prefix(['=', ':', '>']);
            let value = value.map(|value| value.trim_start_matches([' ', '"', '\'']));
            // `${NPM_TOKEN}`, `%TOKEN%`, `{{ token }}`, `<your token>`.
            value.is_some_and(|value| !value.is_empty() && !value.starts_with(['$', '%', '{', '<']))
        };
        let mut names = LOGINS.iter().flat_map(|name| settings.match_indices(name));
        !line.trim_start().starts_with(['#', ';', '!']) && names.any(|(at, name)| is_written(name, at))
    };
    read(path, LONGEST).is_ok_and(|text| text.lines().any(is_login))
}

/// Returns `true` if a file has certificates and no private key, or where it cannot be read if its name, in lowercase, says so.
fn holds_certificates(path: &Path, name: &str, read: Read) -> bool {
    match read(path, LONGEST) {
        Ok(text) => text.contains("-----BEGIN") && !text.contains("PRIVATE KEY"),
        Err(_) => is_of_certificate(name),
    }
}

/// Returns `true` for the name of certificates or of a public key: `ca.pem`, `server-cert.pem`, `fullchain1.pem`.
fn is_of_certificate(name: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    let Some(stem) = name.strip_suffix(".pem").filter(|stem| stem.chars().all(is_of_name)) else {
        return false;
    };
    let mut parts = stem.split(['-', '_', '.']).rev();
    // Of several, the one that is renewed has a number: `chain2.pem`.
    let last = parts
        .next()
        .unwrap_or_default()
        .trim_end_matches(|c: char| c.is_ascii_digit());
    let before = parts.next().unwrap_or_default();
    if matches!(
        (before, last),
        ("pub" | "public", "key") | (_, "pub" | "pubkey" | "public")
    ) {
        return !stem.contains("priv");
    }
    const ENDS: [&str; 7] = [
        "cert", "certs", "certificate", "certificates", "chain", "dhparam", "dhparams",
    ];
    let is_last = matches!(last, "ca" | "cacert" | "crt" | "rootca") || ENDS.iter().any(|end| last.ends_with(end));
    let is_bundle = before == "ca" && matches!(last, "bundle" | "roots");
    (is_last || is_bundle) && !["key", "priv", "secret"].iter().any(|word| stem.contains(word))
}

/// Returns `true` for the name of a file that is made to be shared.
pub fn is_public(path: &str) -> bool {
    let path = path.to_lowercase();
    PUBLIC.iter().any(|pattern| ends_in(&last_names(&path), pattern))
}

/// Returns `true` for a folder of files that hold secrets.
pub fn kind_of_folder(path: &Path) -> bool {
    let path = path.to_string_lossy().to_lowercase();
    let names = last_names(&path);
    FOLDERS.iter().any(|folder| ends_in(&names, folder))
}

/// The most names of a pattern.
const MOST_NAMES: usize = 4;

/// Returns the last names of a path, the last one first.
fn last_names(path: &str) -> [&str; MOST_NAMES] {
    let mut names = [""; MOST_NAMES];
    for (name, last) in path.rsplit('/').zip(&mut names) {
        *last = name;
    }
    names
}

/// Returns `true` if the path's last names are the pattern's.
fn ends_in(names: &[&str; MOST_NAMES], pattern: &str) -> bool {
    // Nearly all differ in their last byte.
    let last = pattern.bytes().next_back();
    if last != Some(b'*') && names[0].bytes().next_back() != last {
        return false;
    }
    let mut names = names.iter();
    let mut is_next = |wanted| names.next().is_some_and(|name| fits(name, wanted));
    match pattern.contains('/') {
        true => pattern.rsplit('/').all(is_next),
        false => is_next(pattern),
    }
}

fn fits(name: &str, wanted: &str) -> bool {
    if let Some(end) = wanted.strip_prefix('*') {
        name.ends_with(end)
    } else if let Some(start) = wanted.strip_suffix('*') {
        name.starts_with(start)
    } else {
        name == wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_in_the_form_that_is_compared() {
        for pattern in SECRETS.iter().map(|(pattern, _)| pattern).chain(PUBLIC) {
            assert_eq!(*pattern, pattern.to_lowercase());
            assert!(pattern.split('/').count() <= MOST_NAMES, "{pattern}");
            for name in pattern.split('/') {
                let inner = name.strip_prefix('*').unwrap_or(name);
                let inner = inner.strip_suffix('*').unwrap_or(inner);
                let is_any_below = name == "*" && pattern.ends_with("/*");
                assert!(is_any_below || !inner.is_empty() && !inner.contains('*'), "{pattern}");
            }
        }
    }
}
