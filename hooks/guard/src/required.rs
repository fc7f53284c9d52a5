//! Reports on a project's hooks that a session does not run.

mod active;
mod client;
mod list;
mod reviewed;

use std::thread;
use std::time::Duration;

pub(crate) use self::active::programs;
use self::active::{Active, State};
use self::list::List;
use crate::prelude::*;
use crate::settings_files::{is_linked, shown};

/// Reports the project's hooks that are not active in the session, and unreviewed hooks.
///
/// Claude Code reads a project's `settings.json` only in the folder where a session starts. A session that starts in a
/// subfolder runs none of the project's hooks, without any message. Entries that were lost in a merge, and hooks whose
/// programs were not built, do not run either. This hook reports this to the user and to the model when the session
/// starts:
///
/// > 3 of this project's 7 hooks are not active in this session (started in `app/`): deny-destruction, keep-git-hooks,
/// > protect-files; start the session in `/home/user/project`
///
/// Install it for yourself, so that it runs wherever a session starts. A project's own entry would not be read in these cases.
///
/// ```console
/// $ cargo xtask install --scope user --hook report-missing-hooks
/// ```
///
/// The hooks are listed in `.claude/hookkit.lock`, which `install` writes and the team commits: in the session's folder, and in
/// its parents up to the root of the repository. A nested repository is a project of its own. Without the file, nothing is
/// reported.
///
/// A hook is active if the settings that the session reads have its entries, with the same matchers and `if`s, and its program
/// exists. Your own hooks of the same name count, too. With `disableAllHooks`, no hook is active.
///
/// If the repository has `.claude/hookkit.reviewed`, the list that `cargo-hookkit verify --accept` writes, the hook
/// also reports entries of the session's `settings.json` that are missing from it: they came with a branch or a pull.
/// With and without this list, the hook reports an unreviewed plugin that runs inside Claude Code, like
/// `report-modules`.
///
/// If the team's workspace states `min-client`, which `hookkit.lock` repeats, a session with an older client is reported:
///
/// > this session's Claude Code 2.1.200 is older than 2.1.299, the `min-client` of the hooks of `/home/user/project` …
///
/// `hookkit.lock` comes with the checkout. It can make this hook report something, but not run or read anything else;
/// only names of hooks, and the minimum version, are shown from it. A file that cannot be read, leads out of the
/// project, or has unsupported content is reported.
///
/// # What it cannot see
///
/// - A session in which a module keeps this hook from starting: `report-modules` covers it.
/// - Hooks from plugins, skills, a file of `--settings`, and settings that a server sends.
/// - Settings that the client drops for another mistake in the file, which `cargo xtask doctor` finds; and settings that the
///   session ignores because `hold-settings` holds them.
/// - Settings that are not UTF-8, which the client reads (2.1.330): their hooks count as missing.
/// - The code of a program: the project's `hookkit.sh` reports old programs. A hook that is temporarily `off` counts as
///   active.
/// - Unreviewed changes outside the entries of that file, and a branch that changes the list itself;
///   `cargo-hookkit verify --against COMMIT` compares everything with a commit that you trust.
/// - Hooks that a commit, or the model, removed from the file, and projects that never committed the file.
/// - The version of a client before 2.1.120, or of a client that another agent has started: they do not report their
///   version to hooks. A checkout can state another version, with `AI_AGENT` in the `env` of its settings.
/// - The settings of another folder, which an interactive session reads after `/cd`.
#[hook(SessionStart, timeout = 5, agents = "claude")]
pub fn report_missing_hooks(context: Context, environment: Environment) -> Option<SessionStartAnswer> {
    let folder = fs::canonicalize(&context.project_dir).unwrap_or(context.project_dir.clone());
    let absent = patiently(|| absent(&folder, environment)).map(|absent| absent.text);
    let old = client::report(&list::around(&folder, environment), environment);
    let texts: Vec<String> =
        absent.into_iter().chain(old).chain(reviewed::report(&folder)).chain(reviewed::modules(&folder)).collect();
    let text = texts.join(". ");
    (!text.is_empty()).then(|| SessionStartAnswer::pass().with_context(text.clone()).with_system_message(text))
}

/// Makes the model tell the user about unreviewed plugins that run inside Claude Code.
///
/// A plugin in `.claude/skills` of a checkout can have a *module*: JavaScript that Claude Code runs around its hooks
/// (2.1.286). It can silently keep each hook of the user, of the project and of plugins from starting, except those on
/// InstructionsLoaded. So this hook runs on that event: the model reads the report with its first or second request,
/// even if such a module silences `report-missing-hooks`, which reports the same to the user when the session starts.
///
/// > `.claude/skills/x` can switch off every hook, since it runs inside Claude Code, and is not in the list of
/// > reviewed code, `.claude/hookkit.reviewed`; run `cargo-hookkit verify` in `/home/user/project` …
///
/// The list is written by `cargo-hookkit verify --accept`. Without a list, each module of the checkout is reported. The
/// plugin does not run if your settings have `"enabledPlugins": {"NAME@skills-dir": false}`, unless the project's
/// settings turn it on.
///
/// # What it cannot see
///
/// - Modules of your own `skills` folder and of installed plugins: `cargo-hookkit doctor` names them, and `watch-settings`
///   reports modules that appear or change while a session runs.
/// - A session without a `CLAUDE.md` or another file of instructions, which raises no such event.
/// - The effects of the module: it can also change the text that the model reads, and run programs before this hook does. It
///   cannot switch off hooks in managed settings.
#[hook(InstructionsLoaded, matcher = "session_start", async)]
pub fn report_modules(context: Context) -> Option<AsyncAnswer> {
    let found = reviewed::modules(&fs::canonicalize(&context.project_dir).unwrap_or(context.project_dir))?;
    Some(
        AsyncAnswer::pass()
            .with_context(format!("{found}. Tell the user first: other hooks may be unable to report it")),
    )
}

/// Blocks prompts while hooks of the project are not active in the session, if the workspace requires them.
///
/// By default it does nothing, so that no checkout can keep its user from working. A workspace turns it on in its Cargo.toml:
///
/// ```toml
/// [workspace.metadata.hookkit.hooks.require-hooks]
/// on-failure = "block"
///
/// [workspace.metadata.hookkit.hooks.require-hooks.config]
/// require = true
/// ```
///
/// Install it for yourself (`install --scope user`), or add it to the organization's settings. It checks each prompt
/// again, and lets prompts through as soon as the hooks are active, by the rules of `report-missing-hooks` and with the
/// same limits. It also blocks if a list cannot be read. It does not block in a project without a list.
///
/// # What it cannot see
///
/// - Everything that `report-missing-hooks` cannot see. A client older than `min-client` does not block.
/// - A turn that has begun: it goes on without hooks that are lost meanwhile.
#[hook(UserPromptSubmit, timeout = 5, agents = "claude")]
pub fn require_hooks(
    _submitted: UserPromptSubmit,
    context: Context,
    environment: Environment,
    config: Config<Requirement>,
) -> Option<UserPromptSubmitAnswer> {
    let absent = config.require.then(|| absent(&context.project_dir, environment))??;
    Some(UserPromptSubmitAnswer::block(format!("{}. Until then `require-hooks` blocks each prompt", absent.text)))
}

/// The configuration of [`require_hooks`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requirement {
    /// `true` to block prompts.
    pub require: bool,
}

/// Hooks that are not active.
struct Absent {
    text: String,
    /// `true` if `hookkit.sh`, which runs at the same time, may bring the hooks: it copies programs into a linked worktree.
    may_come: bool,
}

/// Waits while programs are being copied.
fn patiently(look: impl Fn() -> Option<Absent>) -> Option<Absent> {
    const STEPS: u32 = 20;
    const STEP: Duration = Duration::from_millis(100);
    let mut found = look();
    for _ in 0..STEPS {
        if !found.as_ref().is_some_and(|absent| absent.may_come) {
            break;
        }
        thread::sleep(STEP);
        found = look();
    }
    found
}

/// Returns the hooks that a session in a folder lacks.
fn absent(folder: &Path, environment: Environment) -> Option<Absent> {
    let folder = fs::canonicalize(folder).ok()?;
    let lists = list::around(&folder, environment);
    if lists.is_empty() {
        return None;
    }
    let active = Active::of(&folder, environment);
    let found: Vec<Absent> = lists.iter().filter_map(|list| absent_of(list, &folder, &active)).collect();
    let texts: Vec<&str> = found.iter().map(|absent| &*absent.text).collect();
    (!found.is_empty()).then(|| Absent { text: texts.join(". "), may_come: found.iter().all(|absent| absent.may_come) })
}

fn absent_of(list: &List, folder: &Path, active: &Active) -> Option<Absent> {
    /// Maximum number of names to show; the rest is counted.
    const NAMED: usize = 8;
    let root = shown(&list.folder);
    let hooks = match &list.hooks {
        Ok(hooks) => hooks,
        Err(why) => {
            return Some(Absent {
                text: format!(
                    "this session may lack hooks of {root}: its `.claude/hookkit.lock` cannot be read, \
                     since {why}; update the hooks, or run `cargo xtask install` there"
                ),
                may_come: false,
            });
        }
    };
    let missing: Vec<(&str, State)> = hooks
        .iter()
        .map(|hook| (&*hook.name, active.state(hook)))
        .filter(|(_, state)| *state != State::Active)
        .collect();
    if missing.is_empty() {
        return None;
    }
    let names = joined(missing.iter().map(|(name, _)| (*name).to_owned()).collect(), NAMED, ", ");
    let within = folder.strip_prefix(&list.folder).unwrap_or(folder);
    let is_here = within.as_os_str().is_empty();
    let has_entries = missing.iter().all(|(_, state)| *state == State::WithoutProgram);
    let place = if is_here { String::new() } else { format!(" (started in {})", shown(&within.join(""))) };
    let fix = match &active.switch {
        Some((key, file)) => format!("`{key}` in {} turns them off", shown(file)),
        None if is_here || has_entries => format!("run `cargo xtask sync` (or `cargo-hookkit sync`) in {root}"),
        None => format!("start the session in {root}"),
    };
    Some(Absent {
        text: format!(
            "{} of this project's {} {} {} not active in this session{place}: {names}; {fix}",
            missing.len(),
            hooks.len(),
            if hooks.len() == 1 { "hook" } else { "hooks" },
            if missing.len() == 1 { "is" } else { "are" }
        ),
        may_come: has_entries && is_linked(&list.folder),
    })
}
