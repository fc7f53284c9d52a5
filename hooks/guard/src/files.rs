//! Guard for files with secrets.

mod output;
mod search;
mod shell;

use hookkit::secrets::addresses::gives_credentials;
use hookkit::secrets::files;

pub use search::Search;

use crate::change::named;
use crate::prelude::*;

/// Denies tools and shell commands that read, change or send files with secrets.
///
/// Text that the model reads leaves the machine, and stays in the transcript. A denial names the file and its kind,
/// never its content, with the advice to ask the user.
///
/// A file is recognized by its name, in any case and also as a copy (`.env.bak`, `key.pem~`); if the name is not
/// enough, by its content ([`hookkit::secrets::files`]):
///
/// - environment files: `.env`, `.env.*`, `*.env`, `env.production`;
/// - private keys and key stores by their extensions (`*.pem`, `*.key`, `*.p8`, `*.p12`, `*.jks`, `*.kdbx` …), `id_rsa`
///   and its siblings, but not certificates or public keys, recognized by their content or by a name such as `ca.pem`;
///   and any short file that is a private key: `deploy_rsa`, `sa.json`;
/// - every file in `.ssh`, `.gnupg`, keychains and keyrings, except those with harmless names (`config`, `known_hosts`,
///   `*.pub`);
/// - data files with a word for secrets in the name: `secrets.json`, `credentials.csv`, `gcp-service-account.json`; depending
///   on their content `passwords.txt`, `api_keys.yaml`, `kubeconfig`, `terraform.tfstate`, `tokens.json` and `prod.tfvars`; but
///   no code (`tokens.rs`);
/// - files with which programs log in: `.netrc`, `.pgpass`, `.htpasswd`, `/etc/shadow`, and the login files of AWS,
///   Azure, cargo, Docker, gcloud, GitHub's `gh`, kubectl and others, the cookies and logins of browsers; in the home
///   folder also `.npmrc`, `.claude.json` and the like, which are settings elsewhere, and `auth.json`, `credentials`,
///   `token` and the like in a program's own folder (`~/.config/x`, `~/.x`);
/// - the settings above, `.envrc` and `gradle.properties` if they contain a token or a password rather than the name of
///   a variable: `//registry.npmjs.org/:_authToken=npm_x`;
/// - cookie jars, WireGuard settings with a private key, Docker's logins, and other short settings, or files without an
///   extension, that contain a token of a known form;
/// - command histories (`~/.zsh_history`), and the environment of a process: `/proc/1/environ`.
///
/// Files that are meant to be shared, or are encrypted, do not count, whatever the order of the words: `.env.example`,
/// `.sample.env`, `secrets.template.json`, `.env.vault`, `secrets.enc.yaml`.
///
/// A link is judged by its target as well as by its own name.
///
/// A search (Grep) that prints lines is denied in such a file, in a folder of such files (`~/.ssh`, `~/.aws`), and with
/// a glob that names such a file, like `.env*`. The user is asked if the glob also matches an existing file with
/// secrets, some folders deep, or if the search prints every line of a folder with such a file (`.` in `certs`).
///
/// In a shell command ([`hookkit::shell`]), every word that names a file is judged, also in redirections, `$(…)`, `sh
/// -c`, `xargs` and `find -exec`, after a `cd`, and through braces, variables of the line, links, and names in base64.
/// Strings in code for Python, Node, Ruby, Perl, PHP, awk and others are judged, too, and so are scripts and code from
/// `echo`, `printf` or a here-document. An unsupported program counts as a reader of every file that its words name.
/// These pass:
///
/// - uses of the name alone: `ls -la .env`, `test -f .env`, `git check-ignore .env`, `git rm --cached .env`,
///   `find . -name .env`, `chmod 600 key.pem`, `echo .env >> .gitignore`, `du`, `stat`;
/// - commands that print no line of a file: `wc`, `sha256sum`, `grep -q`, `grep -l`, `grep -c`, `diff -q`; and commands
///   that print names of variables, if no value has several lines: `cut -d= -f1 .env`;
/// - patterns, filters and messages: `grep '\.env' src`, `jq .env x.json`, `git commit -m 'ignore .env'`;
/// - strings in code that only test, print or compare: `os.path.exists('.env')`, `print('.env')`;
/// - copies of a file that is meant to be shared, if the new file does not exist yet, or the line checks this: `cp
///   .env.example .env`, `[ -f .env ] || cp …`, `cp -n`, `file_exists('.env') || copy('.env.example', '.env')`; and a
///   new link with such a name: `ln -s ../.env .env`;
/// - files that a program uses itself without showing them: `ssh -i key`, `curl --cert`, `--env-file .env`, `--kubeconfig`,
///   `openssl req -keyout`, `helm upgrade -f secrets.yaml`, `terraform plan -var-file=prod.tfvars`.
///
/// The user is asked:
///
/// - if only a part of a name is literal, and either a glob matches an existing file with secrets, or the last
///   component names such a file: `cat "$folder/.env"`; and if `find`, `fd` and the like find such a file in a folder
///   or by a pattern, and another command shows it: `find certs -exec cat {} +`, `ls certs/*.key | xargs cat`;
/// - if no part of a name is literal, and another word of the line names such a file: `read f <<< .env; cat "$f"`;
/// - if a program runs a text that names such a file, `watch 'cat .env'`, and if an unsupported program may interpret
///   such a text: `sqlite3 x "select readfile('.env')"`, `tclsh <<< 'puts [read [open .env]]'`;
/// - if a PowerShell command names such a file, because it is not analyzed.
///
/// Since client 2.1.332, commands in the text of a skill are judged like the model's, but a command that would be asked
/// about does not run there.
///
/// The user is also asked about `. .env`, which gives its variables to all later commands; `git add .env` and `git
/// commit .env`, which put a secret into the history; `git add -A`, `git commit -a` and `git stash -u` if git reports
/// that they add such a file; `gpg --export-secret-keys`; and a command that prints a secret
/// ([`hookkit::effects::prints_secret`]). Printing it may be the command's purpose (`gh auth token`, `op read`,
/// `terraform output -raw db_password`), or the secret may come with the variables of a service (`docker inspect web`,
/// `kubectl get pods -o yaml`, `kubectl describe pod`, `docker exec web env`) or from a cloud's address for
/// credentials, in any notation. Such a command passes if another program takes the output (`x --token "$(gh auth
/// token)"`), or if only names and numbers remain (`| jq keys`, `| wc -l`, `> /dev/null`).
///
/// The user is asked, too, if something else leaves the machine: variables of the session (`env | nc …`, `curl -d
/// "k=$API_KEY"`), except in a header or as a login; and a folder that contains a secret: `scp -r certs host:`, and
/// `grep -r '' certs`, which prints every line.
///
/// In calls of MCP servers and of WebFetch, all strings are judged. The call is denied if a string names an existing
/// file with secrets. If the file does not exist, or the string is a cloud's address for credentials, the user is
/// asked. A command is judged like a Bash command.
///
/// All other files pass.
///
#[doc = include_str!("../limits/protect-secrets.md")]
///
/// # Errors
///
/// Fails if the target of a tool's file cannot be resolved, as in a loop of links, or if the name can be read in
/// several ways on Windows (`/c/x`, `.env.`, `.env::$DATA`). Then the call is denied.
#[hook(
    PreToolUse | PreSkillShellCommand,
    matcher = "^(?:Bash|Edit|Grep|NotebookEdit|PowerShell|Read|WebFetch|Write|mcp__.*)$",
    timeout = 5
)]
pub fn protect_secrets(call: PreToolUse<Access>, context: Context) -> Result<Option<PreToolUseAnswer>, Error> {
    let found = match &call.input {
        Access::File(file) => of_tool(&context.path(&file.path)?, &context).map(Certain),
        Access::Search(search) => search.look(&context)?,
        Access::Bash(bash) => shell::look(&bash.command, &context),
        Access::PowerShell(line) => shell::named(&line.command, &context).map(Possible),
        Access::Other(input) => named(&call.tool_name, input).find_map(|named| match named {
            Named::Line(line) => shell::look(&line, &context),
            Named::Address(address) => {
                gives_credentials(&address).then(|| Asked(format!("`{address}` serves a cloud machine's credentials")))
            }
            Named::Path(path) | Named::Folder(path) => {
                let path = context.path(&path).ok()?;
                let found = of_tool(&path, &context)?;
                // A server may have files of its own.
                Some(match path.absolute.symlink_metadata() {
                    Ok(_) => Certain(found),
                    Err(_) => Asked(format!("{found}, and such files hold secrets")),
                })
            }
        }),
    };
    Ok(found.map(|found| match found {
        Possible(what) => PreToolUseAnswer::ask(format!(
            "a part of the command is computed at run time, and {what}; such files hold secrets"
        )),
        Asked(why) => PreToolUseAnswer::ask(why),
        Certain(what) => PreToolUseAnswer::deny(format!(
            "{what}, and such files hold secrets. Do not try to reach it in another way: ask the user to make the \
             change, or to tell you what you need to know without the secret itself"
        )),
    }))
}

/// Describes the file with secrets in a tool's call.
fn of_tool(path: &ProjectPath, context: &Context) -> Option<String> {
    let (name, kind) = path.names().find_map(|name| Some((name, kind(name, context)?)))?;
    Some(if name == path.absolute {
        format!("`{path}` is {kind}")
    } else {
        format!("`{path}` leads to `{}`, {kind}", name.display())
    })
}

/// Returns the kind of secrets in a file, from its name and content; `None` if there are none.
fn kind(name: &Path, context: &Context) -> Option<&'static str> {
    files::kind(name, &context.absolute("~"), bounded::text)
}

/// A call that may read or change files.
#[derive(Debug, Clone, ToolInput)]
pub enum Access {
    /// One file, through a tool for files.
    File(FileAccess),
    /// Lines of files, through a search.
    Search(Search),
    /// Any files, through a command.
    Bash(tool::Bash),
    /// Any files, through a command of PowerShell.
    PowerShell(tool::PowerShell),
    /// Any call of an MCP server's tool or a web tool.
    Other(Json),
}

/// A call of one of the client's tools that reads or changes a file.
#[derive(Debug, Clone, serde::Deserialize, ToolInput)]
#[tool("Read|Edit|Write|NotebookEdit")]
pub struct FileAccess {
    #[serde(alias = "file_path", alias = "notebook_path")]
    path: PathBuf,
}

#[cfg(test)]
mod tests;
