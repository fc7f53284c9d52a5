//! Files of variables, such as `.env`.

/// Returns the variables that the text of a `.env` file sets, in the file's order. Nothing is run or expanded: a `$`
/// stays a `$`.
///
/// A line is `NAME=value`, with or without `export`. A value in quotes ends at the next quote of the same kind, and is
/// returned as written; a value without quotes ends at ` #`. All other lines are skipped, and so is a value of several
/// lines.
///
/// ```
/// use hookkit::dotenv;
///
/// let variables = dotenv("# of=tests\nexport URL='http://$HOST'\nNAME=a b # c\nKEY=\"1 # 2\"\n");
/// let variables: Vec<String> = variables.iter().map(|(name, value)| format!("{name} is {value}")).collect();
/// assert_eq!(variables, ["URL is http://$HOST", "NAME is a b", "KEY is 1 # 2"]);
/// ```
///
/// The file may hold secrets. Pass values on to the session's commands with [`EnvFile`](crate::EnvFile), and do not
/// show them to the model.
pub fn dotenv(text: &str) -> Vec<(String, String)> {
    let variables = text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        let name = name.trim().trim_start_matches("export ").trim_start();
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.is_empty() || !name.bytes().all(is_name) {
            return None;
        }
        let value = value.trim();
        let value = match value.chars().next() {
            Some(quote @ ('\'' | '"')) => value[1..].split_once(quote)?.0,
            _ => value.split(" #").next()?.trim_end(),
        };
        Some((name.to_owned(), value.to_owned()))
    });
    variables.collect()
}
