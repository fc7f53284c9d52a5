//! A tool call of the scripted model, and the mark that identifies handlers.

use std::path::Path;

use serde_json::Value;

/// The prefix of all handler names in paths, URLs and prompts; the handler's number follows.
pub(crate) const MARK: &str = "hookkit-heard/";

/// A tool call.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: String,
    pub(crate) input: Value,
}

impl Call {
    pub(crate) fn new(tool: &str, input: Value) -> Self {
        Self {
            tool: tool.to_owned(),
            input,
        }
    }

    pub(crate) fn within(&self, project: &Path) -> Self {
        fn fill(value: &mut Value, project: &str) {
            match value {
                Value::String(text) => *text = text.replace("$PROJECT", project),
                Value::Array(list) => list.iter_mut().for_each(|value| fill(value, project)),
                Value::Object(members) => members.values_mut().for_each(|value| fill(value, project)),
                _ => {}
            }
        }
        let mut call = self.clone();
        fill(&mut call.input, &project.to_string_lossy());
        call
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_in_the_folder_of_the_session() {
        let call = Call::new(
            "Edit",
            json!({"file_path": "$PROJECT/a", "edits": [{"x": "$PROJECT"}], "n": 1}),
        );
        let input = call.within(Path::new("/p")).input;
        assert_eq!(input, json!({"file_path": "/p/a", "edits": [{"x": "/p"}], "n": 1}));
    }
}
