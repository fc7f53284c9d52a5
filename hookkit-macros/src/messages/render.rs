//! Renders errors as rustc does, in plain text.

use super::expansion::Error;

const NOTE: &str = "this error originates in the attribute macro `hook` \
                    (in Nightly builds, run with -Z macro-backtrace for more info)";

/// Renders an error on one line of `source`, the text of the file `path`.
pub(super) fn error(error: &Error, path: &str, source: &str) -> String {
    let (start, end) = (error.place.start, error.place.end);
    let line = start.line.to_string();
    let column = start.column + 1;
    let margin = " ".repeat(line.len());
    let message = message(&error.message);
    let text = source.lines().nth(start.line - 1).unwrap_or_default();
    let indent = " ".repeat(start.column);
    let carets = "^".repeat(end.column - start.column);
    let mut rendered = format!(
        "error: {message}\n\
         {margin}--> {path}:{line}:{column}\n\
         {margin} |\n\
         {line} | {text}\n\
         {margin} | {indent}{carets}\n"
    );
    if error.is_of_attribute {
        rendered += &format!("{margin} |\n{margin} = note: {NOTE}\n");
    }
    rendered
}

/// Indents the second and later lines to the column of the first one, which comes after `error: `.
fn message(text: &str) -> String {
    let indent = " ".repeat("error: ".len());
    let lines = text.lines().enumerate().map(|(index, line)| match index {
        0 => line.to_owned(),
        _ => format!("{indent}{line}").trim_end().to_owned(),
    });
    lines.collect::<Vec<String>>().join("\n")
}
