//! The source of a pack, with the options of `cargo add`.

use std::path::Path;

use clap::Args;

/// The source of a pack; crates.io if there are no options.
#[derive(Args)]
pub(crate) struct Source {
    /// The URL of the git repository that has the pack
    #[arg(long, value_name = "URL", requires = "pack", conflicts_with_all = ["path", "registry"])]
    git: Option<String>,
    /// The tag of the repository
    #[arg(long, requires = "git", conflicts_with_all = ["branch", "rev"])]
    tag: Option<String>,
    /// The branch of the repository, in its current state
    #[arg(long, requires = "git", conflicts_with = "rev")]
    branch: Option<String>,
    /// The commit of the repository
    #[arg(long, requires = "git")]
    rev: Option<String>,
    /// The folder of the pack
    #[arg(long, value_name = "DIR", requires = "pack", conflicts_with = "registry", value_parser = real)]
    path: Option<String>,
    /// A registry from cargo's configuration, instead of crates.io
    #[arg(long, value_name = "NAME", requires = "pack")]
    registry: Option<String>,
}

impl Source {
    /// Returns the arguments of `cargo add`.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &str> {
        let options = [
            ("--git", &self.git),
            ("--tag", &self.tag),
            ("--branch", &self.branch),
            ("--rev", &self.rev),
            ("--path", &self.path),
            ("--registry", &self.registry),
        ];
        options.into_iter().filter_map(|(option, value)| Some([option, value.as_deref()?])).flatten()
    }
}

/// Returns `PACKAGE` from `PACKAGE@VERSION`.
pub(crate) fn name(package: &str) -> &str {
    package.split('@').next().unwrap_or(package)
}

/// Returns a folder's absolute path, without links.
fn real(folder: &str) -> Result<String, String> {
    let folder = Path::new(folder).canonicalize().map_err(|err| err.to_string())?;
    folder.into_os_string().into_string().map_err(|_| "it is not UTF-8".to_owned())
}
