//! Services by their command lines: clouds, containers, secrets, backups, queues, build servers.
//!
//! A word that says so deletes, whichever service it is of; to read and to change are not asked about.

use hookkit::shell::{Command, Word};

use super::Danger;

/// Programs of services, with the words by which only these delete.
const SERVICES: &[(&[&str], &[&str])] = &[
    (
        &[
            "amplify",
            "argocd",
            "atlas",
            "az",
            "b2",
            "bq",
            "buildkite-agent",
            "bw",
            "circleci",
            "cloudflared",
            "consul",
            "copilot",
            "crane",
            "databricks",
            "doctl",
            "doppler",
            "eksctl",
            "etcdctl",
            "firebase",
            "flux",
            "gcloud",
            "gh",
            "glab",
            "hcloud",
            "heroku",
            "ibmcloud",
            "infisical",
            "influx",
            "istioctl",
            "kops",
            "linode-cli",
            "mc",
            "netlify",
            "nomad",
            "oci",
            "op",
            "oras",
            "pscale",
            "rabbitmqadmin",
            "railway",
            "s3cmd",
            "sam",
            "scw",
            "sentry-cli",
            "skopeo",
            "snyk",
            "stripe",
            "supabase",
            "turso",
            "twilio",
            "vault",
            "velero",
            "vercel",
            "wrangler",
        ],
        &["uninstall"],
    ),
    (&["aws"], &["unsubscribe"]),
    (&["gh"], &["archive"]),
    (&["etcdctl", "nats", "s3cmd"], &["del"]),
    (&["bq", "nats", "vercel"], &["rm"]),
    (&["fly", "flyctl"], &[]),
    (
        &["rabbitmqctl"],
        &["reset", "force_reset", "forget_cluster_node", "clear_permissions"],
    ),
    (
        &["rclone"],
        &["sync", "move", "deletefile", "rmdir", "rmdirs", "cleanup"],
    ),
    (&["restic"], &["forget"]),
    (&["borg"], &["compact", "rdelete", "repo-delete"]),
    (&["gitlab-runner"], &["unregister"]),
    (&["jenkins-cli", "jenkins-cli.jar"], &[]),
    (
        &["kafka-acls", "kafka-configs", "kafka-consumer-groups", "kafka-topics"],
        &["--delete", "--remove", "--delete-config", "--alter-and-delete"],
    ),
    (&["kafka-delete-records"], &["--offset-json-file"]),
    (&["security"], &["dump-keychain"]),
];

/// The words by which services delete: alone, before a dash, an underscore or a colon, or behind a colon.
const VERBS: &[&str] = &[
    "delete",
    "deregister",
    "destroy",
    "disable",
    "drop",
    "purge",
    "prune",
    "remove",
    "revoke",
    "terminate",
];

/// The word comes behind the options that select a service.
const MOST_WORDS: usize = 12;

/// Options with which nothing is done.
const DRY: &[&str] = &["--dry-run", "--dryrun", "--help", "-h"];

/// Programs of which `-n` is one too. Of others it gives a name or a namespace.
const SHORT_DRY: &[&str] = &["borg", "rclone", "restic", "s3cmd"];

/// Returns the danger of a command of a service.
pub(super) fn delete(command: &Command) -> Option<Danger> {
    let program = command.program()?;
    if program == "curl" {
        return by_method(command);
    }
    let mut words = command.arguments();
    let mut name = program.strip_suffix(".sh").unwrap_or(program);
    if name == "java" {
        let at = words.iter().position(|word| word.literal() == Some("-jar"))?;
        name = words.get(at + 1)?.literal()?.rsplit('/').next()?;
        words = words.get(at + 2..).unwrap_or_default();
    }
    let services = SERVICES.iter().filter(|(programs, _)| programs.contains(&name));
    let own: Vec<&str> = services.clone().flat_map(|(_, own)| own.iter().copied()).collect();
    services.clone().next()?;
    let known = words
        .iter()
        .take_while(|word| word.literal() != Some("--"))
        .take(MOST_WORDS);
    let known: Vec<&str> = known.filter_map(Word::literal).collect();
    let deletes = known.iter().any(|word| own.contains(word) || is_verb(word));
    let is_dry = || {
        words
            .iter()
            .filter_map(Word::literal)
            .any(|word| DRY.contains(&word) || word == "-n" && SHORT_DRY.contains(&name))
    };
    (deletes && !is_dry()).then(|| Danger::ask(format!("`{command}` deletes from a service")))
}

fn is_verb(word: &str) -> bool {
    let parts = |word: &str, verb: &str| {
        let rest = word.strip_prefix(verb);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_', ':']))
    };
    let behind = word.rsplit_once(':').map(|(_, behind)| behind);
    VERBS.iter().any(|verb| parts(word, verb) || behind == Some(verb))
}

/// Ports of databases and search engines, which have data on the user's own machine, too.
const PORTS: &[&str] = &["5984", "7700", "8086", "8108", "8500", "9200", "9201"];

/// Returns the danger of a request that deletes. To a server of one's own it is a test.
fn by_method(command: &Command) -> Option<Danger> {
    let words = command.arguments();
    let deletes = words.iter().enumerate().any(|(index, word)| match word.literal() {
        Some("-X" | "--request") => words.get(index + 1).and_then(Word::literal) == Some("DELETE"),
        Some(text) => matches!(text, "-XDELETE" | "--request=DELETE"),
        None => false,
    });
    let is_own = |url: &str| {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = rest.split(['/', '?']).next().unwrap_or_default();
        let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
        matches!(name, "localhost" | "127.0.0.1" | "[::1]") && !PORTS.contains(&port)
    };
    let mut urls = words.iter().map(Word::known_start).filter(|text| {
        text.contains("://")
            || text.starts_with("localhost")
            || text.starts_with("127.0.0.1")
            || text.starts_with("[::1]")
    });
    let is_own = urls.next().is_some_and(is_own);
    (deletes && !is_own).then(|| Danger::ask(format!("`{command}` deletes from a service")))
}
