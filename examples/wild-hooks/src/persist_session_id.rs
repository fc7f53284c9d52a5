//! After trailofbits/skills, `plugins/gh-cli/hooks/persist-session-id.sh`.

use hookkit::prelude::*;

/// Sets `$CLAUDE_SESSION_ID`, the id of the session, for all later commands.
#[hook(SessionStart)]
pub fn persist_session_id(context: Context, variables: EnvFile) -> Result<(), Error> {
    variables.set("CLAUDE_SESSION_ID", context.session_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_syntax_in_a_value_is_quoted() -> Result<(), Error> {
        let file = tempfile::NamedTempFile::new()?;
        let mut context = Context::default();
        context.session_id = "$(id)'".to_owned();
        persist_session_id(context, EnvFile::new(file.path()))?;
        let written = std::fs::read_to_string(file.path())?;
        assert_eq!(written, "export CLAUDE_SESSION_ID='$(id)'\\'''\n");
        Ok(())
    }
}
