//! Snapshots of a project: what a command destroys comes back by `cargo xtask snapshots`, and `bisect` finds a call.

use std::io::{self, Seek, Write};
use std::os::unix::ffi::OsStrExt;

use hookkit_snapshot::{Bounds, Call, Store};
use hookkit_tests::prelude::*;
use test_support::{git, git_command};

use crate::soak;

/// A project with files of all kinds, and the state folder.
struct Snapped {
    folder: tempfile::TempDir,
}

/// State of a file or a link: the mode, and the bytes or the target.
type State = (u32, Vec<u8>);

fn git_of_store(mut command: Command, input: Vec<u8>, _: Duration) -> io::Result<Vec<u8>> {
    let mut file = tempfile::tempfile()?;
    file.write_all(&input)?;
    file.rewind()?;
    let output = command.stdin(file).output()?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(io::Error::other(String::from_utf8_lossy(&output.stderr))),
    }
}

impl Snapped {
    fn new() -> Result<Self> {
        let folder = test_support::folder();
        let snapped = Self { folder };
        fs::create_dir(snapped.path())?;
        git(snapped.path(), &["init", "-q"]);
        snapped.write(".gitignore", "ignored\n*.db\n")?;
        snapped.write("src/main.rs", "fn main() {\n    println!(\"one\");\n}\n")?;
        snapped.write("src/lib.rs", "\r\n")?;
        snapped.write("run.sh", "echo one\n")?;
        fs::set_permissions(snapped.path().join("run.sh"), fs::Permissions::from_mode(0o750))?;
        symlink("src/main.rs", snapped.path().join("link"))?;
        git(snapped.path(), &["add", "."]);
        git(snapped.path(), &["commit", "-q", "-m", "One"]);
        snapped.write("src/main.rs", "fn main() { /* not committed */ }\n")?;
        snapped.write("notes/untracked.txt", "only here\n")?;
        snapped.write("data.db", b"SQLite format 3\0\xff\xfe".repeat(1000))?;
        snapped.write("ignored/.env", "TOKEN=x\n")?;
        fs::set_permissions(snapped.path().join("ignored/.env"), fs::Permissions::from_mode(0o600))?;
        Ok(snapped)
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<()> {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().context("a folder")?)?;
        Ok(fs::write(path, bytes)?)
    }

    /// Takes a snapshot, as the hook does before a call.
    fn keep(&self, session: &str, about: &str) -> Result<u64> {
        self.try_keep(session, about, &Bounds::default())
    }

    fn try_keep(&self, session: &str, about: &str, bounds: &Bounds) -> Result<u64> {
        let stores = self.folder.path().join("state/hookkit/snapshots");
        let call = Call {
            session: session.to_owned(),
            tool: "Bash".to_owned(),
            id: format!("toolu_{about}"),
            about: about.to_owned(),
            transcript: self.folder.path().join("transcript.jsonl").display().to_string(),
            ..Call::default()
        };
        Ok(Store::new(&stores, &self.path(), git_of_store).keep(&call, bounds)?.number)
    }

    /// Has a call before which no snapshot is taken.
    fn miss(&self, session: &str, about: &str) -> Result<()> {
        let bounds = Bounds { files: 0, ..Bounds::default() };
        let error = self.try_keep(session, about, &bounds).err();
        error.context("no error")?.to_string().has("more files than the limit");
        Ok(())
    }

    fn xtask(&self, arguments: &[&str]) -> Result<Command> {
        let mut command = command(&self.path(), arguments)?;
        command.env("XDG_STATE_HOME", self.folder.path().join("state"));
        Ok(command)
    }

    /// Returns the state of each file and link, but for git's own.
    fn files(&self) -> Result<BTreeMap<PathBuf, State>> {
        let (mut files, mut folders) = (BTreeMap::new(), vec![self.path()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder)? {
                let path = entry?.path();
                let metadata = fs::symlink_metadata(&path)?;
                let name = path.strip_prefix(self.path())?.to_owned();
                if path.ends_with(".git") {
                } else if metadata.is_dir() {
                    folders.push(path);
                } else if metadata.is_symlink() {
                    files.insert(name, (0, fs::read_link(&path)?.as_os_str().as_bytes().to_vec()));
                } else {
                    files.insert(name, (metadata.permissions().mode(), fs::read(&path)?));
                }
            }
        }
        Ok(files)
    }
}

/// Destroys files as a command would, by its name.
fn destroy(snapped: &Snapped, how: &str) -> Result<()> {
    let at = |name: &str| snapped.path().join(name);
    let git_there = |arguments: &[&str]| drop(git(snapped.path(), arguments));
    match how {
        "rm" => fs::remove_file(at("notes/untracked.txt"))?,
        "rm -r" => {
            for folder in ["src", "notes", "ignored"] {
                fs::remove_dir_all(at(folder))?;
            }
        }
        "overwrite" => fs::write(at("data.db"), "")?,
        "git clean" => git_there(&["clean", "-fdxq"]),
        "git checkout" => git_there(&["checkout", "-q", "--", "."]),
        "git reset" => git_there(&["reset", "-q", "--hard"]),
        "git stash" => git_there(&["stash", "-q", "--include-untracked"]),
        "sed -i" => {
            // A new file takes the name of the old one.
            fs::write(at("new"), "fn main() {}\n")?;
            fs::rename(at("new"), at("src/main.rs"))?;
        }
        "mv" => fs::rename(at("notes"), at("moved"))?,
        "mv over another file" => fs::rename(at("data.db"), at("run.sh"))?,
        "chmod" => fs::set_permissions(at("ignored/.env"), fs::Permissions::from_mode(0o644))?,
        "a formatter" => {
            for name in ["src/main.rs", "src/lib.rs", "run.sh"] {
                fs::write(at(name), fs::read(at(name))?.to_ascii_uppercase())?;
            }
        }
        "a link" => {
            fs::remove_file(at("link"))?;
            symlink("/nowhere", at("link"))?;
        }
        "a folder in the place of a file" => {
            fs::remove_file(at("run.sh"))?;
            snapped.write("run.sh/inner", "new\n")?;
        }
        "a file in the place of a folder" => {
            fs::remove_dir_all(at("notes"))?;
            fs::write(at("notes"), "new\n")?;
        }
        "rm -r of the project" => {
            fs::remove_dir_all(snapped.path())?;
            fs::create_dir(snapped.path())?;
        }
        "a link in the place of a folder" => {
            fs::create_dir(snapped.folder.path().join("outside"))?;
            fs::remove_dir_all(at("notes"))?;
            symlink(snapped.folder.path().join("outside"), at("notes"))?;
        }
        _ => bail!("no such destruction"),
    }
    Ok(())
}

#[test]
fn each_file_that_a_command_destroys_comes_back() -> Result<()> {
    for how in [
        "rm", "rm -r", "overwrite", "git clean", "git checkout", "git reset", "git stash", "sed -i", "mv",
        "mv over another file", "chmod", "a formatter", "a link", "a folder in the place of a file",
        "a file in the place of a folder", "a link in the place of a folder", "rm -r of the project",
    ] {
        let snapped = Snapped::new()?;
        let before = snapped.files()?;
        assert_eq!(snapped.keep("s", how)?, 1);
        destroy(&snapped, how)?;
        let destroyed = snapped.files()?;
        assert_ne!(before, destroyed, "{how}");
        let printed = snapped.xtask(&["snapshots", "restore", "1"])?.out(0)?;
        let after = snapped.files()?;
        for (path, state) in &before {
            assert_eq!(after.get(path), Some(state), "{how}: {}", path.display());
        }
        // Nothing is lost by that: the other files are there, and the replaced ones are kept.
        printed.has("snapshots restore 2");
        let kept: BTreeSet<&Vec<u8>> = after.values().map(|(_, bytes)| bytes).collect();
        snapped.xtask(&["snapshots", "restore", "2"])?.out(0)?;
        let again = snapped.files()?;
        for (path, state) in &destroyed {
            assert!(again.get(path) == Some(state) || kept.contains(&state.1), "{how}: {}", path.display());
        }
        assert_eq!(fs::read_dir(snapped.folder.path().join("outside")).map_or(0, Iterator::count), 0);
    }
    Ok(())
}

#[test]
fn single_files_and_folders_are_restored_and_others_stay() -> Result<()> {
    let snapped = Snapped::new()?;
    snapped.keep("s", "rm")?;
    destroy(&snapped, "rm -r")?;
    let mut restore = snapped.xtask(&["snapshots", "restore", "1", "lib.rs", "../notes"])?;
    fs::create_dir(snapped.path().join("src"))?;
    restore.current_dir(snapped.path().join("src")).out(0)?;
    assert!(snapped.path().join("src/lib.rs").exists() && snapped.path().join("notes/untracked.txt").exists());
    assert!(!snapped.path().join("src/main.rs").exists() && !snapped.path().join("ignored").exists());
    let mut stats = snapped.xtask(&["stats", "--json"])?;
    let rows = stats.env("CLAUDE_CONFIG_DIR", snapped.folder.path()).out(0)?;
    let rows = Documented::read()?.rows("stats", &rows)?;
    let sums = rows.iter().find(|row| row["kind"] == "snapshots").context("the sums")?;
    assert_eq!(json!([sums["projects"], sums["taken"], sums["restored"]]), json!([1, 2, 1]));
    for (arguments, message) in [
        (&["restore", "1", "/etc/passwd"][..], "/etc/passwd is not in"),
        (&["restore", "1", "missing"], "snapshot 1 does not have missing; nothing was changed"),
        (&["restore", "99"], "there is no snapshot 99"),
        (&["diff", "99"], "there is no snapshot 99"),
    ] {
        snapped.xtask(&[&["snapshots"], arguments].concat())?.err(2)?.has(message);
    }
    Ok(())
}

#[test]
fn what_is_in_the_way_and_not_kept_gets_another_name() -> Result<()> {
    let snapped = Snapped::new()?;
    snapped.keep("s", "rm")?;
    // Larger than a snapshot can have.
    let large = fs::File::create(snapped.path().join("data.db"))?;
    large.set_len(Bounds::default().file + 1)?;
    snapped.xtask(&["snapshots", "restore", "1", "data.db"])?.out(0)?;
    let aside = fs::metadata(snapped.path().join("data.db.before-restore-1"))?;
    assert_eq!(aside.len(), Bounds::default().file + 1);
    // Again, and the first one stays.
    let large = fs::File::create(snapped.path().join("data.db"))?;
    large.set_len(Bounds::default().file + 2)?;
    snapped.xtask(&["snapshots", "restore", "1", "data.db"])?.out(0)?;
    for (name, more) in [("data.db.before-restore-1", 1), ("data.db.before-restore-1~", 2)] {
        assert_eq!(fs::metadata(snapped.path().join(name))?.len(), Bounds::default().file + more);
    }
    assert_eq!(fs::read(snapped.path().join("data.db"))?.len(), 18_000);
    snapped.xtask(&["snapshots"])?.out(0)?.has("data.db: larger than the limit");
    Ok(())
}

#[test]
fn calls_are_listed_with_their_changes_and_secrets_are_not_shown() -> Result<()> {
    let snapped = Snapped::new()?;
    snapped.keep("one", "rm notes/untracked.txt")?;
    fs::remove_file(snapped.path().join("notes/untracked.txt"))?;
    snapped.keep("one", "echo two > run.sh")?;
    snapped.write("run.sh", "echo two\n")?;
    snapped.write("ignored/.env", "TOKEN=changed\n")?;
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    snapped.keep("two", &format!("true {token}"))?;
    let text = snapped.xtask(&["snapshots"])?.out(0)?;
    for line in [
        "one\n     1 ",
        "two\n     3 ",
        "Bash rm notes/untracked.txt: 1 file changed",
        "Bash echo two > run.sh: 2 files changed",
    ] {
        text.has(line);
    }
    text.has("Bash true ghp_xxx");
    let rows = snapped.xtask(&["snapshots", "--json"])?.out(0)?;
    let rows = Documented::read()?.rows("snapshots", &rows)?;
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[2]["about"], format!("true ghp_{}", "x".repeat(36)));
    assert_eq!(rows[0]["changed"], json!(["notes/untracked.txt"]));
    assert_eq!(rows[0]["id"], "toolu_rm notes/untracked.txt");
    let diff = snapped.xtask(&["snapshots", "diff", "2"])?.out(0)?;
    diff.has("-echo one\n+echo two");
    diff.has("-(an environment file, 8 bytes)\n+(an environment file, 14 bytes)");
    diff.lacks("TOKEN");
    let diff = snapped.xtask(&["snapshots", "diff", "1", "2"])?.out(0)?;
    diff.has(" → none\n");
    diff.has("-only here");
    let rows = snapped.xtask(&["snapshots", "diff", "1", "2", "--json"])?.out(0)?;
    assert_eq!(Documented::read()?.rows("snapshots", &rows)?.len(), 1);
    snapped.xtask(&["snapshots", "prune", "--all"])?.out(0)?.has(" snapshots; 0 are left.");
    snapped.xtask(&["snapshots"])?.err(2)?.has("there are no snapshots of");
    Ok(())
}

#[test]
fn files_that_are_not_shown_have_a_row_if_they_differ() -> Result<()> {
    let snapped = Snapped::new()?;
    let of = |name: &str, other: char| -> Result<()> {
        let content = match name {
            "zeros" => format!("\0\0{other}"),
            "long" => other.to_string().repeat((1 << 20) + 1),
            _ => format!("TOKEN=ghp_{}\nshown", format!("a1B2c3D4e5F{other}").repeat(3)),
        };
        snapped.write(name, content)
    };
    for name in ["zeros", "long", "masked.txt"] {
        of(name, '6')?;
    }
    snapped.keep("one", "true")?;
    for name in ["zeros", "long", "masked.txt"] {
        of(name, '7')?;
    }
    snapped.keep("one", "true")?;
    let diff = snapped.xtask(&["snapshots", "diff", "1", "2"])?.out(0)?;
    diff.has("(not a text, 3 bytes)\n+(other content, which is not shown)\n");
    diff.has("(too long to show, 1048577 bytes)\n+(other content, which is not shown)\n");
    assert_eq!(diff.matches("+(other content, which is not shown)\n").count(), 3, "{diff}");
    // Modes are those of the umask that tests run with.
    diff.has("\nmasked.txt: ");
    diff.lacks("\0");
    diff.lacks("a1B2c3");
    let rows = snapped.xtask(&["snapshots", "diff", "1", "2", "--json"])?.out(0)?;
    assert_eq!(Documented::read()?.rows("snapshots", &rows)?.len(), 3);
    Ok(())
}

#[test]
fn bisect_names_the_call_and_its_prompt() -> Result<()> {
    // Up to 200 calls, with the call anywhere.
    let more = (3..u32::try_from(soak::size(3, 20))?).map(|session| 5 + session * 195 / 19);
    let more = more.map(|calls| (calls, calls * calls / 7 % calls));
    for (calls, planted) in [(5, 3), (40, 1), (40, 39)].into_iter().chain(more) {
        let snapped = Snapped::new()?;
        let mut transcript = String::new();
        for call in 0..calls {
            let about = format!("step {call}");
            snapped.keep("s", &about)?;
            let prompt = json!({"type": "user", "sessionId": "s", "message": {"role": "user", "content": format!("prompt {call}")}});
            let tool = json!({"type": "tool_use", "id": format!("toolu_{about}"), "name": "Bash", "input": {"command": about}});
            let assistant = json!({"type": "assistant", "message": {"role": "assistant", "content": [tool]}});
            transcript += &format!("{prompt}\n{assistant}\n");
            // Every other call changes nothing.
            if call % 2 == 1 {
                snapped.write("count", call.to_string())?;
            }
            if call == planted {
                snapped.write("broken", "")?;
            }
        }
        fs::write(snapped.folder.path().join("transcript.jsonl"), transcript)?;
        let before = snapped.files()?;
        let found = snapped
            .xtask(&["bisect", "--json", "touch made; test ! -e broken && test -e link && ! git rev-parse"])?
            .env("GIT_DIR", snapped.path().join(".git"))
            .env("TMPDIR", snapped.path())
            .out(1)?;
        let found: Value = serde_json::from_str(&found)?;
        assert_eq!(found["calls"][0]["call"]["about"], format!("step {planted}"));
        assert_eq!(found["calls"][0]["prompt"], format!("prompt {planted}"));
        let runs = found["runs"].as_u64().context("a number")?;
        assert!(runs <= 2 + u64::from(u32::next_power_of_two(calls).ilog2()), "{runs}");
        eprintln!("call {planted} of {calls}: {runs} runs of the check");
        assert_eq!(snapped.files()?, before);
        let restore = found["restore"].as_str().context("a command")?;
        restore.has(&format!("snapshots restore {}", found["before"]));
    }
    let snapped = Snapped::new()?;
    snapped.keep("s", "nothing")?;
    snapped.xtask(&["bisect", "true"])?.err(2)?.has("the files have not changed in this session");
    snapped.write("a", "")?;
    snapped.xtask(&["bisect", "true"])?.err(2)?.has("the check passes with the files as they are now");
    snapped.xtask(&["bisect", "false"])?.err(2)?.has("the check fails with the first snapshot");
    Ok(())
}

#[test]
fn bisect_names_all_calls_that_snapshots_do_not_tell_apart() -> Result<()> {
    let snapped = Snapped::new()?;
    snapped.keep("one", "step 0")?;
    snapped.write("count", "1")?;
    let before = snapped.keep("one", "step 1")?;
    for step in 2..4 {
        snapped.write("count", step.to_string())?;
        snapped.miss("one", &format!("step {step}"))?;
    }
    snapped.write("broken", "")?;
    // A call of another session is next.
    let after = snapped.keep("two", "step 4")?;
    snapped.write("count", "4")?;
    snapped.miss("two", "step 5")?;
    let bisect = |session: &str, check: &str| -> Result<(Vec<Value>, Value)> {
        let arguments = ["bisect", "--json", "--session", session, check];
        let found = snapped.xtask(&arguments)?.out(1)?;
        let found = Documented::read()?.rows("bisect", &found)?.pop().context("a row")?;
        let calls = found["calls"].as_array().context("calls")?;
        let about = |found: &Value| found["call"]["about"].clone();
        Ok((calls.iter().map(about).collect(), found))
    };
    let (calls, found) = bisect("one", "test ! -e broken")?;
    assert_eq!(calls, ["step 1", "step 2", "step 3"]);
    assert_eq!(json!([found["before"], found["after"]]), json!([before, after]));
    found["calls"][1]["call"]["missed"].to_string().has("more files than the limit");
    let text = snapped.xtask(&["bisect", "--session", "one", "test ! -e broken"])?.out(1)?;
    text.has("The check passes before the first of these calls, and fails after the last; no snapshot was taken in between:\n  Bash step 1\n  Prompt: not found\n  Bash step 2\n");
    // What comes after the session is not a call of it.
    assert_eq!(bisect("one", "test \"$(cat count)\" != 4")?.0, ["step 4", "step 5"]);
    let text = snapped.xtask(&["snapshots"])?.out(0)?;
    text.has("Bash step 3: no snapshot: there are more files than the limit `files`\n");
    let rows = snapped.xtask(&["snapshots", "--json"])?.out(0)?;
    let rows = Documented::read()?.rows("snapshots", &rows)?;
    let changed: Vec<&Value> = rows.iter().map(|row| &row["changed"]).take(4).collect();
    assert_eq!(changed, [&json!(["count"]), &Value::Null, &Value::Null, &Value::Null]);
    Ok(())
}

#[test]
fn folders_of_all_kinds_have_snapshots() -> Result<()> {
    for kind in ["no repository", "a linked work tree", "a submodule", "a bare repository"] {
        let snapped = Snapped::new()?;
        let other = snapped.folder.path().join("other");
        match kind {
            "a linked work tree" => drop(git(snapped.path(), &["worktree", "add", "-q", "--detach", "../other"])),
            "a submodule" => {
                fs::create_dir(&other)?;
                git(&other, &["init", "-q"]);
                let mut add = git_command(&other);
                add.args(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../project", "sub"]);
                ensure!(add.status()?.success());
            }
            "a bare repository" => {
                fs::create_dir(&other)?;
                git(&other, &["init", "-q", "--bare"]);
            }
            _ => fs::create_dir(&other)?,
        }
        let in_other = Snapped { folder: snapped.folder };
        let within = other.join(if kind == "a submodule" { "sub" } else { "" });
        fs::write(within.join("file"), "1")?;
        let root = hookkit_snapshot::root(&within, None)?.context("a root")?;
        assert_eq!(root, within.join("").components().collect::<PathBuf>(), "{kind}");
        let stores = in_other.folder.path().join("state/hookkit/snapshots");
        Store::new(&stores, &root, git_of_store).keep(&Call::default(), &Bounds::default())?;
        fs::remove_file(within.join("file"))?;
        let mut restore = in_other.xtask(&["snapshots", "restore", "1"])?;
        restore.current_dir(&within).out(0)?;
        assert_eq!(fs::read_to_string(within.join("file"))?, "1", "{kind}");
    }
    Ok(())
}
