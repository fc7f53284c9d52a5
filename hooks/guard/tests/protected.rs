//! `protect_files` on recorded events.

#[cfg(unix)]
use std::os::unix::fs::symlink;
#[cfg(unix)]
use std::{env, fs};

use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_guard::protected::protect_files;
use serde_json::json;

/// Each tool that changes files, with the field that names the file.
const CHANGES: [(&str, &str); 3] = [
    ("Edit", "tool_input.file_path"),
    ("Write", "tool_input.file_path"),
    ("NotebookEdit", "tool_input.notebook_path"),
];

fn recorded(tool: &str) -> Recorded {
    Recorded::of(&format!("PreToolUse {tool}"))
}

/// Runs the hook on a command of a tool.
fn running(session: &Session, tool: &str, command: &str) -> Verdict {
    let event = recorded("Bash")
        .with("tool_name", tool)
        .with("tool_input.command", command);
    session.run(protect_files::DEF, &event)
}

#[test]
fn an_ordinary_file_passes() {
    for (tool, _) in CHANGES {
        Session::new().run(protect_files::DEF, &recorded(tool)).assert_passed();
    }
}

#[test]
fn a_command_of_a_skill_that_changes_a_lock_file_is_denied() {
    let run = |command: &str| {
        let event = Recorded::of("PreSkillShellCommand Bash").with("tool_input.command", command);
        Session::new().run(protect_files::DEF, &event)
    };
    run("echo x > Cargo.lock").assert_denied("Cargo.lock` is protected");
    run("cat Cargo.lock").assert_passed();
}

#[test]
fn each_tool_that_changes_a_lock_file_is_denied_with_the_program_that_writes_it() {
    let session = Session::new();
    for (tool, field) in CHANGES {
        let event = recorded(tool).with(field, session.path("Cargo.lock"));
        session.run(protect_files::DEF, &event).assert_denied(
            "Cargo.lock` is protected, since its package manager writes it: have that do it, by a command such as \
             `cargo update` or `npm install`; or ask the user, who can allow it by the line `!Cargo.lock` in \
             `.claude/protected`",
        );
    }
}

#[test]
fn a_command_that_changes_a_lock_file_is_denied() {
    let session = Session::new();
    running(&session, "Bash", "cargo update && cat Cargo.lock").assert_passed();
    let project = session.path("").display().to_string().replace('\\', "/");
    running(&session, "Bash", &format!("cd {project} && sed -i s/1/2/ Cargo.lock")).assert_denied(&format!(
        "`{project}/Cargo.lock` is protected, since its package manager writes it"
    ));
}

#[test]
fn a_command_that_may_change_one_is_asked_about() {
    running(&Session::new(), "Bash", "touch \"$folder/Cargo.lock\"").assert_asked(
        "not all of the command is known before it runs, and it may change this: `Cargo.lock` may be protected, since",
    );
}

#[test]
fn reading_is_free() {
    let session = Session::new();
    let event = recorded("Read").with("tool_input.file_path", session.path("Cargo.lock"));
    session.run(protect_files::DEF, &event).assert_passed();
}

#[test]
fn it_denies_what_it_cannot_decode() {
    let event = recorded("Edit").with("tool_input", json!({}));
    Session::new()
        .run(protect_files::DEF, &event)
        .assert_failed("missing field `path`")
        .assert_denied("missing field `path`");
}

#[cfg(unix)]
#[test]
fn the_user_s_hooks_settings_and_states_are_protected_from_every_project() {
    let mut session = Session::new();
    let home = session.path("~");
    for made in [
        ".claude/hookkit/guard/bin", ".local/state", "config/hookkit", "state/hookkit", "dotfiles",
    ] {
        fs::create_dir_all(home.join(made)).unwrap();
    }
    fs::write(home.join("dotfiles/settings.json"), "{}").unwrap();
    symlink("../dotfiles/settings.json", home.join(".claude/settings.json")).unwrap();
    symlink(".claude", home.join("link")).unwrap();
    let at = |path: &str| home.join(path).to_str().unwrap().to_owned();
    let write = |session: &Session, path: &str| {
        let event = recorded("Write").with("tool_input.file_path", at(path));
        session.run(protect_files::DEF, &event)
    };
    let run =
        |session: &Session, command: &str| running(session, "Bash", &command.replace('@', home.to_str().unwrap()));
    let own = ", since it decides what you may do: ask the user to make the change";
    session.set("XDG_STATE_HOME", "");
    for path in [
        ".claude/hookkit/guard/bin/protect-files",
        ".claude/HookKit/created.json",
        ".claude/settings.json",
        "dotfiles/settings.json",
        "link/hookkit/new",
        ".local/state/hookkit/projects/x",
    ] {
        write(&session, path).assert_denied(&format!("`{}` is protected{own}", at(path)));
    }
    for path in [
        ".claude/agents/a.md", ".claude/settings.json.bak", ".local/state/other", "state/hookkit/x",
    ] {
        write(&session, path).assert_passed();
    }
    for command in [
        "cp x @/.claude/hookkit/guard/bin/protect-files",
        "rm -rf @/.claude/hookkit/*",
        "cd @/.claude && echo '{}' > settings.json",
        "mv @/.claude /tmp/away",
        "rm -r @/link/hookkit",
        "chmod -x @/.claude/hookkit/guard/bin/protect-files",
        "chmod -R 000 @/.claude",
        "chmod a-x @/.claude -vR",
        "chown --recursive nobody @/link",
        "chgrp -hR nobody @/.claude",
        "cp -t@/.claude settings.json",
        "cp -vt @/.claude settings.json",
        "cp --target-dir=@/.claude settings.json",
        "mv --targ @/.claude settings.json",
        "install -m644 -t@/.claude settings.json",
        "install -Dt @/.claude -m 644 settings.json",
        "install x @/.claude/settings.json -m 600",
        "sed --i p @/.claude/settings.json",
        "sed --in-p --expr=p @/.claude/settings.json",
        "sed -i -es/a/b/ @/.claude/settings.json",
        "sed -ui p @/.claude/settings.json",
        "perl -i -ples/a/b/ @/.claude/settings.json",
        "patch -o@/.claude/settings.json x x.patch",
        "patch --output=@/.claude/settings.json x",
        "patch -sr @/.claude/settings.json x",
        "rm @/{.claude,x}/settings.json",
        "touch @/.claude/{x,settings}.json",
        "rm /proc/$$/root@/.claude/settings.json",
        "exec 3< @/.claude; rm /dev/fd/3/settings.json",
        "cp --parents .claude/settings.json @",
        "cp -b -S .json x @/.claude/settings",
        "patch -d @/.claude settings.json p",
        "env -C @/.claude rm settings.json",
        "install -d -m 0 @/.claude/hookkit",
    ] {
        run(&session, command).assert_denied(own);
    }
    for command in [
        "rm \"$HOME/$x/.claude/hookkit/guard/bin/protect-files\"",
        "HOME=/tmp; echo x > $HOME/.local/state/hookkit/projects/x",
        "export HOME=/tmp; echo x > \"$HOME/.claude/settings.json\"",
        "read -r HOME; cd $HOME; echo x > .claude/settings.json",
        "rm -rf \"$folder/.claude/hookkit\"",
        "mv ${folder:-x}/.claude/hookkit/ zz",
        "echo x > $folder/.claude/settings.json",
        // A shell ends the word there.
        r"rm @/.claude/$'settings.json\0x'",
        r"echo x > @/.claude/$'settings.json\x00\'y'",
        "cp -r . @/.claude",
        "cp -rT . @/.claude",
        "cp -a ./. @/.claude",
        "cp -a .. @/.claude",
        "cp -r dotfiles/.claude @",
        "cp -rt @/.claude new/.",
        "cd \"$CLAUDE_CONFIG_DIR\" && echo x > settings.json",
        "cd $folder; rm -rf ./hookkit",
        "cd $folder; rm -rf hookkit/guard",
        "cd $folder; mv x/../settings.json y",
        "ln -s @/.claude d && echo x > d/settings.json",
        "ln -sT @ d; cp settings.json d/.claude",
        "mkdir q; ln -s @/.claude/settings.json q/a; tee q/a < x",
        "cd @/dotfiles && ln -s ../.claude d && rm d/settings.json",
        "mkdir @/sub && ln -s ../.claude @/sub/d && rm @/sub/d/settings.json",
        "ln -s @/.claude && echo x > .claude/settings.json",
        "rm \"$folder/.claude/protected\"",
        "rm @/.claude/hookk*/x",
        "eval \"$x @/.claude/settings.json\"",
        "HOME=@; rm ~/.claude/settings.json",
        "export HOME=@; cd; rm .claude/settings.json",
        "export HOME=@/.claude; cd && rm settings.json",
        "printf -vHOME x; cd ~ && rm .claude/settings.json",
        "HOME=@; rm ~/.claude/hookkit/*",
        "rm -rf \"$x\"/.claude/hookkit/*",
        "CDPATH=@ cd .claude && rm settings.json",
        "export CDPATH=@; cd .claude; rm settings.json",
        "env -iC \"$x\" rm settings.json",
        "env --ch @/.claude rm settings.json",
        "rm ~-/settings.json",
        "cd $folder && rm sett*.json",
        "cd $folder && rm -rf hookk*/x",
        "cp -l @/.claude/settings.json d; echo x > d",
        "cp -as @/.claude d; echo x > d/settings.json",
        "cp --symb @/.claude/settings.json d; echo x > d",
        "find @/.claude/hookkit -type f -delete",
        "find @ -name settings.json -exec mv {} /tmp \\;",
    ] {
        run(&session, command).assert_asked("not all of the command is known before it runs, and it may change this: ");
    }
    for command in [
        "cat @/.claude/settings.json",
        // None is there.
        "rm -rf @/.local/state",
        "echo x > @/.claude/agents/a.md",
        "rm $HOME/.claude/agents/a.md",
        "cp -r . @/state",
        "cp -r agents @/.claude",
        "cp -t @/.claude CLAUDE.md",
        "cp -S .bak CLAUDE.md @/.claude/",
        "chmod 700 @/.claude",
        "chmod -R u+w @/dotfiles/agents .",
        "patch -p1 -i x.patch",
        "cd $folder && echo x > .vscode/settings.json",
        "cd $folder && rm -rf target src/hookkit",
        "ln -s @/.claude d",
        "ln -s @/dotfiles/agents @/.claude/agents && rm x",
        "echo x > $folder/.vscode/settings.json",
        "cd $folder && rm -rf *.json build*",
        "export JAVA_HOME=/x; cd && rm settings.json",
        "HOME=/x cargo build; rm ~/x",
        "env -C src rm settings.json",
        "env A=1 git -C \"$x\" status && rm settings.json",
        "cp -l src/main.rs d; echo x > d",
        "find @ -name '*.md' -exec sed -i s/a/b/ {} +",
    ] {
        run(&session, command).assert_passed();
    }
    let elsewhere = [("CLAUDE_CONFIG_DIR", at("config")), ("XDG_STATE_HOME", at("state"))];
    for (name, folder) in elsewhere {
        session.set(name, folder);
    }
    write(&session, "config/hookkit/guard/bin/protect-files").assert_denied(own);
    write(&session, "config/settings.json").assert_denied(own);
    write(&session, "state/hookkit/x").assert_denied(own);
    run(&session, "rm -rf @/state").assert_denied(own);
    write(&session, ".claude/settings.json").assert_passed();
    // The shell's home is that of the process.
    let home_of_process = env::var("HOME").unwrap();
    session.set("HOME", home_of_process);
    session.set("XDG_STATE_HOME", "").set("CLAUDE_CONFIG_DIR", "");
    for command in [
        "echo x > ~/.claude/hookkit/guard/bin/protect-files",
        "echo x > \"$HOME/.claude/settings.json\"",
        "sed -i p ${HOME}/.claude/settings.json",
        "cp x \"$HOME\"/.claude/settings.json",
        "dd if=x of=$HOME/.claude/settings.json",
        "dd if=x of=~/.claude/settings.json",
        "touch x \"$HOME/.local/state/hookkit/projects/x\"",
        "patch -o\"$HOME\"/.claude/settings.json x",
        "rm -rf \"$HOME/.claude/hookkit\"",
        "mv $HOME/.claude/hookkit zz",
        "rm -rf $HOME/.local/state/hookkit",
        "cd \"$HOME\"/.claude; echo x > settings.json",
        "cd $HOME/.claude && rm -rf hookkit",
        "cd \"${HOME}\" && rm -rf .claude/hookkit",
    ] {
        run(&session, command).assert_denied(own);
    }
    for command in [
        "echo x > \"$HOME/.claude/agents/a.md\"", "rm $HOME.bak/.claude/agents/a",
        "cd $HOME && rm -rf project/hookkit", "echo x > '$HOME/.claude/settings.json'",
    ] {
        run(&session, command).assert_passed();
    }
}

#[test]
fn a_command_of_powershell_that_names_a_protected_file_is_asked_about() {
    let session = Session::new();
    for command in [
        "Remove-Item Cargo.lock",
        "ri -Path:Cargo.lock",
        "Set-Content -Path 'Cargo.lock' -Value x",
        "rm web\\Cargo.lock; ls",
        "rm Car`go.lock",
        "Remove-Item -Recurse .git\\hooks",
        "rm $HOME\\.claude\\settings.json",
        "[IO.File]::Delete(\"CARGO.LOCK\")",
        "rm C:\\Users\\me\\.claude\\hookkit\\guard\\bin\\protect-files",
    ] {
        running(&session, "PowerShell", command)
            .assert_asked("hookkit does not analyze PowerShell, and the command names a protected file: ");
    }
    for command in ["Get-ChildItem", "cargo update", "rm src\\main.rs", ""] {
        running(&session, "PowerShell", command).assert_passed();
    }
}
