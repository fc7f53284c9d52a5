//! A checkout chooses the programs that cargo and rustup start in it: commands that judge it start without them, and run and ask
//! nothing of it.

use hookkit_tests::prelude::*;
use hookkit_tests::xtask::output_within;

/// A project with an unknown checkout in `app`, and folders of this user.
struct Hostile(Project);

impl Hostile {
    fn new() -> Result<Self> {
        let project = Project::named("app")?;
        let canary = project.path().with_file_name("canary");
        let canary = canary.display().to_string();
        let here = project.path().display().to_string();
        let lines = lines!("lines/launchers.txt");
        for row in &lines.section("the checkout").rows {
            let text = row.line.replace("CANARY", &canary).replace("HERE", &here);
            project.write(&row.expected[0], text)?;
        }
        for name in lines.section("programs of the checkout").lines() {
            let text = format!("#!/bin/sh\ntouch {canary}\nexit 1\n");
            files::program(project.path().join(name), text)?;
        }
        let bin = project.path().with_file_name("bin");
        let xtask = command(project.path(), &[])?;
        fs::create_dir_all(&bin)?;
        symlink(xtask.get_program(), bin.join("cargo-hookkit"))?;
        Ok(Self(project))
    }

    /// Runs a line of a shell in the checkout, as a user with the installed program does.
    fn run(&self, line: &str) -> Result<Output> {
        let here = self.0.path();
        let xtask = command(here, &[])?;
        let path = std::env::var("PATH")?;
        let mut shell = Command::new("bash");
        shell.args(["-c", line]).current_dir(here);
        shell.envs(xtask.get_envs().filter_map(|(name, value)| Some((name, value?))));
        for name in ["CARGO", "CARGO_MANIFEST_DIR", "RUSTUP_TOOLCHAIN", "RUSTC", "CARGO_TARGET_DIR"] {
            shell.env_remove(name);
        }
        shell.env("PATH", format!("{}:{path}", here.with_file_name("bin").display()));
        shell.env("XDG_STATE_HOME", here.with_file_name("state"));
        output_within(&mut shell, Duration::from_secs(60))
    }

    fn has_run(&self) -> bool {
        self.0.path().with_file_name("canary").exists() || self.0.exists("target")
    }
}

#[test]
fn the_installed_program_builds_and_asks_nothing_of_a_checkout_that_was_not_accepted() -> Result<()> {
    let lines = lines!("lines/launchers.txt");
    let hostile = Hostile::new()?;
    lines.check_section("what the installed program does there", |line| {
        let output = hostile.run(&format!("cargo-hookkit {line}")).expect(line);
        let code = output.status.code().unwrap_or(-1);
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(code != 2 || printed.contains("was not accepted"), "{line}: {printed}");
        format!("{code}{}", if hostile.has_run() { " and runs its code" } else { "" })
    });
    // A pack from elsewhere is tried with the user's own cargo.
    hostile.run("mkdir ../pack; echo x > ../pack/Cargo.toml; cargo-hookkit try x --path ../pack")?;
    ensure!(!hostile.has_run(), "`try` starts the cargo of the checkout");
    // A state folder in the checkout could come with it.
    let key = serde_json::json!(["path", hostile.0.path()]).to_string();
    let accepted = serde_json::to_string(&[&key])?;
    hostile.0.write("st/hookkit/accepted.json", &accepted)?;
    hostile.run("XDG_STATE_HOME=$PWD/st cargo-hookkit list")?;
    ensure!(!hostile.has_run(), "the checkout accepts itself");
    // Accepted, it is asked about.
    let state = hostile.0.path().with_file_name("state/hookkit");
    fs::create_dir_all(&state)?;
    fs::write(state.join("accepted.json"), accepted)?;
    hostile.run("cargo-hookkit list")?;
    ensure!(hostile.has_run(), "the checkout is not hostile enough");
    Ok(())
}

/// Returns the commands of a text that begin so, without what follows them in it.
fn commands<'t>(text: &'t str, start: &'t str) -> impl Iterator<Item = &'t str> {
    let found = text.match_indices(start).map(|(at, _)| &text[at..]);
    found
        .map(|line| line.split(['`', '"', '\n', '(', '\\', ',']).next().unwrap_or_default())
        .map(|line| line.split("  ").next().unwrap_or_default().trim_end())
}

#[test]
fn no_documented_line_that_judges_a_folder_is_started_by_what_the_folder_configures() -> Result<()> {
    let mut files = Vec::new();
    for folder in ["docs/book/src", ".github", "xtask/src", "hooks/guard/src", "hooks/session/src"] {
        files.extend(files::below(&repository().join(folder), &|_| false)?);
    }
    files.extend(["README.md", "SECURITY.md"].map(|name| repository().join(name)));
    let (mut lines, mut wrong) = (Vec::new(), Vec::new());
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let launched = commands(&text, "cargo hookkit ").chain(
            // A package is compared with the sources of the workspace that this is started in.
            commands(&text, "cargo xtask verify").filter(|line| {
                !line.contains("verify DIR") && !line.contains("verify dist") && !line.contains("verify ~")
            }),
        );
        // A step of a job runs in the checkout, unless it says another folder.
        let steps = text.split("- run: ").skip(1).filter(|_| file.ends_with("verify.md"));
        let started = steps.filter(|step| step.starts_with("cargo ") && !step.contains("\n  working-directory: "));
        wrong.extend(launched.chain(started).map(|line| format!("{}: {line}", short(&file))));
        lines.extend(commands(&text, "cargo-hookkit ").map(str::to_owned));
    }
    let wrong = wrong.join("\n");
    ensure!(wrong.is_empty(), "cargo reads the folder's configuration first:\n{wrong}");
    let judging = ["verify", "doctor", "list", "sync"];
    lines.retain(|line| judging.iter().any(|name| line.split(' ').nth(1) == Some(name)));
    lines.sort();
    lines.dedup();
    ensure!(lines.len() > 8, "{lines:?}");
    let hostile = Hostile::new()?;
    for line in lines {
        // As if no line had accepted it.
        let _ = fs::remove_file(hostile.0.path().join(".claude/hookkit.reviewed"));
        let output = hostile.run(&line)?;
        let advises_itself = !String::from_utf8_lossy(&output.stdout).contains("cargo xtask");
        let holds = advises_itself && (line != "cargo-hookkit verify" || output.status.code() == Some(1));
        ensure!(holds && !hostile.has_run(), "{line}: {output:?}");
    }
    let judged = hostile.run("cargo hookkit verify")?;
    ensure!(judged.status.success() || hostile.has_run(), "cargo was not taken in: {judged:?}");
    Ok(())
}

fn short(file: &Path) -> String {
    file.strip_prefix(repository()).unwrap_or(file).display().to_string()
}

/// Programs of the checkout in `PATH`: by a relative folder, an empty one, the project's by its path, and by a link to it.
#[test]
fn no_program_of_the_checkout_is_started_by_path() -> Result<()> {
    let project = Project::named("app")?;
    let outer = project.path().with_file_name("");
    for folder in ["", "tools/"] {
        for name in ["git", "cargo", "rustc", "cc", "rustup", "claude"] {
            let text = format!("#!/bin/sh\ntouch {}\nexit 1\n", outer.join("canary").display());
            files::program(project.path().join(format!("{folder}{name}")), text)?;
        }
    }
    let manifest = "[package]\nname = \"a\"\n[workspace.metadata.hookkit]\nname = \"a\"\n";
    project.write("Cargo.toml", manifest)?;
    project.write("src/lib.rs", "")?;
    project.write(".claude/hookkit.toml", "[sources.a]\npath = \".\"\n")?;
    project.write(".claude/hookkit.lock", r#"{"a": {"from": ".", "code": "x", "hooks": {}}}"#)?;
    symlink(project.path(), outer.join("link"))?;
    let tools = project.path().join("tools").display().to_string();
    let link = outer.join("link/tools").display().to_string();
    for path in ["", ".", "tools", &tools, &link] {
        let path = format!("{path}:{}", std::env::var("PATH")?);
        let others = ["install --check", "sync --check", "doctor", "outdated", "uninstall"];
        for line in ["verify", "verify --against main", "list"].into_iter().chain(others) {
            let arguments: Vec<&str> = line.split(' ').collect();
            let mut command = command(project.path(), &arguments)?;
            command.env("PATH", &path).env_remove("CARGO").env_remove("RUSTC");
            let output = output_within(&mut command, Duration::from_secs(60))?;
            ensure!(!outer.join("canary").exists(), "{path} {line}: {output:?}");
        }
    }
    Ok(())
}
