//! The output on a terminal: colours where they are wanted, no escape of others, and lines that fit.

use hookkit_tests::hostile::{HOSTILE, has_no_controls};
use hookkit_tests::prelude::*;

/// Returns a text without the escapes of styles, the only ones that we write.
fn unstyled(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once('m') {
            Some((digits, rest)) if digits.chars().all(|char| char.is_ascii_digit()) => plain += rest,
            _ => plain += &format!("\u{1b}[{piece}"),
        }
    }
    plain
}

/// Runs `list` or `doctor` on a world's project with these variables; what it prints on both streams.
fn printed(world: &World, arguments: &[&str], variables: &[(&str, &str)]) -> Result<String> {
    let mut command = world.command(world.outside.path(), world.project.path(), arguments)?;
    if arguments[0] == "doctor" && !arguments.contains(&"--fix") {
        command.args(["--client-binary", "/bin/false"]);
    }
    let output = command.env("TERM", "xterm").envs(variables.iter().copied()).output()?;
    Ok(String::from_utf8(output.stdout)? + &String::from_utf8(output.stderr)?)
}

const COMMANDS: [&[&str]; 4] = [&["list"], &["list", "--for", "PreToolUse:Bash"], &["doctor"], &["doctor", "--fix"]];

const FORCED: (&str, &str) = ("CLICOLOR_FORCE", "1");

#[test]
fn a_pipe_has_colours_only_where_they_are_forced() -> Result<()> {
    let world = World::with_handlers()?;
    for arguments in COMMANDS {
        let plain = printed(&world, arguments, &[])?;
        assert!(!plain.contains('\u{1b}'), "{arguments:?}: {plain}");
        let coloured = printed(&world, arguments, &[FORCED])?;
        assert!(coloured.contains("\u{1b}["), "{arguments:?}: {coloured}");
        assert_eq!(unstyled(&coloured), plain, "{arguments:?}");
        let off = ("NO_COLOR", "1");
        assert_eq!(printed(&world, arguments, &[FORCED, off])?, plain, "{arguments:?}");
        let json = printed(&world, &["doctor", "--json"], &[FORCED])?;
        assert!(!json.contains('\u{1b}'), "{json}");
    }
    let coloured = printed(&world, &["doctor"], &[FORCED])?;
    coloured.has("\u{1b}[1m\u{1b}[31merror[unknown-event]\u{1b}[0m");
    coloured.has("\u{1b}[33mwarning[differing-copies]\u{1b}[0m");
    coloured.has("\u{1b}[34mnote[unknown-client]\u{1b}[0m");
    Ok(())
}

#[test]
fn no_escape_of_others_reaches_a_terminal_with_colours() -> Result<()> {
    // Nothing of ours is magenta.
    let hostile = format!("\u{1b}[35m{HOSTILE}");
    let handler = json!({
        "type": "command", "command": hostile, "args": [hostile], "if": hostile, "timeout": 30_000, hostile.clone(): 1,
    });
    let group = json!({"matcher": hostile, "hooks": [handler]});
    let settings = json!({"hooks": {"PreToolUse": [group], hostile.clone(): [group]}, hostile.clone(): 3}).to_string();
    let raw = format!("{{\"hooks\": {{\"{hostile}\": [}}");
    for text in [settings, raw] {
        let world = World::new()?;
        world.project.write(".claude/settings.json", &text)?;
        for arguments in COMMANDS {
            for columns in ["60", "none"] {
                let said = printed(&world, arguments, &[FORCED, ("COLUMNS", columns)])?;
                ensure!(!said.contains("\u{1b}[35m"), "{arguments:?}: {said:?}");
                ensure!(has_no_controls(&unstyled(&said)), "{arguments:?}: {said:?}");
                let is_forged = said.lines().any(|line| line.starts_with("hookkit: hook `other`"));
                ensure!(!is_forged, "{arguments:?}: {said}");
            }
        }
    }
    Ok(())
}

#[test]
fn no_line_is_longer_than_the_screen() -> Result<()> {
    let world = World::with_handlers()?;
    let temporary = text(test_support::temporary())?;
    for arguments in COMMANDS {
        // A diff is for programs, too.
        if arguments.contains(&"--fix") {
            continue;
        }
        for columns in [60, 80, 140] {
            let said = printed(&world, arguments, &[("COLUMNS", &columns.to_string())])?;
            // The path of a file alone is not broken, however long the folder for temporary files is.
            let is_path = |line: &str| {
                let file = line.trim_start().strip_prefix(temporary);
                file.is_some_and(|file| !file.contains(' '))
            };
            let is_long = |line: &&str| line.chars().count() > columns && !line.contains(" --> ") && !is_path(line);
            let line = said.lines().find(is_long);
            assert_eq!(line, None, "{arguments:?} {columns}");
        }
        let unlimited = printed(&world, arguments, &[])?;
        assert!(unlimited.lines().any(|line| line.chars().count() > 80), "{unlimited}");
        assert!(!unlimited.contains(" /…"), "a pipe has whole paths: {unlimited}");
    }
    Ok(())
}
