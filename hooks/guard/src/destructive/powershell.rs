//! PowerShell and `cmd`, which hookkit does not analyze: their words only reveal the worst commands.

use super::{code, others, services};
use crate::prelude::*;

/// Judges a line of PowerShell or `cmd`: always asks, and denies the deletion of everything or of a disk.
pub(super) fn judge(line: &str) -> Found {
    let lower = line.to_ascii_lowercase();
    let statements = lower.split([';', '|', '&', '\n', '{', '}', '(', ')']);
    match statements.filter_map(worst).next() {
        Some(what) => Certain(format!("`{}` {what}", line.trim())),
        None => Asked("hookkit does not analyze PowerShell and `cmd`: read this command before you allow it".into()),
    }
}

/// Returns the danger of a command that starts PowerShell or `cmd`.
pub(super) fn start(command: &Command) -> Option<Found> {
    let program = command.program()?;
    let is_cmd = matches!(program, "cmd" | "cmd.exe");
    let asks_itself = |word: &Word| word.is("-Version -version --version -Help --help");
    let is_shell = match program {
        // Git Bash turns a single slash into a path.
        _ if is_cmd => command.starts().any(|word| lists("/c //c /C //C /k //k", word)),
        "powershell" | "powershell.exe" | "pwsh" | "pwsh.exe" => {
            !matches!(command.arguments(), [word] if asks_itself(word))
        }
        _ => false,
    };
    if !is_shell {
        return None;
    }
    let words: Vec<String> = command.arguments().iter().map(Word::to_string).collect();
    let text = words.join(" ");
    (!is_cmd || !is_harmless(&text)).then(|| judge(&text))
}

/// Programs, and commands of `cmd`, that only print or change the folder.
const PRINT: &str = "cd chcp dir echo fc find findstr hostname ipconfig more netstat nslookup ping systeminfo \
    tasklist tree type ver where whoami";

/// Project tools, which are judged as in other shells.
const TOOLS: &str = "cargo cmake dotnet eslint go gradle gradlew java javac jest make mvn mypy node npm npx pip pnpm \
    prettier pytest python ruff rustc tsc uv vitest yarn";

/// Returns `true` if everything that `cmd /c` starts prints, ends a process, or is a tool whose words delete nothing.
fn is_harmless(text: &str) -> bool {
    let mut lower = text.to_ascii_lowercase().replace("2>&1", "") + " ";
    for to_nothing in ["2>nul", ">nul", "2> nul", "> nul"] {
        for end in [" ", ")", "\""] {
            lower = lower.replace(&format!("{to_nothing}{end}"), end);
        }
    }
    let mut rest = lower.trim_start();
    while let Some((switch, behind)) = rest.split_once(' ')
        && lists("/d /s /q //d //s //q", switch)
    {
        rest = behind.trim_start();
    }
    let commands = rest.strip_prefix("/c ").or_else(|| rest.strip_prefix("//c "));
    commands.is_some_and(|commands| are_harmless(commands.trim_matches(['"', ' '])))
}

/// Returns `true` if `cmd` commands, also in a loop, are harmless: `for /f "tokens=5" %a in ('netstat') do echo %a`.
fn are_harmless(commands: &str) -> bool {
    if let Some(rest) = commands.strip_prefix("for /f ") {
        return rest.split_once(" in (").and_then(|(_, rest)| rest.split_once(") do ")).is_some_and(|(inner, rest)| {
            are_harmless(&inner.trim_matches(['\'', '`', '"']).replace("^|", "|")) && are_harmless(rest)
        });
    }
    let is_plain = |command: &str| {
        let command = command.replace('"', " ");
        let mut words = command.split_whitespace();
        let Some(first) = words.next() else {
            return true;
        };
        let name = first.rsplit(['/', '\\']).next().unwrap_or_default();
        let name = [".bat", ".cmd", ".exe"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        match name {
            "wmic" => {
                !holds("/format: /output: /append:", &command)
                    && words.any(|word| word == "get")
                    && !words.any(|word| lists("call create delete set", word))
            }
            // Like `kill` in other shells.
            "taskkill" => !words.any(|word| word.ends_with("im")),
            _ if lists(PRINT, name) => true,
            _ => lists(TOOLS, name) && !command.contains('%') && deletes_nothing(&command.replacen(first, name, 1)),
        }
    };
    !commands.contains(['^', '>', '<', '(', '\n']) && commands.split(['&', '|']).all(is_plain)
}

/// Returns `true` if a command deletes nothing according to its words and the rules for programs and services.
fn deletes_nothing(command: &str) -> bool {
    let script = shell::analyze(command);
    let is_harmless = |command: &Command| {
        !command.literals().map(base).any(|name| lists(DELETE, name) || lists(ERASE, name) || name.contains("del"))
            && [services::delete, others::destroy, code::lose].iter().all(|judge| judge(command).is_none())
    };
    script.all_commands().is_ok_and(|commands| commands.iter().all(is_harmless))
}

/// Commands that delete, with their aliases.
const DELETE: &str = "del erase rd remove-item ri rm rmdir";

/// Commands that erase a disk or a volume.
const ERASE: &str = "clear-disk diskpart format-volume initialize-disk remove-partition";

/// Folders in which nothing may be deleted, and folders that contain all of the user's files.
const EVERYTHING: &str = "$env:homepath $env:systemdrive $env:systemroot $env:userprofile $env:windir $home %homepath% \
    %systemdrive% %systemroot% %userprofile% %windir% users windows ~";

/// Describes what a statement in lowercase destroys.
fn worst(statement: &str) -> Option<&'static str> {
    let words = statement.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    // Options of the shell come first.
    let mut words = words.skip_while(|word| !(lists(DELETE, word) || lists(ERASE, word) || *word == "format"));
    let name = words.next()?;
    if lists(ERASE, name) || name == "format" && words.clone().next().is_some_and(is_drive) {
        return Some("erases a disk");
    }
    let is_recursive = |word: &str| lists("/s //s -rf -fr", word) || word.len() > 1 && "-recurse".starts_with(word);
    let is_whole = name != "format" && words.clone().any(is_recursive);
    (is_whole && words.any(is_everything)).then_some("deletes everything there, or the system")
}

fn is_drive(word: &str) -> bool {
    matches!(word.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

/// Returns `true` for a drive, the home folder, a folder of the system, or everything in one of these.
fn is_everything(word: &str) -> bool {
    if word.is_empty() || word.starts_with('-') || lists("/s /q /f //s //q //f", word) {
        return false;
    }
    let path = word.replace('\\', "/");
    let path = path.trim_end_matches('*').trim_end_matches('/');
    let path = match path.get(..2).filter(|drive| is_drive(drive)) {
        Some(_) => path[2..].trim_start_matches('/'),
        None if word.starts_with(['/', '\\']) => path.trim_start_matches('/'),
        None if path.starts_with(['~', '$', '%']) => path,
        None => return false,
    };
    matches!(path, "" | "program files") || lists(EVERYTHING, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_ends_as_it_is_said() {
        test_support::lines!("lines/deny-destruction-powershell.txt").check(|section, line| {
            if section.name.starts_with("commands of cmd") {
                return if is_harmless(line) { "harmless" } else { "ask" }.to_owned();
            }
            if judge(line).is_certain() { "deny" } else { "ask" }.to_owned()
        });
    }
}
