//! Files of variables, such as `.env`.

/// Returns the variables that the text of a `.env` file sets, in its order. Nothing is run, and nothing is expanded: a `$`
/// stays one.
///
/// A line is `NAME=value`, with or without `export`. A value in quotes may have several lines; in double quotes `\n`, `\"`
/// and `\\` are escapes; without quotes it ends at ` #`. Other lines are skipped.
///
/// ```
/// use hookkit::dotenv;
///
/// let variables = dotenv("# of=tests\nexport URL='http://$HOST'\nNAME=a b # c\nKEY=\"1\\n2\"\n");
/// let variables: Vec<String> = variables.iter().map(|(name, value)| format!("{name} is {value}")).collect();
/// assert_eq!(variables, ["URL is http://$HOST", "NAME is a b", "KEY is 1\n2"]);
/// ```
///
/// The file may hold secrets: a hook that passes values on to the session's commands uses [`EnvFile`](crate::EnvFile), and
/// shows none to the model.
pub fn dotenv(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let from = rest;
        rest = after;
        let Some((name, _)) = line.split_once('=') else {
            continue;
        };
        let bare = name.trim();
        let bare = bare.strip_prefix("export ").unwrap_or(bare).trim_start();
        if bare.is_empty()
            || !bare
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
        {
            continue;
        }
        let value = from[name.len() + 1..].trim_start_matches([' ', '\t']);
        let quote = value.chars().next().filter(|c| "'\"".contains(*c));
        let quoted = quote.and_then(|quote| in_quotes(&value[1..], quote));
        let value = match quoted {
            Some((value, end)) => {
                rest = end.split_once('\n').map_or("", |(_, rest)| rest);
                value
            }
            None => {
                let value = line[name.len() + 1..].split(" #").next();
                value.unwrap_or_default().trim().to_owned()
            }
        };
        found.push((bare.to_owned(), value));
    }
    found
}

/// Returns the value before the closing quote, and the text after it.
fn in_quotes(text: &str, quote: char) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '\\' if quote == '"' => match chars.next()? {
                'n' => value.push('\n'),
                escaped @ ('"' | '\\') => value.push(escaped),
                other => value.extend(['\\', other]),
            },
            c if c == quote => return Some((value, chars.as_str())),
            c => value.push(c),
        }
    }
}
