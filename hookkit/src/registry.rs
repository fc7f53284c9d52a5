//! All hooks of the linked crates, for listers.

use std::collections::BTreeMap;

use hookkit_protocol::hook::{Declaration, OnEvent, Written};
use serde::Serialize;

use crate::config::ConfigType;
use crate::def::Declared;
use crate::{HookDef, Json};

pub use inventory::submit;

/// A hook and the facts that its attribute registers.
pub struct Registered {
    /// The hook's definition.
    pub hook: &'static HookDef,
    /// Facts about the function that a workspace needs to override the hook.
    pub source: Declared,
}

inventory::collect!(Registered);

impl Registered {
    /// Returns the type of the hook's configuration, if it has one.
    fn config(&self) -> Option<&'static ConfigType> {
        self.source.config.iter().find_map(|config| *config)
    }
}

/// Version of the listing. It changes whenever an older reader would misread the listing.
///
/// A new member with a default does not change the version.
const VERSION: u32 = 1;

/// Lists all hooks of the linked crates for xtask, as one JSON object.
#[inline]
fn list() -> String {
    let mut registered: Vec<_> = inventory::iter::<Registered>().collect();
    registered.sort_by_key(|registered| registered.hook.declared.path);
    let listing = Listing {
        version: VERSION,
        hookkit: env!("CARGO_PKG_VERSION"),
        hooks: registered.into_iter().map(Line::new).collect(),
    };
    serde_json::to_string(&listing).expect("text and numbers can be serialized")
}

/// Runs a lister, as its main function. Without arguments, it lists the hooks. With `config`, it reads configurations
/// from stdin as a JSON object with the hooks' paths as keys, and prints each one as decoded, or its error.
///
/// This function and its callees are inlined, so that only listers compile them.
#[inline]
pub fn lister() {
    let output = if std::env::args_os().nth(1).is_some_and(|argument| argument == "config") {
        let input = std::io::read_to_string(std::io::stdin()).expect("stdin is text");
        decoded_configs(&input)
    } else {
        list()
    };
    let written = std::io::Write::write_all(&mut std::io::stdout(), output.as_bytes());
    written.expect("stdout is open");
}

#[inline]
fn decoded_configs(input: &str) -> String {
    let input: BTreeMap<String, Json> = serde_json::from_str(input).expect("xtask wrote it");
    let answers = input.iter().map(|(path, values)| {
        let mut hooks = inventory::iter::<Registered>();
        let config = hooks.find(|registered| registered.hook.declared.path == path);
        let config = config.and_then(Registered::config);
        let answer = match config {
            Some(config) => (config.decoded)(values).map_err(|err| err.to_string()),
            None => Err("it has no configuration".to_owned()),
        };
        (path, answer)
    });
    serde_json::to_string(&answers.collect::<BTreeMap<_, _>>()).expect("text can be serialized")
}

#[derive(Serialize)]
struct Listing {
    version: u32,
    hookkit: &'static str,
    hooks: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    declared: &'static Declaration,
    entries: Vec<OnEvent>,
    written_matcher: Option<Written>,
    written_condition: Option<Written>,
    /// The author's values of the hook's configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<Json>,
    /// The reason why the hook cannot answer over HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    local: Option<&'static str>,
    /// The type of an argument that only Claude Code provides.
    #[serde(skip_serializing_if = "Option::is_none")]
    of_claude: Option<&'static str>,
}

impl Line {
    fn new(registered: &Registered) -> Self {
        let entries = registered.hook.entries.iter().map(|entry| OnEvent {
            event: entry.event.name,
            matcher: entry.matcher,
            blocks_in_settings: entry.blocks_in_settings,
            rewrites: entry.rewrites,
        });
        Self {
            declared: &registered.hook.declared,
            entries: entries.collect(),
            written_matcher: registered.source.matcher,
            written_condition: registered.source.condition,
            config: registered.config().map(|config| (config.defaults)().unwrap_or_default()),
            local: registered.source.keeps_local(registered.hook),
            of_claude: registered.source.of_claude.iter().find_map(|argument| *argument),
        }
    }
}
