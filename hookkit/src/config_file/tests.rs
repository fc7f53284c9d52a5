use std::collections::BTreeMap;

use tempfile::TempDir;

use super::*;
use test_support::Has;

const FILE: &str = ".claude/limits.json";

type Limits = BTreeMap<String, u32>;

fn project() -> (TempDir, ConfigFile) {
    let project = test_support::folder();
    let context = Context { project_dir: project.path().to_owned(), ..Context::default() };
    (project, ConfigFile::in_project(&context, FILE))
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

fn add(limits: &mut Limits, name: &str) {
    *limits.entry(name.to_owned()).or_default() += 1;
}

#[test]
fn a_missing_file_is_none_and_an_update_creates_it() {
    let (project, file) = project();
    assert_eq!(file.text().unwrap(), None);
    assert_eq!(file.json::<Limits>().unwrap(), None);
    assert!(!file.remove().unwrap());
    assert!(!project.path().join(".claude").exists());
    file.update(|text| assert_eq!(text, "")).unwrap();
    file.update_json(|limits| add(limits, "a")).unwrap();
    assert_eq!(file.text().unwrap().as_deref(), Some("{\n  \"a\": 1\n}\n"));
    assert_eq!(names(&project.path().join(".claude")), ["limits.json"]);
    assert!(file.remove().unwrap());
    assert_eq!(file.text().unwrap(), None);
}

#[test]
fn an_invalid_file_is_an_error_with_its_place_and_stays() {
    let (project, file) = project();
    file.update(|text| *text = "{\n  \"a\": \"one\"\n}".to_owned()).unwrap();
    let path = project.path().join(FILE);
    let expected = format!(
        "`{}` is not a valid configuration: invalid type: string \"one\", expected u32 at line 2 column 12: fix or \
         remove the file",
        path.display()
    );
    assert_eq!(file.json::<Limits>().unwrap_err().to_string(), expected);
    let updated = file.update_json(|limits: &mut Limits| add(limits, "a"));
    assert_eq!(updated.unwrap_err().to_string(), expected);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\n  \"a\": \"one\"\n}");

    fs::write(&path, "\u{feff}{\"a\": 2}").unwrap();
    assert_eq!(file.json::<Limits>().unwrap().unwrap()["a"], 2);
    fs::write(&path, b"\xff").unwrap();
    let error = file.text().unwrap_err().to_string();
    error.starts(&format!("the configuration `{}` cannot be read: ", path.display()));
    fs::write(&path, " ".repeat(1 + (1 << 20))).unwrap();
    let error = file.text().unwrap_err().to_string();
    assert!(error.ends_with("cannot be read: it is larger than 1 MiB"), "{error}");
}

#[test]
#[cfg(unix)]
fn concurrent_updates_are_not_lost() {
    let (project, file) = project();
    let update = |file: &ConfigFile, name: &str| {
        for _ in 0..25 {
            file.update_json(|limits| add(limits, name)).unwrap();
        }
    };
    // Each update opens the folder again, so that threads wait as processes do.
    std::thread::scope(|scope| {
        for name in ["a", "b", "c"] {
            let file = &file;
            scope.spawn(move || update(file, name));
        }
    });
    let counted = file.json::<Limits>().unwrap().unwrap();
    assert_eq!(counted.into_values().collect::<Vec<_>>(), [25, 25, 25]);
    assert_eq!(names(&project.path().join(".claude")), ["limits.json"]);
}

#[test]
#[cfg(unix)]
fn a_file_that_cannot_be_replaced_stays() {
    use std::os::unix::fs::PermissionsExt;

    let (project, file) = project();
    file.update(|text| *text = "old".to_owned()).unwrap();
    let path = project.path().join(FILE);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    // A folder with the name of the new file exists.
    let new = project.path().join(format!(".claude/.limits.json.{}.new", process::id()));
    fs::create_dir(&new).unwrap();
    let error = file.update(|text| *text = "new".to_owned()).unwrap_err().to_string();
    assert!(error.contains("cannot be changed: "), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    fs::remove_dir(new).unwrap();
    file.update(|text| *text = "new".to_owned()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap());
    let before = inode(&path);
    file.update(|_| ()).unwrap();
    assert_eq!(inode(&path), before, "an unchanged text is not written");
}

#[test]
#[cfg(unix)]
fn no_link_of_a_checkout_is_followed() {
    for linked in [".claude", FILE] {
        let (project, file) = project();
        let outside = test_support::folder();
        let theirs = outside.path().join("limits.json");
        fs::write(&theirs, "{}").unwrap();
        let target = if linked == FILE {
            fs::create_dir(project.path().join(".claude")).unwrap();
            theirs.as_path()
        } else {
            outside.path()
        };
        std::os::unix::fs::symlink(target, project.path().join(linked)).unwrap();
        for error in
            [file.text().unwrap_err(), file.update(|text| text.clear()).unwrap_err(), file.remove().unwrap_err()]
        {
            error.to_string().has("it is a link, which might lead anywhere");
        }
        assert_eq!(fs::read_to_string(theirs).unwrap(), "{}");
    }
}

#[test]
#[cfg(unix)]
fn a_link_of_the_user_stays_and_its_target_is_replaced() {
    let folder = test_support::folder();
    let [link, target] = ["link", "target"].map(|name| folder.path().join(name));
    fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    ConfigFile::at(&link).update(|text| text.push_str(" new")).unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(target).unwrap(), "old new");
    let found = ConfigFile::at(std::env::temp_dir().join("missing/x")).text().unwrap();
    assert_eq!(found, None);
}
