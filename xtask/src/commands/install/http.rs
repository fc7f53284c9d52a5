//! `cargo xtask install --http URL`: writes entries for hooks that a service answers.

use crate::binaries::asked::Asked;
use crate::binaries::definition::Definition;
use crate::cargo::workspace::Workspace;
use crate::commands::hold_mods::Part;
use crate::commands::prelude::*;
use crate::settings::entries::{Entry, Events, Handler, blocks_unstarted, by_event};
use crate::settings::plugin::made;
use crate::settings::scope::{self, Target};

/// The variable with the key for each request.
const KEY: &str = "HOOKKIT_KEY";

/// Timeout in seconds for a hook without its own `timeout`. The client's default is ten minutes.
const TIMEOUT: u32 = 10;

/// Adds entries that send each event to the service at this address.
pub(super) fn install(url: &str, target: &Target, asked: &Asked, yes: bool, format: &Format) -> Result<Done> {
    let url = base(url)?;
    let place = target.place_of_service()?;
    let workspace = Workspace::find()?;
    let all = made::definitions(&workspace, asked.only_packs(&workspace).as_ref())?;
    let chosen = asked.names(&all, &workspace)?;
    let is_asked = |hook: &&Definition| chosen.as_ref().is_none_or(|names| names.contains(&hook.declared.name));
    let (mut entries, mut names, mut notes) = (Vec::new(), Vec::new(), String::new());
    for hook in all.iter().filter(|hook| hook.is_installable()).filter(is_asked) {
        let name = &hook.declared.name;
        match obstacle(hook) {
            None => {
                names.push(name);
                entries.extend(hook.entries.iter().map(|on| {
                    let handler = Handler::of_service(format!("{url}/hooks/{name}"), KEY);
                    let handler = handler.of_hook(&hook.declared, blocks_unstarted(&hook.declared, on));
                    Entry::new(on, handler.or("timeout", TIMEOUT))
                }));
            }
            Some(why) if asked.hooks.contains(name) => bail!("`{name}` cannot answer over HTTP: {why}"),
            Some(why) => notes += &format!("`{name}` is left out: {why}.\n"),
        }
    }
    ensure!(!entries.is_empty(), "no hook is left that can answer over HTTP:\n{notes}");
    let groups = by_event(&entries);
    let text = serde_json::to_string_pretty(&json!({"hooks": Events(&groups)}))? + "\n";
    let part = Part {
        place: &place,
        text: Some(&text),
        by: "install --http",
        about: &format!(
            "Claude Code sends these events to {url}, with the key from its environment variable {KEY}. If the service \
             does not answer, guards deny; all else goes ahead.\n{notes}"
        ),
        again: &format!("install --http {}{}{}", quoted(url), asked.options(), scope::options(&place)),
        yes,
    };
    let (is_changed, mut done) = part.put()?;
    done += &notes;
    done += &format!(
        "Set {KEY} where Claude Code starts. To remove them: cargo xtask uninstall --http{}",
        scope::options(&place)
    );
    let summary = json!({"settings": place.to_string(), "changed": is_changed, "hooks": names, "url": url});
    format.print(done, &[row("summary", summary)])
}

/// Checks the address of a service, and returns it without a trailing slash.
///
/// The client shows the whole address to the model when a hook fails, and expands no variables in it.
fn base(url: &str) -> Result<&str> {
    let rest = ["https://", "http://"].iter().find_map(|scheme| url.strip_prefix(scheme));
    let Some(rest) = rest.filter(|rest| !rest.is_empty() && !rest.starts_with(['/', ':'])) else {
        bail!("`{url}` is not the address of a service: write `https://HOST`, with a port and a path if it has them")
    };
    let host = rest.split('/').next().unwrap_or_default();
    ensure!(
        !host.contains('@') && !rest.contains(['?', '#']),
        "an address with a user, a password or a query is shown to the model whenever a hook fails: leave them out; \
         the key is sent as a header"
    );
    let is_here = ["127.0.0.1", "localhost", "[::1]"].iter().any(|here| {
        let port = host.strip_prefix(here);
        port.is_some_and(|port| port.is_empty() || port.starts_with(':'))
    });
    ensure!(
        is_here || url.starts_with("https://"),
        "`{url}` has no TLS: others could read the key and all events, and answer in place of the service: write \
         `https://`"
    );
    ensure!(
        rest.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\$*".contains(&byte)),
        "`{url}` has a character that no address can have: write it as a browser shows it, with %20 for a space"
    );
    Ok(url.trim_end_matches('/'))
}

/// Returns the reason why a hook cannot answer over HTTP, if there is one.
pub(crate) fn obstacle(hook: &Definition) -> Option<String> {
    let is_changed = hook.changes.launcher.is_some();
    let changed = "the workspace overrides or orders it, but a service runs hooks as their authors wrote them";
    is_changed.then(|| changed.to_owned()).or_else(|| hook.local.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_no_secret_and_is_one() {
        for (url, expected) in [
            ("https://hooks.acme.example", Some("https://hooks.acme.example")),
            ("http://127.0.0.1:8787/", Some("http://127.0.0.1:8787")),
            ("https://[::1]:8787/a/b/", Some("https://[::1]:8787/a/b")),
            ("https://me:secret@hooks.example", None),
            ("https://hooks.example/?token=secret", None),
            ("https://hooks.example/#a", None),
            ("https://hooks.example/a b", None),
            ("https://${HOST}/", None),
            ("ftp://hooks.example", None),
            ("hooks.example", None),
            ("https://", None),
            ("http://hooks.example", None),
            ("http://127.0.0.1.example", None),
            ("http://localhost:1/a", Some("http://localhost:1/a")),
            ("https:///hooks", None),
        ] {
            assert_eq!(base(url).ok(), expected, "{url}");
        }
    }
}
