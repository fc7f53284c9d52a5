//! A project for tests, with stubs for the tools that it uses.

use std::fs;
use std::path::PathBuf;

use hookkit::{Context, ProjectPath};
use test_support::lines::Section;

use crate::program::install_script;

/// The folder `project`, and the folder `bin` with the stubs.
pub(crate) struct TestProject {
    temporary: tempfile::TempDir,
}

impl TestProject {
    pub(crate) fn new() -> Self {
        let temporary = test_support::folder();
        fs::create_dir_all(temporary.path().join("project/src")).unwrap();
        fs::create_dir(temporary.path().join("bin")).unwrap();
        Self { temporary }
    }

    /// Creates a project with the files, links and tools of a section.
    pub(crate) fn of(section: &Section) -> Self {
        let project = Self::new();
        section.write(project.temporary.path(), "");
        for tool in section.words("tools") {
            project.tool(tool);
        }
        for tool in section.words("unused") {
            project.script(tool, "echo 'not this one' >&2; exit 2");
        }
        project
    }

    /// Checks which tools run on the files of each row, in the sections for this hook.
    #[track_caller]
    pub(crate) fn check_runs(hook: &str, runs: impl Fn(&Self, &[&str]) -> String) {
        let mut lines = test_support::lines!("lines/runs.txt");
        lines.sections.retain(|section| section.name.starts_with(hook));
        lines.check(|section, files| runs(&Self::of(section), &files.split(' ').collect::<Vec<_>>()));
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.temporary.path().canonicalize().unwrap().join(relative)
    }

    pub(crate) fn write(&self, relative: &str, content: &str) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn context(&self) -> Context {
        let mut context = Context::default();
        context.project_dir = self.path("project");
        context
    }

    pub(crate) fn file(&self, relative: &str) -> ProjectPath {
        self.context().path(self.path(relative)).unwrap()
    }

    /// Creates a tool that writes its folder and its arguments to the file `ran`.
    pub(crate) fn tool(&self, relative: &str) {
        let ran = self.path("ran").display().to_string();
        self.script(relative, &format!("echo \"$PWD:\" \"$@\" >> '{ran}'"));
    }

    pub(crate) fn script(&self, relative: &str, script: &str) {
        install_script(&self.path(relative), script);
    }

    /// Returns the runs of tools since the last call, without the path of the project; `None` if there were none.
    pub(crate) fn ran(&self) -> Option<String> {
        let noted = fs::read_to_string(self.path("ran")).ok()?;
        fs::remove_file(self.path("ran")).unwrap();
        Some(noted.trim().replace(&self.path("").display().to_string(), ""))
    }
}
