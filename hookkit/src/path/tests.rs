use std::fs::{self, File};
use std::os::unix::fs::symlink;

use super::unix::{Unix, absolute};
use super::*;
use crate::soak;

use test_support::lines::Section;

/// Resolves a path as on Linux, on any Unix.
fn locate(path: &Path, cwd: &Path, project: &Path, home: Option<&Path>) -> Result<ProjectPath, Error> {
    super::locate(&Unix, false, path, cwd, project, home)
}

/// A temporary folder with a project. Its path has no links.
struct Tree {
    root: PathBuf,
    _folder: tempfile::TempDir,
}

impl Tree {
    fn new() -> Self {
        let folder = test_support::folder();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("project/src")).unwrap();
        Self { root, _folder: folder }
    }

    fn write(&self, path: &str) -> PathBuf {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        path
    }

    fn link(&self, from: &str, to: impl AsRef<Path>) {
        symlink(to, self.root.join(from)).unwrap();
    }

    fn locate(&self, path: impl AsRef<Path>) -> Result<ProjectPath, Error> {
        let project = self.root.join("project");
        locate(path.as_ref(), &project, &project, Some(&self.root.join("home")))
    }

    fn path(&self, path: impl AsRef<Path>) -> ProjectPath {
        self.locate(path).unwrap()
    }

    /// Returns the target of a path, after the relative name if the name is not the rest of the path.
    fn found(&self, path: &str) -> String {
        let path = match self.locate(path.replace("ROOT", self.root.to_str().unwrap())) {
            Ok(path) => path,
            Err(error) => return error.to_string().replace(self.root.to_str().unwrap(), "ROOT"),
        };
        let rest = path.resolved.strip_prefix(self.root.join("project")).ok();
        let rest = rest.map(|rest| if rest.as_os_str().is_empty() { "." } else { rest.to_str().unwrap() });
        let resolved = path.resolved.strip_prefix(&self.root).unwrap_or(&path.resolved).display();
        match &path.relative {
            name if name.as_deref() == rest => resolved.to_string(),
            None => format!("no name: {resolved}"),
            Some(name) => format!("{name}: {resolved}"),
        }
    }
}

fn in_text(path: &str) -> String {
    let path = absolute(Path::new(path), Path::new("/code/web"), Some(Path::new("/home/me")));
    path.into_os_string().into_string().unwrap()
}

#[test]
fn a_path_is_read_as_the_client_does() {
    test_support::lines!("lines/unix-texts.txt").check(|_, path| in_text(path));
}

#[test]
fn a_path_has_its_target_and_its_name_in_the_project() {
    let tree = |section: &Section| {
        let tree = Tree::new();
        section.write(&tree.root, "");
        tree
    };
    test_support::lines!("lines/unix-paths.txt").check(|section, path| tree(section).found(path));
}

#[test]
fn text_is_read_as_a_simple_model_reads_it() {
    let mut random = fastrand::Rng::with_seed(1);
    let parts = ["a", "b c", "\u{e4}", "..", "..", ".", "", "~", "..a", "x\ny"];
    for _ in soak::rounds(2_000, 20_000) {
        let count = random.usize(..8);
        let parts: Vec<&str> = (0..count).map(|_| parts[random.usize(..parts.len())]).collect();
        let text = format!("{}{}", ["", "/"][random.usize(..2)], parts.join("/"));
        let whole = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("/home/me{rest}"),
            _ if text.starts_with('/') => text.clone(),
            _ => format!("/code/web/{text}"),
        };
        let mut model: Vec<&str> = Vec::new();
        for part in whole.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(model.pop()),
                part => model.push(part),
            }
        }
        assert_eq!(in_text(&text), format!("/{}", model.join("/")), "{text:?}");
    }
}

#[test]
fn without_a_home_a_tilde_is_a_name_and_resolving_it_fails() {
    let at = Path::new("/p");
    assert_eq!(absolute(Path::new("~/a"), at, None).to_str(), Some("/p/~/a"));
    for path in ["~", "~/a", " ~/a"] {
        let error = locate(Path::new(path), at, at, None).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot resolve `{path}`: `HOME` is not set"));
    }
    assert!(locate(Path::new("~user"), at, at, None).is_ok());
}

#[test]
fn a_path_is_shown_as_the_client_reads_it() {
    let place = Tree::new();
    let shown = place.path("src/../new.rs/").to_string();
    assert_eq!(shown, format!("{}/project/new.rs", place.root.display()));
}

#[test]
fn a_file_is_made_where_a_link_to_a_missing_file_leads() {
    let place = Tree::new();
    place.link("project/notes", "../.env");
    place.link("project/more", "notes");
    assert_eq!(place.found("more"), ".env");
    fs::write(place.root.join("project/more"), "made").unwrap();
    assert_eq!(fs::read_to_string(place.root.join(".env")).unwrap(), "made");
}

#[test]
fn a_link_may_be_absolute() {
    let place = Tree::new();
    place.write("outside/a");
    place.link("project/absolute", place.root.join("outside"));
    assert_eq!(place.found("absolute/a"), "outside/a");
}

#[test]
fn the_projects_own_links_are_followed_too() {
    let place = Tree::new();
    place.link("linked", "project");
    let file = place.write("project/src/main.rs");
    let located = |path: &Path, project: &str| locate(path, &place.root, &place.root.join(project), None).unwrap();
    for path in [&file, &place.root.join("linked/src/main.rs")] {
        for project in ["project", "linked", "linked/src/..", "linked/"] {
            let expected = Some("src/main.rs");
            assert_eq!(located(path, project).relative.as_deref(), expected, "{project}");
        }
    }
}

#[test]
fn names_have_the_kernels_reading_of_dots_after_a_link() {
    let place = Tree::new();
    place.write("elsewhere/deep/x");
    place.write("elsewhere/a");
    place.write("project/a");
    place.link("project/link", "../elsewhere/deep");
    let path = place.path("link/../a");
    assert_eq!(path.absolute, place.root.join("project/a"));
    assert!(path.names().any(|name| name == place.root.join("elsewhere/a")));
}

#[test]
fn names_are_the_path_after_each_link() {
    let place = Tree::new();
    place.write("project/.aws/credentials");
    place.link("project/cloud", "src/../.aws");
    place.link("project/notes", "cloud/credentials");
    let names = |path: &str| -> Vec<String> {
        let path = place.path(path);
        let names = path.names().map(|name| name.strip_prefix(place.root.join("project")).unwrap());
        names.map(|name| name.to_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("src/main.rs"), ["src/main.rs"]);
    assert_eq!(names("notes"), ["notes", "cloud/credentials", "src/../.aws/credentials", ".aws/credentials"]);
    assert_eq!(names(" ~x "), ["~x", " ~x "]);
}

#[test]
fn folders_go_from_the_file_to_the_root() {
    let place = Tree::new();
    let folders = |path: &str| -> Vec<PathBuf> {
        let path = place.path(path);
        let folders = path.folders().map(|folder| folder.strip_prefix(&place.root).unwrap().to_owned());
        folders.collect()
    };
    let expected = ["project/a/b", "project/a", "project"].map(PathBuf::from);
    assert_eq!(folders("a/b/c.rs"), expected);
    assert_eq!(folders("c.rs"), ["project"].map(PathBuf::from));
    assert!(folders(".").is_empty());
    assert!(folders("../c.rs").is_empty());
}

#[test]
fn as_many_links_are_followed_as_by_the_kernel() {
    let place = Tree::new();
    place.write("project/0");
    for number in 1..=41 {
        place.link(&format!("project/{number}"), (number - 1).to_string());
    }
    assert!(File::open(place.root.join("project/40")).is_ok());
    assert_eq!(place.found("40"), "project/0");
    assert!(File::open(place.root.join("project/41")).is_err());
    assert!(place.locate("41").is_err());
}

#[test]
fn a_path_that_the_kernel_rejects_is_an_error_of_a_readable_length() {
    let place = Tree::new();
    let expected = "`a\0b` contains a NUL byte";
    assert_eq!(place.locate("a\0b").unwrap_err().to_string(), expected);
    for path in ["x".repeat(300), "x/".repeat(soak::size(100_000, 1_000_000)), "\u{1f980}".repeat(1_000)] {
        let error = place.locate(path).unwrap_err().to_string();
        assert!(error.starts_with("cannot follow `") && error.len() < 1_000, "{error}");
    }
    // The text is long, but its path is not.
    for (path, count) in [("src/../", soak::size(20_000, 100_000)), ("./", soak::size(100_000, 1_000_000))] {
        assert_eq!(place.found(&path.repeat(count)), "project");
    }
}

#[test]
fn without_a_cwd_a_path_is_in_the_current_directory() {
    let context = Context::default();
    let here = std::env::current_dir().unwrap();
    assert_eq!(context.absolute("a/../b"), here.join("b"));
    let expected = Some("src/path.rs");
    assert_eq!(context.path("src/path.rs").unwrap().relative.as_deref(), expected);
    assert_eq!(context.path("..").unwrap().relative, None);
}

/// A random tree of folders, files and links, and random paths into it.
struct World {
    place: Tree,
    random: fastrand::Rng,
}

impl World {
    const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

    fn new(seed: u64) -> Self {
        let mut world = Self { place: Tree::new(), random: fastrand::Rng::with_seed(seed) };
        // The links lead up many levels; a write through them stays below the temporary folder.
        world.place.root.push("deep/".repeat(40));
        fs::create_dir_all(world.place.root.join("project")).unwrap();
        for _ in 0..30 {
            let at = world.place.root.join("project").join(world.plain());
            let target = world.text();
            // Some paths fail because of other paths.
            let _ = match world.random.usize(..4) {
                0 => fs::create_dir_all(&at),
                1 => fs::write(&at, ""),
                _ => symlink(target, &at),
            };
        }
        world
    }

    fn name(&mut self) -> &'static str {
        Self::NAMES[self.random.usize(..Self::NAMES.len())]
    }

    fn plain(&mut self) -> String {
        let count = self.random.usize(1..4);
        (0..count).map(|_| self.name()).collect::<Vec<_>>().join("/")
    }

    fn text(&mut self) -> String {
        let count = self.random.usize(1..6);
        let parts: Vec<&str> = (0..count)
            .map(|_| match self.random.usize(..8) {
                0 | 1 => "..",
                2 => ".",
                3 => "",
                _ => self.name(),
            })
            .collect();
        let text = parts.join("/");
        match self.random.usize(..4) {
            0 => format!("{}/project/{text}", self.place.root.display()),
            _ if text.starts_with('/') => format!(".{text}"),
            _ => text,
        }
    }
}

#[test]
fn a_resolved_path_is_the_file_that_the_kernel_opens_or_creates() {
    let (mut there, mut made, mut circles) = (0, 0, 0);
    for seed in soak::rounds(6, 60) {
        let mut world = World::new(seed);
        let project = world.place.root.join("project");
        for _ in 0..60 {
            let text = world.text();
            let read = absolute(Path::new(&text), &project, None);
            let opened = fs::metadata(&read);
            let located = world.place.locate(&text);
            if opened.as_ref().is_err_and(|err| err.raw_os_error() == Some(libc::ELOOP)) {
                assert!(located.is_err(), "seed {seed}: {text}");
                circles += 1;
            }
            let Ok(found) = located else {
                // One of the two readings fails.
                let is_closed = opened.is_err() || fs::metadata(project.join(&text)).is_err();
                assert!(is_closed, "seed {seed}: {text}");
                continue;
            };
            assert_eq!(found.absolute, read);
            if opened.is_ok() {
                assert_eq!(found.resolved, read.canonicalize().unwrap(), "seed {seed}: {text}");
                there += 1;
            }
            if let Ok(kernel) = project.join(&text).canonicalize() {
                assert!(found.names().any(|name| name == kernel), "seed {seed}: {text}");
                let is_inside = kernel.starts_with(&project) && found.resolved.starts_with(&project);
                assert_eq!(found.relative.is_some(), is_inside, "seed {seed}: {text}");
            }
            if opened.is_err() && fs::write(&read, "").is_ok() {
                assert_eq!(found.resolved, read.canonicalize().unwrap(), "seed {seed}: {text}");
                fs::remove_file(&found.resolved).unwrap();
                made += 1;
            }
        }
    }
    assert!(
        there > soak::size(50, 500) && made > soak::size(10, 100) && circles > soak::size(1, 50),
        "{there} {made} {circles}"
    );
}

#[test]
fn relative_names_consider_all_names_of_the_root() {
    let place = Tree::new();
    place.write("project/src/a");
    place.link("project/b", "src/a");
    place.link("project/out", "../home/c");
    place.link("also", "project");
    let names = |path: &str| -> Vec<String> { place.path(place.root.join(path)).relative_names().collect() };
    assert_eq!(names("project/b"), ["b", "src/a"]);
    assert_eq!(names("project/out"), ["out"]);
    assert_eq!(names("also/b"), ["b", "src/a"]);
    assert_eq!(names("project"), ["."]);
    assert!(names("home/c").is_empty());

    let project = place.root.join("also");
    let path = locate("src/a".as_ref(), &project, &project, None).unwrap();
    assert_eq!(path.relative_names().collect::<Vec<_>>(), ["src/a", "src/a"]);
}
