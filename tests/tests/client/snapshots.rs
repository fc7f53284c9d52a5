//! Snapshots in the real client: a file that a command deletes comes back.

use hookkit_tests::prelude::*;

use test_support::git;

use crate::hooks::install;
use crate::soak;

#[test]
fn an_untracked_file_that_a_command_deletes_comes_back() -> Result<()> {
    let client = client!("an_untracked_file_that_a_command_deletes_comes_back");
    let (project, state) = (Project::new()?, test_support::folder());
    project.write("notes/untracked.txt", "only here\n")?;
    install(&project, &["keep-snapshots"])?;
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash"])
        .env("XDG_STATE_HOME", state.path())
        .turn(Turn::call("Bash", json!({"command": "rm -r notes", "description": "Remove it"})))
        .turn(Turn::call("Bash", json!({"command": "touch new", "description": "Make it"})))
        .go()?;
    assert_eq!(outcome.tool_results().len(), 2);
    assert!(!project.path().join("notes").exists());
    let xtask = |arguments: &[&str]| -> Result<String> {
        let mut command = command(project.path(), arguments)?;
        command.env("XDG_STATE_HOME", state.path()).out(0)
    };
    let rows = xtask(&["snapshots", "--json"])?;
    let rows = rows_of(&rows)?;
    let call = rows.iter().find(|row| row["about"] == "rm -r notes").context("the call")?;
    assert_eq!(call["changed"], json!(["notes/untracked.txt"]));
    xtask(&["snapshots", "restore", &call["number"].to_string(), "notes"])?;
    assert_eq!(project.read("notes/untracked.txt")?, "only here\n");
    // The prompt is found in the transcript of the real client.
    let mut bisect = command(project.path(), &["bisect", "test ! -e new", "--json"])?;
    let found: Value = serde_json::from_str(&bisect.env("XDG_STATE_HOME", state.path()).out(1)?)?;
    assert_eq!(found["calls"][0]["call"]["about"], "touch new");
    assert!(found["calls"][0]["prompt"].is_string(), "{found}");
    Ok(())
}

fn rows_of(text: &str) -> Result<Vec<Value>> {
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Mode, and bytes or target, of each file and link of a project, by its path there.
type Files = BTreeMap<PathBuf, (u32, Vec<u8>)>;

fn files_of(project: &Project) -> Result<Files> {
    let is_left_out = |folder: &Path| [".git", ".claude"].iter().any(|name| folder.ends_with(name));
    let mut found = Files::new();
    for path in files::below(project.path(), &is_left_out)? {
        let metadata = fs::symlink_metadata(&path)?;
        let bytes = match metadata.is_symlink() {
            true => fs::read_link(&path)?.into_os_string().into_encoded_bytes(),
            false => fs::read(&path)?,
        };
        let name = path.strip_prefix(project.path())?.to_owned();
        found.insert(name, (metadata.permissions().mode(), bytes));
    }
    Ok(found)
}

/// Makes the files of a project, after any that were there.
fn make(project: &Path) -> Result<()> {
    for entry in fs::read_dir(project)? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            if !path.ends_with(".claude") {
                fs::remove_dir_all(path)?;
            }
        } else {
            fs::remove_file(path)?;
        }
    }
    let write = |name: &str, bytes: &[u8], mode: u32| -> Result<()> {
        let path = project.join(name);
        fs::create_dir_all(path.parent().context("a folder")?)?;
        fs::write(&path, bytes)?;
        Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
    };
    git(project, &["init", "-q"]);
    write(".gitignore", b"ignored\n*.db\n.claude\n", 0o644)?;
    write("src/main.rs", b"fn main() {\n    println!(\"one\");\n}\n", 0o644)?;
    write("src/lib.rs", b"\r\n\n", 0o644)?;
    write("run.sh", b"echo one\n", 0o750)?;
    write("wipe.sh", b"for file in src/* notes/* ignored/.env; do : > \"$file\"; done\nrm data.db\n", 0o644)?;
    symlink("src/main.rs", project.join("link"))?;
    git(project, &["add", "."]);
    git(project, &["commit", "-q", "-m", "One"]);
    write("src/main.rs", b"fn main() { /* not committed */ }\n", 0o644)?;
    write("notes/untracked.txt", b"only here\n", 0o644)?;
    write("data.db", &b"SQLite format 3\0\xff\xfe".repeat(1000), 0o600)?;
    write("ignored/.env", b"TOKEN=x\n", 0o600)
}

/// With `HOOKKIT_SOAK`, 100 sessions with a command each, or else one session with all commands.
#[test]
fn each_file_that_a_command_destroys_comes_back() -> Result<()> {
    let client = client!("each_file_that_a_command_destroys_comes_back");
    let rows = lines!("lines/destroyed.txt");
    let commands: Vec<&str> = rows.sections[0].lines().collect();
    let sessions: Vec<Vec<&str>> = match soak::size(1, 100) {
        1 => vec![commands],
        many => commands.iter().cycle().take(many).map(|command| vec![*command]).collect(),
    };
    let (project, state) = (Project::named("project")?, test_support::folder());
    install(&project, &["keep-snapshots"])?;
    make(project.path())?;
    let before = files_of(&project)?;
    let xtask = |arguments: &[&str]| -> Result<String> {
        let mut command = command(project.path(), arguments)?;
        command.env("XDG_STATE_HOME", state.path()).out(0)
    };
    let mut restored = 0;
    for commands in &sessions {
        let prompts: Vec<String> = (0..commands.len()).map(|number| format!("prompt-{number}.")).collect();
        let mut session = Session::new(&client, project.path())
            .allow(&["Bash"])
            .env("XDG_STATE_HOME", state.path())
            .time_limit(Duration::from_secs(60 + 10 * commands.len() as u64));
        for (prompt, command) in prompts.iter().zip(commands) {
            session = session.reply(prompt, [Turn::bash(command), Turn::text("Done.")]);
        }
        session = prompts[1..].iter().fold(session, |session, prompt| session.then(prompt));
        let folder = project.path().to_owned();
        // What was not made again is found below.
        let session = session.before_each(move |_| drop(make(&folder)));
        make(project.path())?;
        let outcome = session.run(&prompts[0])?;
        let results = outcome.tool_results();
        assert_eq!(results.len(), commands.len(), "{results:?}");
        assert_ne!(files_of(&project)?, before, "{results:?}");
        let calls = rows_of(&xtask(&["snapshots", "--json"])?)?;
        for command in commands {
            let is_last = |row: &&Value| row["about"] == **command;
            let call = calls.iter().rev().find(is_last).with_context(|| format!("no call {command}"))?;
            assert_eq!(call["missed"], Value::Null);
            xtask(&["snapshots", "restore", &call["number"].to_string()])?;
            let after = files_of(&project)?;
            for (path, state) in &before {
                assert!(after.get(path) == Some(state), "{command}: {}", path.display());
            }
            restored += 1;
        }
    }
    eprintln!("{} sessions, {restored} commands, {} files each", sessions.len(), before.len());
    Ok(())
}
