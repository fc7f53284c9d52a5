//! Calls of a language that start a program or delete files, and have what they are about as texts in the code.

use std::borrow::Cow;

use hookkit::process::shell_word;

use super::Language;
use super::functions::imports_files;

/// The meaning of a call's texts.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// It runs the first as a script.
    Script,
    /// It runs one as a script, or several as the words of a command.
    Command,
    /// It deletes files.
    Files,
    /// It deletes folders, with what is in them.
    Folders,
    /// It opens a file, which is written where its mode has one of these letters: `w`, `a`, `x`, `+`.
    Opened,
    /// It runs the text behind it as a script, without a parenthesis.
    Statement,
}

/// The calls, in lowercase: in most languages these names are nothing else.
const CALLS: &[(&str, Kind)] = &[
    ("os.system(", Kind::Script),
    ("os.popen(", Kind::Script),
    ("os.execute(", Kind::Script),
    ("subprocess.getoutput(", Kind::Script),
    ("subprocess.getstatusoutput(", Kind::Script),
    ("execsync(", Kind::Script),
    ("shell_exec(", Kind::Script),
    ("passthru(", Kind::Script),
    ("subprocess.run(", Kind::Command),
    ("subprocess.call(", Kind::Command),
    ("subprocess.check_call(", Kind::Command),
    ("subprocess.check_output(", Kind::Command),
    ("subprocess.popen(", Kind::Command),
    ("execfilesync(", Kind::Command),
    ("spawnsync(", Kind::Command),
    ("system(", Kind::Command),
    ("os.remove(", Kind::Files),
    ("os.unlink(", Kind::Files),
    ("unlinksync(", Kind::Files),
    ("fs.unlink(", Kind::Files),
    ("file.delete(", Kind::Files),
    ("unlink(", Kind::Files),
    ("shutil.rmtree(", Kind::Folders),
    ("fileutils.rm_rf(", Kind::Folders),
    ("fileutils.rm_r(", Kind::Folders),
    ("rmsync(", Kind::Folders),
    ("fs.rm(", Kind::Folders),
    ("promises.rm(", Kind::Folders),
    ("deno.remove(", Kind::Folders),
    ("remove_tree(", Kind::Folders),
    ("open(", Kind::Opened),
    ("doshellscript(", Kind::Script),
    ("do shell script ", Kind::Statement),
];

/// Calls of JavaScript, where the module for files is imported.
const OF_FILES: &[(&str, Kind)] = &[("rm(", Kind::Folders), ("rmdir(", Kind::Folders)];

/// Modules before the name of a call.
const MODULES: &[&str] = &[
    "require('child_process').",
    "require(\"child_process\").",
    "require('node:child_process').",
    "require(\"node:child_process\").",
];

/// Words by which a program, a file, its input or the value of a variable is another one than it seems.
const ELSEWHERE: &[&str] = &[
    "chdir",
    "chroot",
    "cwd",
    "env",
    "environ",
    "executable",
    "fchdir",
    "input",
    "putenv",
    "stdin",
];

/// Options that are not in the code.
const SPREAD: &[&str] = &["**", "{..."];

/// Code with more calls is not taken apart.
const MOST: usize = 50;

/// Returns the commands that are as the calls of a code, and the code without these calls, in lowercase.
pub(super) fn of(language: Language, code: &str) -> (Vec<String>, String) {
    let lower = code.to_ascii_lowercase();
    let mut words = lower.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    if words.any(|word| ELSEWHERE.contains(&word)) || SPREAD.iter().any(|spread| lower.contains(spread)) {
        return (Vec::new(), lower);
    }
    let of_files = match language == Language::JavaScript && imports_files(&lower) {
        true => OF_FILES,
        false => &[],
    };
    let has_shell = lower.contains("shell");
    let mut rest = lower.clone();
    let mut commands = Vec::new();
    let mut found = 0;
    for (name, kind) in CALLS.iter().chain(of_files) {
        let mut from = 0;
        while let Some(at) = rest[from..].find(name).map(|at| from + at) {
            from = at + name.len();
            let is_longer = rest[..at].ends_with(|char: char| char.is_alphanumeric() || matches!(char, '_' | '$'));
            if is_longer {
                continue;
            }
            found += 1;
            if found > MOST {
                return (Vec::new(), lower);
            }
            if let Some((command, length)) = command(language, *kind, &code[from..], has_shell) {
                commands.push(command);
                let module = MODULES.iter().find(|module| rest[..at].ends_with(*module));
                let start = at - module.map_or(0, |module| module.len());
                blank(&mut rest, start, from + length);
            }
        }
    }
    match language == Language::Python {
        true => (commands, without_module(&rest)),
        false => (commands, rest),
    }
}

fn blank(text: &mut String, start: usize, end: usize) {
    text.replace_range(start..end, &" ".repeat(end - start));
}

/// Leaves out where Python's module for programs is imported, and its constants: what is called is another part of the code.
fn without_module(code: &str) -> String {
    const MODULE: &str = "subprocess";
    const CONSTANTS: &[&str] = &[
        ".calledprocesserror",
        ".completedprocess",
        ".devnull",
        ".pipe",
        ".stdout",
        ".timeoutexpired",
    ];
    let statements = code.split_inclusive(['\n', ';']).map(|statement| {
        let names = statement.trim_start().strip_prefix("import ");
        match names.is_some_and(|names| !names.contains('(') && !names.contains(" as ")) {
            true => statement.replace(MODULE, ""),
            false => CONSTANTS
                .iter()
                .fold(Cow::Borrowed(statement), |statement, constant| {
                    match statement.contains(constant) {
                        true => statement.replace(&format!("{MODULE}{constant}"), "").into(),
                        false => statement,
                    }
                })
                .into_owned(),
        }
    });
    statements.collect()
}

/// Returns the command that is as a call, by the text behind its parenthesis, and the length of the arguments; `None` if they
/// are not texts.
fn command(language: Language, kind: Kind, text: &str, has_shell: bool) -> Option<(String, usize)> {
    let mut arguments = Arguments {
        language,
        rest: text,
        texts: Vec::new(),
        has_list: false,
    };
    match kind {
        Kind::Statement => arguments.statement()?,
        _ => arguments.read()?,
    }
    let length = text.len() - arguments.rest.len();
    let Arguments { texts, has_list, .. } = arguments;
    let words = |before: &[&str]| {
        let quoted = texts.iter().map(|text| shell_word(text));
        let words: Vec<Cow<'_, str>> = before.iter().map(|word| Cow::Borrowed(*word)).chain(quoted).collect();
        words.join(" ")
    };
    let first = *texts.first()?;
    let command = match kind {
        // More than one may open it to be written to.
        Kind::Script | Kind::Statement if texts.len() == 1 && !has_list => first.to_owned(),
        Kind::Script | Kind::Statement => return None,
        Kind::Command if texts.len() == 1 && !has_list => first.to_owned(),
        // By an option, a shell gets the words as a script, or only the first of them.
        Kind::Command if has_shell => return None,
        Kind::Command => words(&[]),
        Kind::Files => words(&["rm", "-f", "--"]),
        Kind::Folders => words(&["rm", "-rf", "--"]),
        Kind::Opened => match texts[..] {
            [file, mode] if language == Language::Python && mode.contains(['w', 'a', 'x', '+']) => {
                format!("> {}", shell_word(file))
            }
            _ => return None,
        },
    };
    Some((command, length))
}

/// Reads the arguments of a call.
struct Arguments<'t> {
    language: Language,
    rest: &'t str,
    texts: Vec<&'t str>,
    has_list: bool,
}

impl Arguments<'_> {
    /// Reads texts and lists of texts, up to the end or to the options of the call.
    fn read(&mut self) -> Option<()> {
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.starts_with('[') {
                self.has_list = true;
                self.list()?;
            } else if self.rest.starts_with(['\'', '"']) {
                self.text()?;
            } else {
                return (!self.texts.is_empty() && self.is_option()).then_some(());
            }
            self.rest = self.rest.trim_start();
            match self.rest.chars().next()? {
                ',' => self.rest = &self.rest[1..],
                ')' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Reads the text of a statement, and how it is run.
    fn statement(&mut self) -> Option<()> {
        self.rest = self.rest.trim_start_matches(' ');
        self.text()?;
        let behind = self.rest.trim_start_matches(' ');
        let behind = behind.strip_prefix("with administrator privileges").unwrap_or(behind);
        (behind.is_empty() || behind.starts_with(['\n', ')'])).then_some(())
    }

    fn list(&mut self) -> Option<()> {
        loop {
            // The bracket, or a comma.
            self.rest = self.rest[1..].trim_start();
            if !self.rest.starts_with(']') {
                self.text()?;
                self.rest = self.rest.trim_start();
            }
            match self.rest.chars().next()? {
                ',' => {}
                ']' => {
                    self.rest = &self.rest[1..];
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    /// Reads a text that is known: without escapes, and without what the language or a shell puts into it.
    fn text(&mut self) -> Option<()> {
        let quote = self.rest.chars().next().filter(|char| matches!(char, '\'' | '"'))?;
        let (text, rest) = self.rest[1..].split_once(quote)?;
        let has_values = matches!(
            self.language,
            Language::Perl | Language::Php | Language::Ruby | Language::Other
        );
        let is_value = |char: char| char == '\\' || char == '…' || quote == '"' && has_values && "$@#".contains(char);
        if text.contains(is_value) {
            return None;
        }
        self.texts.push(text);
        self.rest = rest;
        Some(())
    }

    /// Returns `true` for the options of a call, which are behind the texts: `shell=True`, `{recursive: true}`, `True`,
    /// `() => …`.
    fn is_option(&self) -> bool {
        let end = self
            .rest
            .find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        let (name, behind) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let behind = behind.trim_start();
        let is_value = matches!(name, "True" | "False" | "true" | "false") && behind.starts_with([')', ',']);
        // In other languages it is an assignment, and its value is one more text.
        let is_named = self.language == Language::Python && behind.starts_with('=') && !behind.starts_with("==");
        self.rest.starts_with(['{', ')']) || self.rest.starts_with("()") || is_value || is_named && !name.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, of};

    #[test]
    fn calls_with_texts_are_as_commands() {
        for (language, code, expected, rest) in [
            (
                Language::Python,
                "import os; os.system('ls -l')",
                &["ls -l"][..],
                "import os; )",
            ),
            (
                Language::Python,
                "import os, subprocess\nsubprocess.run(['git', 'log', '-1 x'], check=True)",
                &["git log '-1 x'"],
                "import os, \n check=true)",
            ),
            (
                Language::Python,
                "subprocess.run('ls', shell=True)",
                &["ls"],
                "shell=true)",
            ),
            (Language::Python, "shutil.rmtree(\"/\")", &["rm -rf -- /"], ")"),
            (
                Language::Python,
                "shutil.rmtree('a b', True)",
                &["rm -rf -- 'a b'"],
                "true)",
            ),
            (
                Language::JavaScript,
                "require('fs').rmSync('dist', {recursive: true})",
                &["rm -rf -- dist"],
                "require('fs').{recursive: true})",
            ),
            (
                Language::JavaScript,
                "require('child_process').execSync('ls')",
                &["ls"],
                ")",
            ),
            (
                Language::JavaScript,
                "cp.spawnSync('rm', ['-rf', '/'])",
                &["rm -rf /"],
                "cp.)",
            ),
            (
                Language::Php,
                "unlink('x'); system(\"ls\");",
                &["ls", "rm -f -- x"],
                "); );",
            ),
            (Language::Ruby, "system('rm', '-rf', '/')", &["rm -rf /"], ")"),
        ] {
            let (commands, without) = of(language, code);
            assert_eq!(commands, expected, "{code}");
            let without_spaces = |text: &str| text.replace(' ', "");
            assert_eq!(without_spaces(&without), without_spaces(rest), "{code}");
        }
    }

    #[test]
    fn a_call_whose_texts_are_not_known_is_left_in_the_code() {
        for (language, code) in [
            (Language::Python, "os.system('ls' + x)"),
            (Language::Python, "os.system(f'rm {x}')"),
            (Language::Python, "os.system('''rm x''')"),
            (Language::Python, "os.system('ls' '; rm x')"),
            (Language::Python, "os.system('rm \\x2f')"),
            (Language::Python, "os.system(x)"),
            (Language::Python, "os.chdir('/'); os.system('rm -rf x')"),
            (Language::Python, "import subprocess as s; s.run('rm')"),
            (Language::Python, "subprocess.run(['rm', x])"),
            (Language::Python, "subprocess.run(['x', '/'], executable='rm')"),
            (Language::Python, "subprocess.run('rm -rf x', shell=True, cwd='/')"),
            (Language::Python, "from subprocess import run; run('rm')"),
            (Language::JavaScript, "require('child_process').exec(x)"),
            (Language::JavaScript, "fs.rmSync(`${x}`)"),
            (Language::JavaScript, "fs.rmSync(x, {})"),
            (Language::Python, "subprocess.run('rm $X', shell=True, env={'X': '/'})"),
            (Language::Ruby, "File.delete('a', b = '/')"),
            (Language::Perl, "system(\"rm $x\")"),
            (Language::Ruby, "system(\"rm #{x}\")"),
            (Language::Python, "os.system('rm …')"),
            (Language::Python, "os.system()"),
        ] {
            let lower = code.to_ascii_lowercase();
            assert_eq!(of(language, code), (Vec::new(), lower), "{code}");
        }
    }
}
