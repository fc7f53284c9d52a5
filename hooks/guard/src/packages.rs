//! Packages that a command fetches.

mod registry;

use crate::branches::fits;
use crate::change::{Change, script};
use crate::prelude::*;
use crate::variables::commands;

use self::registry::{Registry, Source};

/// Asks about the install of a package that the project does not have.
///
/// A name that a model invents, or spells wrongly, can be registered by anybody, and most package managers run scripts of a
/// package as they install it.
///
/// The question names each package whose name is not in a lock file or a manifest of the folder, or of one above it in the
/// project, and says what can be determined without the network:
///
/// - it comes from an address and not from a registry (`git+https://…`, `user/repository`);
/// - its name is one letter from one that many use (`lodahs`);
/// - scripts of the package run during the install, since no option prevents it.
///
/// | registry | commands |
/// |---|---|
/// | npm | `install` and `add` of npm, pnpm, yarn and bun |
/// | PyPI | `pip install`, `uv add`, `uv pip install`, `uv tool install`, `poetry add`, `pdm add`, `pipenv install`, `pipx install` |
/// | others | `cargo add`, `cargo install`, `go get`, `go install`, `gem install`, `bundle add`, `composer require` |
///
/// A command that a tool of an MCP server runs is judged as one of Bash.
///
/// It stays silent where no package is named (`npm ci`, `pip install -r requirements.txt`), about files of the project, and about
/// the names of [`Packages`].
///
/// With [`look_up`](Packages::look_up), it asks npm about the packages of its registry: one that is not there, and a version
/// younger than a week, are named in the question. npm then runs with the user's own settings, and not with the project's.
///
#[doc = include_str!("../limits/check-packages.md")]
///
/// # Errors
///
/// When a lock file cannot be read, is not UTF-8 or has more than 32 MiB, and when npm fails. The call is denied then.
#[hook(PreToolUse | PreSkillShellCommand, matcher = "^(?:Bash|mcp__.*)$", timeout = 20)]
pub fn check_packages(
    call: PreToolUse<Change>,
    context: Context,
    environment: Environment,
    config: Config<Packages>,
) -> Result<PreToolUseAnswer, Error> {
    let text = &script(&call);
    let script = shell::analyze(text);
    let line = Line { text, script: &script, context: &context, environment };
    for command in &commands(line) {
        let Some(read) = Read::of(command).filter(|read| read.program.last() == Role::Package) else {
            continue;
        };
        let Some(registry) = Registry::of(&read.program) else {
            continue;
        };
        let mut present = None;
        let mut new = Vec::new();
        for text in fetched(&read) {
            let remark = match Source::of(&text, &registry) {
                Source::Local => continue,
                Source::Address => ", which is not from the registry".to_owned(),
                Source::Name(name) if config.allows(name) => continue,
                Source::Name(name) => {
                    let present = match &present {
                        Some(texts) => texts,
                        None => {
                            let folders = Folders::of(&script, &context).within(&read.values(Role::Folder));
                            present.insert(registry.present(&folders.contexts, &context)?)
                        }
                    };
                    if present.iter().any(|text| registry::names(text, name)) {
                        continue;
                    }
                    let similar = registry.similar(name);
                    let similar = similar.map(|known| format!(", one letter from `{known}`"));
                    let age = (config.look_up && registry.is_npm()).then(|| registry::look_up(&text)).transpose()?;
                    similar.into_iter().chain(age.flatten()).collect()
                }
            };
            new.push(format!("`{text}`{remark}"));
        }
        if !new.is_empty() {
            let scripts = registry.scripts().filter(|option| !read.has(option));
            let scripts =
                scripts.map(|option| format!(" Without `--{option}`, scripts of a package run during the install."));
            return Ok(PreToolUseAnswer::ask(format!(
                "`{command}` fetches what the project does not have: {}.{} Check that each name is the package that you mean",
                new.join("; "),
                scripts.unwrap_or_default()
            )));
        }
    }
    Ok(PreToolUseAnswer::pass())
}

/// The configuration of [`check_packages`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packages {
    /// Names that are not asked about. A `*` at the end is any rest: `@acme/*`.
    pub allowed: Vec<String>,
    /// `true` to ask npm about each package of its registry that is new to the project.
    pub look_up: bool,
}

impl Default for Packages {
    fn default() -> Self {
        Self { allowed: ["npm", "pip", "setuptools", "wheel"].map(str::to_owned).into(), look_up: false }
    }
}

impl Packages {
    fn allows(&self, name: &str) -> bool {
        self.allowed.iter().any(|allowed| fits(allowed, name))
    }
}

/// Returns the words that name packages, with `…` for what is not literal.
fn fetched(read: &Read) -> Vec<String> {
    let words = read.arguments.iter().filter_map(|argument| match *argument {
        Argument::Operand(word) => Some(word.to_string()),
        Argument::Known { takes: Takes::Value(Role::Package), value: Some((word, at)), .. } => {
            Some(word.after(at).to_string())
        }
        _ => None,
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{bash, context};
    use test_support::lines;

    fn answer(line: &str, project: &Path) -> PreToolUseAnswer {
        check_packages(bash(line), context(project), Environment::default(), Config::default()).unwrap()
    }

    #[test]
    fn each_line_ends_as_it_is_said() {
        let lines = test_support::lines!("lines/check-packages.txt");
        lines.check_in_folders("", |_, project, line| {
            let answer = answer(line, project);
            if answer == PreToolUseAnswer::pass() { "pass" } else { "ask" }.to_owned()
        });
    }

    #[test]
    fn the_documentation_says_what_is_not_seen() {
        let page = include_str!("../limits/check-packages.md");
        let folder = test_support::folder();
        for (heading, passes) in [(lines::NOT_SEEN, true), (lines::HARMLESS, false)] {
            for line in lines::of_table(page, heading) {
                let found = answer(&line, folder.path()) == PreToolUseAnswer::pass();
                assert_eq!(found, passes, "{line}");
            }
        }
    }
}
