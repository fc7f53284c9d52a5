//! Calls of a language that start a program or delete files, and have what they are about as texts in the code.

use std::borrow::Cow;

use hookkit::process::shell_word;

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
];

/// Modules before the name of a call.
const MODULES: &[&str] = &[
    "require('child_process').",
    "require(\"child_process\").",
    "require('node:child_process').",
    "require(\"node:child_process\").",
];

/// Words by which a program, a file or the value of a variable is another one than it seems.
const ELSEWHERE: &[&str] = &[
    "chdir",
    "chroot",
    "cwd",
    "env:",
    "env=",
    "environ",
    "executable",
    "process.env",
    "putenv",
];

/// Code with more calls is not taken apart.
const MOST: usize = 50;

/// Returns the commands that are as the calls of a code, and the code without these calls, in lowercase.
pub(super) fn of(program: &str, code: &str) -> (Vec<String>, String) {
    let mut rest = code.to_ascii_lowercase();
    let mut commands = Vec::new();
    if ELSEWHERE.iter().any(|word| rest.contains(word)) {
        return (commands, rest);
    }
    for (name, kind) in CALLS {
        let mut from = 0;
        while let Some(at) = rest[from..].find(name).map(|at| from + at) {
            from = at + name.len();
            if let Some((command, length)) = command(program, *kind, &code[from..]) {
                if commands.len() == MOST {
                    return (Vec::new(), code.to_ascii_lowercase());
                }
                commands.push(command);
                let module = MODULES.iter().find(|module| rest[..at].ends_with(*module));
                let start = at - module.map_or(0, |module| module.len());
                blank(&mut rest, start, from + length);
            }
        }
    }
    without_module(&mut rest);
    (commands, rest)
}

fn blank(text: &mut String, start: usize, end: usize) {
    text.replace_range(start..end, &" ".repeat(end - start));
}

/// Leaves out where Python's module for programs is imported, and its constants: what is called is another part of the code.
fn without_module(code: &mut String) {
    const MODULE: &str = "subprocess";
    const CONSTANTS: &[&str] = &[
        ".calledprocesserror",
        ".completedprocess",
        ".devnull",
        ".pipe",
        ".stdout",
        ".timeoutexpired",
    ];
    let mut from = 0;
    while let Some(at) = code[from..].find(MODULE).map(|at| from + at) {
        from = at + MODULE.len();
        let (before, behind) = (&code[..at], &code[from..]);
        let statement = before.rsplit(['\n', ';']).next().unwrap_or_default().trim_start();
        let end = behind.split(['\n', ';']).next().unwrap_or_default();
        let is_import = statement
            .strip_prefix("import ")
            .is_some_and(|names| !names.contains('('))
            && !format!("{statement}{end}").contains(" as ");
        if is_import || CONSTANTS.iter().any(|constant| behind.starts_with(constant)) {
            blank(code, at, from);
        }
    }
}

/// Returns the command that is as a call, by the text behind its parenthesis, and the length of the arguments; `None` if they
/// are not texts.
fn command(program: &str, kind: Kind, text: &str) -> Option<(String, usize)> {
    let mut arguments = Arguments {
        program,
        rest: text,
        texts: Vec::new(),
        has_list: false,
    };
    arguments.read()?;
    let length = text.len() - arguments.rest.len();
    let Arguments { texts, has_list, .. } = arguments;
    let words = |before: &[&str]| {
        let quoted = texts.iter().map(|text| shell_word(text));
        let words: Vec<Cow<'_, str>> = before.iter().map(|word| Cow::Borrowed(*word)).chain(quoted).collect();
        words.join(" ")
    };
    let first = *texts.first()?;
    let command = match kind {
        Kind::Script if has_list => return None,
        Kind::Script => first.to_owned(),
        Kind::Command if texts.len() == 1 && !has_list => first.to_owned(),
        Kind::Command => words(&[]),
        Kind::Files => words(&["rm", "-f", "--"]),
        Kind::Folders => words(&["rm", "-rf", "--"]),
    };
    Some((command, length))
}

/// Reads the arguments of a call.
struct Arguments<'t> {
    program: &'t str,
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
        let has_values = ["perl", "php", "ruby"]
            .iter()
            .any(|name| self.program.starts_with(name));
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
        let is_named = self.program.starts_with("py") && behind.starts_with('=') && !behind.starts_with("==");
        self.rest.starts_with(['{', ')']) || self.rest.starts_with("()") || is_value || is_named && !name.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn calls_with_texts_are_as_commands() {
        for (program, code, expected, rest) in [
            (
                "python3",
                "import os; os.system('ls -l')",
                &["ls -l"][..],
                "import os; )",
            ),
            (
                "python3",
                "import os, subprocess\nsubprocess.run(['git', 'log', '-1 x'], check=True)",
                &["git log '-1 x'"],
                "import os, \n check=true)",
            ),
            ("python", "subprocess.run('ls', shell=True)", &["ls"], "shell=true)"),
            ("python", "shutil.rmtree(\"/\")", &["rm -rf -- /"], ")"),
            ("python", "shutil.rmtree('a b', True)", &["rm -rf -- 'a b'"], "true)"),
            (
                "node",
                "require('fs').rmSync('dist', {recursive: true})",
                &["rm -rf -- dist"],
                "require('fs').{recursive: true})",
            ),
            ("node", "require('child_process').execSync('ls')", &["ls"], ")"),
            ("node", "cp.spawnSync('rm', ['-rf', '/'])", &["rm -rf /"], "cp.)"),
            ("php", "unlink('x'); system(\"ls\");", &["ls", "rm -f -- x"], "); );"),
            ("ruby", "system('rm', '-rf', '/')", &["rm -rf /"], ")"),
        ] {
            let (commands, without) = of(program, code);
            assert_eq!(commands, expected, "{code}");
            let without_spaces = |text: &str| text.replace(' ', "");
            assert_eq!(without_spaces(&without), without_spaces(rest), "{code}");
        }
    }

    #[test]
    fn a_call_whose_texts_are_not_known_is_left_in_the_code() {
        for (program, code) in [
            ("python", "os.system('ls' + x)"),
            ("python", "os.system(f'rm {x}')"),
            ("python", "os.system('''rm x''')"),
            ("python", "os.system('ls' '; rm x')"),
            ("python", "os.system('rm \\x2f')"),
            ("python", "os.system(x)"),
            ("python", "os.chdir('/'); os.system('rm -rf x')"),
            ("python", "import subprocess as s; s.run('rm')"),
            ("python", "subprocess.run(['rm', x])"),
            ("python", "subprocess.run(['x', '/'], executable='rm')"),
            ("python", "subprocess.run('rm -rf x', shell=True, cwd='/')"),
            ("python", "from subprocess import run; run('rm')"),
            ("node", "require('child_process').exec(x)"),
            ("node", "fs.rmSync(`${x}`)"),
            ("node", "fs.rmSync(x, {})"),
            ("python", "subprocess.run('rm $X', shell=True, env={'X': '/'})"),
            ("ruby", "File.delete('a', b = '/')"),
            ("perl", "system(\"rm $x\")"),
            ("ruby", "system(\"rm #{x}\")"),
            ("python", "os.system('rm …')"),
            ("python", "os.system()"),
        ] {
            let lower = code.to_ascii_lowercase();
            assert_eq!(of(program, code), (Vec::new(), lower), "{code}");
        }
    }
}
