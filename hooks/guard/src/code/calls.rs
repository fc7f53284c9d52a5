//! Shell commands equivalent to the calls in code.

use crate::prelude::*;

use super::words::{ELSEWHERE, NOTHING, OF_CALL};
use super::{Call, Code, Kind, MOST, Token};

/// The effects of the calls in code.
#[derive(Default)]
pub(crate) struct Calls {
    /// Equivalent shell commands.
    pub lines: Vec<String>,
    /// `true` if a call deletes, truncates or starts something.
    pub acts: bool,
    /// `true` if the target of a call that acts cannot be determined.
    pub is_uncertain: bool,
    /// `true` if a call deletes from a database or a service.
    pub drops: bool,
    /// Addresses of requests that delete; `None` if not literal.
    pub requests: Vec<Option<String>>,
    /// `true` if a call may run a string of the code as SQL.
    pub runs_sql: bool,
}

impl Calls {
    pub(crate) fn of(code: &Code) -> Self {
        let mut found = Self::default();
        let calls = code.calls();
        found.acts = calls.len() > MOST;
        found.is_uncertain = found.acts;
        for call in calls {
            let Some(arguments) = call.arguments.clone() else {
                found.drops |= call.does == "drop";
                found.act(&call, None);
                continue;
            };
            match call.does {
                "drop" => found.drops = true,
                "drop-all" => found.drops |= arguments.len() == code.split(arguments, "{ }").len(),
                "sql" => found.runs_sql = true,
                "send" | "unsend" => {
                    let address = code.first(arguments.clone());
                    let is_method = |at| code.token(at).is_text() && code.token(at).text.eq_ignore_ascii_case("delete");
                    if call.does == "unsend" || arguments.clone().any(is_method) {
                        found.requests.push(address);
                    }
                }
                _ => found.act(&call, lines(code, &call, arguments)),
            }
        }
        let is_begun = |at| code.before(at).is("\n") && code.token(at).text.starts_with('!');
        found.acts |= code.program == "ipython" && (0..code.tokens.len()).any(is_begun);
        // Functions that are looked up have no name in the code.
        let is_looked_up = |at| lists("os shutil subprocess", code.token(at).text) && code.token(at - 2).is("getattr");
        found.acts |= (2..code.tokens.len()).any(is_looked_up);
        found.is_uncertain |= found.acts && (found.lines.is_empty() || code.has_name(0..code.tokens.len(), ELSEWHERE));
        found
    }

    fn act(&mut self, call: &Call, lines: Option<Vec<String>>) {
        let acts = lists("line command delete cut", call.does)
            || call.does == "open" && lines.is_none() && call.arguments.is_some();
        self.acts |= acts;
        self.is_uncertain |= acts && lines.is_none();
        self.lines.extend(lines.into_iter().flatten());
    }
}

/// Returns all strings passed to a call (`None` if one is uncertain), and `true` if some are in a list.
fn texts(code: &Code, range: Range<usize>) -> (Option<Vec<String>>, bool) {
    let mut texts = Some(Vec::new());
    let mut has_list = false;
    let mut has_options = false;
    for part in code.split(range.clone(), ", ;") {
        let is_list = code.token(part.start).is("[") && code.close(part.start) + 1 == part.end;
        let values: Option<Vec<String>> = if is_list {
            code.split(part.start + 1..part.end - 1, ",").into_iter().map(|part| code.value(part)).collect()
        } else {
            code.value(part.clone()).map(|text| vec![text])
        };
        let is_option = values.is_none() && is_option(code, part);
        // The meaning of a list before other strings differs between languages.
        let is_next = values.is_some() && !has_list && !has_options;
        match (&mut texts, values) {
            (Some(texts), Some(values)) if is_next => texts.extend(values),
            _ if is_option => {}
            (texts, _) => *texts = None,
        }
        has_options |= is_option;
        has_list |= is_list;
    }
    let is_spread = |at| code.token(at).kind == Kind::Mark && code.token(at).text.ends_with(['*', '.']);
    let is_elsewhere = code.has_name(range.clone(), OF_CALL) || range.into_iter().any(is_spread);
    (texts.filter(|_| !is_elsewhere), has_list)
}

/// Returns the commands that are equivalent to a call with these arguments; `None` if they are not certain.
fn lines(code: &Code, call: &Call, range: Range<usize>) -> Option<Vec<String>> {
    let (texts, has_list) = texts(code, range.clone());
    let receiver = call.receiver.clone();
    let operands = texts.filter(|texts| !texts.is_empty()).or(receiver.clone().map(|receiver| vec![receiver]));
    let first = || code.first(range.clone());
    let (file, is_emptied) = match call.does {
        "line" => match &operands?[..] {
            [line] if !has_list && has_shell(code, range).is_some() => return Some(vec![line.clone()]),
            _ => return None,
        },
        "command" => {
            let operands = operands?;
            let joined = operands.join(" ");
            return Some(match (has_shell(code, range)?, &operands[..]) {
                (_, [_]) if !has_list => vec![joined],
                (true, _) => vec![joined, shell_line(&operands)],
                (false, _) => vec![shell_line(&operands)],
            });
        }
        // Some languages expand globs.
        "delete" if operands.iter().flatten().any(|text| text.contains(['*', '?', '[', '~'])) => return None,
        "delete" => return Some(vec![format!("rm -rf -- {}", shell_line(&operands?))]),
        "move" => {
            let mut names: Vec<String> = receiver.into_iter().chain(operands?).collect();
            names.dedup();
            return Some(vec![format!("mv -- {}", shell_line(&names))]);
        }
        "cut" => return Some(vec![format!("truncate -s 0 -- {}", shell_word(&first()?))]),
        "open" => {
            let tokens = || range.clone().map(|at| code.token(at));
            let texts = || tokens().filter(Token::is_text).map(|token| token.text);
            // In Perl and Ruby the name of a file may be a command.
            if texts().any(|text| text.starts_with('|') || text.ends_with('|'))
                || texts().next().is_none() && tokens().any(|token| token.is("|"))
            {
                return None;
            }
            // In Perl the mode comes before the name.
            let mut perl = texts().flat_map(|text| {
                let (mode, name) = text.split_at(text.len() - text.trim_start_matches(['+', '<', '>']).len());
                [mode, name.trim_start()]
            });
            if let Some(mode) = perl.next().filter(|mode| mode.contains(['+', '>'])) {
                let file = perl.find(|name| !name.is_empty() && !name.starts_with(':'));
                (file.map(str::to_owned), mode == ">" && !code.writes())
            } else {
                let is_named = receiver.is_none() && code.token(range.start).is_text();
                let mut others = texts().skip(usize::from(is_named));
                let mode = others.find(|mode| consists_of("+abrtwx", mode)).unwrap_or_default();
                let file = receiver.or_else(first).filter(|_| mode.contains(['w', 'a', 'x', '+']));
                (file, mode.contains('w') && !code.writes())
            }
        }
        // The content is the last argument.
        does => {
            let file = if does == "into" { receiver } else { first() };
            (file, code.before(range.end).is_empty_text())
        }
    };
    let printing = if is_emptied { "" } else { "cat " };
    Some(Vec::from_iter(file.map(|file| format!("{printing}> {}", shell_word(&file)))))
}

/// Returns `true` for an argument that is an option or a function, not a name.
fn is_option(code: &Code, part: Range<usize>) -> bool {
    let tokens = &code.tokens[part];
    let is_named = tokens.get(1).is_some_and(|sign| sign.is("= :"));
    let is_function = tokens.iter().any(|token| token.is("=> function"));
    is_named
        || is_function
        || matches!(tokens, [word] if lists(NOTHING, word.text))
        || tokens.first().is_some_and(|sign| sign.is("{"))
}

/// Returns `true` if an option makes a shell run the command; `None` if the option names another program.
fn has_shell(code: &Code, mut range: Range<usize>) -> Option<bool> {
    let is_name = |at: &usize| code.token(*at).text == "shell" && !code.before(*at).is("[");
    match range.rfind(is_name).map(|at| code.token(at + 2).text) {
        None | Some("False" | "false") => Some(false),
        Some("True" | "true") => Some(true),
        Some(_) => None,
    }
}
