//! Rules about the permission rules in a settings file: which calls they miss, and how the model can bypass them.
//!
//! `tests/lines/rules.txt` lists the calls that each rule lets through (client 2.1.332). The client tests try them.

use std::ops::Range;

use hookkit_protocol::lint::{or_list, rule_content};
use hookkit_protocol::near;
use hookkit_protocol::tool::{BUILT_IN, GONE, RENAMED};

use crate::settings::code::together;
use crate::settings::finding::Finding;
use crate::settings::value::{Object, Value};
use crate::terminal::listed;

/// A permission rule.
struct Rule<'r> {
    /// `allow`, `ask` or `deny`.
    list: &'static str,
    text: &'r str,
    range: Range<usize>,
    tool: &'r str,
    /// Text in parentheses.
    content: Option<&'r str>,
}

impl Rule<'_> {
    fn at(&self, finding: Finding) -> Finding {
        let range = self.range.clone();
        Finding { range, ..finding }
    }
}

/// Programs that run any other program given in their arguments, with the words needed for that.
const RUNNERS: &str = "bash|bunx|command|dash|env|nice|node|nohup|npm exec|npx|perl|pipx run|pnpm dlx|pnpm exec|poetry run|python|python3|ruby|sh|ssh|stdbuf|time|timeout|uv run|uvx|xargs|yarn dlx|zsh";

/// Words in the names of files with secrets.
const SECRETS: &str = "aws cred .env key passw pem pfx private secret ssh token vault";

/// Checks the permission rules in a settings file. `has_guard` is `true` if a hook in the session checks Bash calls.
/// `allows` returns `true` for a tool if a hook on PermissionRequest allows all its calls.
pub(crate) fn findings(settings: &Object, has_guard: bool, allows: &dyn Fn(&str) -> bool) -> Vec<Finding> {
    let Some(permissions) = settings.get("permissions").and_then(Value::as_object) else {
        return Vec::new();
    };
    let rules: Vec<Rule<'_>> = ["allow", "ask", "deny"].into_iter().flat_map(|list| rules(permissions, list)).collect();
    let mut findings = Vec::new();
    let mut sound = Vec::new();
    for rule in &rules {
        match never(rule, &rules) {
            Some((what, fix)) => findings.push(rule.at(matches_nothing(rule, &what, fix))),
            None => sound.push(rule),
        }
    }
    findings.extend(runners(&sound));
    let answered = sound.iter().filter(|rule| rule.list == "ask" && allows(rule.tool));
    findings.extend(answered.map(|rule| rule.at(together::ask_answered(rule.text))));
    let is_confined = settings.get("sandbox").and_then(Value::as_object).and_then(|sandbox| sandbox.get("enabled"));
    if !has_guard && !matches!(is_confined, Some(Value::Flag(true, _))) {
        findings.extend(denied_files(&sound));
        findings.extend(denied_options(&sound, permissions));
    }
    findings
}

fn rules<'r>(permissions: &'r Object, list: &'static str) -> impl Iterator<Item = Rule<'r>> {
    let elements = permissions.get(list).map_or(&[][..], Value::elements);
    elements.iter().filter_map(move |element| {
        let text = element.as_text()?;
        let (tool, content) = match text.split_once('(') {
            Some((tool, content)) => (tool, Some(content.strip_suffix(')').unwrap_or(content))),
            None => (text, None),
        };
        Some(Rule { list, text, range: element.range(), tool, content })
    })
}

fn matches_nothing(rule: &Rule<'_>, what: &str, fix: String) -> Finding {
    let does = match rule.list {
        "allow" => "Claude Code asks as it would without the rule",
        "ask" => "Claude Code does not ask because of it",
        _ => "the rule denies nothing",
    };
    together::rule_matches_nothing(rule.text, what, does, fix)
}

/// Returns the mistake in a rule that never matches, and the fix.
fn never(rule: &Rule<'_>, all: &[Rule<'_>]) -> Option<(String, String)> {
    let Rule { text, tool, content, .. } = *rule;
    let with = |tool: &str| content.map_or_else(|| tool.to_owned(), |content| format!("{tool}({content})"));
    let has = |text: &str| all.iter().any(|other| other.list == rule.list && other.text == text);
    let write = |what: &str, fix: String| Some((what.to_owned(), format!("write `{fix}`")));
    let older = RENAMED.iter().map(|(old, _)| *old).chain(GONE.iter().map(|(gone, _)| *gone));
    let known: Vec<&str> = BUILT_IN.iter().copied().chain(older).collect();
    let bare = tool.strip_suffix(":*").filter(|bare| known.contains(bare));
    let meant = if known.contains(&tool) { tool } else { bare.or_else(|| near(tool, known.iter().copied()))? };
    if let Some((_, successor)) = GONE.iter().find(|(gone, _)| *gone == meant) {
        // In `allow` it does no harm, and a rule for all calls of the successor is a different one.
        let successor = successor.filter(|_| rule.list != "allow")?;
        let fix = match content {
            Some(_) if successor != "Bash" => format!("write `{}`", with(successor)),
            _ => format!("remove it; `{successor}` replaces it"),
        };
        let is_there = content.is_some() && has(&with(successor));
        return (!is_there).then(|| ("this tool no longer exists".to_owned(), fix));
    }
    if meant != tool {
        return write(&format!("`{tool}` is not a tool"), with(meant));
    }
    // `Tool(*)` means the tool itself.
    let content = content.filter(|content| *content != "*")?;
    if !text.ends_with(')') {
        return write("`)` is missing at its end", with(tool));
    }
    if content.is_empty() {
        return write("the parentheses are empty", tool.to_owned());
    }
    match tool {
        "Write" if !has(&format!("Edit({content})")) => {
            let what = "Claude Code checks file writes against `Edit` rules only";
            return write(what, format!("Edit({content})"));
        }
        "Write" => return None,
        "WebFetch" if !content.starts_with("domain:") => {
            let host = content.split("://").last()?.split('/').next()?;
            return write("only the domain is compared", format!("WebFetch(domain:{host})"));
        }
        _ => {}
    }
    let (what, meant) = rule_content(tool, content)?;
    let fix = match &meant[..] {
        [] => "write a rule for each".to_owned(),
        meant => {
            let meant: Vec<&str> = meant.iter().map(String::as_str).collect();
            format!("write {}", or_list(&meant, "and"))
        }
    };
    Some((what.to_owned(), fix))
}

/// Returns the start of the commands that a Bash rule requires: `npm run` for `npm run *` and `npm run:*`.
fn start<'r>(rule: &Rule<'r>) -> Option<&'r str> {
    let content = rule.content.filter(|_| rule.tool == "Bash")?;
    Some(content.strip_suffix(":*").or_else(|| content.strip_suffix(" *"))?.trim_end())
}

/// Returns the finding about rules that allow any program.
fn runners(rules: &[&Rule<'_>]) -> Option<Finding> {
    let allow = rules.iter().filter(|rule| rule.list == "allow");
    let found: Vec<_> = allow
        .filter(|rule| start(rule).is_some_and(|start| RUNNERS.split('|').any(|runner| runner == start)))
        .collect();
    let first = found.first()?;
    let verb = if found.len() == 1 { "allows" } else { "allow" };
    let rules = format!("{} {verb}", listed(found.iter().map(|rule| rule.text)));
    Some(first.at(together::allows_any_program(rules, start(first)?)))
}

/// Returns the finding about files with secrets that the model must not read.
fn denied_files(rules: &[&Rule<'_>]) -> Option<Finding> {
    // Other files are denied to protect the model from them.
    let is_secret = |path: &str| SECRETS.split(' ').any(|word| path.to_lowercase().contains(word));
    let is_within = |rule: &&&Rule<'_>| {
        let path = rule.content.filter(|path| !path.starts_with(['~', '/']));
        rule.list == "deny" && rule.tool == "Read" && path.is_some_and(is_secret)
    };
    let found: Vec<_> = rules.iter().filter(is_within).collect();
    let first = found.first()?;
    let rules = match found.len() {
        1 => format!("`{}` denies", first.text),
        count => format!("`{}` and {} more rules deny", first.text, count - 1),
    };
    Some(first.at(together::files_denied_in_part(rules)))
}

/// Returns the finding about options that are denied although the program is allowed.
fn denied_options(rules: &[&Rule<'_>], permissions: &Object) -> Option<Finding> {
    let is_all = |rule: &&Rule<'_>| rule.tool == "Bash" && rule.content.is_none_or(|content| content == "*");
    let bypasses = permissions.text("defaultMode") == Some("bypassPermissions");
    let allowed = |program: &str| {
        let mut allow = rules.iter().copied().filter(|rule| rule.list == "allow");
        bypasses || allow.any(|rule| is_all(&rule) || start(rule) == Some(program))
    };
    rules.iter().filter(|rule| rule.list == "deny").find_map(|rule| {
        let start = start(rule)?;
        let (program, _) = start.split_once(' ').filter(|(program, _)| allowed(program))?;
        Some(rule.at(together::options_denied_in_part(rule.text, program)))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::document::Document;

    fn fixes(settings: &serde_json::Value, has_guard: bool) -> String {
        let document = Document::parse(&settings.to_string()).expect("it is JSON");
        let found = findings(&document.root, has_guard, &|_| false).into_iter().map(|finding| finding.fix);
        found.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn each_rule_has_its_finding() {
        test_support::lines!("lines/doctor-permissions.txt").check(|_, line| {
            let (list, rule) = line.split_once(' ').expect(line);
            fixes(&json!({"permissions": {list: [rule]}}), false)
        });
    }

    #[test]
    fn a_denied_option_counts_where_its_program_is_allowed() {
        let found = |allow: &str, deny: &str| {
            let settings = json!({"permissions": {"allow": [allow], "deny": [deny]}});
            !fixes(&settings, false).is_empty()
        };
        assert!(found("Bash", "Bash(git push --force:*)") && found("Bash(git:*)", "Bash(git push *)"));
        assert!(!found("Bash(npm:*)", "Bash(git push -f *)") && !found("Bash", "Bash(sudo:*)"));
    }

    #[test]
    fn a_hook_that_checks_lines_and_a_sandbox_are_not_judged() {
        let mut settings = json!({"permissions": {"allow": ["Bash"], "deny": ["Read(.env)", "Bash(git push -f *)"]}});
        assert!(!fixes(&settings, false).is_empty());
        assert_eq!(fixes(&settings, true), "");
        settings["sandbox"] = json!({"enabled": true});
        assert_eq!(fixes(&settings, false), "");
    }
}
