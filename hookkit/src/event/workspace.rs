//! Files and directories of the session: settings, instructions, worktrees, watched files.

use std::path::PathBuf;

use crate::wire::wire;

wire! {
    /// A settings file or a skill changed during the session.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps the settings that the session started with.
    /// #[hook(ConfigChange, matcher = "project_settings|local_settings")]
    /// pub fn keep_settings(_change: ConfigChange) -> ConfigChangeAnswer {
    ///     ConfigChangeAnswer::block()
    /// }
    /// # fn main() {}
    /// ```
    pub struct ConfigChange {
        /// Kind of configuration. Compared with the matcher.
        source: ConfigSource,
        /// Path of the file.
        file_path: Option<PathBuf>,
    }

    /// Creates a change for tests.
    pub new ConfigChange(source: impl Into<ConfigSource>);

    /// The kind of configuration that changed.
    pub enum ConfigSource {
        /// The user's settings, for all projects.
        UserSettings = "user_settings",
        /// The project's settings, for everyone who works on it.
        ProjectSettings = "project_settings",
        /// The user's settings for this project.
        LocalSettings = "local_settings",
        /// The organization's settings, which a hook cannot block.
        PolicySettings = "policy_settings",
        /// A skill.
        Skills = "skills",
    }

    /// The client needs a worktree: for `--worktree`, for an agent or a session with its own worktree, or for the tool
    /// EnterWorktree.
    ///
    /// The hook replaces `git worktree`: it creates the folder and returns its path.
    /// Without a path, no worktree is created, and the request fails.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Creates worktrees next to the project.
    /// #[hook(WorktreeCreate)]
    /// pub fn create(worktree: WorktreeCreate, context: Context) -> Result<WorktreeCreateAnswer, Error> {
    ///     let folder = context.project_dir.with_extension("trees").join(&worktree.name);
    ///     let git = std::process::Command::new("git")
    ///         .current_dir(&context.project_dir)
    ///         .args(["worktree", "add", "--quiet", "--detach"])
    ///         .arg(&folder)
    ///         .status()?;
    ///     if !git.success() {
    ///         return Err(Error::msg("git did not create the worktree"));
    ///     }
    ///     Ok(WorktreeCreateAnswer::path(folder))
    /// }
    /// # fn main() {}
    /// ```
    pub struct WorktreeCreate {
        /// Name of the worktree.
        name: String,
    }

    /// Creates a request for a worktree for tests.
    pub new WorktreeCreate(name: &str);

    /// A worktree that a hook created is about to be removed.
    ///
    /// The client reports a hook that fails, unless the folder is gone.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Deletes the folder.
    /// #[hook(WorktreeRemove)]
    /// pub fn remove(worktree: WorktreeRemove) -> std::io::Result<()> {
    ///     std::fs::remove_dir_all(worktree.worktree_path)
    /// }
    /// # fn main() {}
    /// ```
    pub struct WorktreeRemove {
        /// Path of the folder, as the hook on [`WorktreeCreate`] returned it.
        worktree_path: PathBuf,
    }

    /// Creates the removal of a worktree for tests.
    pub new WorktreeRemove(worktree_path: impl Into<PathBuf>);

    /// An instruction file was loaded: `CLAUDE.md` or a rule.
    ///
    /// The client ignores the hook's answer, except for a terminal sequence.
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
        /// Path of the file.
        file_path: PathBuf,
        /// Owner of the instructions.
        memory_type: MemoryType,
        /// Reason for loading. Compared with the matcher.
        load_reason: LoadReason,
        /// Globs of the files that the instructions apply to.
        globs?: Vec<String>,
        /// The accessed file that caused the loading.
        trigger_file_path: Option<PathBuf>,
        /// The file that includes this one.
        parent_file_path: Option<PathBuf>,
    }

    /// Creates a loaded file for tests.
    pub new InstructionsLoaded(file_path: impl Into<PathBuf>, load_reason: impl Into<LoadReason>);

    /// The owner of an instruction file.
    pub enum MemoryType {
        /// The user, for all projects.
        User = "User",
        /// The project, for everyone who works on it.
        Project = "Project",
        /// The user, for this project.
        Local = "Local",
        /// The organization.
        Managed = "Managed",
    }

    /// The reason for loading instructions.
    pub enum LoadReason {
        /// The session started.
        SessionStart = "session_start",
        /// A file below the instructions' folder was accessed.
        NestedTraversal = "nested_traversal",
        /// A file that matches the instructions' globs was accessed.
        PathGlobMatch = "path_glob_match",
        /// Another file includes the instructions.
        Include = "include",
        /// The conversation was compacted.
        Compact = "compact",
    }

    /// The session's current directory changed.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Sets a variable for Bash in each directory.
    /// #[hook(CwdChanged)]
    /// pub fn variables(change: CwdChanged, file: EnvFile) -> Result<(), Error> {
    ///     let name = change.new_cwd.file_name().unwrap_or_default();
    ///     file.set("SUBPROJECT", name)
    /// }
    /// # fn main() {}
    /// ```
    pub struct CwdChanged {
        /// The previous directory.
        old_cwd: PathBuf,
        /// The new directory, in which the hook also runs.
        new_cwd: PathBuf,
    }

    /// Creates a change for tests.
    pub new CwdChanged(old_cwd: impl Into<PathBuf>, new_cwd: impl Into<PathBuf>);

    /// A watched file changed.
    ///
    /// The client watches the files in the current directory that are listed in the matcher, such as
    /// `Makefile|justfile`; without a matcher, it watches none. A dot makes the matcher a regular expression: `.env`
    /// also matches `.env.local`, if another hook watches that file. The client collects changes for half a second.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Notifies the user when the build rules change.
    /// #[hook(FileChanged, matcher = "Makefile|justfile")]
    /// pub fn new_rules(change: FileChanged) -> FileChangedAnswer {
    ///     match change.event {
    ///         event::FileChangeKind::Unlink => FileChangedAnswer::pass(),
    ///         _ => FileChangedAnswer::pass().with_system_message("the build rules have changed"),
    ///     }
    /// }
    /// # fn main() {}
    /// ```
    pub struct FileChanged {
        /// Absolute path of the file. The matcher is compared with its last component.
        file_path: PathBuf,
        /// Kind of change.
        event: FileChangeKind,
    }

    /// Creates a change for tests.
    pub new FileChanged(file_path: impl Into<PathBuf>, event: impl Into<FileChangeKind>);

    /// The kind of change to a watched file.
    pub enum FileChangeKind {
        /// Changed content.
        Change = "change",
        /// Created.
        Add = "add",
        /// Deleted.
        Unlink = "unlink",
    }

    /// A directory was added to the session.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Points to the rules of an added directory.
    /// #[hook(DirectoryAdded)]
    /// pub fn directory_rules(added: DirectoryAdded) -> Option<DirectoryAddedAnswer> {
    ///     let rules = added.directory.join("CONTRIBUTING.md");
    ///     rules.exists().then(|| DirectoryAddedAnswer::pass().with_system_message(format!("read {} first", rules.display())))
    /// }
    /// # fn main() {}
    /// ```
    pub struct DirectoryAdded {
        /// Path of the directory.
        directory: PathBuf,
        /// Origin of the directory. Compared with the matcher.
        source: DirectorySource,
    }

    /// Creates an added directory for tests.
    pub new DirectoryAdded(directory: impl Into<PathBuf>, source: impl Into<DirectorySource>);

    /// The origin of an added directory.
    pub enum DirectorySource {
        /// The user (`/add-dir`).
        SlashCommand = "slash_command",
        /// The program that runs the client through its SDK.
        RegisterRepoRoot = "register_repo_root",
    }
}
