use std::collections::HashMap;

use super::super::{ProjectPath, locate};
use super::*;
use test_support::Has;

/// A disk in memory. It ignores case, as Windows does.
#[derive(Default)]
struct Fake {
    /// The files, keyed by their paths in lower case: each with its path as the system writes it, and its target if it
    /// is a link.
    files: HashMap<String, (String, Option<String>)>,
    /// Short names of files, in lower case, with their long paths.
    short: HashMap<String, String>,
}

impl Fake {
    fn new(files: &[&str]) -> Self {
        let mut disk = Self::default();
        disk.files.insert("c:/".to_owned(), ("C:/".to_owned(), None));
        for file in files {
            disk.add(file, None);
        }
        disk
    }

    fn add(&mut self, path: &str, target: Option<&str>) {
        for (at, _) in path.match_indices('/').skip(1).chain([(path.len(), "")]) {
            let target = target.filter(|_| at == path.len()).map(str::to_owned);
            self.files.insert(path[..at].to_lowercase(), (path[..at].to_owned(), target));
        }
    }

    fn link(mut self, path: &str, target: &str) -> Self {
        self.add(path, Some(target));
        self
    }

    fn short(mut self, short: &str, path: &str) -> Self {
        self.short.insert(short.to_lowercase(), path.to_lowercase());
        self
    }

    /// Converts a path whose names may be short to the long path.
    fn long(&self, path: &str) -> String {
        let mut long = String::new();
        for name in path.to_lowercase().split('/') {
            long = if long.is_empty() {
                format!("{name}/")
            } else if name.is_empty() {
                long
            } else {
                format!("{}/{name}", long.trim_end_matches('/'))
            };
            long = self.short.get(&long).cloned().unwrap_or(long);
        }
        long
    }
}

impl Disk for Fake {
    fn entry(&self, path: &str) -> io::Result<Entry> {
        if path.contains("forbidden") {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(match self.files.get(&self.long(path)) {
            None => Entry::Missing,
            Some((_, None)) => Entry::Plain,
            Some((_, Some(target))) => Entry::Link(target.clone()),
        })
    }

    fn real(&self, path: &str) -> io::Result<Option<String>> {
        if path.starts_with("N:/") {
            return Ok(Some(r"\\?\UNC\server\share".to_owned()));
        }
        let found = self.files.get(&self.long(path));
        assert!(found.is_none_or(|(_, target)| target.is_none()), "`{path}` would be followed");
        Ok(found.map(|(path, _)| format!(r"\\?\{}", path.replace('/', r"\"))))
    }

    fn names(&self, folder: &str) -> io::Result<Vec<String>> {
        let start = format!("{}/", self.long(folder).trim_end_matches('/'));
        let files = self.files.iter().filter(|(key, _)| key.len() > start.len());
        let inside = files.filter_map(|(key, (path, _))| Some((key.strip_prefix(&start)?, &path[start.len()..])));
        let own = inside.filter(|(key, _)| !key.contains('/'));
        Ok(own.map(|(_, name)| name.to_owned()).collect())
    }
}

fn on(disk: Fake, path: &str) -> Result<ProjectPath, Error> {
    let project = Path::new(r"c:\Code\web");
    let home = Path::new(r"C:\Users\me");
    locate(&Windows(disk), true, path.as_ref(), project, project, Some(home))
}

fn disk() -> Fake {
    Fake::new(&["C:/code/web/src/main.rs", "C:/code/web/.env", "C:/Users/me/.ssh/id_rsa"])
}

fn error(path: &str) -> String {
    on(disk(), path).unwrap_err().to_string()
}

/// Finds a path in a project `C:\code`.
fn located(path: &str, cwd: &Path, home: Option<&Path>) -> Result<ProjectPath, Error> {
    locate(&Windows(disk()), true, path.as_ref(), cwd, r"C:\code".as_ref(), home)
}

/// Returns the names of a file, except for those that are only in lower case.
fn names(path: &ProjectPath) -> Vec<String> {
    let texts = path.names().map(|name| name.to_str().unwrap().to_owned());
    texts.filter(|name| name.starts_with(char::is_uppercase)).collect()
}

fn in_text(path: &str) -> String {
    let path = Windows(disk()).absolute(path.as_ref(), r"c:\code\web".as_ref(), Some(r"C:\Users\me".as_ref()));
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_path_has_a_drive_and_slashes_or_is_an_error() {
    test_support::lines!("lines/windows-paths.txt").check(|_, path| match on(disk(), path) {
        Ok(_) => in_text(path),
        Err(error) => {
            let error = error.to_string();
            error.strip_prefix(&format!("`{path}` ")).unwrap_or(&error).to_owned()
        }
    });
}

#[test]
fn such_a_path_stays_an_error_as_the_folder_of_others() {
    let home = Path::new(r"C:\Users\me");
    for cwd in
        ["/c/code", "C:", "C:a", r"\a", "a:", r"\\server\share", "a.", "nul", r"\\?\C:\code", ".env::$DATA", "//server"]
    {
        let mut cwd = Windows(disk()).absolute(cwd.as_ref(), r"C:\code".as_ref(), Some(home));
        for step in ["src", "..", "a/b"] {
            assert!(cwd.to_str().unwrap().starts_with("?/"), "{}", cwd.display());
            assert!(located("x", &cwd, Some(home)).is_err(), "{}", cwd.display());
            cwd = Windows(disk()).absolute(step.as_ref(), &cwd, Some(home));
        }
        let expected = Some("D:/b");
        assert_eq!(Windows(disk()).absolute("D:/b".as_ref(), &cwd, None).to_str(), expected);
    }
}

#[test]
fn without_a_home_a_tilde_is_not_a_folder_of_the_current_one() {
    let absolute = |path: &str| Windows(disk()).absolute(path.as_ref(), r"C:\code".as_ref(), None);
    for path in ["~", r"~\a", " ~/a"] {
        assert_eq!(absolute(path), PathBuf::from(format!("?/{}", path.trim())));
    }
    assert_eq!(absolute("~a"), PathBuf::from("C:/code/~a"));
    let error = located("a", &absolute("~"), None).unwrap_err().to_string();
    error.starts("`?/~` is a path that can be read in several ways");
}

#[test]
fn a_file_has_its_long_name_in_its_own_case() {
    let disk = || disk().short("c:/code/web/env~1", "c:/code/web/.env").short("c:/users/me/ssh~1", "c:/users/me/.ssh");
    let path = on(disk(), "ENV~1").unwrap();
    assert_eq!(path.resolved.to_str(), Some("C:/code/web/.env"));
    assert_eq!(path.relative.as_deref(), Some(".env"));
    assert_eq!(names(&path), ["C:/Code/web/ENV~1", "C:/code/web/.env"]);
    let path = on(disk(), "C:/USERS/ME/SSH~1/new").unwrap();
    assert_eq!(path.resolved.to_str(), Some("C:/Users/me/.ssh/new"));
    assert_eq!(path.relative, None);
    let path = on(disk(), r"C:\CODE\WEB\SRC\Main.RS").unwrap();
    assert_eq!(path.absolute.to_str(), Some("C:/CODE/WEB/SRC/Main.RS"));
    assert_eq!(path.relative.as_deref(), Some("src/main.rs"));
    // A short name that no file has is a name.
    let path = on(disk(), "NEW~1").unwrap();
    assert_eq!(path.relative.as_deref(), Some("NEW~1"));
}

#[test]
fn names_are_in_lower_case_too() {
    let path = on(disk(), r"C:\CODE\Web\New\Id_RSA").unwrap();
    assert!(path.names().any(|name| name == Path::new("c:/code/web/new/id_rsa")));
    assert_eq!(path.relative_names().collect::<Vec<_>>(), ["New/Id_RSA", "new/id_rsa"]);
    assert_eq!(path.relative.as_deref(), Some("New/Id_RSA"));
    // The first name is the one that the model knows.
    assert_eq!(path.names().next(), Some(Path::new("C:/CODE/Web/New/Id_RSA")));
}

#[test]
fn links_are_followed_with_each_name() {
    let disk = || {
        disk()
            .link("C:/code/web/Notes.txt", ".env")
            .link("C:/code/web/out", r"\??\C:\Users\me")
            .link("C:/in", r"\\?\C:\code\web\")
            .link("C:/code/web/.key", "SRC/none")
            .link("C:/code/web/src/up", r"..\.env")
            .short("c:/code/web/notes~1.txt", "c:/code/web/notes.txt")
    };
    let path = on(disk(), "NOTES.TXT").unwrap();
    assert_eq!(path.relative.as_deref(), Some(".env"));
    let expected = ["C:/Code/web/NOTES.TXT", "C:/code/web/Notes.txt", "C:/code/web/.env"];
    assert_eq!(names(&path), expected);
    let path = on(disk(), r"OUT\.SSH\id_rsa").unwrap();
    assert_eq!(path.resolved.to_str(), Some("C:/Users/me/.ssh/id_rsa"));
    assert_eq!(path.relative, None);
    assert!(path.relative_names().any(|name| name == "out/.SSH/id_rsa"));
    let expected = Some("src/main.rs");
    assert_eq!(on(disk(), "C:/in/src/main.rs").unwrap().relative.as_deref(), expected);
    // The target does not exist.
    let path = on(disk(), ".key").unwrap();
    assert_eq!(path.relative.as_deref(), Some("src/none"));
    assert_eq!(on(disk(), "src/up").unwrap().relative.as_deref(), Some(".env"));
    // A short name does not reveal the long one.
    let error = on(disk(), "NOTES~1.txt").unwrap_err().to_string();
    let expected = "it is a short name of a link: write the long one";
    assert!(error.ends_with(expected), "{error}");
}

#[test]
fn dots_after_a_link_are_read_in_both_ways() {
    let disk = Fake::new(&["C:/code/web/a", "C:/else/deep/x", "C:/else/a"]).link("C:/code/web/link", r"C:\else\deep");
    let path = on(disk, r"link\..\a").unwrap();
    assert_eq!(path.resolved.to_str(), Some("C:/code/web/a"));
    assert_eq!(path.relative, None);
    assert!(path.names().any(|name| name == Path::new("C:/else/a")));
}

#[test]
fn a_link_whose_target_is_not_certain_is_an_error() {
    for (target, why) in [
        (r"\\server\share", "is on another computer"),
        (r"\\?\UNC\server\share", "is on another computer"),
        (r"\\?\Volume{1}\", "is on another computer"),
        (r"\a", "has no drive"),
        ("/mnt/c/a", "has no drive"),
        ("ab:c", "stream"),
        ("link", "too many links"),
    ] {
        let error = on(disk().link("C:/code/web/link", target), "link/x").unwrap_err().to_string();
        assert!(error.contains(why), "{target}: {error}");
    }
    let disk = disk().link("C:/code/web/first", r"C:\else").link("C:/else/second", r"..\a");
    assert!(on(disk, "first/second").unwrap_err().to_string().contains("two places"));
    assert!(error("forbidden/x").contains("cannot follow `C:/Code/web/forbidden`: "));
    assert!(error("N:/x").contains("`N:/x`: the system calls it"));
}

#[test]
fn the_home_folder_is_that_of_both_variables() {
    let found = |profile: Option<&str>, other: Option<&str>| {
        home(|name| (if name == "HOME" { other } else { profile }).map(OsString::from))
    };
    let me = Some(r"C:\Users\me");
    assert_eq!(found(me, None), me.map(PathBuf::from));
    assert_eq!(found(me, Some("")), me.map(PathBuf::from));
    assert_eq!(found(me, Some("c:/users/ME/")), me.map(PathBuf::from));
    assert_eq!(found(me, Some(r"D:\me")), None);
    assert_eq!(found(me, Some("/c/Users/me")), None);
    assert_eq!(found(None, me), None);
    assert_eq!(found(Some("me"), None), None);
    assert_eq!(found(Some(r"\\server\me"), None), None);
    let error = located("~/a", Path::new("C:/"), None).unwrap_err().to_string();
    error.starts("cannot resolve `~/a`: ");
}

/// Tests on the disk of the computer, or of Wine, which has no links.
#[cfg(windows)]
mod computer {
    use std::fs;
    use std::path::Path;

    use crate::Context;

    fn project() -> (tempfile::TempDir, Context) {
        let project = test_support::folder();
        fs::create_dir_all(project.path().join("Src")).unwrap();
        fs::write(project.path().join("Src").join("main.rs"), "").unwrap();
        fs::write(project.path().join(".env"), "").unwrap();
        let context =
            Context { project_dir: project.path().to_owned(), cwd: project.path().to_owned(), ..Context::default() };
        (project, context)
    }

    #[test]
    fn files_that_are_there_and_new_ones_have_a_place_in_the_project() {
        let (project, context) = project();
        let relative = |path: &str| context.path(path).unwrap().relative;
        for (path, name) in [
            ("Src/main.rs", "Src/main.rs"),
            (r"src\MAIN.rs", "Src/main.rs"),
            (r"SRC\new\a.rs", "Src/new/a.rs"),
            (".ENV", ".env"),
            ("", "."),
            (r"src\..", "."),
        ] {
            assert_eq!(relative(path).as_deref(), Some(name), "{path}");
            let absolute = format!("{}/{path}", project.path().display().to_string().to_uppercase());
            assert_eq!(relative(&absolute).as_deref(), Some(name), "{absolute}");
        }
        assert_eq!(relative(".."), None);
        assert_eq!(relative(r"C:\windows\system32"), None);
        let path = context.path("src/main.rs").unwrap();
        assert_eq!(fs::read(&path.resolved).unwrap(), b"");
        assert_eq!(path.folders().count(), 2);
    }

    #[test]
    fn what_the_system_reads_as_another_file_is_an_error() {
        let (_project, context) = project();
        for path in [".env.", ".env::$DATA", "NUL", "C:.env", r"\.env", r"\\?\C:\.env", "/c/a"] {
            assert!(context.path(path).is_err(), "{path}");
        }
    }

    #[test]
    fn a_short_name_is_replaced_by_the_long_one() {
        let (_project, context) = project();
        // A volume need not have short names.
        if Path::new("C:/PROGRA~1").is_dir() {
            let path = context.path("c:/progra~1/New~1/a").unwrap();
            assert_eq!(path.resolved.to_str(), Some("C:/Program Files/New~1/a"));
        }
    }

    #[test]
    fn a_drive_that_is_not_there_is_no_error() {
        let (_project, context) = project();
        let path = context.path("q:/a/b").unwrap();
        assert_eq!((path.resolved.to_str(), path.relative), (Some("Q:/a/b"), None));
    }
}
