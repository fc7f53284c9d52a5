//! The arguments of a call that are texts in the code, and options that change nothing of what they mean.

use super::Language;
use super::calls::Kind;
use super::made::FOLDER;

/// Options of Python, R and Julia, behind the texts.
const NAMED: &[&str] = &[
    "capture_output", "check", "encoding", "errors", "exist_ok", "force", "ignore_errors", "intern", "missing_ok",
    "recursive", "shell", "stderr", "stdout", "text", "timeout", "universal_newlines",
];

/// Options of JavaScript, in an object.
const IN_OBJECT: &[&str] = &[
    "encoding", "force", "maxBuffer", "maxRetries", "recursive", "retryDelay", "shell", "stdio", "timeout",
];

/// The arguments of a call.
pub(super) struct Arguments<'t> {
    /// The kind of the call, by the method of a path.
    pub(super) kind: Kind,
    pub(super) texts: Vec<&'t str>,
    /// Of texts and lists of texts.
    pub(super) count: usize,
    pub(super) has_list: bool,
    /// `true` if an option has a shell run them.
    pub(super) has_shell: bool,
    /// Up to the end of the call, or to its options.
    pub(super) length: usize,
}

impl<'t> Arguments<'t> {
    /// Reads the text behind the parenthesis of a call; `None` for what is not known to be texts, or names of temporary folders.
    pub(super) fn of(language: Language, kind: Kind, text: &'t str, folders: &[&str]) -> Option<Self> {
        let mut reader = Reader {
            language,
            kind,
            folders,
            rest: text,
            texts: Vec::new(),
            count: 0,
            has_list: false,
            has_shell: false,
        };
        let length = match kind {
            Kind::Statement => reader.statement(),
            Kind::Cut | Kind::Written => reader.first(),
            Kind::Path => reader.path(),
            _ => reader.arguments(),
        }?;
        Some(Self {
            kind: reader.kind,
            texts: reader.texts,
            count: reader.count,
            has_list: reader.has_list,
            has_shell: reader.has_shell,
            length: text.len() - length,
        })
    }
}

struct Reader<'t, 'n> {
    language: Language,
    kind: Kind,
    folders: &'n [&'n str],
    rest: &'t str,
    texts: Vec<&'t str>,
    count: usize,
    has_list: bool,
    has_shell: bool,
}

/// Each method returns how much is left behind the texts, or nothing, and `None` for what it does not know.
impl<'t> Reader<'t, '_> {
    fn arguments(&mut self) -> Option<usize> {
        loop {
            self.skip();
            if self.rest.starts_with('[') {
                self.has_list = true;
                self.list()?;
            } else if self.rest.starts_with(['\'', '"']) {
                self.text()?;
            } else if self.folder().is_none() {
                break;
            }
            self.count += 1;
            self.skip();
            if self.rest.starts_with(')') {
                return Some(self.rest.len());
            }
            self.take(",").or_else(|| self.take(";"))?;
        }
        let left = self.rest.len();
        match self.language {
            Language::Python | Language::Other => self.named(),
            Language::JavaScript => self.object_or_function(),
            _ => self.rest.starts_with(')').then_some(()),
        }?;
        Some(left)
    }

    /// Reads the first argument, and the next one only if it is an empty text.
    fn first(&mut self) -> Option<usize> {
        self.text()?;
        self.skip();
        let left = self.rest.starts_with([',', ')']).then_some(self.rest.len())?;
        if self.take(",").is_some() {
            self.empty();
        }
        Some(left)
    }

    /// Reads a path, and its method up to the parenthesis; then as [`first`](Self::first).
    fn path(&mut self) -> Option<usize> {
        self.text()?;
        self.take(")")?;
        self.kind = match self.name() {
            ".unlink" => Kind::Files,
            ".write_bytes" | ".write_text" => Kind::Written,
            _ => return None,
        };
        self.take("(")?;
        let left = self.rest.len();
        self.empty();
        Some(left)
    }

    fn empty(&mut self) {
        let is_empty = matches!(self.quoted(), Some((_, "")));
        self.skip();
        if is_empty && self.rest.starts_with([',', ')']) {
            self.texts.push("");
        }
    }

    /// Reads the text of a statement, and how it is run.
    fn statement(&mut self) -> Option<usize> {
        self.rest = self.rest.trim_start_matches(' ');
        self.text()?;
        self.count = 1;
        let left = self.rest.len();
        let behind = self.rest.trim_start_matches(' ');
        let behind = behind.strip_prefix("with administrator privileges").unwrap_or(behind);
        (behind.is_empty() || behind.starts_with(['\n', ')'])).then_some(left)
    }

    fn list(&mut self) -> Option<()> {
        self.take("[")?;
        loop {
            if self.take("]").is_some() {
                return Some(());
            }
            self.folder().or_else(|| self.text())?;
            if self.take(",").is_none() {
                return self.take("]");
            }
        }
    }

    /// Reads a text that is known: without escapes, and without what the language or a shell puts into it.
    fn text(&mut self) -> Option<()> {
        let (quote, text) = self.quoted()?;
        let has_values = matches!(
            self.language,
            Language::Perl | Language::Php | Language::Ruby | Language::Other
        );
        let is_value = |char: char| "\\…$\n\r".contains(char) || quote == '"' && has_values && "@#".contains(char);
        // R puts in the names that fit.
        let is_pattern = self.language == Language::Other
            && matches!(self.kind, Kind::Files | Kind::Folders)
            && text.contains(['~', '*', '?', '[']);
        if is_pattern || text.contains(is_value) {
            return None;
        }
        self.texts.push(text);
        Some(())
    }

    /// Reads the name of a temporary folder.
    fn folder(&mut self) -> Option<()> {
        self.skip();
        let name = self.folders.iter().find(|name| {
            let behind = self.rest.strip_prefix(**name).unwrap_or_default();
            behind.trim_start().starts_with([',', ')', ']'])
        })?;
        self.rest = &self.rest[name.len()..];
        self.texts.push(FOLDER);
        Some(())
    }

    /// Reads options of Python: `shell=True, check=True`.
    fn named(&mut self) -> Option<()> {
        let is_flag = self.kind == Kind::Folders && self.count == 1;
        if is_flag && (self.take("True").is_some() || self.take("False").is_some()) && self.take(",").is_none() {
            return self.take(")");
        }
        loop {
            if self.take(")").is_some() {
                return Some(());
            }
            let name = self.name();
            self.take("=")?;
            self.option(NAMED, name)?;
            if self.take(",").is_none() {
                return self.take(")");
            }
        }
    }

    /// Reads options of JavaScript: `{recursive: true}`, `() => …`.
    fn object_or_function(&mut self) -> Option<()> {
        if self.take("{").is_some() {
            self.object()?;
            if self.take(",").is_none() {
                return self.take(")");
            }
        }
        if self.take(")").is_some() {
            return Some(());
        }
        // A function may be called where it is written, but not one with an arrow.
        let takes_none = matches!(self.kind, Kind::Files | Kind::Folders);
        if takes_none && matches!(self.name(), "function") {
            return Some(());
        }
        if self.take("(").is_some() {
            while self.take(")").is_none() {
                self.name();
                if self.take(",").is_none() {
                    self.take(")")?;
                    break;
                }
            }
        }
        self.name();
        self.take("=>")
    }

    fn object(&mut self) -> Option<()> {
        loop {
            if self.take("}").is_some() {
                return Some(());
            }
            let name = match self.quoted() {
                Some((_, name)) => name,
                None => self.name(),
            };
            self.take(":")?;
            self.option(IN_OBJECT, name)?;
            if self.take(",").is_none() {
                return self.take("}");
            }
        }
    }

    /// Reads the value of an option.
    fn option(&mut self, names: &[&str], name: &str) -> Option<()> {
        if !names.contains(&name) {
            return None;
        }
        if name == "stdio" && self.take("[").is_some() {
            while self.take("]").is_none() {
                self.value()?;
                if self.take(",").is_none() {
                    return self.take("]");
                }
            }
            return Some(());
        }
        let value = self.value()?;
        if name == "shell" {
            match value {
                "True" | "true" => self.has_shell = true,
                // In JavaScript, the last of several options of a name counts.
                "False" | "false" => self.has_shell = false,
                _ => return None,
            }
        }
        Some(())
    }

    /// Reads a text, or a name with dots.
    fn value(&mut self) -> Option<&'t str> {
        match self.quoted() {
            Some((_, text)) => (!text.contains(['\\', '\n'])).then_some(text),
            None => Some(self.name()).filter(|name| !name.is_empty()),
        }
    }

    fn quoted(&mut self) -> Option<(char, &'t str)> {
        self.skip();
        let quote = self.rest.chars().next().filter(|char| matches!(char, '\'' | '"'))?;
        let (text, rest) = self.rest[1..].split_once(quote)?;
        self.rest = rest;
        Some((quote, text))
    }

    fn name(&mut self) -> &'t str {
        self.skip();
        let is_other = |char: char| !char.is_ascii_alphanumeric() && !matches!(char, '_' | '.');
        let end = self.rest.find(is_other).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        name
    }

    fn take(&mut self, mark: &str) -> Option<()> {
        self.skip();
        self.rest = self.rest.strip_prefix(mark)?;
        Some(())
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }
}
