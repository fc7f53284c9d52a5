//! Which files are protected, and why.

use std::io::ErrorKind;

use hookkit::glob::{Found, Patterns};
use hookkit::{Context, Environment, Error, ProjectPath};

use crate::text_file;

/// The project's own list.
pub(super) const FILE: &str = ".claude/protected";

/// Its longest, in bytes.
const LONGEST: u64 = 1 << 20;

/// A list by a variable, for what a workspace protects in each of its projects.
pub(super) const VARIABLE: &str = "PROTECTED_FILES";

/// Patterns that hold everywhere, what they are called together, and why nobody edits such a file.
struct BuiltIn {
    name: &'static str,
    patterns: &'static str,
    why: &'static str,
}

const GIT: BuiltIn = BuiltIn {
    name: "git",
    patterns: ".git\n",
    why: "git writes what is in there: use its commands",
};

const LOCK_FILES: BuiltIn = BuiltIn {
    name: "lock files",
    patterns: "\
*.lockfile
.terraform.lock.hcl
Cargo.lock
Chart.lock
Gemfile.lock
MODULE.bazel.lock
Package.resolved
Pipfile.lock
Podfile.lock
bun.lock
bun.lockb
cabal.project.freeze
composer.lock
conan.lock
deno.lock
flake.lock
go.sum
mix.lock
npm-shrinkwrap.json
package-lock.json
packages.lock.json
pdm.lock
pixi.lock
pnpm-lock.yaml
poetry.lock
pubspec.lock
pylock.toml
rebar.lock
stack.yaml.lock
uv.lock
yarn.lock
",
    why: "its package manager writes it: have that do it, by a command such as `cargo update` or `npm install`",
};

/// No list takes these out again.
const OWN: BuiltIn = BuiltIn {
    name: "hookkit",
    patterns: "/.claude/protected\n/.claude/hookkit/\n",
    why: "it decides what you may do",
};

impl BuiltIn {
    fn patterns(&self) -> Result<Patterns, Error> {
        Patterns::parse(self.name, self.patterns)
    }
}

/// Which files are protected in a project.
pub(super) struct Protected {
    built_in: Patterns,
    all: Patterns,
    /// Where the project's list is.
    own: ProjectPath,
}

impl Protected {
    /// Reads the lists.
    ///
    /// # Errors
    ///
    /// When the project's list cannot be read, or a line of a list can never match.
    pub(super) fn of(context: &Context, environment: Environment) -> Result<Self, Error> {
        let built_in = GIT.patterns()?.and(LOCK_FILES.patterns()?).ignoring_case();
        let mut all = built_in.clone();
        if let Some(text) = environment.variable(VARIABLE) {
            all = all.and(Patterns::parse(VARIABLE, &text.to_string_lossy())?);
        }
        match text_file::read(&context.project_dir.join(FILE), LONGEST) {
            Ok(text) => all = all.and(Patterns::parse(FILE, &text)?),
            Err(err) if err.kind() == ErrorKind::NotFound => {}
            Err(err) => return Err(Error::msg(format_args!("`{FILE}` cannot be read: {err}"))),
        }
        let all = all.and(OWN.patterns()?);
        Ok(Self {
            built_in,
            all,
            own: context.path(context.project_dir.join(FILE))?,
        })
    }

    /// Why a file is not to be changed, if it is protected by any of its names.
    pub(super) fn reason(&self, path: &ProjectPath) -> Option<String> {
        let (name, found) = self.find(path)?;
        let subject = if path.absolute.ends_with(&name) {
            format!("`{path}` is protected")
        } else {
            format!("`{path}` leads to `{name}`, which is protected")
        };
        Some(subject + &why(found))
    }

    /// Why a folder is not to be taken away: it holds the list.
    pub(super) fn reason_to_keep(&self, path: &ProjectPath) -> Option<String> {
        let own = self.own.resolved.starts_with(&path.resolved);
        own.then(|| {
            format!(
                "`{FILE}` in `{path}` is protected, since {}: ask the user to make the change",
                OWN.why
            )
        })
    }

    /// Why a file of this name is not to be changed, wherever it may be.
    pub(super) fn reason_of_name(&self, name: &str) -> Option<String> {
        let found = self.all.find(name.strip_prefix("./").unwrap_or(name))?;
        Some(format!("`{name}` may be protected{}", why(found)))
    }

    /// The name of a file by which it is protected, and the line that says so.
    fn find(&self, path: &ProjectPath) -> Option<(String, Found<'_>)> {
        // A pattern that ends with a slash is for folders alone.
        let end = if path.resolved.is_dir() { "/" } else { "" };
        let mut of_project = path.relative_names();
        if let Some(found) = of_project.find_map(|name| Some((name.clone(), self.all.find(&(name + end))?))) {
            return Some(found);
        }
        // What lies elsewhere is no business of the project's lists.
        let mut names = path.names().filter(|_| path.relative.is_none());
        names.find_map(|name| {
            let name = name.to_string_lossy();
            let found = self.built_in.find(&(name.trim_start_matches('/').to_owned() + end))?;
            // A copy that is put aside is no harm.
            let is_new = found.source() == LOCK_FILES.name && path.resolved.symlink_metadata().is_err();
            (!is_new).then(|| (name.into_owned(), found))
        })
    }
}

/// What follows on "is protected".
fn why(found: Found<'_>) -> String {
    let Some(built_in) = [&GIT, &LOCK_FILES, &OWN]
        .into_iter()
        .find(|list| list.name == found.source())
    else {
        return format!(" by {found}. Do not try to reach it in another way: ask the user to make the change");
    };
    let why = built_in.why;
    if built_in.name == OWN.name {
        return format!(", since {why}: ask the user to make the change");
    }
    format!(
        ", since {why}; or ask the user, who can allow it by the line `!{}` in `{FILE}`",
        found.pattern()
    )
}
