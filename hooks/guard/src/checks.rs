//! Guard for the configuration of linters, tests and hooks.

mod agents;
mod settings;

use crate::change::{named, script};
use crate::prelude::*;
use crate::protected::Does;
use crate::protected::list::{self, Protected};
use crate::protected::shell;

/// Asks about changes to the project's checks: the settings of linters, formatters and type checkers, and the hooks of git
/// and Claude Code.
///
/// A model that reads a finding can turn off the rule as easily as fix the code. `forbid-suppressions` of the quality pack
/// denies comments that turn a rule off, and this hook asks about the settings.
///
/// | | asked about |
/// |---|---|
/// | files | `eslint.config.*`, `.eslintrc*`, `biome.json`, `.prettierrc*`, `.stylelintrc*`, `clippy.toml`, `rustfmt.toml`, `deny.toml`, `ruff.toml`, `.flake8`, `.pylintrc`, `mypy.ini`, `pyrightconfig.json`, `pytest.ini`, `.coveragerc`, `.golangci.*`, `.rubocop.yml`, `phpstan.neon`, `checkstyle.xml`, `detekt.yml`, `.clang-tidy`, `.shellcheckrc`, `.yamllint`, `.editorconfig` and the like, with their ignore files |
/// | git's hooks | `.pre-commit-config.yaml`, `.husky/`, `.githooks/`, `lefthook.yml`, `.overcommit.yml`, the settings of lint-staged and commitlint |
/// | Claude Code's | `.claude/hooks/`, hookkit's own (`.claude/hookkit/`, `.claude/hookkit.toml` …) and `.claude/protected`; plugins that run inside it (`hooks/` and `.claude-plugin/` of a folder in `.claude/skills`), where they exist already; the client itself asks about the project's settings (2.1.330) |
/// | `Cargo.toml` | `[lints]` and `[workspace.lints]` |
/// | `pyproject.toml`, `setup.cfg`, `tox.ini` | the tables of ruff, flake8, pycodestyle, pydocstyle, pylint, mypy, pyright, ty, pyrefly, black, isort, pytest, coverage and bandit |
/// | `package.json` | `eslintConfig`, `eslintIgnore`, `prettier`, `standard`, `stylelint`, `xo`, `jest`, `ava`, `c8`, `nyc`, `husky`, `lint-staged`, `simple-git-hooks`, `commitlint` |
/// | `tsconfig*.json`, `jsconfig.json` | lines of options that make the check find less: `strict` and its parts, `noImplicit…`, `noUnused…`, `noUnchecked…` and `checkJs` where they go or become `false`; `allowUn…`, `noCheck` and `skipLibCheck` where they become `true` |
///
/// New files pass: most of them bring a check to a project that had none.
/// A workspace adds patterns with [`CheckedFiles`], in the syntax of `.gitignore`, such as `/.github/workflows/`, and removes
/// others with a `!`.
///
/// Shell commands are judged as in `protect-files`: the files that they redirect into, or change with `rm`, `mv`, `cp`,
/// `sed -i` and the like. For tools of MCP servers, the hook judges the commands and the files in the input, unless the
/// tool's name means that it only reads. It also asks about an agent started without guards: `claude --bare`,
/// `--settings`, `--setting-sources`, `--safe-mode`, `--dangerously-skip-permissions`, `claude config set`, `claude
/// plugin disable`, another `CLAUDE_CONFIG_DIR`, even if the option is in a variable of the line. It also asks about
/// other agents (`codex --yolo`, `gemini -yp`, `opencode --pure`), with a version or a launcher (`npx
/// @openai/codex@latest`, `uvx --from`), and about any program without a row in the table that has such an option
/// (`--yolo`, `--dangerously-…`, `--allow-all…`, `--trust-all-tools`). It asks, too, if the line adds a plugin
/// (`--plugin-dir`, `claude plugin install`) or a server of tools (`claude mcp add`).
///
/// # What it cannot see
///
/// - Changes of `Cargo.toml`, `pyproject.toml`, `package.json` and `tsconfig.json` by a shell command or a tool of an MCP
///   server.
/// - Changes of these files by git and `find`: `git rm ruff.toml`, `find -name '*.toml' -delete`; `keep-git-hooks` guards
///   `core.hooksPath`.
/// - Tables in one line and dotted keys (`tool.ruff = {…}`, `lints.clippy.x = …`), a minified `tsconfig.json`, and files that
///   cannot be read.
/// - Settings in code, in options of a command (`ruff --ignore`), in CI, or in a task that runs the linter (`"lint": "true"`).
/// - A new file that takes precedence over an old one: `src/.eslintrc`, or a `ruff.toml` next to a `pyproject.toml`.
/// - Tables in other files that a configuration extends.
/// - An agent that has no hooks at all, starts in another folder or without variables, or is not in the list: `amp -x x`,
///   `cd .. && claude -p x`, `env -i claude -p x`.
/// - Everything that `protect-files` cannot see in a command, and commands in the text of a skill.
///
/// # Errors
///
/// Fails if a file's name cannot be resolved, or if a command has too many long words. Then the user is asked.
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
) -> Result<Option<PreToolUseAnswer>, Error> {
    let protected = || Protected::checks(&context, &config.patterns);
    let script = script(&call);
    let line = Line {
        text: &script,
        script: &hookkit::shell::analyze(&script),
        context: &context,
        environment: Environment::default(),
    };
    if let Some(why) = agents::unguarded(line) {
        return Ok(Some(PreToolUseAnswer::ask(why)));
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
    Ok(found.map(|why| {
        PreToolUseAnswer::ask(format!(
            "{why}. If the code is wrong, fix the code; change the check only if the check is wrong"
        ))
    }))
}

/// The configuration of [`protect_checks`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedFiles {
    /// Further patterns of files to ask about: `patterns = ["/.github/workflows/", "!.editorconfig"]`.
    #[serde(deserialize_with = "list::patterns")]
    pub patterns: Vec<String>,
}
