//! The paths in a tool's input.

use std::fmt;
use std::path::PathBuf;

use hookkit_protocol::tool::{IN_CURRENT_FOLDER, PATHS};
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};

use crate::event::{PostToolUse, PreToolUse};
use crate::json::Deserializer;
use crate::tool::{Edit, FileAccess, FileChange, NotebookEdit, Read, TextChange, Tool, ToolInput, Write};
use crate::wire::foreign;
use crate::{Context, Error, Json, ProjectPath};

/// A tool's input with the paths of the files that the call accesses.
///
/// [`Json`] returns the paths for the client's own tools, chosen by name, and none for other tools. For the tool of
/// an MCP server, implement this trait for the type of its input.
///
/// ```
/// use std::path::PathBuf;
///
/// use hookkit::prelude::*;
///
/// #[derive(serde::Deserialize, ToolInput)]
/// #[tool(server = "files", name = "move_file")]
/// pub struct MoveFile {
///     source: PathBuf,
///     destination: PathBuf,
/// }
///
/// impl tool::Paths for MoveFile {
///     fn paths(&self, _: &str) -> Result<Vec<PathBuf>, Error> {
///         Ok(vec![self.source.clone(), self.destination.clone()])
///     }
/// }
///
/// /// Keeps moves within the project.
/// #[hook(PreToolUse)]
/// pub fn stay_inside(call: PreToolUse<MoveFile>, context: Context) -> Result<PreToolUseAnswer, Error> {
///     let outside = call.paths(&context)?.into_iter().find(|path| path.relative.is_none());
///     Ok(outside.map_or_else(PreToolUseAnswer::pass, |path| {
///         PreToolUseAnswer::deny(format!("`{path}` is outside the project"))
///     }))
/// }
/// # fn main() {}
/// ```
#[diagnostic::on_unimplemented(
    message = "the paths in a `{Self}` are unknown",
    label = "not an input with known paths",
    note = "take the call as `PreToolUse<Json>` or `PreToolUse<tool::FileAccess>`, \
            or implement `tool::Paths` for your type"
)]
pub trait Paths: ToolInput {
    /// Returns the paths as they are in the input, in no particular order.
    ///
    /// # Errors
    ///
    /// Fails if the input is not valid for this tool.
    fn paths(&self, tool_name: &str) -> Result<Vec<PathBuf>, Error>;
}

macro_rules! one_file {
    ($($input:ident . $file:ident;)*) => {$(
        impl Paths for $input {
            fn paths(&self, _: &str) -> Result<Vec<PathBuf>, Error> {
                Ok(vec![self.$file.clone()])
            }
        }
    )*};
}

one_file! {
    Read.file_path;
    Write.file_path;
    Edit.file_path;
    NotebookEdit.notebook_path;
    FileAccess.file_path;
    FileChange.file_path;
}

impl Paths for TextChange {
    fn paths(&self, _: &str) -> Result<Vec<PathBuf>, Error> {
        Ok(vec![self.path().to_owned()])
    }
}

impl Paths for Json {
    fn paths(&self, tool_name: &str) -> Result<Vec<PathBuf>, Error> {
        let members: Vec<&str> =
            PATHS.iter().filter_map(|(tool, member)| (*tool == tool_name).then_some(*member)).collect();
        if members.is_empty() {
            return Ok(Vec::new());
        }
        let read = |members: &[&str]| {
            Deserializer::new(self.text().trim().as_bytes())
                .deserialize_map(Members(members))
                .map_err(|err| Error::msg(format_args!("the input of {tool_name} is invalid: {err}")))
        };
        let mut values = read(&members)?;
        if values.is_empty() {
            values = read(&Vec::from_iter(members.iter().map(|member| foreign(member))))?;
        }
        let mut paths = Vec::new();
        for (member, value) in &values {
            add(value, &mut paths)
                .map_err(|err| Error::msg(format_args!("`{member}` of {tool_name} is not a path: {err}")))?;
        }
        if tool_name == "Glob" {
            paths.extend(paths_of_absolute_pattern(self)?);
        }
        if paths.is_empty() && IN_CURRENT_FOLDER.contains(&tool_name) {
            paths.push(PathBuf::from("."));
        }
        Ok(paths)
    }
}

/// Adds the paths of a member: one path, several, or none if the member is `null`.
fn add(value: &Json, paths: &mut Vec<PathBuf>) -> Result<(), Error> {
    match value.text().trim_start().as_bytes().first() {
        Some(b'[') => paths.extend(value.decode::<Vec<PathBuf>>()?),
        _ => paths.extend(value.decode::<Option<PathBuf>>()?),
    }
    Ok(())
}

/// Returns the paths that an absolute pattern of Glob searches. The input's `path` has no effect on them.
///
/// A relative pattern has no such paths: with `..` or `~` it finds nothing. A pattern with a wildcard searches the
/// folder before the wildcard. A pattern without one is a file name that is searched anywhere below its folder. In
/// these paths, a backslash is not an escape but belongs to the name (client 2.1.330). On Windows, where the client was
/// not observed, an absolute pattern also begins with a backslash or a drive, and a backslash separates names.
fn paths_of_absolute_pattern(glob: &Json) -> Result<Vec<PathBuf>, Error> {
    #[derive(serde::Deserialize)]
    struct Glob {
        #[serde(default)]
        pattern: Option<String>,
    }
    let pattern = glob.decode::<Glob>()?.pattern.unwrap_or_default();
    let pattern = pattern.trim_start();
    let has_drive = cfg!(windows) && pattern.as_bytes().get(1) == Some(&b':');
    if !pattern.starts_with(SEPARATORS) && !has_drive {
        return Ok(Vec::new());
    }
    let folder_of = |path: &str| PathBuf::from(path.rfind(SEPARATORS).map_or("/", |end| &path[..=end]));
    Ok(match pattern.find(['*', '?', '[', '{']) {
        Some(wild) => vec![folder_of(&pattern[..wild])],
        None => vec![folder_of(pattern.trim_end_matches(SEPARATORS)), pattern.into()],
    })
}

/// Characters that separate the names in a path.
const SEPARATORS: &[char] = if cfg!(windows) { &['/', '\\'] } else { &['/'] };

/// A visitor that returns these members of an object as text. The last value of a repeated member counts.
struct Members<'m>(&'m [&'m str]);

impl<'de> Visitor<'de> for Members<'_> {
    type Value = Vec<(String, Json)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values: Self::Value = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if !self.0.contains(&key.as_str()) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value()?;
            values.retain(|(name, _)| *name != key);
            values.push((key, value));
        }
        Ok(values)
    }
}

macro_rules! calls {
    ($($event:ident: $bound:ident;)*) => {$(
        impl<T: $bound + Paths> $event<T> {
            /// Returns the files that the call accesses, with their paths resolved: see [`Context::path`].
            ///
            /// Glob and Grep without a folder access the current folder. The list is empty for a tool without a file,
            /// and for a tool whose paths are unknown ([`tool::Paths`](crate::tool::Paths)). Shell commands are not
            /// parsed.
            ///
            /// ```
            /// use hookkit::prelude::*;
            /// use hookkit::Json;
            ///
            /// /// Keeps searches and reads within the project.
            /// #[hook(PreToolUse, matcher = "Read|Glob|Grep|LSP")]
            /// pub fn look_here_only(call: PreToolUse<Json>, context: Context) -> Result<PreToolUseAnswer, Error> {
            ///     let paths = call.paths(&context)?;
            ///     Ok(match paths.iter().find(|path| path.relative.is_none()) {
            ///         Some(path) => PreToolUseAnswer::deny(format!("`{path}` is outside the project")),
            ///         None => PreToolUseAnswer::pass(),
            ///     })
            /// }
            /// # fn main() {}
            /// ```
            ///
            /// # Errors
            ///
            /// Fails like [`Context::path`], and if the input is not valid for the tool.
            pub fn paths(&self, context: &Context) -> Result<Vec<ProjectPath>, Error> {
                let paths = self.input.paths(&self.tool_name)?;
                paths.iter().map(|path| context.path(path)).collect()
            }
        }
    )*};
}

calls! {
    PreToolUse: ToolInput;
    PostToolUse: Tool;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs on Windows only, where a path has a drive.
    #[cfg(windows)]
    #[test]
    fn a_pattern_of_windows_searches_its_folder() {
        let paths = |pattern: &str| -> Vec<String> {
            let input = serde_json::json!({ "pattern": pattern }).to_string();
            let paths = Json::parse(input).unwrap().paths("Glob").unwrap();
            paths.iter().map(|path| path.to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(paths("C:/etc/ssl/**/*.pem"), ["C:/etc/ssl/"]);
        assert_eq!(paths(r"c:\etc\*"), [r"c:\etc\"]);
        assert_eq!(paths(r"\etc\x"), [r"\etc\", r"\etc\x"]);
        assert_eq!(paths("*.rs"), ["."]);
        let call = PreToolUse::new("Glob", Json::parse(r#"{"pattern":"C:*"}"#).unwrap());
        assert!(call.paths(&Context::default()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_call_has_the_paths_of_its_tool() {
        let paths = |tool: &str, input: &str| -> Vec<String> {
            let call = PreToolUse::new(tool, Json::parse(input).unwrap());
            let context = Context { cwd: "/p".into(), project_dir: "/p".into(), ..Context::default() };
            let paths = call.paths(&context).unwrap();
            paths.iter().map(|path| path.relative.clone().unwrap_or_else(|| path.to_string())).collect()
        };
        assert_eq!(paths("Read", r#"{"file_path":"/p/a"}"#), ["a"]);
        assert_eq!(paths("Read", r#" {"file_path":"/p/a","file_path":"/b"} "#), ["/b"]);
        let expected = ["a"];
        assert_eq!(paths("Read", r#"{"file\u005fpath":"/p/a","other":{"file_path":"/c"}}"#), expected);
        assert_eq!(paths("NotebookEdit", r#"{"notebook_path":"a.ipynb"}"#), ["a.ipynb"]);
        assert_eq!(paths("LSP", r#"{"filePath":"../a"}"#), ["/a"]);
        assert_eq!(paths("Grep", r#"{"pattern":"/x","path":" src "}"#), ["src"]);
        assert_eq!(paths("Grep", r#"{"pattern":"x","path":null}"#), ["."]);
        assert_eq!(paths("Glob", r#"{"pattern":"*.rs"}"#), ["."]);
        assert_eq!(paths("Glob", r#"{"pattern":"/etc/ssl/**/*.pem"}"#), ["/etc/ssl"]);
        let expected = ["src", "/etc"];
        assert_eq!(paths("Glob", r#"{"pattern":"/etc/{a,b}","path":"src"}"#), expected);
        assert_eq!(paths("Glob", r#"{"pattern":"/*"}"#), ["/"]);
        assert_eq!(paths("Glob", r#"{"pattern":"/p/../etc/x"}"#), ["/etc", "/etc/x"]);
        assert_eq!(paths("Glob", r#"{"pattern":"/etc/x//"}"#), ["/etc", "/etc/x"]);
        assert_eq!(paths("Glob", r#"{"pattern":"/"}"#), ["/", "/"]);
        assert_eq!(paths("Glob", r#"{"pattern":"/p/x\\/../../other/*"}"#), ["/other"]);
        let expected = ["a", "/b", "c"];
        assert_eq!(paths("Artifact", r#"{"file_paths":["a","/b"],"out_dir":"c"}"#), expected);
        assert!(paths("EnterWorktree", r#"{"name":"x"}"#).is_empty());
        assert!(paths("Bash", r#"{"command":"cat /etc/passwd"}"#).is_empty());
        assert!(paths("mcp__files__read", r#"["not","an object"]"#).is_empty());
    }

    #[test]
    fn an_input_that_is_not_valid_for_its_tool_is_an_error() {
        let error = |tool: &str, input: &str| {
            let call = PreToolUse::new(tool, Json::parse(input).unwrap());
            call.paths(&Context::default()).unwrap_err().to_string()
        };
        assert!(error("Read", "[]").starts_with("the input of Read is invalid: "));
        assert!(error("Read", r#"{"file_path":{}}"#).starts_with("`file_path` of Read is not a path: "));
        assert!(error("Artifact", r#"{"file_paths":[1]}"#).starts_with("`file_paths` of Artifact is not a path: "));
    }
}
