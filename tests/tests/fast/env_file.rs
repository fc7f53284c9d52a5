//! Variables that a hook sets for later commands arrive as they were.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use hookkit::EnvFile;
use hookkit_tests::prelude::*;

/// Returns the value of a shell's variable when the shell has read the file.
fn sourced(file: &EnvFile, name: &str) -> Result<Vec<u8>> {
    let script = format!(". \"$1\"; printf '%s|' \"${{{name}}}\"; sh -c 'printf %s \"${{{name}}}\"'");
    let mut shell = Command::new("sh");
    shell.args(["-euc", &script, "sh"]).arg(file.path().expect("it was given one"));
    let output = shell.output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Once as the shell has it, and once as a program that it starts does.
    let (own, exported) = output.stdout.split_at(output.stdout.len() / 2);
    let found = own.strip_suffix(b"|").unwrap_or(own);
    assert_eq!(found, exported.strip_prefix(b"|").unwrap_or(exported));
    Ok(own.to_owned())
}

#[test]
fn a_shell_gets_any_value_as_it_was() -> Result<()> {
    let folder = test_support::folder();
    let file = EnvFile::new(folder.path().join("variables.sh"));
    let canary = folder.path().join("canary");
    let values = [
        "", "plain", "two words", "it's", "''", "'\\''", "\"$HOME\" `id` $(id) ${HOME}", "\\", "a\nb\n",
        "'\nexport NAME_0='stolen", "x'; touch CANARY; '", "!! ~ * ? # & ; | < > ( ) { } [ ]",
        "\ttab \r return \x1b escape", "\u{feff}\u{e9} \u{1f980}",
    ];
    for (index, value) in values.iter().enumerate() {
        file.set(&format!("NAME_{index}"), value)?;
    }
    file.set("TOUCH", format!("'; touch {}; '", canary.display()))?;
    for (index, value) in values.iter().enumerate() {
        assert_eq!(sourced(&file, &format!("NAME_{index}"))?, value.as_bytes(), "{value:?}");
    }
    assert!(!canary.exists());
    Ok(())
}

#[test]
fn what_is_set_last_counts_and_what_others_wrote_stays() -> Result<()> {
    let folder = test_support::folder();
    let path = folder.path().join("variables.sh");
    // That line has no end.
    fs::write(&path, "export OTHER=1")?;
    let file = EnvFile::new(&path);
    file.set("_a1", "first")?;
    file.set("_a1", "second")?;
    assert_eq!(sourced(&file, "_a1")?, b"second");
    assert_eq!(sourced(&file, "OTHER")?, b"1");
    Ok(())
}

#[test]
fn what_no_shell_can_have_is_refused() -> Result<()> {
    let folder = test_support::folder();
    let file = EnvFile::new(folder.path().join("variables.sh"));
    for name in ["", "1A", "A-B", "A B", "A=B", "A;id", "Ä", "A\n"] {
        let refused = file.set(name, "1").unwrap_err().to_string();
        assert!(refused.contains("is not a valid variable name"), "{name:?}: {refused}");
    }
    let refused = file.set("A", "a\0b").unwrap_err().to_string();
    assert_eq!(refused, "`A` cannot be set: its value contains a NUL byte");
    let refused = file.set("A", OsStr::from_bytes(b"caf\xe9")).unwrap_err().to_string();
    assert_eq!(refused, "`A` cannot be set: its value is not UTF-8, and the client would alter it");
    for name in ["UID", "EUID", "PPID", "SHELLOPTS", "BASHOPTS", "BASH_VERSINFO"] {
        let refused = file.set(name, "1").unwrap_err().to_string();
        assert_eq!(refused, format!("`{name}` cannot be set: it is read-only in bash"));
    }
    assert!(!file.path().expect("it was given one").exists());
    Ok(())
}

#[test]
fn the_file_stays_small_enough_for_the_clients_commands() -> Result<()> {
    let folder = test_support::folder();
    let path = folder.path().join("variables.sh");
    let file = EnvFile::new(&path);
    file.set("HALF", "x".repeat(48 << 10))?;
    let has = fs::metadata(&path)?.len();
    let refused = file.set("REST", "x".repeat(48 << 10)).unwrap_err().to_string();
    refused.starts("`REST` cannot be set: it takes ");
    refused.ends(&format!(" bytes, and {} already has {has} of at most 98304", path.display()));
    file.set("SMALL", "1")?;
    assert_eq!(sourced(&file, "SMALL")?, b"1");
    Ok(())
}

#[test]
fn a_hook_that_is_killed_on_the_way_leaves_no_half_of_a_variable() -> Result<()> {
    let folder = test_support::folder();
    let path = folder.path().join("variables.sh");
    let file = EnvFile::new(&path);
    let values = ["short".to_owned(), "it's \"$HOME\"\n".repeat(300), "'".repeat(5_000), "\u{1f980}".repeat(2_000)];
    for round in 0..2 {
        for (index, value) in values.iter().enumerate() {
            file.set(&format!("NAME_{round}_{index}"), value)?;
        }
    }
    let text = fs::read(&path)?;
    // A write that a kill cuts short ends between two pages: what is there then is whole, and sets no part of a value.
    for end in (4096..text.len()).step_by(4096) {
        fs::write(&path, &text[..end])?;
        for round in 0..2 {
            for (index, value) in values.iter().enumerate() {
                let name = format!("NAME_{round}_{index}");
                let found = sourced(&file, &format!("{name}-unset"))?;
                assert!(found == b"unset" || found == value.as_bytes(), "{end}: {name}");
            }
        }
        // The next hook's variable is there.
        file.set("NEXT", "1")?;
        assert_eq!(sourced(&file, "NEXT")?, b"1", "{end}");
    }
    fs::write(&path, &text)?;
    for (index, value) in values.iter().enumerate() {
        assert_eq!(sourced(&file, &format!("NAME_1_{index}"))?, value.as_bytes(), "{index}");
    }
    Ok(())
}

#[test]
fn where_there_is_no_file_the_error_says_what_is_wrong() {
    let refused = EnvFile::default().set("A", "1").unwrap_err().to_string();
    let expected = "`A` cannot be set: the client provided no file for variables (`CLAUDE_ENV_FILE`)";
    assert_eq!(refused, expected);
    let refused = EnvFile::new("/no/such/folder/variables.sh").set("A", "1").unwrap_err();
    let expected = "`A` cannot be set: /no/such/folder/variables.sh cannot be written: ";
    refused.to_string().starts(expected);
}
