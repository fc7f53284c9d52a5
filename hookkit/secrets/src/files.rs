//! Files with secrets, recognized by the words of their names, by their folders, by the paths where programs keep
//! logins, and by content if a name alone does not decide.
//!
//! `protect-secrets` keeps them from the model, and `approve-read-only` approves no command that reads one.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::secrets;

const ENVIRONMENT: &str = "an environment file";
const KEY: &str = "a private key or a key store";
const LOGIN: &str = "a file of login data";
const KEPT: &str = "a file in a folder of secrets";
const HISTORY: &str = "a history of commands";
const PROCESS: &str = "the environment of a process";

/// Endings of paths where programs keep their logins, in lowercase, for names whose words do not show that.
const PLACES: &str = ".authinfo .aws/credentials .azure/service_principal_entries.json .boto .bundle/config .cargo/credentials \
    .codex/auth.json .composer/auth.json .config/doctl/config.yaml .config/hub .config/stripe/config.toml \
    .databrickscfg .docker/config.json .fly/config.yml .gem/credentials .htpasswd .kaggle/kaggle.json .kube/config \
    .mc/config.json .my.cnf .mylogin.cnf .netrc .pgpass .pypirc .s3cfg .vault-token .wrangler/config/default.toml \
    _netrc adc.json configstore/firebase-tools.json containers/auth.json etc/gshadow etc/master.passwd etc/shadow \
    gh/hosts.yml git/credentials github-copilot/apps.json github-copilot/hosts.json glab-cli/config.yml \
    huggingface/token key.properties key4.db local.settings.json opencode/auth.json pypoetry/auth.toml \
    rclone.conf rootkey.csv serviceaccount/token age/keys.txt helm/registry/config.json .snowflake/connections.toml \
    hcloud/cli.toml scw/config.yaml solana/id.json .bitcoin/wallet.dat atuin/key kubernetes/admin.conf k3s/k3s.yaml \
    etc/ppp/chap-secrets";

/// Files in the user's home folder that hold tokens. Elsewhere, files of these names are settings, which may include a
/// token.
const AT_HOME: &str = ".npmrc .yarnrc.yml .m2/settings.xml .gradle/gradle.properties .curlrc .wgetrc .sentryclirc .claude.json \
    .ngrok2/ngrok.yml .config/ngrok/ngrok.yml .nuget/nuget/nuget.config .config/nuget/nuget.config";

/// Folders of programs in the home folder, where a file named after a secret counts as a secret.
const OF_PROGRAMS: &[&str] = &[".config/", ".local/share/", "library/application support/", "."];

/// Files of a browser's profile, and parts of the names of its folders.
const OF_PROFILES: &[&str] = &["cookies", "cookies.sqlite", "login data", "logins.json"];
const BROWSERS: &str = "brave chrome chromium edge firefox mozilla opera vivaldi";

/// Settings files that may hold a token in any folder.
const SETTINGS: &str = ".envrc auth.json gradle.properties ngrok.yml sftp-config.json vault.yml";

/// Suffixes of the names of settings whose value is a secret, in lowercase.
const LOGINS: &str = "_auth access_key api_key apikey authident passwd password secret token";

/// Folders of files with secrets: a command that reads the folder reads them all.
const FOLDERS: &str = ".ssh .aws .azure .gnupg .kube .docker .config/gcloud .config/gh .password-store library/keychains \
    .local/share/keyrings";

/// Description of a folder of files with secrets.
pub const FOLDER: &str = "a folder of files that hold secrets";

/// Folders in which every file is a secret, unless its name is in [`OPEN`].
const WHOLE: &str = "/.ssh/ /.gnupg/ /.password-store/ /library/keychains/ /.local/share/keyrings/ /.aws/sso/cache/ \
    /.envs/.production/";

/// Prefixes of the names of harmless files in the folders of [`WHOLE`].
const OPEN: &str = "allowed_signers authorized_keys config known_hosts pubring rc trustdb";
const OPEN_ENDS: &str = "conf crt pub sock";

/// Extensions of private keys and key stores.
const KEYS: &str = "agekey bcfks bks jceks jks kdbx key keystore keytab ovpn p12 p8 pem pfx pkcs12 ppk";

/// Extensions of data. A word in its name does not make a file of code a secret.
const DATA: &str = "cfg conf config csv dat db ini json json5 jsonc plist properties sqlite toml tsv txt xml yaml yml";

/// Words that mark a data file as secret, alone or several together, and words that do so depending on its content.
const WORDS: &str = "accesskey accesskeys apikey apikeys credential credentials creds kubeconfig privatekey secret \
    secretkey secrets tfstate";
const DOUBTFUL: &str = "accesstoken accesstokens keystore tfvars token tokens vaultpass";

/// Words that make a short text file a list of passwords.
const PASSWORDS: &str = "passwd password passwords";

/// Words in the names of shared or encrypted files; and words that mean this only at the end of a name.
const SHARED: &str =
    "dist enc encrypted example examples j2 sample samples schema sealed sops template templates tmpl tpl";
const SHARED_ENDS: &str = "default defaults pub vault";

/// Texts that show that a file's secrets are encrypted, or stored elsewhere.
const ENCRYPTED: &str =
    "ENC[|$ANSIBLE_VAULT|BEGIN AGE ENCRYPTED|BEGIN PGP MESSAGE|SealedSecret|ExternalSecret|SecretProviderClass";

/// Endings of the names of copies that editors and people keep.
const COPIES: &[&str] =
    &["~", "-", ".bak", ".backup", ".old", "-old", "_old", ".orig", ".save", ".swp", ".swo", " copy", ".copy", "#"];

/// Environments that have an environment file of their own.
const STAGES: &str = "dev development live local prod production qa stage staging test";

/// Returns the kind of secrets in a file, from its name; for some files also from the user's home folder, or their content.
///
/// Letters are compared without case on every platform: whether a file system distinguishes `.ENV` from `.env` is a property of
/// the volume, and the file is a secret under either name. Copies count, too: `.env.bak`, `key.pem~`.
///
/// A key file does not count if it exists and has no private key, or if it is unreadable and has the name of a
/// certificate or a public key. A settings file counts if it contains a token, and any short file that is a private
/// key. A file with a word such as *secrets* in its name does not count if it is encrypted.
pub fn kind(path: &Path, home: &Path, read: Read) -> Option<&'static str> {
    let file = path;
    let text = || read(file, LONGEST);
    let written = path.to_string_lossy();
    let written = without_copies(&written);
    let path = written.to_lowercase();
    let name = last(&path);
    let without_name = path[..path.len() - name.len()].trim_end_matches('/');
    // Most paths are in no such folder.
    let may_be = path.contains("/.") || path.contains("/library/");
    let whole = WHOLE
        .split(' ')
        .filter(|folder| may_be && path.contains(folder))
        .filter_map(|folder| Some(path.split_once(folder)?.1))
        .next();
    if let Some(rest) = whole.or_else(|| path.trim_start_matches("/var").strip_prefix("/run/secrets/")) {
        let is_open =
            |name: &str| OPEN.split(' ').any(|open| name.starts_with(open)) || lists(OPEN_ENDS, end_of(name).1);
        return (!rest.is_empty() && !rest.split('/').any(is_open)).then_some(KEPT);
    }
    if is_shared(name) {
        return None;
    }
    let (stem, end) = (end_of(last(written)).0, end_of(name).1);
    let is_hidden = name.strip_prefix('.') == Some(end);
    if is_environment(name, end) {
        return Some(ENVIRONMENT);
    } else if is_key(name, stem, end) {
        return holds_key(name, text()).then_some(KEY);
    } else if may_hold_key(name, end) && read(file, SHORT).is_ok_and(|text| is_private_key(&text, end)) {
        return Some(KEY);
    } else if name == "environ" && path.starts_with("/proc/") {
        return Some(PROCESS);
    } else if is_hidden && name.ends_with("history") || matches!(name, "consolehost_history.txt" | "fish_history") {
        return Some(HISTORY);
    }
    let is_data = (is_hidden || lists(DATA, end)) && !path.contains("/.github/");
    let at_home = || {
        let home = home.to_string_lossy();
        let is_there = |start: &str| start.eq_ignore_ascii_case(&home);
        path.get(..home.len()).filter(|start| is_there(start))?;
        let place = path[home.len()..].strip_prefix('/')?;
        let of_program = OF_PROGRAMS.iter().find_map(|folder| place.strip_prefix(folder)?.split_once('/'));
        let is_called = |rest: &str| {
            let is_said = (is_data || end.is_empty()) && (says(stem, WORDS) || says(stem, DOUBTFUL));
            matches!(rest, "auth.json" | "auth.toml" | "hosts.json") || rest == name && is_said
        };
        Some(lists(AT_HOME, place) || of_program.is_some_and(|(folder, rest)| !folder.is_empty() && is_called(rest)))
    };
    let is_at = |places: &str| places.contains(name) && places.split(' ').any(|place| is_in(&path, place));
    let is_of_browser = || OF_PROFILES.contains(&name) && BROWSERS.split(' ').any(|browser| path.contains(browser));
    let is_login =
        if is_data && says(stem, WORDS) || end == "json" && says(stem, "adminsdk serviceaccount serviceaccountkey") {
            !text().is_ok_and(|text| is_encrypted(&text))
        } else if end == "tfvars" || is_data && says(stem, DOUBTFUL) {
            text().map_or(true, |text| {
                holds_login(&text) || text.split_whitespace().count() == 1 && !text.starts_with(['{', '['])
            })
        } else if is_data && says(last(without_name), WORDS) {
            text().is_ok_and(|text| holds_login(&text) && !is_encrypted(&text))
        } else if lists("csv txt", end) && says(stem, PASSWORDS) {
            text().is_ok_and(|text| text.lines().count() < LONG_LIST)
        } else {
            let is_called = end.is_empty() && (says(stem, WORDS) || says(stem, PASSWORDS));
            is_called && text().is_ok_and(|text| holds_login(&text) && !text.starts_with("#!"))
                || matches!(end, "kubeconfig" | "tfstate")
                || end.is_empty() && name.starts_with("kubeconfig")
                || is_of_browser()
        };
    let is_settings = || (is_at(AT_HOME) || is_at(SETTINGS)) && text().is_ok_and(|text| holds_login(&text));
    if is_login || is_at(PLACES) || at_home() == Some(true) || is_settings() {
        return Some(LOGIN);
    }
    let short = read(file, SHORT).ok()?;
    match short.trim_start().starts_with("-----BEGIN") && short.contains("PRIVATE KEY") {
        true => Some(KEY),
        // Code may have a token for its tests.
        false => ((is_data || end.is_empty()) && holds_token(&short, end)).then_some(LOGIN),
    }
}

/// Returns the first file with secrets in a folder, and its kind. `is_chosen` selects files and folders (`true`). At
/// most 2,000 are searched, four levels deep. Folders that tools make are skipped.
pub fn first_in(
    folder: &Path,
    home: &Path,
    read: Read,
    is_chosen: impl Fn(&Path, bool) -> bool,
) -> Option<(PathBuf, &'static str)> {
    /// Maximum number of files to look at.
    const MOST: usize = 2_000;
    const DEEPEST: usize = 4;
    const MADE: &str = ".git .venv node_modules target venv";
    let mut folders = VecDeque::from([(folder.to_owned(), 0)]);
    let mut left = MOST;
    while let Some((folder, depth)) = folders.pop_front() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            left = usize::checked_sub(left, 1)?;
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if !is_chosen(&path, is_folder) {
                continue;
            }
            if is_folder {
                let is_made = lists(MADE, &entry.file_name().to_string_lossy());
                folders.extend((depth < DEEPEST && !is_made).then_some((path, depth + 1)));
            } else if let Some(kind) = kind(&path, home, read) {
                return Some((path, kind));
            }
        }
    }
    None
}

/// Returns the last component of a path.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Returns `true` if a path ends with the components of another one.
fn is_in(path: &str, place: &str) -> bool {
    let before = path.strip_suffix(place);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Returns the stem of a name and the text after its last dot. If the only dot comes first, the whole name is the stem.
fn end_of(name: &str) -> (&str, &str) {
    match name.rsplit_once('.') {
        Some(("", end)) => (name, end),
        Some(parts) => parts,
        None => (name, ""),
    }
}

/// Returns a path without the endings of copies.
fn without_copies(mut path: &str) -> &str {
    path = path.trim_end_matches('/');
    while let Some(at) = COPIES.iter().find_map(|end| {
        let at = path.len().checked_sub(end.len())?;
        path.get(at..)?.eq_ignore_ascii_case(end).then_some(at)
    }) {
        path = &path[..at];
    }
    path
}

/// Returns `true` if a word is in a space-separated list.
pub(crate) fn lists(list: &str, word: &str) -> bool {
    // Cheap test first: the list seldom contains the word.
    !word.is_empty() && list.contains(word) && list.split(' ').any(|listed| listed == word)
}

/// Returns `true` if some words of a name, alone or together, are in a list: `apikey` in `my_apiKey`.
pub fn says(name: &str, list: &str) -> bool {
    // No word is shorter.
    if name.len() < 3 {
        return false;
    }
    let (mut joined, mut before) = (String::new(), ' ');
    name.chars().chain(['.']).any(|char| {
        let is_end = !char.is_alphanumeric() || before.is_lowercase() && char.is_uppercase();
        let word = joined.trim_end_matches(|char: char| char.is_ascii_digit());
        let mut listed = list.as_bytes().split(|byte| *byte == b' ');
        let is_said = is_end && listed.any(|listed| word.as_bytes().ends_with(listed));
        joined.extend(char.to_lowercase().filter(|char| char.is_alphanumeric()));
        before = char;
        is_said
    })
}

/// Returns `true` for the name of a variable or an output that holds a secret itself, not its location.
pub fn names_secret(name: &str) -> bool {
    const OTHERS: &str = "_arn _id _name _path _version next_token page_token";
    let lower = name.to_lowercase();
    says(
        name,
        "credential credentials key keys kubeconfig passphrase passwd password passwords secret secrets token tokens",
    ) && !OTHERS.split(' ').any(|end| lower.ends_with(end))
        && !lower.contains("public")
}

fn is_environment(name: &str, end: &str) -> bool {
    let is_named = |start: &str| {
        let rest = name.strip_prefix(start);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
    };
    // The last two are variables in code for Node, and an encrypted file.
    (end == "env" || is_named(".env") || is_named(".dev.vars") || name == ".flaskenv" || {
        let stage = name.strip_prefix("env.");
        stage.is_some_and(|stage| lists(STAGES, stage))
    }) && !matches!(name, "import.meta.env" | "process.env")
        && !lists("age gpg", end)
}

fn is_key(name: &str, stem: &str, end: &str) -> bool {
    let is_of_ssh = || {
        let algorithm = name
            .trim_start_matches('.')
            .strip_prefix("id_")
            .unwrap_or_default()
            .split(|char: char| !char.is_alphanumeric())
            .next();
        end.is_empty() && algorithm.is_some_and(|name| lists("dsa ecdsa ed25519 rsa", name))
            || name.starts_with("ssh_host_") && name.ends_with("_key")
    };
    lists(KEYS, end) || is_of_ssh() || lists("asc gpg pgp", end) && says(stem, "private secret secring")
}

/// Returns `true` for the name of a file that may contain a private key: `deploy_key`, `id_work`, `sa.json`.
fn may_hold_key(name: &str, end: &str) -> bool {
    let is_called = || name.starts_with("id_") || says(name, "key keys private");
    lists("crt json", end) || (end.is_empty() || end.ends_with("key")) && is_called()
}

/// Returns `true` for the text of a private key, or of a service account with a private key.
fn is_private_key(text: &str, end: &str) -> bool {
    text.contains("PRIVATE KEY-----") && (end != "json" || text.contains("private_key\""))
}

/// Function that reads a file up to a size as text, without waiting.
pub type Read = fn(&Path, u64) -> io::Result<String>;

/// Maximum size of a key, certificate or settings file to read, in bytes.
const LONGEST: u64 = 1 << 20;

/// Maximum size of a file to read because it may contain a private key, in bytes.
const SHORT: u64 = 1 << 14;

/// Minimum number of lines of a word list for trying passwords.
const LONG_LIST: usize = 100;

/// Returns `true` for a cookie jar, WireGuard settings, Docker logins, and any text with a token of a known form.
fn holds_token(text: &str, end: &str) -> bool {
    let has = |sign| text.contains(sign);
    has("# Netscape HTTP Cookie")
        || has("\nPrivateKey = ")
        || has("\"auths\"") && has("\"auth\":")
        || !lists("csv tsv txt", end) && !secrets(text).is_empty()
}

/// Returns `true` if a settings file contains a secret itself, not the name of a variable.
fn holds_login(text: &str) -> bool {
    let is_login = |line: &str| {
        let line = line.to_lowercase();
        // After a `$` comes the name of a variable.
        let settings = line.split('$').next().unwrap_or_default();
        let is_written = |name: &str, at: usize| {
            let value = line[at + name.len()..].trim_start_matches([' ', '"', '\'']).strip_prefix(['=', ':', '>']);
            let value = value.map(|value| value.trim_start_matches([' ', '"', '\'']));
            // `${NPM_TOKEN}`, `%TOKEN%`, `{{ token }}`, `<your token>`, and values that are not strings.
            value.is_some_and(|value| {
                !value.is_empty() && !value.starts_with(['$', '%', '{', '<', '[', ',']) && !value.starts_with("null")
            })
        };
        !line.trim_start().starts_with(['#', ';', '!'])
            && LOGINS.split(' ').flat_map(|name| settings.match_indices(name)).any(|(at, name)| is_written(name, at))
    };
    text.lines().any(is_login)
}

/// Returns `true` if the secrets of a file are encrypted, or are filled in from elsewhere.
fn is_encrypted(text: &str) -> bool {
    let is_filled_in = ["{{", "${"].iter().any(|sign| text.contains(sign));
    ENCRYPTED.split('|').any(|sign| text.contains(sign)) || is_filled_in && !holds_login(text)
}

/// Returns `true` if a file contains a private key, or cannot be read and its name, in lowercase, does not exclude it.
fn holds_key(name: &str, text: io::Result<String>) -> bool {
    // Such keys verify packages.
    let is_of_packages = || name.ends_with(".gpg.key") || name.ends_with(".asc.key");
    match text {
        Ok(text) if text.contains("-----BEGIN") || name.ends_with(".ovpn") => {
            text.contains("PRIVATE KEY") || text.contains("Static key")
        }
        Ok(_) => true,
        Err(err) => !(is_of_certificate(name) || err.kind() == ErrorKind::NotFound && is_of_packages()),
    }
}

/// Returns `true` for a name of certificates or a public key: `ca.pem`, `server-cert.pem`, `fullchain1.pem`.
fn is_of_certificate(name: &str) -> bool {
    const ENDS: &str = "bundle ca cacert crt pub public roots rootca";
    let Some(stem) = name
        .strip_suffix(".pem")
        .filter(|stem| stem.chars().all(|char| char.is_ascii_alphanumeric() || "-_.+".contains(char)))
    else {
        return false;
    };
    let stem = stem.replace(['-', '.'], "_").replace("public_key", "public").replace("pubkey", "pub");
    // Renewed certificates have a number: `chain2.pem`.
    let last = stem.rsplit('_').next().unwrap_or_default();
    let last = last.trim_end_matches(|char: char| char.is_ascii_digit());
    let mut named = "cert certs certificate certificates chain dhparam dhparams".split(' ');
    (lists(ENDS, last) || named.any(|end| last.ends_with(end)))
        && !["key", "priv", "secret"].iter().any(|word| stem.contains(word))
}

/// Returns `true` for the name of a file meant to be shared.
pub fn is_public(path: &str) -> bool {
    is_shared(last(&path.to_lowercase()))
}

fn is_shared(name: &str) -> bool {
    let end = end_of(name).1;
    let mut words = name.split(|char: char| !char.is_ascii_alphanumeric());
    lists(SHARED_ENDS, end) || name.ends_with(".d.ts") || !lists(KEYS, end) && words.any(|word| lists(SHARED, word))
}

/// Returns `true` for a folder of files with secrets.
pub fn kind_of_folder(path: &Path) -> bool {
    let path = path.to_string_lossy().to_lowercase();
    FOLDERS.contains(last(&path)) && FOLDERS.split(' ').any(|folder| is_in(&path, folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_in_the_form_that_is_compared() {
        for list in [PLACES, AT_HOME, SETTINGS, FOLDERS, WHOLE, OPEN, KEYS, DATA, WORDS, DOUBTFUL, SHARED] {
            assert_eq!(list, list.to_lowercase());
            assert!(list.split(' ').all(|name| !name.is_empty() && !name.contains('*')), "{list}");
        }
    }

    #[test]
    fn a_known_token_makes_settings_a_secret_and_no_list_of_texts() {
        let token = format!("{{\"github.com\": \"ghp_{}\"}}", "q7Zk3XvW9bRm2TfYd8LhPc5NsGj4Bw6Kq7Zk");
        assert!(holds_token(&token, "json"));
        assert!(!holds_token(&token, "txt"));
    }
}
