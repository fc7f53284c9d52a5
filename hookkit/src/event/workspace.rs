//! Files and directories of the session: settings, instructions, worktrees, what is watched.

use std::path::PathBuf;

use crate::wire::wire;

wire! {
    /// A settings file or a skill changed during the session.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps the settings that the session has begun with.
    /// #[hook(ConfigChange, matcher = "project_settings|local_settings")]
    /// pub fn keep_settings(_change: ConfigChange) -> ConfigChangeAnswer {
    ///     ConfigChangeAnswer::block()
    /// }
    /// # fn main() {}
    /// ```
    pub struct ConfigChange {
        /// Settings that changed. The matcher is compared with it.
        source: ConfigSource,
        /// The file.
        file_path: Option<PathBuf>,
    }

    /// A change, for a test.
    pub new ConfigChange(source: impl Into<ConfigSource>);

    /// A part of the configuration that changed.
    pub enum ConfigSource {
        /// The user's settings, for all projects.
        UserSettings = "user_settings",
        /// The project's settings, for all who work on it.
        ProjectSettings = "project_settings",
        /// The user's settings for this project.
        LocalSettings = "local_settings",
        /// The organization's settings: these are always taken.
        PolicySettings = "policy_settings",
        /// A skill.
        Skills = "skills",
    }

    /// A worktree is wanted: by `--worktree`, for an agent or a session of its own, or by the tool EnterWorktree.
    ///
    /// A hook on it takes the place of `git worktree`: it makes the folder and answers with its path.
    /// Without a path the client creates no worktree, and what asked for it fails.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps worktrees next to the project.
    /// #[hook(WorktreeCreate)]
    /// pub fn make(wanted: WorktreeCreate, context: Context) -> Result<WorktreeCreateAnswer, Error> {
    ///     let folder = context.project_dir.with_extension("trees").join(&wanted.name);
    ///     let git = std::process::Command::new("git")
    ///         .current_dir(&context.project_dir)
    ///         .args(["worktree", "add", "--quiet", "--detach"])
    ///         .arg(&folder)
    ///         .status()?;
    ///     if !git.success() {
    ///         return Err(Error::msg("git did not make the worktree"));
    ///     }
    ///     Ok(WorktreeCreateAnswer::path(folder))
    /// }
    /// # fn main() {}
    /// ```
    pub struct WorktreeCreate {
        /// A name for it.
        name: String,
    }

    /// A wish, for a test.
    pub new WorktreeCreate(name: &str);

    /// A worktree that a hook has made is to go.
    ///
    /// A hook that fails is reported, unless the folder is gone.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Takes the folder away.
    /// #[hook(WorktreeRemove)]
    /// pub fn remove(worktree: WorktreeRemove) -> std::io::Result<()> {
    ///     std::fs::remove_dir_all(worktree.worktree_path)
    /// }
    /// # fn main() {}
    /// ```
    pub struct WorktreeRemove {
        /// The folder, as the hook on [`WorktreeCreate`] gave it.
        worktree_path: PathBuf,
    }

    /// A worktree, for a test.
    pub new WorktreeRemove(worktree_path: impl Into<PathBuf>);

    /// A file of instructions was loaded: `CLAUDE.md`, or a rule.
    ///
    /// The client honors nothing of what such a hook says but a terminal sequence.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps a list of the instructions that the model reads.
    /// #[hook(InstructionsLoaded)]
    /// pub fn list_instructions(loaded: InstructionsLoaded, context: Context) -> std::io::Result<()> {
    ///     let list = context.project_dir.join("instructions.txt");
    ///     let before = std::fs::read_to_string(&list).unwrap_or_default();
    ///     std::fs::write(list, format!("{before}{}\n", loaded.file_path.display()))
    /// }
    /// # fn main() {}
    /// ```
    pub struct InstructionsLoaded {
        /// The file.
        file_path: PathBuf,
        /// Whose instructions they are.
        memory_type: MemoryType,
        /// Why they were loaded. The matcher is compared with it.
        load_reason: LoadReason,
        /// The patterns of file names that the instructions are for.
        globs?: Vec<String>,
        /// The file that was looked into, and for whose sake they were loaded.
        trigger_file_path: Option<PathBuf>,
        /// The file that includes this one.
        parent_file_path: Option<PathBuf>,
    }

    /// A file, for a test.
    pub new InstructionsLoaded(file_path: impl Into<PathBuf>, load_reason: impl Into<LoadReason>);

    /// Whose instructions a file holds.
    pub enum MemoryType {
        /// The user's, for all projects.
        User = "User",
        /// The project's, for all who work on it.
        Project = "Project",
        /// The user's, for this project.
        Local = "Local",
        /// The organization's.
        Managed = "Managed",
    }

    /// Why instructions were loaded.
    pub enum LoadReason {
        /// The session started.
        SessionStart = "session_start",
        /// A file below their folder was looked into.
        NestedTraversal = "nested_traversal",
        /// A file that fits their patterns was looked into.
        PathGlobMatch = "path_glob_match",
        /// Other instructions include them.
        Include = "include",
        /// The conversation was compacted.
        Compact = "compact",
    }

    /// The session's current directory changed.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Gives Bash the variables of the directory.
    /// #[hook(CwdChanged)]
    /// pub fn variables(change: CwdChanged, file: EnvFile) -> Result<(), Error> {
    ///     let name = change.new_cwd.file_name().unwrap_or_default();
    ///     file.set("SUBPROJECT", name)
    /// }
    /// # fn main() {}
    /// ```
    pub struct CwdChanged {
        /// The directory before.
        old_cwd: PathBuf,
        /// The directory now, in which the hook runs, too.
        new_cwd: PathBuf,
    }

    /// A change, for a test.
    pub new CwdChanged(old_cwd: impl Into<PathBuf>, new_cwd: impl Into<PathBuf>);

    /// A watched file changed.
    ///
    /// Watched are the files that the matcher names, `Makefile|justfile`, in the current directory; without a matcher none is.
    /// Changes are gathered for half a second.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Shows that the rules for the build have changed.
    /// #[hook(FileChanged, matcher = "Makefile|justfile")]
    /// pub fn new_rules(change: FileChanged) -> FileChangedAnswer {
    ///     match change.event {
    ///         event::FileChangeKind::Unlink => FileChangedAnswer::pass(),
    ///         _ => FileChangedAnswer::pass().with_system_message("the rules for the build have changed"),
    ///     }
    /// }
    /// # fn main() {}
    /// ```
    pub struct FileChanged {
        /// The file, absolute. The matcher is compared with its last component.
        file_path: PathBuf,
        /// Kind of change.
        event: FileChangeKind,
    }

    /// A change, for a test.
    pub new FileChanged(file_path: impl Into<PathBuf>, event: impl Into<FileChangeKind>);

    /// A kind of change of a watched file.
    pub enum FileChangeKind {
        /// It holds something else.
        Change = "change",
        /// It is there now.
        Add = "add",
        /// It is gone.
        Unlink = "unlink",
    }

    /// A directory was added to the session.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Points to the rules of a folder that was added.
    /// #[hook(DirectoryAdded)]
    /// pub fn its_rules(added: DirectoryAdded) -> Option<DirectoryAddedAnswer> {
    ///     let rules = added.directory.join("CONTRIBUTING.md");
    ///     rules.exists().then(|| DirectoryAddedAnswer::pass().with_system_message(format!("read {} first", rules.display())))
    /// }
    /// # fn main() {}
    /// ```
    pub struct DirectoryAdded {
        /// The directory.
        directory: PathBuf,
        /// Origin of the directory. The matcher is compared with it.
        source: DirectorySource,
    }

    /// A directory, for a test.
    pub new DirectoryAdded(directory: impl Into<PathBuf>, source: impl Into<DirectorySource>);

    /// An origin of a directory.
    pub enum DirectorySource {
        /// The user (`/add-dir`).
        SlashCommand = "slash_command",
        /// The program that runs the client by its SDK.
        RegisterRepoRoot = "register_repo_root",
    }
}
