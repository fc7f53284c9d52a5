//! Guard for packages that a command fetches.

mod registry;

use crate::branches::fits;
use crate::change::script;
use crate::prelude::*;

use self::registry::{Registry, Source};

/// Asks before installing a package that the project does not have.
///
/// Anybody can register a name that a model invents or misspells, and most package managers run scripts of a package when they
/// install it.
///
/// The question lists each package that no lock file or manifest names, in the folder or above it in the project. It
/// adds the facts that can be determined without the network:
///
/// - it comes from an address instead of a registry (`git+https://…`, `user/repository`);
/// - its name is one letter away from a common one (`lodahs`);
/// - scripts of the package run during the install, because no option prevents them.
///
/// | registry | commands |
/// |---|---|
/// | npm | `install` and `add` of npm, pnpm, yarn and bun |
/// | PyPI | `pip install`, `uv add`, `uv pip install`, `uv tool install`, `poetry add`, `pdm add`, `pipenv install`, `pipx install` |
/// | others | `cargo add`, `cargo install`, `go get`, `go install`, `gem install`, `bundle add`, `composer require` |
///
/// A command run by an MCP server's tool is judged like a Bash command.
///
/// Commands without a package's name pass (`npm ci`, `pip install -r requirements.txt`), and so do files of the project, and
/// the names in [`Packages`].
///
/// With [`look_up`](Packages::look_up), the hook asks npm about packages of npm's registry. The question then reports
/// packages that do not exist, and versions younger than a week. npm runs with the user's own settings, not with the
/// project's.
///
#[doc = include_str!("../limits/check-packages.md")]
///
/// # Errors
///
/// Fails if a lock file cannot be read, is not UTF-8 or is larger than 32 MiB, or if npm fails. Then the call is
/// denied.
#[hook(PreToolUse | PreSkillShellCommand, matcher = "^(?:Bash|mcp__.*)$", timeout = 20)]
pub fn check_packages(
    call: PreToolUse<Change>,
    context: Context,
    environment: Environment,
    config: Config<Packages>,
) -> Result<Option<PreToolUseAnswer>, Error> {
    let text = &script(&call);
    let script = shell::analyze(text);
    let line = Line { text, script: &script, context: &context, environment };
    for command in &line.commands() {
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
            return Ok(Some(PreToolUseAnswer::ask(format!(
                "`{command}` fetches packages that the project does not have: {}.{} Check that each name is the package that you intend",
                new.join("; "),
                scripts.unwrap_or_default()
            ))));
        }
    }
    Ok(None)
}

/// The configuration of [`check_packages`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packages {
    /// Names to allow without a question. A `*` at the end matches any rest: `@acme/*`.
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

/// Returns the words that name packages, with `…` for each part that is not literal.
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

    fn answer(line: &str, project: &Path) -> Option<PreToolUseAnswer> {
        check_packages(bash(line), context(project), Environment::default(), Config::default()).unwrap()
    }

    #[test]
    fn each_line_ends_as_it_is_said() {
        let lines = test_support::lines!("lines/check-packages.txt");
        lines.check_in_folders("", |_, project, line| {
            let answer = answer(line, project);
            if answer.is_none() { "pass" } else { "ask" }.to_owned()
        });
    }

    #[test]
    fn the_documentation_says_what_is_not_seen() {
        let page = include_str!("../limits/check-packages.md");
        let folder = test_support::folder();
        for (heading, passes) in [(lines::NOT_SEEN, true), (lines::HARMLESS, false)] {
            for line in lines::of_table(page, heading) {
                let found = answer(&line, folder.path()).is_none();
                assert_eq!(found, passes, "{line}");
            }
        }
    }
}
