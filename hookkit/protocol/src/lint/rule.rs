//! Checks the text in the parentheses of a permission rule, such as an `if`.

/// Folders at the root of a file system, without names that projects use, too (`bin`, `tmp`).
const AT_ROOT: &[&str] = &["Users", "etc", "home", "mnt", "opt", "private", "proc", "root", "sys", "usr"];

/// Returns the mistake that keeps a rule's parentheses from matching any call, as a clause, and the rules that were
/// probably meant: one or two; none if the text is a list.
///
/// Checks only rules of tools that were tried as an `if` in client 2.1.332.
///
/// ```
/// use hookkit_protocol::lint::rule_content;
///
/// let (what, meant) = rule_content("Bash", "\"git push\"").unwrap();
/// assert_eq!(what, "its quotes are compared with the command line, too");
/// assert_eq!(meant, ["Bash(git push)"]);
/// let (_, meant) = rule_content("Edit", "*.{js,ts}").unwrap();
/// assert_eq!(meant, Vec::<String>::new());
/// assert_eq!(rule_content("Bash", "git push *"), None);
/// ```
pub fn rule_content(tool: &str, content: &str) -> Option<(&'static str, Vec<String>)> {
    let (what, meant) = match tool {
        "Bash" => command(content.trim())?,
        "Edit" | "Read" | "Write" => path(content)?,
        _ => return None,
    };
    Some((what, meant.iter().map(|content| format!("{tool}({content})")).collect()))
}

fn command(content: &str) -> Option<(&'static str, Vec<String>)> {
    if let Some(expression) = content.strip_prefix('^') {
        let what = "it is compared with the command line as text in which only `*` has a meaning, not as an expression";
        let text = expression.trim_end_matches('$').trim().replace(".*", "*");
        let is_simple = !text.contains(['(', '[', '|', '\\', '+', '?']);
        return Some((what, is_simple.then_some(text).into_iter().collect()));
    }
    if let Some(bare) = unquoted(content) {
        return Some(("its quotes are compared with the command line, too", vec![bare.to_owned()]));
    }
    if let Some((start, end)) = content.split_once(":*").filter(|(start, end)| is_prefix_within(start, end)) {
        let words = format!("{start} *{}", end.replace(":*", " *")).replace("* *", "*").replace("  ", " ");
        // After another `*` it is for one word or more.
        let alone = words.strip_suffix(" *").map(str::to_owned);
        return Some((
            "`:*` has a meaning only at the end, after a text without `*`",
            alone.into_iter().chain([words]).collect(),
        ));
    }
    // A line with `|` or `,` may be meant as it is; the client also writes such rules itself.
    let first = content.split([' ', ',', '|']).next().unwrap_or_default();
    let repeats =
        |between: &str| content.split(between).skip(1).any(|part| part.split([' ', '*']).next() == Some(first));
    let has_group = content
        .split_once(" (")
        .is_some_and(|(_, rest)| rest.split(')').next().is_some_and(|inner| inner.contains('|')));
    let is_list = repeats("|") || repeats(", ") || has_group || has_choice(content) && content.contains('*');
    let is_quoted = content.contains(['"', '\'', '\\']);
    (is_list && !is_quoted).then(|| ("it is compared with the command line as a whole, and is not a list", Vec::new()))
}

/// Returns `true` if the `:*` between two texts is meant for any words: after a program's name or a blank, or at the end of
/// a text with another `*`. Elsewhere the `:` is a part of the line, as in `localhost:*`.
fn is_prefix_within(start: &str, end: &str) -> bool {
    let is_name = |text: &str| text.chars().all(|char| char.is_ascii_alphabetic() || char == '-');
    match end.is_empty() {
        true => start.contains('*'),
        false => end.starts_with(' ') && (start.ends_with(' ') || is_name(start)),
    }
}

fn path(content: &str) -> Option<(&'static str, Vec<String>)> {
    let below_root = content.strip_prefix('/').and_then(|path| path.split('/').next());
    if below_root.is_some_and(|folder| AT_ROOT.contains(&folder)) {
        let what = "a path with one `/` at its start is within the folder of the settings";
        return Some((what, vec![format!("/{content}")]));
    }
    if let Some(bare) = unquoted(content) {
        return Some(("it is compared as a pattern of paths, without quotes", vec![bare.to_owned()]));
    }
    let is_path = |part: &str| part.contains(['.', '*', '/']);
    let is_list = content.contains(',') && content.split(',').all(is_path);
    if content.contains('|') || is_list || has_choice(content) {
        return Some(("it is compared as one pattern of paths", Vec::new()));
    }
    let part = content.strip_suffix(":*").or_else(|| content.strip_prefix("file:"));
    let expression = || {
        let is_one = content.contains("\\.") || content.starts_with('^') || content.ends_with('$');
        let text = content.trim_start_matches('^').trim_end_matches('$').replace("\\.", ".").replace(".*", "*");
        is_one.then_some(text)
    };
    let meant = part.map(str::to_owned).or_else(expression)?;
    Some(("it is compared as a pattern of paths", vec![meant]))
}

/// Returns the text in a pair of quotes.
fn unquoted(content: &str) -> Option<&str> {
    ['"', '\''].into_iter().find_map(|quote| {
        let inner = content.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then_some(inner)
    })
}

/// Returns `true` for `{a,b}`, which a shell would expand.
fn has_choice(content: &str) -> bool {
    let inner = content.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    inner.into_iter().any(|(inner, _)| inner.contains(',') && !inner.contains(' '))
}
