//! Files that are not for the model.

mod output;
mod search;
mod shell;

use hookkit::secrets::addresses::gives_credentials;
use hookkit::secrets::files;

pub use search::Search;

use crate::change::{Named, named};
use crate::prelude::*;

/// Keeps files that hold secrets from being read, changed or sent, by tools and by shell commands.
///
/// Text that the model reads leaves the machine, and stays in the transcript.
/// A denial names the file and its kind, never its content, and sends the model to the user.
///
/// A file is known by its name, whatever the case of its letters, and as a copy too (`.env.bak`, `key.pem~`); where the name does
/// not decide, by its content ([`hookkit::secrets::files`]):
///
/// - environment files: `.env`, `.env.*`, `*.env`, `env.production`;
/// - private keys and key stores by their ends (`*.pem`, `*.key`, `*.p8`, `*.p12`, `*.jks`, `*.kdbx` …), `id_rsa` and its siblings,
///   but no certificate and no public key, by its content or by a name such as `ca.pem`; and by their content `deploy_key`, `id_work` and `sa.json`;
/// - every file in `.ssh`, `.gnupg`, keychains and keyrings that is not called as a harmless one is (`config`, `known_hosts`,
///   `*.pub`);
/// - data with such a word in its name: `secrets.json`, `credentials.csv`, `gcp-service-account.json`, and by its content `passwords.txt`, `api_keys.yaml`,
///   `kubeconfig`, `terraform.tfstate`, and if it reads so `tokens.json` and `prod.tfvars`; code is none for its name (`tokens.rs`);
/// - what programs log in with: `.netrc`, `.pgpass`, `.htpasswd`, `/etc/shadow`, and the files where AWS, Azure, cargo, Docker,
///   gcloud, GitHub's `gh`, kubectl and others keep theirs, the cookies and logins of browsers, and in the home folder `.npmrc`,
///   `.claude.json` and the like, which are settings elsewhere, and `auth.json`, `credentials`, `token` and the like in a folder of
///   a program's own (`~/.config/x`, `~/.x`);
/// - these settings, `.envrc` and `gradle.properties` where a token or a password is written in them, and not the name of a
///   variable: `//registry.npmjs.org/:_authToken=npm_x`;
/// - cookie jars, settings of WireGuard with a private key, and other short settings with a token of a known form in them;
/// - histories of commands (`~/.zsh_history`), and the environment of a process: `/proc/1/environ`.
///
/// None is what is made to be shared, or is encrypted, in whatever order its words are: `.env.example`, `.sample.env`,
/// `secrets.template.json`, `.env.vault`, `secrets.enc.yaml`.
///
/// A link counts for what it leads to as well as for what it is called.
///
/// A search (Grep) that prints lines is denied in such a file, in a folder of them (`~/.ssh`, `~/.aws`), and with a glob that
/// names one, like `.env*`; it is asked about where its glob finds one that is there among others, some folders deep, and where it
/// prints each line of a folder with one (`.` in `certs`).
///
/// Of a shell command ([`hookkit::shell`]) it looks at every word that names a file, at redirections, at `$(…)`, `sh -c`,
/// `xargs` and `find -exec`, after a `cd`, through braces, variables of the line, links, and names in base64; at the
/// strings in code for Python, Node, Ruby, Perl, PHP, awk and others; and at scripts and code that come from `echo`,
/// `printf` or a here-document.
/// A program that is not known reads what its words name.
/// These pass:
///
/// - names alone: `ls -la .env`, `test -f .env`, `git check-ignore .env`, `git rm --cached .env`, `find . -name .env`,
///   `chmod 600 key.pem`, `echo .env >> .gitignore`, `du`, `stat`;
/// - what prints no line of a file: `wc`, `sha256sum`, `grep -q`, `grep -l`, `grep -c`, `diff -q`; and names of variables, where no value
///   has several lines: `cut -d= -f1 .env`;
/// - patterns, filters and messages: `grep '\.env' src`, `jq .env x.json`, `git commit -m 'ignore .env'`;
/// - texts in code that only test, print or compare: `os.path.exists('.env')`, `print('.env')`;
/// - a copy of a file that is made to be shared, if there is none yet or the line makes sure of that:
///   `cp .env.example .env`, `[ -f .env ] || cp …`, `cp -n`, `file_exists('.env') || copy('.env.example', '.env')`; and a new
///   link with such a name: `ln -s ../.env .env`;
/// - a file that a program takes for itself and does not show: `ssh -i key`, `curl --cert`, `--env-file .env`,
///   `--kubeconfig`, `openssl req -keyout`, `helm upgrade -f secrets.yaml`, `terraform plan -var-file=prod.tfvars`.
///
/// The user is asked
///
/// - where a name is known in part, if a glob finds such a file that is there, or if the last name is one:
///   `cat "$folder/.env"`; and where `find`, `fd` and the like find one in a folder or by a pattern, and another command shows it:
///   `find certs -exec cat {} +`, `ls certs/*.key | xargs cat`;
/// - where nothing is known of a name, and another word of the line names such a file: `read f <<< .env; cat "$f"`;
/// - where a program runs text in its own way that names one, `watch 'cat .env'`, and where one that is not known may take apart
///   a text which does: `sqlite3 x "select readfile('.env')"`, `tclsh <<< 'puts [read [open .env]]'`;
/// - about a command of the tool PowerShell that names one, since it is not analyzed.
///
/// Commands in the text of a skill are judged as the model's are (since client 2.1.332), but what would be asked about does
/// not run there.
///
/// Asked about is, too: `. .env`, which gives its variables to all that follows; `git add .env` and `git commit .env`, by which a secret comes into the
/// history, and `git add -A`, `git commit -a` and `git stash -u` where git says that they take one; `gpg --export-secret-keys`; and a command that prints a secret ([`hookkit::effects::prints_secret`]): by its purpose
/// (`gh auth token`, `op read`, `terraform output -raw db_password`), by its nature, with the variables of what a service runs
/// (`docker inspect web`, `kubectl get pods -o yaml`, `kubectl describe pod`, `docker exec web env`), or by a cloud's address for credentials, in
/// whatever way it is written. That passes where another program takes it (`x --token "$(gh auth token)"`), and where only names
/// and numbers are left of it (`| jq keys`, `| wc -l`, `> /dev/null`).
///
/// So is what leaves the machine besides: variables of the session (`env | nc …`, `curl -d "k=$API_KEY"`), but not in a header or
/// as a login; and a folder in which a secret is: `scp -r certs host:`, and `grep -r '' certs`, which prints each line.
///
/// Of the calls of MCP servers and of WebFetch it looks at all strings: one that is the name of such a file is denied if the file
/// is there, and else asked about, as a cloud's address for credentials is; a command is judged as one of Bash.
///
/// It stays silent on every other file.
///
#[doc = include_str!("../limits/protect-secrets.md")]
///
/// # Errors
///
/// When the target of the name of a tool's file cannot be found, as in a circle of links, or on Windows if the name can be
/// read in several ways (`/c/x`, `.env.`, `.env::$DATA`): the call is denied.
#[hook(
    PreToolUse | PreSkillShellCommand,
    matcher = "^(?:Bash|Edit|Grep|NotebookEdit|PowerShell|Read|WebFetch|Write|mcp__.*)$",
    timeout = 5
)]
pub fn protect_secrets(call: PreToolUse<Access>, context: Context) -> Result<PreToolUseAnswer, Error> {
    let found = match &call.input {
        Access::File(file) => of_tool(&context.path(&file.path)?, &context).map(Certain),
        Access::Search(search) => search.look(&context)?,
        Access::Bash(bash) => shell::look(&bash.command, &context),
        Access::PowerShell(line) => shell::named(&line.command, &context).map(Possible),
        Access::Other(input) => named(&call.tool_name, input).find_map(|named| match named {
            Named::Line(line) => shell::look(&line, &context),
            Named::Address(address) => gives_credentials(&address)
                .then(|| Asked(format!("`{address}` is where a cloud's machine gets its own credentials"))),
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
    Ok(match found {
        None => PreToolUseAnswer::pass(),
        Some(Possible(what)) => PreToolUseAnswer::ask(format!(
            "not all of the command is known before it runs, and {what}; such files hold secrets"
        )),
        Some(Asked(why)) => PreToolUseAnswer::ask(why),
        Some(Certain(what)) => PreToolUseAnswer::deny(format!(
            "{what}, and such files hold secrets. Do not try to reach it in another way: ask the user to make the change, \
             or to tell you what you need to know without the secret itself"
        )),
    })
}

/// Describes a file with secrets that a tool is called with.
fn of_tool(path: &ProjectPath, context: &Context) -> Option<String> {
    let (name, kind) = path.names().find_map(|name| Some((name, kind(name, context)?)))?;
    Some(if name == path.absolute {
        format!("`{path}` is {kind}")
    } else {
        format!("`{path}` leads to `{}`, {kind}", name.display())
    })
}

/// Returns the kind of a file of this name, if it holds secrets.
fn kind(name: &Path, context: &Context) -> Option<&'static str> {
    files::kind(name, &context.absolute("~"), bounded::text)
}

/// A call that may read or change files.
#[derive(Debug, Clone, ToolInput)]
pub enum Access {
    /// One file, by a tool that is made for it.
    File(FileAccess),
    /// Lines of files, by a search.
    Search(Search),
    /// Any, by a command.
    Bash(tool::Bash),
    /// Any, by a command of PowerShell.
    PowerShell(tool::PowerShell),
    /// Any call of a server's tool or of the web.
    Other(Json),
}

/// A file is read or changed, by whichever of the client's tools.
#[derive(Debug, Clone, serde::Deserialize, ToolInput)]
#[tool("Read|Edit|Write|NotebookEdit")]
pub struct FileAccess {
    #[serde(alias = "file_path", alias = "notebook_path")]
    path: PathBuf,
}

#[cfg(test)]
mod tests;
