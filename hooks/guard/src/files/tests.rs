#[cfg(unix)]
use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::names::{MOST_NAMES, PUBLIC, SECRETS};
use super::*;

/// On Windows, a path has a drive.
fn answer(path: impl Into<PathBuf>) -> Result<PreToolUseAnswer, Error> {
    let path = path.into();
    let path = if path.has_root() && !path.is_absolute() {
        format!("C:{}", path.display()).into()
    } else {
        path
    };
    let call = PreToolUse::new("Read", Access::File(FileAccess { path }));
    protect_secrets(call, Context::default())
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
        "privkey.pem",
        "ca-key.pem",
        "cert+key.pem",
        "server-cert-key.pem",
        "public-private.pem",
        "ca-central-1.pem",
        "*cert.pem",
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
fn files_by_which_programs_log_in_are_denied() {
    for name in [
        "~/.config/composer/auth.json",
        "~/.config/cursor/auth.json",
        "~/.openai/auth.json",
        "~/.huggingface/token",
        "~/.local/share/com.vercel.cli/auth.json",
        "~/.supabase/access-token",
        "~/.config/some/credentials",
        "~/.config/gcloud/legacy_credentials/me@example.com/adc.json",
        "~/.config/gcloud/access_tokens.db",
        "~/.azure/accessTokens.json",
        "~/.azure/service_principal_entries.json",
        "~/.config/github-copilot/apps.json",
        "~/.config/github-copilot/hosts.json",
        "~/.config/google-chrome/Default/Cookies",
        "~/.config/google-chrome/Default/Login Data",
        "~/.mozilla/firefox/x.default/logins.json",
        "~/.mozilla/firefox/x.default/key4.db",
        "~/.mylogin.cnf",
        "~/.config/stripe/config.toml",
        "~/.wrangler/config/default.toml",
        "~/.config/sops/age/keys.txt",
        "~/.databrickscfg",
        "~/.sentryclirc",
        "~/.config/configstore/firebase-tools.json",
        "~/.config/containers/auth.json",
        "~/.config/ngrok/ngrok.yml",
        "~/.mc/config.json",
        "~/.nuget/NuGet/NuGet.Config",
        "/project/.dev.vars",
        "/project/serviceAccountKey.json",
        "/project/app-firebase-adminsdk-x1.json",
    ] {
        assert!(denied(Context::default().absolute(name)), "{name}");
    }
    for name in [
        "~/.config/some/config.json", "~/.config/some/deep/token", "~/.vscode/extensions/x/token.json",
        "~/project/.config/token", "~/project/src/auth.json", "/project/.some/auth.json", "/project/src/hosts.json",
        "/project/src/chrome/cookies.rs", "/project/cookies", "/project/.dev.vars.example", "/project/NuGet.Config",
        "/project/.sentryclirc", "/project/ngrok.yml", "/project/src/firebase-adminsdk.ts",
    ] {
        assert!(!denied(Context::default().absolute(name)), "{name}");
    }
}

#[test]
fn other_files_pass() {
    for name in [
        "README.md", ".env.example", ".env.sample", ".env.template", ".env.dist", ".env.local.example", "example.env",
        ".env/lib/python3/site.py", ".envrc", "environment", "env", "src/proc/environ", "process.env", "ca.pem",
        "rootCA.pem", "ca-bundle.pem", "server-cert.pem", "server.crt.pem", "fullchain1.pem", "dhparam.pem",
        "x.pub.pem", "jwt_public_key.pem", "id_rsa.pub", ".ssh/id_ed25519.pub", ".ssh/config", "src/id_rsa.rs",
        "keys.rs", "pem", "key", "credentials", "src/credentials.rs", "aws/credentials", "config.json",
        "docker/config.json", "config", ".npmrc",
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
    let project = test_support::folder();
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
    let project = test_support::folder();
    fs::write(project.path().join(".env"), "TOKEN=1").unwrap();
    symlink(".env", project.path().join(".env.example")).unwrap();
    assert!(denied(project.path().join(".env.example")));
}

#[cfg(unix)]
#[test]
fn a_link_on_the_way_counts_whatever_it_leads_to() {
    let project = test_support::folder();
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
    let home = test_support::folder();
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
    let project = test_support::folder();
    symlink(".env", project.path().join("notes.txt")).unwrap();
    assert!(denied(project.path().join("notes.txt")));
}

#[cfg(unix)]
#[test]
fn a_circle_of_links_ends_in_an_error_which_denies() {
    let project = test_support::folder();
    symlink("b", project.path().join("a")).unwrap();
    symlink("a", project.path().join("b")).unwrap();
    assert!(answer(project.path().join("a")).is_err());
}

#[cfg(unix)]
#[test]
fn a_linked_folder_on_the_way_to_a_new_file_counts() {
    let home = test_support::folder();
    fs::create_dir(home.path().join("store")).unwrap();
    symlink("store", home.path().join(".ssh")).unwrap();
    symlink(".ssh", home.path().join("notes")).unwrap();
    // Neither what it is called nor where it is says so.
    assert!(denied(home.path().join("notes/id_work")));
}

#[cfg(unix)]
#[test]
fn a_file_with_certificates_alone_passes() {
    let project = test_support::folder();
    let begin = |what: &str| format!("-----BEGIN {what}-----\nAAAA\n-----END {what}-----\n");
    for (name, text, is_denied) in [
        ("public.pem", begin("CERTIFICATE"), false),
        ("both.pem", begin("CERTIFICATE") + &begin("PRIVATE KEY"), true),
        ("other.pem", "AAAA".to_owned(), true),
        ("server.key", begin("CERTIFICATE"), true),
        ("ca.pem", begin("PRIVATE KEY"), true),
        ("cert.pem", "AAAA".to_owned(), true),
    ] {
        let path = project.path().join(name);
        fs::write(&path, text).unwrap();
        assert_eq!(denied(path), is_denied, "{name}");
    }
}

#[test]
fn settings_in_which_a_token_is_written_are_denied() {
    let project = test_support::folder();
    for (name, text, is_denied) in [
        (".npmrc", "//registry.npmjs.org/:_authToken=npm_x\n", true),
        (".npmrc", "a=b\n_auth = \"eA==\"\n", true),
        (
            ".npmrc",
            "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\nalways-auth=true\n",
            false,
        ),
        (".npmrc", "# _authToken=x\nsave-exact=true\n_password=\n", false),
        (".yarnrc.yml", "npmAuthToken: x\n", true),
        (
            ".yarnrc.yml",
            "npmAuthToken: \"${NPM_TOKEN:-}\"\nnodeLinker: node-modules\n",
            false,
        ),
        (".m2/settings.xml", "<password>x</password>", true),
        (".m2/settings.xml", "<password>${env.X}</password>", false),
        ("android/gradle.properties", "signing.password=x", true),
        ("android/gradle.properties", "org.gradle.jvmargs=-Xmx2g", false),
        (".envrc", "export AWS_SECRET_ACCESS_KEY='x'", true),
        (".sentryclirc", "[auth]\ntoken=x\n", true),
        (".sentryclirc", "[defaults]\norg=x\n", false),
        ("ngrok.yml", "authtoken: x\n", true),
        (".envrc", "use flake\nPATH_add bin\nexport TOKEN=$(op read x)", false),
        ("other.txt", "_authToken=x", false),
    ] {
        let path = project.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        assert_eq!(denied(path), is_denied, "{name}: {text}");
    }
}

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
