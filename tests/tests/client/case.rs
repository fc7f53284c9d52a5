//! A session with some hooks of a pack, and what is seen of it.

use hookkit_tests::prelude::*;
use hookkit_tests::workspace::installed;

use crate::hooks::keep;

/// A check of a session: the fact in words, and the function that returns `true` if it holds.
type Check = (String, Box<dyn Fn(&Outcome, &Project) -> bool>);

/// A session with some of the hooks, and the checks of its outcome.
pub(crate) struct Case {
    hooks: &'static [&'static str],
    prompt: &'static str,
    turns: Vec<Turn>,
    prepare: fn(Session) -> Session,
    checks: Vec<Check>,
}

pub(crate) fn case(hooks: &'static [&'static str]) -> Case {
    Case {
        hooks,
        prompt: "go",
        turns: Vec::new(),
        prepare: |session| session.allow(&["Bash", "Read", "Write", "Edit", "Agent", "EnterWorktree"]),
        checks: Vec::new(),
    }
}

impl Case {
    pub(crate) fn prompt(self, prompt: &'static str) -> Self {
        Self { prompt, ..self }
    }

    pub(crate) fn prepare(self, prepare: fn(Session) -> Session) -> Self {
        Self { prepare, ..self }
    }

    pub(crate) fn turn(mut self, turn: Turn) -> Self {
        self.turns.push(turn);
        self
    }

    pub(crate) fn says(self, text: &str) -> Self {
        self.turn(Turn::text(text))
    }

    pub(crate) fn bash(self, command: &str) -> Self {
        self.turn(Turn::bash(command))
    }

    pub(crate) fn calls(self, tool: &str, input: Value) -> Self {
        self.turn(Turn::call(tool, input))
    }

    pub(crate) fn is(mut self, fact: &str, is: impl Fn(&Outcome, &Project) -> bool + 'static) -> Self {
        self.checks.push((fact.to_owned(), Box::new(is)));
        self
    }

    /// A file of the project has this text.
    pub(crate) fn file(self, name: &'static str, text: &'static str) -> Self {
        let is = move |_: &Outcome, project: &Project| project.read(name).is_ok_and(|found| found == text);
        self.is(&format!("{name} is {text:?}"), is)
    }

    pub(crate) fn no_file(self, name: &'static str) -> Self {
        self.is(&format!("there is no {name}"), move |_, project| !project.exists(name))
    }

    pub(crate) fn results(self, results: &'static [&'static str]) -> Self {
        self.is(&format!("results: {results:?}"), move |outcome, _| outcome.tool_results() == results)
    }

    /// The result of a call, by its position, has this text.
    pub(crate) fn result(self, at: usize, text: &'static str) -> Self {
        let is = move |outcome: &Outcome, _: &Project| outcome.tool_results()[at].contains(text);
        self.is(&format!("result {at} has {text:?}"), is)
    }

    pub(crate) fn result_ends(self, at: usize, text: &'static str) -> Self {
        let is = move |outcome: &Outcome, _: &Project| outcome.tool_results()[at].ends_with(text);
        self.is(&format!("result {at} ends with {text:?}"), is)
    }

    /// The model reads this text.
    pub(crate) fn reads(self, text: &'static str) -> Self {
        let is = move |outcome: &Outcome, _: &Project| outcome.model_read().contains(text);
        self.is(&format!("the model reads {text:?}"), is)
    }

    pub(crate) fn reads_no(self, text: &'static str) -> Self {
        let is = move |outcome: &Outcome, _: &Project| !outcome.model_read().contains(text);
        self.is(&format!("the model does not read {text:?}"), is)
    }

    /// The user reads this text as the session's result.
    pub(crate) fn shows(self, text: &'static str) -> Self {
        let is = move |outcome: &Outcome, _: &Project| result(outcome)["result"].to_string().contains(text);
        self.is(&format!("the user reads {text:?}"), is)
    }

    /// The user reads this text in a message.
    pub(crate) fn notifies(self, text: &'static str) -> Self {
        let is = move |outcome: &Outcome, _: &Project| outcome.user_messages().join("\n").contains(text);
        self.is(&format!("the user reads the message {text:?}"), is)
    }

    pub(crate) fn requests(self, count: usize) -> Self {
        self.is(&format!("{count} requests"), move |outcome, _| outcome.requests() == count)
    }

    /// The files whose changes the hook `changed` was called on.
    pub(crate) fn changes(self, files: &'static [&'static str]) -> Self {
        let is = move |_: &Outcome, project: &Project| {
            let log = project.read("changes.log").unwrap_or_default();
            let folder = format!("{}/", project.path().display());
            let paths = log.lines().map(|path| path.replace(&folder, ""));
            paths.eq(files.iter().copied())
        };
        self.is(&format!("changes of {files:?}"), is)
    }

    pub(crate) fn has_title(self) -> Self {
        let is_titled = |event: &Value| event["subtype"] == "session_title_changed";
        self.is("the session has a title", move |outcome, _| outcome.events().iter().any(is_titled))
    }
}

/// Returns a project with these hooks of a pack, from one installation that all projects share.
pub(crate) fn project(pack: &'static str, hooks: &[&str]) -> Result<Project> {
    let project = Project::new()?;
    let installed = installed(pack)?;
    let settings = installed.read(".claude/settings.json")?;
    let settings = settings.replace("${CLAUDE_PROJECT_DIR}", text(installed.path())?);
    project.write(".claude/settings.json", settings)?;
    keep(&project, hooks)?;
    Ok(project)
}

/// Runs the sessions, with the hooks of a pack.
pub(crate) fn check_all(test: &str, pack: &'static str, cases: Vec<Case>) -> Result<()> {
    let client = client!(test);
    for case in cases {
        let project = project(pack, case.hooks)?;
        project.write(".claude/commands/greet.md", "Say hello to $ARGUMENTS.\n")?;
        project.write("notes.txt", "one\n")?;
        project.write("sub/first.txt", "")?;
        project.write("sub/second.txt", "")?;
        let session = (case.prepare)(Session::new(&client, project.path()));
        let turns = case.turns.into_iter().chain([Turn::text("Done.")]);
        let outcome = turns.fold(session, Session::turn).run(case.prompt)?;
        for (fact, is) in &case.checks {
            ensure!(
                is(&outcome, &project),
                "not so: {fact}\n{:?}\nhooks: {:?}\nresults: {:?}\nuser messages: {:?}\nresult: {}",
                case.hooks,
                outcome.hook_responses(),
                outcome.tool_results(),
                outcome.user_messages(),
                result(&outcome)["result"]
            );
        }
        ensure!(!case.checks.is_empty(), "{:?}: nothing is checked", case.hooks);
    }
    Ok(())
}

/// Returns the last `result` event of the session, which the user reads.
pub(crate) fn result(outcome: &Outcome) -> Value {
    let events = outcome.events();
    let result = events.into_iter().rfind(|event| event["type"] == "result");
    result.unwrap_or_default()
}
