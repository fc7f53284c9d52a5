//! Sets a project's variables for the commands of its sessions.

mod allowed;

use std::env::{join_paths, split_paths};
use std::ffi::OsString;

use allowed::{Allowed, of_xdg};
use hookkit::dotenv;

use crate::prelude::*;

/// Sets variables for the session's commands, from the project's environment files that the user has allowed.
///
/// All of these files can come with a checkout, and a variable such as `PATH` decides which programs run. So a file
/// counts only if the user has allowed it at this path and with this content: by `direnv allow` (an `.envrc`, and with
/// direnv's `load_dotenv` a `.env`), or in hookkit's own list. `sha256sum` adds a file to it:
///
/// ```console
/// $ sha256sum "$PWD/.env" >> ~/.local/state/hookkit/environment
/// ```
///
/// The list is in `$XDG_STATE_HOME/hookkit` if that is set. `protect-files` keeps the model from changing this list and
/// direnv's, and `deny-destruction` asks before the model runs `direnv allow` or `mise trust`.
///
/// | file | variables |
/// |---|---|
/// | `.env` | the variables of its lines; nothing is expanded |
/// | `.envrc` | the variables that `direnv export json` prints, so direnv must allow the file, too |
/// | `mise.toml`, `.mise.toml`, `.tool-versions` | the variables that `mise env --json` prints |
/// | `.nvmrc`, `.node-version` | `PATH`, beginning with the newest matching Node that nvm or fnm has installed |
/// | `.venv/pyvenv.cfg` | `VIRTUAL_ENV`, and `PATH` beginning with `.venv/bin` |
///
/// When a session starts and after a `cd`, the hook looks in the current folder and in the folders above it, up to the
/// project's. If a variable has several values, the value from the innermost folder counts. No other file is read.
/// direnv and mise are started only for an allowed file, and only if they are installed outside of the project.
///
/// The model does not read the values, but its commands have all of them: do not allow a file with secrets that the
/// model must not use.
///
/// # What it cannot see
///
/// - Folders that direnv allows by its own settings (`whitelist`).
/// - Programs that are added to a `.venv` after it was allowed, and files that an allowed `.envrc` reads. mise also
///   reads its other files in the folder and above it, if `mise trust` allows them.
/// - Another home folder, and so another list, set by the project's settings (`env`). These settings can also set any
///   variable themselves.
/// - Variables that a file unsets.
///
/// # Errors
///
/// If a file in hookkit's list has changed, a file cannot be read, direnv or mise fails, or a version of Node is not
/// installed, the user reads the reason, and the other variables are set.
#[hook(SessionStart | CwdChanged, timeout = 30)]
pub fn load_environment(context: Context, environment: Environment, file: EnvFile) -> Result<(), Error> {
    let allowed = Allowed::of(environment)?;
    let mut variables = Variables::default();
    let mut failed = Vec::new();
    for folder in folders(&context) {
        for (name, kind) in FILES {
            let loaded = match allowed.text(&folder.join(name)) {
                Ok(None) => continue,
                Ok(Some(text)) => variables.load(*kind, folder, &text, environment),
                Err(err) => Err(err),
            };
            failed.extend(loaded.err());
        }
    }
    failed.extend(variables.set(&file, environment));
    if failed.is_empty() {
        Ok(())
    } else {
        let failed: Vec<String> = failed.iter().map(Error::to_string).collect();
        Err(Error::msg(failed.join("; ")))
    }
}

/// The way in which a file sets variables.
#[derive(Clone, Copy)]
enum Kind {
    Lines,
    /// A program prints the variables as JSON.
    Printed(&'static str),
    Node,
    Python,
}

const FILES: &[(&str, Kind)] = &[
    ("mise.toml", MISE),
    (".mise.toml", MISE),
    (".tool-versions", MISE),
    (".nvmrc", Kind::Node),
    (".node-version", Kind::Node),
    (".venv/pyvenv.cfg", Kind::Python),
    (".envrc", Kind::Printed("direnv export json")),
    (".env", Kind::Lines),
];

const MISE: Kind = Kind::Printed("mise env --json");

/// Time limit of direnv and of mise. Both fit into the hook's time.
const LIMIT: Duration = Duration::from_secs(12);

/// Returns the folders whose files are searched, the outermost first.
fn folders(context: &Context) -> Vec<&Path> {
    let within = context.cwd.ancestors().take_while(|folder| folder.starts_with(&context.project_dir));
    let mut folders: Vec<&Path> = within.collect();
    if folders.is_empty() {
        folders.push(&context.cwd);
    }
    folders.reverse();
    folders
}

#[derive(Default)]
struct Variables {
    values: BTreeMap<String, String>,
    /// Folders to put before `PATH`, in reverse order.
    programs: Vec<PathBuf>,
}

impl Variables {
    fn load(&mut self, kind: Kind, folder: &Path, text: &str, environment: Environment) -> Result<(), Error> {
        match kind {
            Kind::Lines => self.values.extend(dotenv(text)),
            Kind::Printed(command) => {
                // Variables in which direnv remembers what it did.
                let is_own = |name: &str| name.starts_with("DIRENV_");
                let values = printed(command, folder)?.into_iter().filter(|(name, _)| !is_own(name));
                self.values.extend(values.filter_map(|(name, value)| Some((name, value?))));
            }
            Kind::Node => self.programs.push(node(text.trim(), environment)?),
            Kind::Python => {
                let root = folder.join(".venv");
                self.programs.push(root.join(if cfg!(windows) { "Scripts" } else { "bin" }));
                self.values.insert("VIRTUAL_ENV".to_owned(), root.to_string_lossy().into_owned());
            }
        }
        Ok(())
    }

    /// Writes all variables, and returns the errors for those that cannot be set.
    fn set(mut self, file: &EnvFile, environment: Environment) -> Vec<Error> {
        let mut failed = Vec::new();
        if !self.programs.is_empty() {
            let own = self.values.remove("PATH").map(OsString::from);
            let path = own.or_else(|| environment.variable("PATH")).unwrap_or_default();
            let path = join_paths(self.programs.into_iter().rev().chain(split_paths(&path)));
            let set = path.map_err(Error::msg).and_then(|path| file.set("PATH", path));
            failed.extend(set.err());
        }
        failed.extend(self.values.iter().filter_map(|(name, value)| file.set(name, value).err()));
        failed
    }
}

/// Returns the variables that a program prints for a folder. `None` means that the variable is unset.
fn printed(command: &str, folder: &Path) -> Result<BTreeMap<String, Option<String>>, Error> {
    let mut words = command.split(' ');
    let mut program = Command::new(words.next().unwrap_or_default());
    let output = program.args(words).current_dir(folder).time_limit(LIMIT).output()?;
    let failed = |why: &str| Error::msg(format_args!("`{command}` in `{}`: {why}", folder.display()));
    if !output.status.success() {
        return Err(failed(&output.stderr_text()));
    }
    match output.stdout_text().trim() {
        "" => Ok(BTreeMap::new()),
        text => serde_json::from_str(text).map_err(|err| failed(&err.to_string())),
    }
}

/// Returns the folder with the programs of the newest installed Node that matches a version.
fn node(version: &str, environment: Environment) -> Result<PathBuf, Error> {
    let of = |variable: &str| environment.variable(variable).map(PathBuf::from);
    let nvm = of("NVM_DIR").or_else(|| Some(environment.home()?.join(".nvm")));
    let fnm =
        of("FNM_DIR").or_else(|| of_xdg(environment, "XDG_DATA_HOME", ".local/share").map(|data| data.join("fnm")));
    let places = [(nvm, "versions/node", "bin"), (fnm, "node-versions", "installation/bin")];
    let wanted = version.trim_start_matches('v');
    let mut found = Vec::new();
    for (root, versions, bin) in places {
        let versions = root.and_then(|root| root.join(versions).read_dir().ok());
        for folder in versions.into_iter().flatten().flatten() {
            let name = folder.file_name().to_string_lossy().into_owned();
            let number = name.trim_start_matches('v');
            let is_wanted = number.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            let numbers: Option<Vec<u32>> = number.split('.').map(|part| part.parse().ok()).collect();
            found.extend(numbers.filter(|_| is_wanted).map(|numbers| (numbers, folder.path().join(bin))));
        }
    }
    let newest = found.into_iter().max().map(|(_, bin)| bin);
    newest.ok_or_else(|| {
        Error::msg(format_args!(
            "nvm and fnm have no Node that matches `{version}`; install one, or write a version number in place of an \
             alias"
        ))
    })
}
