//! After trailofbits/skills, `plugins/gh-cli/hooks/cleanup-clones.sh`.

use std::{env, fs};

use hookkit::prelude::*;

/// Removes the session's temporary clones, `gh-clones-SESSION` in the temporary folder, when it ends.
#[hook(SessionEnd)]
pub fn cleanup_clones(context: Context) -> Result<(), Error> {
    let clones = env::temp_dir().join(format!("gh-clones-{}", context.session_id));
    // A path that leads out of the temporary folder is not a session's.
    if clones.parent() == Some(&env::temp_dir()) && clones.is_dir() {
        fs::remove_dir_all(clones)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(session: &str) -> Result<(), Error> {
        let mut context = Context::default();
        context.session_id = session.to_owned();
        cleanup_clones(context)
    }

    #[test]
    fn only_the_clones_of_this_session_are_removed() -> Result<(), Error> {
        let ours = tempfile::Builder::new().prefix("gh-clones-").tempdir()?;
        let theirs = tempfile::Builder::new().prefix("gh-clones-").tempdir()?;
        let [session, other] = [&ours, &theirs].map(|clones| {
            let name = clones.path().file_name().and_then(|name| name.to_str());
            name.and_then(|name| name.strip_prefix("gh-clones-"))
                .expect("a UTF-8 name")
        });
        end(&format!("{session}/../gh-clones-{other}"))?;
        end(session)?;
        end(session)?;
        assert!(!ours.path().exists() && theirs.path().exists());
        Ok(())
    }
}
