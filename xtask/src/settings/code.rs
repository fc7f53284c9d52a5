//! The codes of findings: one table, of which the terminal, `doctor --explain` and docs/book/src/findings.md are made.

use anyhow::{Result, bail};
use hookkit_protocol::lint::near;

/// The page of all codes; each has a section.
pub(crate) const PAGE: &str = "docs/book/src/findings.md";

/// The explanation of a code.
pub(crate) struct Row {
    /// Subject, which is a section of the page.
    pub(crate) subject: &'static str,
    pub(crate) name: &'static str,
    /// Mistake with its consequence in Claude Code.
    pub(crate) cause: &'static str,
    pub(crate) fix: &'static str,
}

/// Declares the codes with their rows. A code that no rule reports is dead code, which does not pass the lints.
macro_rules! codes {
    ($($subject:literal { $($code:ident $name:literal $cause:literal => $fix:literal)* })*) => {
        /// The kind of a finding, which people search for and programs compare.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(crate) enum Code { $($($code,)*)* }

        /// All rows, in the order of the codes.
        pub(crate) const ROWS: &[Row] = &[$($(Row { subject: $subject, name: $name, cause: $cause, fix: $fix },)*)*];
    };
}

impl Code {
    /// Returns the code as it is printed, in kebab-case.
    pub(crate) fn name(self) -> &'static str {
        ROWS[self as usize].name
    }
}

/// Returns the row of a code.
///
/// # Errors
///
/// Fails if there is no such code.
pub(crate) fn row(name: &str) -> Result<&'static Row> {
    if let Some(row) = ROWS.iter().find(|row| row.name == name) {
        return Ok(row);
    }
    match near(name, ROWS.iter().map(|row| row.name)) {
        Some(meant) => bail!("there is no code `{name}`; did you mean `{meant}`?"),
        None => bail!("there is no code `{name}`; {PAGE} lists all of them"),
    }
}

codes! {
    "Files" {
        NotJson "not-json"
            "The file is not valid JSON. Claude Code ignores the whole file: permissions, environment and hooks."
            => "Correct the syntax at the marked place."
        CommentInJson "comment-in-json"
            "JSON has no comments. Claude Code ignores the whole file because of one."
            => "Remove the comment."
        TrailingComma "trailing-comma"
            "A comma follows the last element of an object or a list, which JSON does not allow. Claude Code ignores the whole file because of it."
            => "Remove the comma."
        MergeConflict "merge-conflict"
            "A merge left a conflict marker in the file. Claude Code ignores the whole file."
            => "Resolve the conflict, and remove the markers."
        UnrenderedTemplate "unrendered-template"
            "The file is a template with placeholders such as `{{ … }}`, not JSON. Claude Code ignores the whole file."
            => "Check the generated file instead."
        EmptyFile "empty-file"
            "The file is empty, which is not valid JSON. Claude Code ignores it."
            => "Delete the file, or write `{}`."
        NotAnObject "not-an-object"
            "The settings are a list or a single value. Claude Code ignores the whole file."
            => "Put the content into an object, `{ … }`."
        NotUtf8 "not-utf-8"
            "The file is neither UTF-8 nor UTF-16LE with a byte order mark. Claude Code ignores the whole file."
            => "Save the file as UTF-8."
        NestedTooDeep "nested-too-deep"
            "Objects and lists are nested deeper than hookkit can follow. The file is neither checked nor edited."
            => "Put the hooks into another settings file."
        UnreadableFile "unreadable-file"
            "The file exists, but cannot be opened: it is a folder, for example, or its mode forbids it. Its hooks are not checked."
            => "Make it a file that you can read, or remove it."
        DuplicateKey "duplicate-key"
            "An object defines a key twice. Claude Code reads the last one, and ignores the hooks in the others."
            => "Merge the values into one key."
        TooManyMistakes "too-many-mistakes"
            "The file has more mistakes than hookkit lists. Claude Code ignores the parts with the other mistakes, too."
            => "Fix those that are listed, and run `doctor` again."
    }
    "Structure of hooks" {
        MisplacedHooks "misplaced-hooks"
            "Hooks are in a place where Claude Code does not look for them: outside of `hooks`, or not below their event. If they could deny a tool call, Claude Code ignores the whole file."
            => "Move them into `hooks`, below their event."
        HooksNotAnObject "hooks-not-an-object"
            "`hooks` is a list or a single value. Claude Code ignores all of it."
            => "Write an object with a list for each event: `\"hooks\": { \"PreToolUse\": [ … ] }`."
        UnknownEvent "unknown-event"
            "A key of `hooks` is not the name of an event. Names are case-sensitive. Claude Code never runs the hooks below it."
            => "Write the name of an event, such as `PreToolUse`."
        EventNotAList "event-not-a-list"
            "The value of an event is not a list of matchers. Claude Code ignores its hooks, and the whole file if they could deny a tool call."
            => "Put the value into a list: `[ { \"matcher\": …, \"hooks\": [ … ] } ]`."
        MalformedMatcher "malformed-matcher"
            "An element of an event's list is not a matcher with its hooks. Claude Code ignores it, and the whole file if its hooks could deny a tool call."
            => "Write `{ \"matcher\": …, \"hooks\": [ { \"type\": \"command\", … } ] }`."
        MalformedHook "malformed-hook"
            "A hook is not an object, or has no `type`. Claude Code ignores the hook, and the whole file if it could deny a tool call."
            => "Write `{ \"type\": \"command\", \"command\": … }`."
        UnknownHookType "unknown-hook-type"
            "The `type` of a hook does not exist. Claude Code ignores the hook, and the whole file if it could deny a tool call."
            => "Write `command`, `http`, `mcp_tool`, `prompt` or `agent`."
        MissingKey "missing-key"
            "A required key is missing. Claude Code ignores the object that needs it, and the whole file if its hooks could deny a tool call."
            => "Add the key."
        InvalidValue "invalid-value"
            "The value of a key has the wrong type, or is out of range. Claude Code ignores the object around it, and the whole file if its hooks could deny a tool call."
            => "Write a value of the type that the finding names."
    }
    "Plugins" {
        ByteOrderMark "byte-order-mark"
            "A plugin's file with hooks begins with a byte order mark. Claude Code ignores the whole file, although it reads settings files with one."
            => "Save the file as UTF-8 without a byte order mark."
        InvalidPluginName "invalid-plugin-name"
            "The name in `plugin.json` contains a blank. Claude Code ignores the whole plugin."
            => "Write `-` in place of the blanks."
        InvalidPluginHooks "invalid-plugin-hooks"
            "`hooks` in `plugin.json` is neither a path, nor events with their hooks, nor a list of both. Claude Code ignores the whole plugin."
            => "Begin the path with `./`, and end it with `.json`."
        IgnoredPlugin "ignored-plugin"
            "Another file of the plugin has a mistake. Claude Code ignores the whole plugin because of it, and this file too."
            => "Fix the other file, which has its own finding."
        PluginNotFound "plugin-not-found"
            "The settings enable a plugin that is not in the places where `doctor` searches. It is not known whether the plugin has hooks."
            => "Install the plugin with `/plugin`, or remove it from `enabledPlugins`."
        NoProgramForSystem "no-program-for-system"
            "A plugin of `cargo xtask package` has no program for this system. Claude Code blocks what its hooks with `\"onFailure\": \"block\"` check; its other hooks do nothing."
            => "Package the plugin again with `--target` for this system, and update it."
        ProgramOfAnotherSystem "program-of-another-system"
            "The program that a plugin of `cargo xtask package` starts on this system is not one for it. Claude Code blocks what its hooks with `\"onFailure\": \"block\"` check; its other hooks do nothing."
            => "Restore the file: install the plugin again, or package it again."
        MissingPluginFile "missing-plugin-file"
            "A file of a plugin of `cargo xtask package` is missing. Without the script or the program, Claude Code blocks what its hooks with `\"onFailure\": \"block\"` check, and its other hooks do nothing; without `hooks.json`, it has no hooks."
            => "Restore the file: install the plugin again, or package it again."
        ChangedPluginFile "changed-plugin-file"
            "A file of a plugin of `cargo xtask package` differs from the plugin's SHA256SUMS. Claude Code uses the changed file: another program may run in place of the hooks."
            => "Restore the file: install the plugin again, or package it again. To compare it with its sources, run `cargo xtask verify DIR`."
        AddedPluginFile "added-plugin-file"
            "A plugin of `cargo xtask package` has a file that is not in its SHA256SUMS. Claude Code also reads commands, agents, skills and MCP servers that are added to a plugin."
            => "Remove the file, or package the plugin again."
        MissingSums "missing-sums"
            "A plugin of `cargo xtask package` has no SHA256SUMS that can be read. `doctor` cannot check that its files are those that were packaged."
            => "Install the plugin again, or package it again."
        PluginNotLoaded "plugin-not-loaded"
            "A plugin of `cargo xtask package` in a `skills` folder has no `.claude-plugin/plugin.json`. Claude Code does not load the plugin, and runs none of its hooks."
            => "Restore the file, or package the plugin again."
    }
    "Mods" {
        ModSkipsHooks "mod-skips-hooks"
            "A mod, which is JavaScript of a plugin, runs inside Claude Code around its events. It can keep every hook from running that is not in managed settings, and overrule permission rules. Neither the terminal nor the transcript shows it."
            => "Remove the plugin, or keep mods from hooks with `cargo xtask hold-mods`."
        HarmlessMod "harmless-mod"
            "A mod cannot skip hooks: Claude Code refuses to load it, it only passes events on, or managed settings keep it from hooks."
            => "Remove the plugin if it is not needed. A later edit can make it a mod that skips hooks."
        ModsNotHeld "mods-not-held"
            "Nothing keeps mods from hooks: there are no managed settings, they have no key, or they turn off the guard that Claude Code has for this."
            => "Write managed settings with `cargo xtask hold-mods`, or name the guard in `prependPlugins`."
        EnabledAgain "enabled-again"
            "The project's settings enable a mod that your own settings turn off. Claude Code uses the project's value."
            => "Turn the plugin off in `.claude/settings.local.json`."
    }
    "Matchers" {
        MatcherMatchesNothing "matcher-matches-nothing"
            "A matcher, or one of its alternatives, matches no tool or no other subject of its event. Names are case-sensitive. Claude Code never runs the hook for it."
            => "Write the exact names, with `|` between them."
        MatcherMatchesMore "matcher-matches-more"
            "A matcher is a regular expression that matches more than it seems to. Claude Code runs the hook more often than intended."
            => "Write whole names with `|` between them, or anchor the expression: `^(Edit|Write)$`."
        MatcherWithoutEffect "matcher-without-effect"
            "The event has nothing that a matcher could match. Claude Code ignores the matcher, and runs the hook each time."
            => "Remove the matcher."
        MatcherInHook "matcher-in-hook"
            "`matcher` is inside a hook. Claude Code ignores it there, and uses the one next to the list `hooks`, if there is one."
            => "Move it next to `hooks`."
        ToolOnRequest "tool-on-request"
            "The matcher names tools that the model has only in sessions with `--tools`. In other sessions the model searches with Bash, and Claude Code does not run the hook."
            => "Check the command in a hook with the matcher `Bash`, too."
    }
    "Conditions" {
        IfWithoutToolCall "if-without-tool-call"
            "`if` is a permission rule for a tool call, and the event has none. Claude Code never runs the hook."
            => "Remove `if`, and check the input in the hook's program."
        IfNeverHolds "if-never-holds"
            "The rule in `if` never matches a call that the matcher matches. Claude Code never runs the hook."
            => "Write a rule for a tool of the matcher, such as `Bash(git *)`."
    }
    "Timeouts" {
        TimeoutInMilliseconds "timeout-in-milliseconds"
            "A `timeout` is in seconds, and this one looks like milliseconds. Claude Code waits a thousand times longer than intended for a hook that hangs."
            => "Divide the number by 1000."
        LongTimeout "long-timeout"
            "A `timeout` is longer than two hours. Claude Code waits that long for a hook that hangs."
            => "Write the seconds that the hook needs."
        SessionEndTimeout "session-end-timeout"
            "A hook on SessionEnd has a `timeout` of more than 60 seconds. Claude Code ends it after 60 seconds."
            => "Write at most 60, or do the work in a separate process."
        TimeoutWithAsync "timeout-with-async"
            "A hook is `async`, so its `timeout` has no effect. Claude Code does not limit the process."
            => "Remove `timeout`, and limit the time in the program."
    }
    "Keys of a hook" {
        UnknownKey "unknown-key"
            "The key is similar to one that exists, but not the same, or it is in a place where Claude Code does not read it. Claude Code ignores it, and the default applies: without a `matcher`, the hooks run on every tool."
            => "Write the key that the finding names."
        EnvOrCwdInHook "env-or-cwd-in-hook"
            "A hook has neither variables nor a folder of its own. Claude Code ignores `env` and `cwd` in it."
            => "Set the variables in the command or in `env` of the settings, and write absolute paths."
        NotDisabled "not-disabled"
            "A hook cannot be turned off by a key. Claude Code ignores `enabled` and `disabled`, and runs the hook."
            => "Remove the hook."
        KeyOfAnotherType "key-of-another-type"
            "The key belongs to hooks of another `type`. Claude Code ignores it."
            => "Remove the key, or change the `type`."
        TypeNotOnEvent "type-not-on-event"
            "Hooks of this `type` cannot run on the event. Claude Code reports an error instead, and goes on."
            => "Use a type that the finding names."
        AsyncNotOnEvent "async-not-on-event"
            "Hooks on this event cannot run in the background. Claude Code waits for the hook, or fails without its answer."
            => "Remove `async` or `asyncRewake`."
        OnceInSettings "once-in-settings"
            "`once` works only in the hooks of skills. Claude Code runs the hook each time."
            => "Remove the key, and note in a file that the hook has run."
        ShellWithArgs "shell-with-args"
            "A hook with `args` is started without a shell. Claude Code ignores `shell`."
            => "Remove one of the two keys."
        InvalidOnFailure "invalid-on-failure"
            "`onFailure` is neither `continue` nor `block`. Claude Code treats it as `block`."
            => "Write `continue` or `block`."
        OnFailureWithoutEffect "on-failure-without-effect"
            "`onFailure` has no effect on this event, or with `async`. Claude Code goes ahead when the hook fails."
            => "Remove it, and have the program exit with 2 when it fails."
    }
    "Commands" {
        UnquotedPath "unquoted-path"
            "A variable in a path is not in double quotes. In a clone whose path contains a space, the shell splits it, and the hook fails."
            => "Write `\\\"$CLAUDE_PROJECT_DIR\\\"`, with backslashes, since it is in a JSON string."
        QuotedExpansion "quoted-expansion"
            "A `~` is in quotes, or a variable is in single quotes. The shell does not expand it, finds no such file, and the hook fails."
            => "Write `\\\"$HOME\\\"` for `~`, and double quotes around a variable."
        ExpansionWithoutShell "expansion-without-shell"
            "A hook with `args` has no shell that could expand `~` or `$HOME`, and Claude Code replaces `${CLAUDE_PROJECT_DIR}` only with its braces. The program is not found, or gets the text unexpanded."
            => "Write `${CLAUDE_PROJECT_DIR}` or an absolute path, or move the words of `args` into `command`."
        CommandLineWithArgs "command-line-with-args"
            "A hook has `args`, so `command` is the name of one program, and a whole line is in it. Claude Code finds no such program, and the hook fails."
            => "Move the words after the program into `args`."
        RelativePath "relative-path"
            "A path is relative to the session's current folder. After a `cd` of the session the program is not found, and the hook fails."
            => "Begin the path with `\\\"$CLAUDE_PROJECT_DIR\\\"/`, or write an absolute path."
        ProgramNotFound "program-not-found"
            "A program is not in any folder of PATH. The hook fails each time."
            => "Install the program, or write its absolute path."
        MissingFile "missing-file"
            "The file that a command calls does not exist. The hook fails each time; if an interpreter such as `sh` exits with 2 because of it, Claude Code blocks each time."
            => "Correct the path, create the file, or remove the hook."
        ProjectDirDiffers "project-dir-differs"
            "A command in the `settings.local.json` of a repository's root begins with `$CLAUDE_PROJECT_DIR`. Sessions in all folders and linked worktrees of the repository run it, but the variable is the folder where the session starts, and the file is not there. The hook fails in those sessions; if an interpreter such as `sh` exits with 2 because of it, Claude Code blocks each time."
            => "Write the absolute path of the file, in a `settings.local.json` that is not committed."
        MissingFolder "missing-folder"
            "The folder that a command changes to, or creates a file in, does not exist. The hook fails each time; if `/bin/sh` is dash, it exits with 2, and Claude Code blocks each time."
            => "Create the folder, or write `mkdir -p` before the command."
        FolderAsProgram "folder-as-program"
            "A command names a folder where a program has to be. The hook fails each time."
            => "Write the program's path."
        NotExecutable "not-executable"
            "A command starts a file that is not executable. The hook fails each time."
            => "Run `chmod +x` on the file."
        CarriageReturn "carriage-return"
            "The `#!` line of a script ends in a carriage return, which is part of the interpreter's name. The hook fails each time."
            => "Save the script with Unix line endings."
        BashInSh "bash-in-sh"
            "A line uses a command of bash. Claude Code runs it with `/bin/sh`, which is dash here and does not have the command."
            => "Write it for `sh`, or put the line into a script that begins with `#!/bin/bash`."
        PluginVariable "plugin-variable"
            "A variable such as `CLAUDE_PLUGIN_ROOT` exists only in hooks of plugins. In settings Claude Code reports an error instead of running the hook, or the variable is empty."
            => "Write the path, or move the hook into the plugin."
        NotJudged "not-judged"
            "A plugin's hook names a file by something that only a session knows, such as `${CLAUDE_PLUGIN_DATA}` or the output of a command. `doctor` checks the rest of the hook, and not whether that file is there."
            => "Nothing, or begin the path with `\\\"${CLAUDE_PLUGIN_ROOT}\\\"/`."
        VariableNeverSet "variable-never-set"
            "Claude Code does not set the variable, or not on this event, so it is empty. The hook checks nothing, or a program that gets no path works on the whole folder."
            => "Read the input from stdin, as JSON, for example with `jq -r .tool_input.file_path`."
    }
    "Answers of a hook" {
        ExitCodeDoesNotBlock "exit-code-does-not-block"
            "The hook exits with a code other than 2 to block. Claude Code treats it as a failure, and goes ahead."
            => "Write `exit 2`, and the reason to stderr."
        NoTerminal "no-terminal"
            "A program of a hook asks the user, but a hook has no terminal, and its stdin is the JSON about the event. The question fails, or the JSON is taken for the answer."
            => "Remove the question. On PreToolUse a hook can have Claude Code ask: `\"permissionDecision\": \"ask\"`."
        AnswerNotJson "answer-not-json"
            "The output of a command looks like JSON, but is not. Claude Code treats it as plain text, not as a decision."
            => "Write the JSON in single quotes."
        AnswerWithoutEffect "answer-without-effect"
            "The answer that a hook prints has no meaning on its event. Claude Code ignores it."
            => "Remove the answer, or print one that the event has."
        AsyncDecision "async-decision"
            "The hook makes a decision, but is `async`. Claude Code goes ahead without the decision."
            => "Remove `async`."
        EndlessStop "endless-stop"
            "The hook blocks the end of a turn without checking `stop_hook_active`. Claude continues after each block, until Claude Code ends the turn at the ninth one."
            => "Read the JSON on stdin, and do not block if `stop_hook_active` is true."
    }
    "Permission rules" {
        RuleMatchesNothing "rule-matches-nothing"
            "A rule of `permissions` matches no call: its tool does not exist, or its text is read in another way than it was meant. Files that Claude Code writes are compared with rules for `Edit`, not for `Write`; a path that begins with one `/` is within the folder of the settings; a pattern is one path; `:*` is only read at the end."
            => "Write the rule that the finding names."
        AllowsAnyProgram "allows-any-program"
            "A rule of `allow` names a program that starts others, such as `npx`, `xargs` or `python3`. Claude Code runs all of them without a question. (For `find -exec`, `awk` with `system()`, `eval` and `watch` it asks anyway.)"
            => "Allow the commands that are used, with their arguments: `Bash(npx prettier *)`."
        DenyInPart "deny-in-part"
            "A rule of `deny` is compared with the words of a call. `Read(./.env)` denies tools that name the file, and lines that name it for programs such as `cat`. Claude Code runs others without a question (`grep -r`, `rg`, `git show`, `git grep`, `git log -p`, `git blame`, `cat .e*`), and reads hard links and copies; where Bash is allowed, also `python3`, `tar`, `dd`, `less`, `source`, `< .env`, `bash -c` and `eval`. `Bash(git push --force:*)` denies lines that begin so, not `git --no-pager push` and `git push origin --force`. It is not reported where a hook checks calls of Bash, or a `sandbox` is on."
            => "Keep the files outside of the project. Or add a hook that knows what a line names and does: `protect-secrets` of hookkit knows `git show HEAD:.env` and `cat .e*`, but not searches of a folder; `deny-destruction` knows what is destroyed."
    }
    "Several hooks" {
        DuplicateHook "duplicate-hook"
            "The same hook is listed twice. Claude Code runs it once when both matchers match."
            => "Remove one of them."
        DifferingCopies "differing-copies"
            "The same hook is listed twice, with different options. Claude Code runs only the last copy: if that one does not block, a guard that fails blocks nothing."
            => "Keep one of them, or write the same options in both."
        ProgramTwice "program-twice"
            "Two commands call the same program, and are written differently. Claude Code runs it twice, at the same time."
            => "Remove one of them."
        CompetingChanges "competing-changes"
            "Two hooks change the input or the output of the same calls. Claude Code gives both what came, and the change of one is lost: that of the hook that ends first, or on PermissionRequest last. `doctor` knows that of hookkit's hooks by the types of their answers, and of others if their text names the member."
            => "Make both changes in one program, or give the hooks matchers without a common tool. Hooks of one workspace of hookkit's can run one after the other: `[workspace.metadata.hookkit.orders]`."
    }
    "The session" {
        HooksDisabled "hooks-disabled"
            "A setting such as `disableAllHooks` or `allowManagedHooksOnly` turns hooks off. Claude Code does not run them, although they are correct."
            => "Remove or change the setting."
        NeverRuns "never-runs"
            "The hook never runs, for the reason in the finding."
            => "Remove the reason, or the hook."
        FewerHooks "fewer-hooks"
            "A session that is started in another folder of the project has fewer hooks. Claude Code reads `settings.json` and `.claude/skills` only in the folder where a session starts; of the repository around it, or of the main working tree of a worktree, it reads only `settings.local.json`."
            => "Start sessions in the root of the project. Or install the hooks for all its folders, with `--everywhere`; or into the root's `settings.local.json` in place of its `settings.json`, with `--scope local`."
        SettingsOfServer "settings-of-server"
            "The machine's managed settings have hooks, or keep mods from hooks (`hold-mods`), and Claude Code keeps settings that a server has sent, too. By its documentation, the server's settings have priority over files; whether both are used was not observed (2.1.332)."
            => "Look at `/status` in a session: it names the settings that are active. Give the server's settings the same entries."
        ClientTooOld "client-too-old"
            "A hook needs an event or a key that the installed Claude Code does not support. It ignores the entry or the key. It ignores the whole settings file if that has a type of handler that it does not know, or before 2.1.101 an event."
            => "Update Claude Code: `claude update`."
        BelowMinClient "below-min-client"
            "The installed Claude Code is older than the `min-client` of a workspace whose hooks are installed. They may not run, or not block, as the workspace means it."
            => "Update Claude Code: `claude update`. Or lower `min-client` in `[workspace.metadata.hookkit]` of the workspace, and run `cargo xtask install`."
        UnknownClient "unknown-client"
            "`doctor` cannot ask the installed Claude Code for its version. It does not check that the client supports all events and keys."
            => "Name the client: `--client-binary FILE`."
        TooManyHooks "too-many-hooks"
            "The file has more hooks than `doctor` checks. Claude Code still runs all of them."
            => "Remove hooks that are not needed."
        SlowCheck "slow-check"
            "Checking the hooks takes too long, so that a part was not checked. A regular expression that backtracks is slow in Claude Code, too."
            => "Remove expressions like `(a+)+$`, and hooks that are not needed."
        NotReviewed "not-reviewed"
            "The checkout has hooks, other settings, servers, plugins or scripts that differ from its list `.claude/hookkit.reviewed`: a branch or an edit has changed them since they were reviewed."
            => "Review them with `cargo-hookkit verify`, and accept them with `cargo-hookkit verify --accept`."
    }
    "Past sessions" {
        BypassedInSessions "bypassed-in-sessions"
            "A tool call ran in the last seven days although the hook had denied it, or the hook was not started for it. The hook's own record shows it; Claude Code does not. A module of a plugin runs inside Claude Code, and can do both."
            => "Look for a `hooks.json` with `modules`, in `.claude/skills` of the project, in your configuration folder and in plugins. Remove the plugin, or turn it off by `false` in `enabledPlugins`."
        FailedInSessions "failed-in-sessions"
            "The transcripts of the last seven days have runs of the hook that failed, or were late. Claude Code went ahead, and did not show the error."
            => "Run the hook with the same input. `cargo xtask stats` lists all failures."
        IgnoredInSessions "ignored-in-sessions"
            "The transcripts of the last seven days have outputs of the hook without effect: text where Claude Code reads JSON, or a member that its event does not have."
            => "Print what the event's answer may hold. `cargo xtask stats` lists all outputs without effect."
    }
    "File permissions" {
        WritableByOthers "writable-by-others"
            "Other users can write to a program or to a folder around it. They can change what runs in your sessions."
            => "Take the permission away with `chmod`, or make the folder yours with `chown`."
    }
    "Installed hooks" {
        MissingBinary "missing-binary"
            "An entry of `install` is in the settings, but its binary is missing. The hook does not run; whether Claude Code blocks then depends on its `onFailure`."
            => "Run `cargo xtask install` in the hook's workspace."
        MissingEntry "missing-entry"
            "`install` has added a hook that the settings no longer name, or has left out an event that the client knows by now. Claude Code does not run the hook on it."
            => "Run `install` again, or `uninstall` to remove the hook."
        ChangedEntry "changed-entry"
            "An entry of `install` has been edited. Claude Code uses the changed entry, and the next `install` replaces it."
            => "Put the change into `[workspace.metadata.hookkit.hooks.NAME]` of the workspace's Cargo.toml, and run `install`."
        ChangedBinary "changed-binary"
            "A binary is not the one that `install` wrote. Claude Code still runs it; `doctor` does not."
            => "Run `install` again."
        UnknownBinary "unknown-binary"
            "This machine has no record that it installed the hook. Claude Code still runs the binary; `doctor` does not."
            => "Run `install` in the hook's workspace."
        OutOfDate "out-of-date"
            "The sources of a hook have changed since `install`. Claude Code runs the version that was installed before."
            => "Run `install` again."
        InstalledTwice "installed-twice"
            "A hook is in two settings files, of two workspaces, or in the settings and in a plugin. Claude Code runs both."
            => "Uninstall one of them, turn it off in its workspace, or remove the plugin."
        SharedFilesDiffer "shared-files-differ"
            "`settings.json`, `hookkit.toml` and `hookkit.lock` contradict each other. A clone installs hooks from the last two, not from the settings."
            => "Correct the wrong file, or restore it from git, and run `cargo xtask sync`."
        CannotStart "cannot-start"
            "The operating system cannot start a hook's binary. The hook fails each time."
            => "Run `install` again on this machine."
        HookCrashed "hook-crashed"
            "A hook crashed when `doctor` ran it. Claude Code treats that as a failure."
            => "Run the hook with `cargo xtask run NAME`, fix it, and run `install`."
        HookTimedOut "hook-timed-out"
            "A hook did not exit when `doctor` ran it. Claude Code ends it after its `timeout`."
            => "Run the hook with `cargo xtask run NAME`, fix it, and run `install`."
        AnswerIgnored "answer-ignored"
            "A hook printed an answer that Claude Code ignores. Only its exit code has an effect."
            => "Run `install` again, or print the answer with hookkit's types."
        UnexpectedExit "unexpected-exit"
            "On empty input, a hook did not fail in the way that its entry declares. A failure does not have the declared effect."
            => "Run `install` again, which updates the entry and the binary."
        HookOff "hook-off"
            "`cargo xtask off` or `allow-once` has turned a hook off for a while, or for one run of a command. Claude Code goes ahead without its answer."
            => "Run `cargo xtask on NAME`, or wait: it is on again when the time is over."
        RecordsRuns "records-runs"
            "Hooks were installed with `--record`: they append what they get and what they answer to a file of yours."
            => "Run `install` without `--record` to end it. `cargo xtask run NAME --from` shows a recorded run."
        HookFailed "hook-failed"
            "A hook failed on a recorded event, in an empty project. It may need something that such a project does not have."
            => "Run the hook with `cargo xtask run NAME --project DIR`."
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_in_kebab_case() {
        let names: BTreeSet<&str> = ROWS.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), ROWS.len());
        let is_kebab = |name: &&str| {
            name.split('-')
                .all(|word| word.chars().all(|char| matches!(char, 'a'..='z' | '0'..='9')))
        };
        assert_eq!(names.into_iter().find(|name| !is_kebab(name)), None);
    }

    #[test]
    fn an_unknown_code_is_refused_with_a_suggestion() {
        let error = |name| row(name).err().map(|err| err.to_string()).unwrap_or_default();
        assert_eq!(error("unquoted-path"), "");
        assert_eq!(
            error("unqoted_path"),
            "there is no code `unqoted_path`; did you mean `unquoted-path`?"
        );
        assert_eq!(
            error("E0308"),
            "there is no code `E0308`; docs/book/src/findings.md lists all of them"
        );
    }
}
