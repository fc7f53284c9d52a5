//! The configuration of what checks the code.

mod agents;
mod settings;

use crate::change::{Change, Named, named, script};
use crate::prelude::*;
use crate::protected::Does;
use crate::protected::list::{self, Protected};
use crate::protected::shell;

/// Asks about changes of what the project's code is checked by: the settings of linters, formatters and type checkers, and
/// hooks of git and of Claude Code.
///
/// A model that reads of a finding can turn the rule off as well as fix the code; `forbid-suppressions` of the quality
/// pack denies the comment that does so, and this hook asks about the settings.
///
/// | | asked about |
/// |---|---|
/// | files | `eslint.config.*`, `.eslintrc*`, `biome.json`, `.prettierrc*`, `.stylelintrc*`, `clippy.toml`, `rustfmt.toml`, `deny.toml`, `ruff.toml`, `.flake8`, `.pylintrc`, `mypy.ini`, `pyrightconfig.json`, `pytest.ini`, `.coveragerc`, `.golangci.*`, `.rubocop.yml`, `phpstan.neon`, `checkstyle.xml`, `detekt.yml`, `.clang-tidy`, `.shellcheckrc`, `.yamllint`, `.editorconfig` and the like, with their lists of what is ignored |
/// | git's hooks | `.pre-commit-config.yaml`, `.husky/`, `.githooks/`, `lefthook.yml`, `.overcommit.yml`, the settings of lint-staged and commitlint |
/// | Claude Code's | `.claude/hooks/`, hookkit's own (`.claude/hookkit/`, `.claude/hookkit.toml` …) and `.claude/protected`; plugins that run inside it (`hooks/` and `.claude-plugin/` of a folder in `.claude/skills`), where they are there already; the client itself asks about the project's settings (2.1.330) |
/// | `Cargo.toml` | `[lints]` and `[workspace.lints]` |
/// | `pyproject.toml`, `setup.cfg`, `tox.ini` | the tables of ruff, flake8, pycodestyle, pydocstyle, pylint, mypy, pyright, ty, pyrefly, black, isort, pytest, coverage and bandit |
/// | `package.json` | `eslintConfig`, `eslintIgnore`, `prettier`, `standard`, `stylelint`, `xo`, `jest`, `ava`, `c8`, `nyc`, `husky`, `lint-staged`, `simple-git-hooks`, `commitlint` |
/// | `tsconfig*.json`, `jsconfig.json` | lines of options by which less is found: `strict` and its parts, `noImplicit…`, `noUnused…`, `noUnchecked…` and `checkJs` where they go or become `false`; `allowUn…`, `noCheck` and `skipLibCheck` where they become `true` |
///
/// A file that is not there may be made: most often it brings a check to a project that had none.
/// A workspace adds patterns in the dialect of `.gitignore`, such as `/.github/workflows/`, by [`CheckedFiles`], and takes out
/// others with a `!`.
///
/// Shell commands are looked at as by `protect-files`: what they redirect into, and what `rm`, `mv`, `cp`, `sed -i` and the
/// like change. So are tools of MCP servers: the commands that they run, and the files that they name, unless the tool's name
/// says that it reads.
/// It also asks about an agent that is started without guards: `claude --bare`, `--settings`, `--setting-sources`,
/// `--safe-mode`, `--dangerously-skip-permissions`, `claude config set`, `claude plugin disable`, another `CLAUDE_CONFIG_DIR`, also
/// by the line's own values, and the like of other agents (`codex --yolo`, `gemini -yp`, `opencode --pure`), with a version or a launcher
/// (`npx @openai/codex@latest`, `uvx --from`), and any program without a row in the table that has such an option (`--yolo`,
/// `--dangerously-…`, `--allow-all…`, `--trust-all-tools`). So it does about one that gets a plugin
/// by the line: `--plugin-dir`, `claude plugin install`; and a server of tools, `claude mcp add`.
///
/// # What it cannot see
///
/// - What a shell command or a tool of an MCP server changes in `Cargo.toml`, `pyproject.toml`, `package.json` and `tsconfig.json`.
/// - What git and `find` do to these files: `git rm ruff.toml`, `find -name '*.toml' -delete`; `keep-git-hooks` is about
///   `core.hooksPath`.
/// - Tables in one line and dotted keys (`tool.ruff = {…}`, `lints.clippy.x = …`), a minified `tsconfig.json`, and files that
///   cannot be read.
/// - Settings in code, by options of a command (`ruff --ignore`), in CI, or of a task that runs the linter (`"lint": "true"`).
/// - A file that is new and goes before an old one: `src/.eslintrc`, or a `ruff.toml` next to a `pyproject.toml`.
/// - Tables in several files that one extends.
/// - An agent that has no hooks at all, starts in another folder or without variables, or is not in the list: `amp -x x`,
///   `cd .. && claude -p x`, `env -i claude -p x`.
/// - All that `protect-files` cannot see of a command, and commands in the text of a skill.
///
/// # Errors
///
/// When the target of a file's name cannot be found, and when a command has too many long words. The user is asked then.
#[hook(
    PreToolUse,
    matcher = "^(?:Bash|Edit|NotebookEdit|PowerShell|Write|mcp__.*)$",
    timeout = 5,
    on_failure = ask
)]
pub fn protect_checks(
    call: PreToolUse<Change>,
    context: Context,
    config: Config<CheckedFiles>,
) -> Result<PreToolUseAnswer, Error> {
    let protected = || Protected::checks(&context, &config.patterns);
    let script = script(&call);
    let line = Line {
        text: &script,
        script: &hookkit::shell::analyze(&script),
        context: &context,
        environment: Environment::default(),
    };
    if let Some(why) = agents::unguarded(line) {
        return Ok(PreToolUseAnswer::ask(why));
    }
    let found = match &call.input {
        Change::Text(change) => match protected()?.reason(&context.path(change.path())?) {
            None => settings::changed(change, &context),
            found => found,
        },
        Change::Bash(_) => shell::look(line, protected)?.map(Found::why),
        Change::PowerShell(line) => shell::names(&line.command, &context, protected)?,
        Change::Other(input) => {
            let checks = protected()?;
            let mut changed = named(&call.tool_name, input).filter_map(|named| match named {
                Named::Path(path) | Named::Folder(path) if Does::of(&call.tool_name) != Does::Read => {
                    context.path(path).ok()
                }
                _ => None,
            });
            let found = changed.find_map(|path| checks.reason(&path));
            found.or(shell::look(line, || Ok(checks))?.map(Found::why))
        }
    };
    Ok(match found {
        None => PreToolUseAnswer::pass(),
        Some(why) => {
            PreToolUseAnswer::ask(format!("{why}. Fix the code where it is wrong, and the check only where that is"))
        }
    })
}

/// The configuration of [`protect_checks`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedFiles {
    /// More patterns of files that are asked about: `patterns = ["/.github/workflows/", "!.editorconfig"]`.
    #[serde(deserialize_with = "list::patterns")]
    pub patterns: Vec<String>,
}
