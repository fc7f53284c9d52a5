//! Which paths a tool's input holds.

use std::fmt;
use std::path::PathBuf;

use hookkit_protocol::tool::{IN_CURRENT_FOLDER, PATHS};
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};

use crate::event::{PostToolUse, PreToolUse};
use crate::json::Deserializer;
use crate::tool::{Edit, FileAccess, FileChange, NotebookEdit, Read, TextChange, Tool, ToolInput, Write};
use crate::{Context, Error, Json, ProjectPath};

/// A tool's input that says which files the call is about.
///
/// [`Json`] knows it of the client's own tools, by the tool's name, and of no other: for the tool of an MCP server,
/// implement it for the type of its input.
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
    message = "it is not known which paths a `{Self}` holds",
    label = "not an input whose paths are known",
    note = "take the call as `PreToolUse<Json>` or `PreToolUse<tool::FileAccess>`, or implement `tool::Paths` for your own type"
)]
pub trait Paths: ToolInput {
    /// The paths as the input has them, in no particular order.
    ///
    /// # Errors
    ///
    /// When the input is none of this tool's.
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
        let members: Vec<&str> = PATHS
            .iter()
            .filter_map(|(tool, member)| (*tool == tool_name).then_some(*member))
            .collect();
        if members.is_empty() {
            return Ok(Vec::new());
        }
        let given = Deserializer::new(self.text().trim().as_bytes())
            .deserialize_map(Given(&members))
            .map_err(|err| Error::msg(format_args!("the input of {tool_name} does not fit: {err}")))?;
        let mut paths = Vec::new();
        for (member, value) in &given {
            add(value, &mut paths)
                .map_err(|err| Error::msg(format_args!("`{member}` of {tool_name} is no path: {err}")))?;
        }
        if tool_name == "Glob" {
            paths.extend(fixed_part(self)?);
        }
        if paths.is_empty() && IN_CURRENT_FOLDER.contains(&tool_name) {
            paths.push(PathBuf::from("."));
        }
        Ok(paths)
    }
}

/// Adds the paths of a member: one, several, or none where it is `null`.
fn add(value: &Json, paths: &mut Vec<PathBuf>) -> Result<(), Error> {
    match value.text().trim_start().as_bytes().first() {
        Some(b'[') => paths.extend(value.decode::<Vec<PathBuf>>()?),
        _ => paths.extend(value.decode::<Option<PathBuf>>()?),
    }
    Ok(())
}

/// Where an absolute pattern of Glob looks, whatever else the input says; the `..` and `~` of another pattern find nothing.
///
/// A pattern with a wildcard is for the folder before it, one without is the name of files anywhere below the folder that it
/// stands in. A backslash escapes nothing there: it is part of a name (client 2.1.330).
fn fixed_part(glob: &Json) -> Result<Vec<PathBuf>, Error> {
    #[derive(serde::Deserialize)]
    struct Glob {
        #[serde(default)]
        pattern: Option<String>,
    }
    let pattern = glob.decode::<Glob>()?.pattern.unwrap_or_default();
    let pattern = pattern.trim_start();
    if !pattern.starts_with('/') {
        return Ok(Vec::new());
    }
    let folder_of = |path: &str| PathBuf::from(path.rfind('/').map_or("/", |end| &path[..=end]));
    Ok(match pattern.find(['*', '?', '[', '{']) {
        Some(wild) => vec![folder_of(&pattern[..wild])],
        None => vec![folder_of(pattern.trim_end_matches('/')), pattern.into()],
    })
}

/// Takes these members of an object, each as its text. Of one that stands twice the last counts.
struct Given<'m>(&'m [&'m str]);

impl<'de> Visitor<'de> for Given<'_> {
    type Value = Vec<(String, Json)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut given: Self::Value = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if !self.0.contains(&key.as_str()) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value()?;
            given.retain(|(known, _)| *known != key);
            given.push((key, value));
        }
        Ok(given)
    }
}

macro_rules! calls {
    ($($event:ident: $bound:ident;)*) => {$(
        impl<T: $bound + Paths> $event<T> {
            /// The files that the call is about, and where their names lead; see [`Context::path`].
            ///
            /// Glob and Grep without a folder are about the current one.
            /// A tool that names no file has none, and neither has one that is not known ([`tool::Paths`](crate::tool::Paths)):
            /// shell commands are not taken apart.
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
            /// Those of [`Context::path`], and when the input is none of the tool's.
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

    #[test]
    fn a_call_knows_the_paths_of_its_tool() {
        let paths = |tool: &str, input: &str| -> Vec<String> {
            let call = PreToolUse::new(tool, Json::parse(input).unwrap());
            let context = Context {
                cwd: "/p".into(),
                project_dir: "/p".into(),
                ..Context::default()
            };
            let paths = call.paths(&context).unwrap();
            paths
                .iter()
                .map(|path| path.relative.clone().unwrap_or_else(|| path.to_string()))
                .collect()
        };
        assert_eq!(paths("Read", r#"{"file_path":"/p/a"}"#), ["a"]);
        assert_eq!(paths("Read", r#" {"file_path":"/p/a","file_path":"/b"} "#), ["/b"]);
        assert_eq!(
            paths("Read", r#"{"file\u005fpath":"/p/a","other":{"file_path":"/c"}}"#),
            ["a"]
        );
        assert_eq!(paths("NotebookEdit", r#"{"notebook_path":"a.ipynb"}"#), ["a.ipynb"]);
        assert_eq!(paths("LSP", r#"{"filePath":"../a"}"#), ["/a"]);
        assert_eq!(paths("Grep", r#"{"pattern":"/x","path":" src "}"#), ["src"]);
        assert_eq!(paths("Grep", r#"{"pattern":"x","path":null}"#), ["."]);
        assert_eq!(paths("Glob", r#"{"pattern":"*.rs"}"#), ["."]);
        assert_eq!(paths("Glob", r#"{"pattern":"/etc/ssl/**/*.pem"}"#), ["/etc/ssl"]);
        assert_eq!(
            paths("Glob", r#"{"pattern":"/etc/{a,b}","path":"src"}"#),
            ["src", "/etc"]
        );
        assert_eq!(paths("Glob", r#"{"pattern":"/*"}"#), ["/"]);
        assert_eq!(paths("Glob", r#"{"pattern":"/p/../etc/x"}"#), ["/etc", "/etc/x"]);
        assert_eq!(paths("Glob", r#"{"pattern":"/etc/x//"}"#), ["/etc", "/etc/x"]);
        assert_eq!(paths("Glob", r#"{"pattern":"/"}"#), ["/", "/"]);
        assert_eq!(paths("Glob", r#"{"pattern":"/p/x\\/../../other/*"}"#), ["/other"]);
        assert_eq!(
            paths("Artifact", r#"{"file_paths":["a","/b"],"out_dir":"c"}"#),
            ["a", "/b", "c"]
        );
        assert!(paths("EnterWorktree", r#"{"name":"x"}"#).is_empty());
        assert!(paths("Bash", r#"{"command":"cat /etc/passwd"}"#).is_empty());
        assert!(paths("mcp__files__read", r#"["not","an object"]"#).is_empty());
    }

    #[test]
    fn an_input_that_is_none_of_the_tools_is_an_error() {
        let error = |tool: &str, input: &str| {
            let call = PreToolUse::new(tool, Json::parse(input).unwrap());
            call.paths(&Context::default()).unwrap_err().to_string()
        };
        assert!(error("Read", "[]").starts_with("the input of Read does not fit: "));
        assert!(error("Read", r#"{"file_path":{}}"#).starts_with("`file_path` of Read is no path: "));
        assert!(error("Artifact", r#"{"file_paths":[1]}"#).starts_with("`file_paths` of Artifact is no path: "));
    }
}
