//! Files that are not for the model.

use std::path::Path;

use hookkit::prelude::*;

/// Keeps files that hold secrets from being read or changed.
///
/// Text that the model reads leaves the machine, and stays in the transcript.
/// A denial names the file and its kind, never its content, and sends the model to the user.
///
/// A file is known by its name alone, whatever the case of its letters:
///
/// - environment files: `.env`, `.env.*`, `*.env`, but not those made to be shared: `*.example`, `*.sample`, `*.template`,
///   `*.dist`, `example.env` and the like;
/// - private keys and key stores: `id_rsa` and its siblings, `id_*` below `.ssh`, `*.pem`, `*.key`, `*.p12`, `*.pfx`,
///   `*.ppk`, `*.jks`, `*.keystore`, `*.kdbx`, but not `*.pub`;
/// - what programs log in with: `.netrc`, `.pgpass`, `.my.cnf`, `.pypirc`, `.htpasswd`, `.vault-token`,
///   `.git-credentials`, and the files where AWS, Azure, cargo, Claude, Docker, gcloud, git, GitHub's `gh` and kubectl
///   keep theirs.
///
/// A link counts for what it leads to as well as for what it is called.
///
/// `.npmrc` is not on the list: in a project it holds settings that the model has reason to read, and npm takes its
/// token from a variable.
/// On the other hand `*.pem` also denies a public certificate, since the name does not tell the two apart.
///
/// It stays silent on every other file.
///
/// # What it cannot see
///
/// - What shell commands do (`cat .env`), those of PowerShell among them, searches that print what they find (Grep), and MCP servers.
/// - Copies, hard links, and secrets in source files: no name shows them.
///
/// # Errors
///
/// When the target of the file's name cannot be found, as in a circle of links, or on Windows if the name can be read in
/// several ways (`/c/x`, `.env.`, `.env::$DATA`): the call is denied.
#[hook(PreToolUse, matcher = "Read|Edit|Write", timeout = 5)]
pub fn protect_secrets(call: PreToolUse<tool::FileAccess>, context: Context) -> Result<PreToolUseAnswer, Error> {
    let path = context.path(&call.input.file_path)?;
    let Some((name, kind)) = path.names().find_map(|name| Some((name, kind(name)?))) else {
        return Ok(PreToolUseAnswer::pass());
    };
    let subject = if name == path.absolute {
        format!("`{path}` is {kind}")
    } else {
        format!("`{path}` leads to `{}`, {kind}", name.display())
    };
    Ok(PreToolUseAnswer::deny(format!(
        "{subject}, and such files hold secrets. Do not try to reach it in another way: ask the user to make the change, \
         or to tell you what you need to know without the secret itself"
    )))
}

const ENVIRONMENT: &str = "an environment file";
const KEY: &str = "a private key or a key store";
const LOGIN: &str = "a file of login data";

/// Ends of paths, in lowercase, and what lies there.
///
/// A `*` at either end of a name means anything, and for nothing.
const SECRETS: &[(&str, &str)] = &[
    ("*.env", ENVIRONMENT),
    (".env.*", ENVIRONMENT),
    ("id_rsa", KEY),
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
];

/// Names that say of themselves that they hold no secret.
const PUBLIC: &[&str] = &[
    "*.pub",
    "*.example",
    "*.sample",
    "*.template",
    "*.dist",
    "example.env",
    "sample.env",
    "template.env",
];

/// Returns the kind of a file of this name, if it holds secrets.
///
/// Letters are compared without their case on every platform: whether a file system distinguishes `.ENV` from `.env` is a
/// property of the volume, and a secret is one under either name.
fn kind(path: &Path) -> Option<&'static str> {
    let path = path.to_string_lossy().to_lowercase();
    if PUBLIC.iter().any(|pattern| ends_in(&path, pattern)) {
        return None;
    }
    let (_, kind) = SECRETS.iter().find(|(pattern, _)| ends_in(&path, pattern))?;
    Some(kind)
}

/// Returns `true` if the path's last names are the pattern's.
fn ends_in(path: &str, pattern: &str) -> bool {
    let mut names = path.rsplit('/');
    pattern
        .rsplit('/')
        .all(|wanted| names.next().is_some_and(|name| fits(name, wanted)))
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
    #[cfg(unix)]
    use std::fs;
    #[cfg(unix)]
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    /// On Windows, a path has a drive.
    fn answer(path: impl Into<PathBuf>) -> Result<PreToolUseAnswer, Error> {
        let path = path.into();
        let path = if path.has_root() && !path.is_absolute() {
            format!("C:{}", path.display()).into()
        } else {
            path
        };
        protect_secrets(PreToolUse::new("Read", tool::FileAccess::new(path)), Context::default())
    }

    fn denied(path: impl Into<PathBuf>) -> bool {
        answer(path).unwrap() != PreToolUseAnswer::pass()
    }

    #[test]
    fn files_that_hold_secrets_are_denied() {
        for name in [
            ".env",
            ".env.local",
            ".env.production.local",
            "production.env",
            "id_rsa",
            "id_ed25519_sk",
            ".ssh/id_work",
            "server.pem",
            "config/master.key",
            "certificate.p12",
            "certificate.pfx",
            "putty.ppk",
            "release.jks",
            "debug.keystore",
            "passwords.kdbx",
            ".netrc",
            ".pgpass",
            ".git-credentials",
            ".config/git/credentials",
            ".aws/credentials",
            ".cargo/credentials.toml",
            ".claude/.credentials.json",
            ".docker/config.json",
            ".kube/config",
            ".config/gh/hosts.yml",
            ".config/gcloud/application_default_credentials.json",
        ] {
            assert!(denied(format!("/home/user/project/{name}")), "{name}");
        }
    }

    #[test]
    fn other_files_pass() {
        for name in [
            "README.md",
            ".env.example",
            ".env.sample",
            ".env.template",
            ".env.dist",
            ".env.local.example",
            "example.env",
            ".env/lib/python3/site.py",
            ".envrc",
            "environment",
            "env",
            "id_rsa.pub",
            ".ssh/id_ed25519.pub",
            ".ssh/config",
            "src/id_rsa.rs",
            "keys.rs",
            "pem",
            "key",
            "credentials",
            "src/credentials.rs",
            "aws/credentials",
            "config.json",
            "docker/config.json",
            "config",
            ".npmrc",
        ] {
            assert!(!denied(format!("/home/user/project/{name}")), "{name}");
        }
    }

    #[test]
    fn the_case_of_letters_does_not_matter() {
        assert!(denied("/project/.ENV"));
        assert!(denied("/project/Server.PEM"));
        assert!(denied("/home/user/.AWS/Credentials"));
        assert!(!denied("/project/.env.EXAMPLE"));
    }

    #[test]
    fn slashes_and_dots_hide_nothing() {
        assert!(denied("/project/.env/"));
        assert!(denied("/project//.env"));
        assert!(denied("/project/./.env"));
        assert!(denied("/home/user/.aws//credentials/"));
        assert!(denied("/home/user/.aws/./credentials"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_secret_is_denied() {
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join(".env"), "TOKEN=1").unwrap();
        symlink(".env", project.path().join("notes.txt")).unwrap();
        symlink("notes.txt", project.path().join("more.txt")).unwrap();
        assert!(denied(project.path().join("notes.txt")));
        assert!(denied(project.path().join("notes.txt/")));
        assert!(denied(project.path().join("more.txt")));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_of_a_harmless_name_is_denied() {
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join(".env"), "TOKEN=1").unwrap();
        symlink(".env", project.path().join(".env.example")).unwrap();
        assert!(denied(project.path().join(".env.example")));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_on_the_way_counts_whatever_it_leads_to() {
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join("shared"), "TOKEN=1").unwrap();
        symlink("shared", project.path().join(".env")).unwrap();
        symlink(".env", project.path().join("notes.txt")).unwrap();
        assert!(denied(project.path().join(".env")));
        assert!(denied(project.path().join("notes.txt")));
        assert!(!denied(project.path().join("shared")));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_below_a_linked_folder_is_known_by_its_real_place() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join(".aws")).unwrap();
        symlink(".aws", home.path().join("cloud")).unwrap();
        // Before the file is there, and when it is.
        assert!(denied(home.path().join("cloud/credentials")));
        fs::write(home.path().join(".aws/credentials"), "key").unwrap();
        assert!(denied(home.path().join("cloud/credentials")));
        assert!(denied(home.path().join(".aws/../.aws/../cloud/credentials")));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_secret_that_is_not_there_is_denied() {
        let project = tempfile::tempdir().unwrap();
        symlink(".env", project.path().join("notes.txt")).unwrap();
        assert!(denied(project.path().join("notes.txt")));
    }

    #[cfg(unix)]
    #[test]
    fn a_circle_of_links_ends_in_an_error_which_denies() {
        let project = tempfile::tempdir().unwrap();
        symlink("b", project.path().join("a")).unwrap();
        symlink("a", project.path().join("b")).unwrap();
        assert!(answer(project.path().join("a")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_linked_folder_on_the_way_to_a_new_file_counts() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("store")).unwrap();
        symlink("store", home.path().join(".ssh")).unwrap();
        symlink(".ssh", home.path().join("notes")).unwrap();
        // Neither what it is called nor where it is says so.
        assert!(denied(home.path().join("notes/id_work")));
    }

    #[test]
    fn patterns_are_in_the_form_that_is_compared() {
        for pattern in SECRETS.iter().map(|(pattern, _)| pattern).chain(PUBLIC) {
            assert_eq!(*pattern, pattern.to_lowercase());
            for name in pattern.split('/') {
                let inner = name.strip_prefix('*').unwrap_or(name);
                let inner = inner.strip_suffix('*').unwrap_or(inner);
                assert!(!inner.is_empty() && !inner.contains('*'), "{pattern}");
            }
        }
    }
}
