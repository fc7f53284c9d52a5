//! Lists of protected files, with reasons.

use hookkit::glob::{self, Patterns};
use hookkit::project::config_folders;
use hookkit::protocol::guards::{ELSEWHERE, IN_PROJECT, MODULES, OF_AGENTS, OF_USER, SETTINGS};

use crate::folders::elsewhere;
use crate::prelude::*;
use crate::settings_files::is_markdown;
use crate::words::components;

/// The project's own list.
pub(super) const FILE: &str = ".claude/protected";

/// Maximum length of the project's list, in bytes.
const LONGEST: u64 = 1 << 20;

/// Reads the patterns of a workspace at `install`, and rejects a pattern that can never match.
pub(crate) fn patterns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let patterns = Vec::deserialize(deserializer)?;
    of_workspace(&patterns).map_err(D::Error::custom)?;
    Ok(patterns)
}

fn of_workspace(patterns: &[String]) -> Result<Patterns, Error> {
    Patterns::parse("patterns", &patterns.join("\n"))
}

/// Patterns for all projects, their common name, and the reason not to edit matching files.
struct BuiltIn {
    name: &'static str,
    patterns: &'static str,
    why: &'static str,
}

const GIT: BuiltIn = BuiltIn { name: "git", patterns: ".git\n", why: "git writes its content: use git's commands" };

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
!**/node_modules/**
",
    why: "its package manager writes it: use a command such as `cargo update` or `npm install`",
};

/// Settings of the code's checks. `crate::checks` reads files that also contain other settings.
const CHECKS: BuiltIn = BuiltIn {
    name: "checks",
    patterns: "\
.bandit
.c8rc*
.clang-format
.clang-tidy
.clippy.toml
.commitlintrc*
.coveragerc
.credo.exs
.editorconfig
.eslintignore
.eslintrc*
.flake8
.git-blame-ignore-revs
.gitleaks.toml
.gitleaksignore
.golangci.*
.hadolint.yaml
.hadolint.yml
.isort.cfg
.jshintrc
.lintstagedrc*
.markdownlint*
.mypy.ini
.nycrc*
.overcommit.yml
.oxlintrc.json
.pre-commit-config.yaml
.prettierignore
.prettierrc*
.pylintrc
.rubocop.yml
.rubocop_todo.yml
.ruff.toml
.rustfmt.toml
.scalafix.conf
.scalafmt.conf
.secrets.baseline
.semgrepignore
.shellcheckrc
.sqlfluff
.standard.yml
.stylelintignore
.stylelintrc*
.swiftformat
.swiftlint.yml
.yamllint*
analysis_options.yaml
biome.json
biome.jsonc
checkstyle.xml
clippy.toml
codecov.yml
commitlint.config.*
deny.toml
detekt.yml
eslint.config.*
lefthook.*
.lefthook.*
lint-staged.config.*
mypy.ini
phpcs.xml*
phpstan*.neon*
pmd.xml
prettier.config.*
psalm.xml*
pylintrc
pyrightconfig.json
pytest.ini
revive.toml
ruff.toml
rustfmt.toml
sonar-project.properties
staticcheck.conf
stylelint.config.*
tflint.hcl
.tflint.hcl
tslint.json
/.claude/hooks/
.githooks/
.husky/
",
    why: "it decides what the project's checks find",
};

/// Name of the list of hookkit's own files. No other list removes a file from it.
const OWN: &str = "hookkit";
const OWN_WHY: &str = "it decides what you may do: ask the user to make the change";

/// Returns hookkit's own files in a project: below `.claude`, and next to the hooks of other agents.
fn own_names() -> impl Iterator<Item = String> {
    IN_PROJECT.iter().map(|name| format!(".claude/{name}")).chain(agents().map(|folder| format!("{folder}/hookkit/")))
}

/// Returns the folders in a project that contain files of other agents.
pub(super) fn agents() -> impl Iterator<Item = &'static str> {
    OF_AGENTS.iter().filter_map(|file| Some(file.rsplit_once('/')?.0))
}

/// Returns the patterns of files in a project, as a list with a name.
fn in_project(list: &str, names: impl Iterator<Item = String>) -> Result<Patterns, Error> {
    let lines: String = names.map(|name| format!("/{name}\n")).collect();
    Ok(Patterns::parse(list, &lines)?.ignoring_case())
}

/// Returns the patterns of a project's settings, and of the equivalent files of other agents.
fn settings() -> Result<Patterns, Error> {
    in_project(
        OWN,
        SETTINGS.iter().map(|name| format!(".claude/{name}")).chain(OF_AGENTS.iter().map(|file| (*file).to_owned())),
    )
}

/// Returns the patterns of settings, and of hookkit's own files in a home folder, for paths whose beginning is uncertain.
fn ends() -> Result<Patterns, Error> {
    let lines: String =
        ELSEWHERE.iter().filter(|(variable, _)| *variable == "HOME").map(|(_, path)| format!("/{path}\n")).collect();
    Ok(settings()?.and(Patterns::parse(OWN, &lines)?))
}

impl BuiltIn {
    fn patterns(&self) -> Result<Patterns, Error> {
        Patterns::parse(self.name, self.patterns)
    }
}

/// The protected files of a project.
#[derive(Default)]
pub(crate) struct Protected {
    built_in: Patterns,
    all: Patterns,
    hookkit: Patterns,
    /// hookkit's own files in the project and in the main working tree of its repository.
    own: Vec<ProjectPath>,
    /// Patterns of hookkit's own files in the project, and of the project's settings.
    own_names: Patterns,
    settings: Patterns,
    /// Patterns of files of modules, below any `.claude`.
    modules: Patterns,
    /// The root of the main working tree, and the project's path within a working tree.
    tree: Option<(PathBuf, PathBuf)>,
    /// `true` if new files may be made.
    may_create: bool,
    /// hookkit's own files outside the project.
    users: Vec<ProjectPath>,
    /// The user's configuration folders, which may have other names than `.claude`.
    folders: Vec<PathBuf>,
}

/// Returns the user's settings and hooks for all projects, and hookkit's own files outside projects.
fn users(context: &Context, environment: Environment) -> Result<Vec<ProjectPath>, Error> {
    let elsewhere = ELSEWHERE.iter().flat_map(|row| elsewhere(row, environment));
    config_folders(environment)
        .iter()
        .flat_map(|folder| OF_USER.map(|name| folder.join(name)))
        .chain(elsewhere)
        .map(|path| context.path(path))
        .collect()
}

impl Protected {
    /// Reads the lists.
    ///
    /// # Errors
    ///
    /// Fails if the project's list cannot be read, or if a line of a list can never match.
    pub(super) fn of(context: &Context, environment: Environment, patterns: &[String]) -> Result<Self, Error> {
        let built_in = GIT.patterns()?.and(LOCK_FILES.patterns()?).ignoring_case();
        let mut all = built_in.clone();
        if !patterns.is_empty() {
            all = all.and(of_workspace(patterns)?);
        }
        match bounded::text(&context.project_file(FILE), LONGEST) {
            Ok(text) => all = all.and(Patterns::parse(FILE, &text)?),
            Err(err) if err.kind() == ErrorKind::NotFound => {}
            Err(err) => return Err(Error::msg(format_args!("`{FILE}` cannot be read: {err}"))),
        }
        let tree = tree(context);
        let mut projects = vec![context.main_project_dir(), context.project_dir.clone()];
        // The session may have entered another working tree.
        let entered = fs::canonicalize(&context.cwd).unwrap_or_default();
        projects.extend(
            trees(&entered)
                .zip(tree.as_ref())
                .and_then(|((root, main), (own, place))| (main == *own).then(|| root.join(place))),
        );
        projects.dedup();
        let own = projects.iter().enumerate().flat_map(|(at, project)| {
            let paths = own_names().map(|name| project.join(name));
            let claude = project.join(".claude");
            // A working tree without such files can be removed.
            paths.filter(move |path| at < 1 && path.starts_with(&claude) || path.exists())
        });
        let own = own.map(|path| context.path(path));
        let hookkit = in_project(OWN, own_names())?;
        Ok(Self {
            built_in,
            all: all.and(hookkit.clone()),
            hookkit: hookkit.clone().and(ends()?).ignoring_case(),
            users: users(context, environment)?,
            folders: config_folders(environment),
            own: own.collect::<Result<_, _>>()?,
            own_names: hookkit,
            settings: settings()?,
            modules: Patterns::parse(OWN, MODULES)?.ignoring_case(),
            tree,
            may_create: false,
        })
    }

    /// Returns only the files with a project's checks, not the lists.
    ///
    /// # Errors
    ///
    /// Fails if a pattern of the workspace can never match.
    pub(crate) fn checks(context: &Context, patterns: &[String]) -> Result<Self, Error> {
        Ok(Self {
            all: (CHECKS.patterns()?.ignoring_case())
                .and(in_project(CHECKS.name, own_names())?)
                .and(Patterns::parse(CHECKS.name, MODULES)?.ignoring_case())
                .and(of_workspace(patterns)?),
            tree: tree(context),
            // A new check lets nothing pass.
            may_create: true,
            ..Self::default()
        })
    }

    /// Returns the reason not to change a file, if it is protected by any of its names.
    pub(crate) fn reason(&self, path: &ProjectPath) -> Option<String> {
        if self.is_users(path) {
            return Some(of_own(path));
        }
        let (name, found) = self.find(path)?;
        let subject = if path.absolute.ends_with(&name) {
            format!("`{path}` is protected")
        } else {
            format!("`{path}` leads to `{name}`, which is protected")
        };
        Some(subject + &why(found))
    }

    /// Returns the reason why only the user may change a settings file, or a file of a plugin with a module. A written path may
    /// be a folder.
    ///
    /// The client asks before its own tools change it, but not if permissions are bypassed, and not before a command.
    pub(super) fn reason_to_ask(&self, path: &ProjectPath, is_written: bool) -> Option<String> {
        if self.names(path).any(|name| self.settings.find(&name).is_some()) {
            return Some(format!("`{path}` decides which guards and permissions sessions have"));
        }
        let ends: &[&str] = if is_written { &["", "/hooks/", "/any/hooks/"] } else { &[""] };
        let is_module = |name: &Path| {
            let name = (self.folders.iter())
                .find_map(|folder| name.strip_prefix(folder).ok())
                .map_or(name.to_owned(), |inner| Path::new(".claude").join(inner));
            let name = name.to_string_lossy();
            let name = name.trim_start_matches('/');
            ends.iter().map(|end| format!("{name}{end}")).any(|name| self.modules.find(&name).is_some())
        };
        // Any file of an existing plugin can be a module.
        let is_of_plugin = |folder: &Path| {
            let is_skill = folder.parent().is_some_and(|skills| skills.ends_with(".claude/skills"));
            is_skill && folder.join(".claude-plugin/plugin.json").exists()
        };
        let is_one = path.names().any(is_module)
            || is_written && !is_markdown(&path.resolved) && path.resolved.ancestors().skip(1).any(is_of_plugin);
        is_one.then(|| format!("`{path}` may run inside Claude Code, where it can switch off every guard"))
    }

    /// Returns `true` for the user's settings and hooks, and for hookkit's own files outside projects.
    pub(super) fn is_users(&self, path: &ProjectPath) -> bool {
        is_any(&self.users, path)
    }

    /// Returns the reason not to change one of hookkit's own files.
    fn reason_of_own(&self, path: &ProjectPath) -> Option<String> {
        // A pattern that ends with a slash is for folders alone, and this path may become one.
        let is_one = |name: String| self.own_names.find(&format!("{name}/")).is_some();
        (self.is_users(path) || self.names(path).any(is_one)).then(|| of_own(path))
    }

    /// Returns the finding about a change of a file, or of a folder that may contain hookkit's own files.
    pub(super) fn finding(&self, path: &ProjectPath, use_of: Use) -> Option<Found> {
        let own = || self.reason_of_own(path);
        let users = || held(&self.users, path);
        // The folder in the project that holds them must not be closed, and nothing put over its content.
        let inner = || held(self.own.iter().filter(|own| own.resolved.parent() == Some(&path.resolved)), path);
        let is_written = matches!(use_of, Use::File | Use::Lost | Use::Overwritten | Use::Merged);
        let asked = || self.reason_to_ask(path, is_written).map(Asked);
        let in_it = || match use_of {
            Use::Mode => inner().map(Possible),
            Use::Merged => users().or_else(inner).map(Possible),
            Use::Tree => self.reason_of_tree(path).map(Certain),
            Use::Whole => self
                .own
                .iter()
                .find(|own| own.resolved.starts_with(&path.resolved))
                .map(of_own)
                .or_else(users)
                .map(Certain),
            _ => None,
        };
        match use_of {
            Use::Linked => self.reason_of_tree(path).or_else(own).map(Possible),
            Use::Named if path.absolute.ends_with(SETTINGS[0]) => own().map(Asked).or_else(asked),
            Use::Named => own().map(Certain).or_else(|| inner().map(Possible)).or_else(asked),
            _ => self.reason(path).map(Certain).or_else(in_it).or_else(asked),
        }
    }

    /// Returns the reason not to change a folder and its content, if it contains hookkit's own files.
    pub(super) fn reason_of_tree(&self, path: &ProjectPath) -> Option<String> {
        held(self.users.iter().chain(&self.own), path)
    }

    /// Returns the reason not to change a file found by name below a folder, if one of hookkit's own files there has
    /// that name.
    ///
    /// In a folder around `.claude`, a name without a literal part, and a pattern such as `*.sh`, are usually for other files.
    pub(super) fn reason_below(&self, folder: &ProjectPath, name: &[Piece]) -> Option<String> {
        let is_literal = literal(name).is_some();
        let may_be = |own: &Path| {
            own.parent() == Some(&folder.resolved)
                || own.starts_with(&folder.resolved) && name != [Piece::Unknown] && (is_literal || own.is_dir())
        };
        let mut own = self.own.iter().chain(&self.users);
        own.find(|own| may_be(&own.resolved) && holds_name(&own.resolved, name, 4)).map(of_own)
    }

    /// Returns the reason not to change a relative path in an uncertain folder: it may be one of hookkit's own files, or in
    /// one.
    ///
    /// Each name must be literal, or begin with literal text: `*.json` means other files.
    pub(super) fn reason_in_lost_folder(&self, pieces: &[Piece]) -> Option<String> {
        let mut names: Vec<Name> = Vec::new();
        for mut name in components(pieces) {
            match &mut name[..] {
                [] => continue,
                [Piece::Text(text)] if text == "." => continue,
                [Piece::Text(text)] if text == ".." => {
                    names.pop();
                    continue;
                }
                [Piece::Text(text), ..] => *text = text.to_lowercase(),
                _ => {}
            }
            names.push(name);
        }
        let mut own = self.own.iter().chain(&self.users).flat_map(ProjectPath::names).map(Path::to_string_lossy);
        let own = own.find(|own| {
            let own = own.to_lowercase();
            let own: Vec<&str> = own.split('/').filter(|name| !name.is_empty()).collect();
            (1..=own.len().min(names.len())).any(|count| {
                own[own.len() - count..]
                    .iter()
                    .zip(&names)
                    .all(|(own, name)| matches!(name[0], Piece::Text(_)) && fits(own, name))
            })
        })?;
        Some(format!("`{own}` may be protected, since {OWN_WHY}"))
    }

    /// Returns the reason not to change a file if only the end of its path is certain.
    pub(super) fn reason_of_end(&self, end: &str) -> Option<String> {
        let rests = end.match_indices('/').map(|(at, _)| &end[at + 1..]);
        let mut ends = [end].into_iter().chain(rests).filter(|end| !end.is_empty() && !end.starts_with('/'));
        // A pattern that ends with a slash is for folders alone, and this path may be one.
        let found = ends.find_map(|end| self.hookkit.find(&format!("{}/", end.trim_end_matches('/'))))?;
        Some(format!("`{end}` may be protected{}", why(found)))
    }

    /// Returns the reason not to change a file of this name in any folder. A package's lock file counts only by its path.
    pub(super) fn reason_of_name(&self, name: &str, path: &str) -> Option<String> {
        let found = self.all.find(name.strip_prefix("./").unwrap_or(name))?;
        let is_one = found.source() != LOCK_FILES.name || self.all.find(path.trim_start_matches('/')).is_some();
        is_one.then(|| format!("`{name}` may be protected{}", why(found)))
    }

    /// Returns the names of a file relative to the project, in any working tree of its repository.
    fn names(&self, path: &ProjectPath) -> impl Iterator<Item = String> {
        path.relative_names().chain(self.name_in_tree(path))
    }

    fn name_in_tree(&self, path: &ProjectPath) -> Option<String> {
        let (main, project) = self.tree.as_ref()?;
        let (root, own_main) = trees(&path.resolved)?;
        let name = path.resolved.strip_prefix(root.join(project)).ok()?;
        (own_main == *main).then(|| name.to_string_lossy().into_owned())
    }

    /// Returns the protected name of a file, and the line that protects it.
    fn find(&self, path: &ProjectPath) -> Option<(String, glob::Found<'_>)> {
        // A pattern that ends with a slash is for folders alone.
        let end = if path.resolved.is_dir() { "/" } else { "" };
        if let Some(found) = self.names(path).find_map(|name| Some((name.clone(), self.all.find(&(name + end))?))) {
            let is_new = self.may_create && path.resolved.symlink_metadata().is_err();
            return (!is_new).then_some(found);
        }
        // The project's lists do not apply to files elsewhere.
        let is_outside = path.relative.is_none() && self.name_in_tree(path).is_none();
        path.names().filter(|_| is_outside).find_map(|name| {
            let name = name.to_string_lossy();
            let found = self.built_in.find(&(name.trim_start_matches('/').to_owned() + end))?;
            // A new copy does no harm.
            let is_new = found.source() == LOCK_FILES.name && path.resolved.symlink_metadata().is_err();
            (!is_new).then(|| (name.into_owned(), found))
        })
    }
}

/// Returns the reason not to change a folder and its content, if one of hookkit's own files is in it.
fn held<'p>(own: impl IntoIterator<Item = &'p ProjectPath>, folder: &ProjectPath) -> Option<String> {
    let mut own = own.into_iter().filter(|own| own.resolved.starts_with(&folder.resolved));
    Some(of_own(own.find(|own| own.resolved.symlink_metadata().is_ok())?))
}

/// Returns `true` if an existing file, or a file in it down to a depth, has this name.
fn holds_name(file: &Path, name: &[Piece], depth: usize) -> bool {
    /// Maximum number of files of a folder to look at.
    const MOST: usize = 200;
    let own = file.file_name().unwrap_or_default().to_string_lossy();
    fits(&own, name) && file.symlink_metadata().is_ok()
        || depth > 0
            && (fs::read_dir(file).into_iter().flatten().flatten().take(MOST))
                .any(|file| holds_name(&file.path(), name, depth - 1))
}

/// Returns the reason not to change one of hookkit's own paths.
fn of_own(path: &ProjectPath) -> String {
    format!("`{path}` is protected, since {OWN_WHY}")
}

/// Returns `true` if a path, under any of its names, is one of the other paths or below one of them.
fn is_any(others: &[ProjectPath], path: &ProjectPath) -> bool {
    others
        .iter()
        .flat_map(ProjectPath::names)
        .map(folded)
        .any(|other| path.names().any(|name| folded(name).starts_with(&other)))
}

/// Returns the root of the main working tree of a project's repository, and the project's path within its own working tree.
fn tree(context: &Context) -> Option<(PathBuf, PathBuf)> {
    let project = fs::canonicalize(&context.project_dir).ok()?;
    let (root, main) = trees(&project)?;
    Some((main, project.strip_prefix(root).ok()?.to_owned()))
}

/// Returns a path in a form for comparison.
fn folded(path: &Path) -> PathBuf {
    path.to_string_lossy().to_lowercase().into()
}

/// Returns the text after "is protected".
fn why(found: glob::Found<'_>) -> String {
    let name = found.source();
    if [OWN, CHECKS.name].contains(&name) {
        let why = if name == OWN { OWN_WHY } else { CHECKS.why };
        return format!(", since {why}");
    }
    let Some(built_in) = [&GIT, &LOCK_FILES].into_iter().find(|list| list.name == name) else {
        return format!(" by {found}. Do not try to reach it in another way: ask the user to make the change");
    };
    format!(
        ", since {}; or ask the user, who can allow it with the line `!{}` in `{FILE}`",
        built_in.why,
        found.pattern()
    )
}
