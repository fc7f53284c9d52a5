//! Findings about hooks that `install` has installed.

use crate::settings::finding::codes;

codes! {
    "Installed hooks" {
        MISSING_BINARY
            "An entry of `install` is in the settings, but its binary is missing."
            "The hook does not run; whether Claude Code blocks then depends on its `onFailure`."
            => "Run `cargo xtask install` in the hook's workspace."
        {
            Warning missing_binary(name; does) "the binary of `{name}` is missing";
            Warning folder_for_binary(name, folder, fix; does) "there is a folder in place of the binary of `{name}`"
                fix "remove {folder}, and {fix}";
        }
        MISSING_ENTRY
            "`install` added a hook that is no longer in the settings, or left out an event that the client supports now."
            "The hook does not run, or not on that event."
            => "Run `install` again, or `uninstall` to remove the hook."
        {
            Warning missing_on_event(workspace, event) "the hooks of `{workspace}` have no entry on {event}"
                does "they do not run on it";
            Warning missing_entry(name, install) "`{name}` was installed here, but this file has no entry for it"
                does "Claude Code does not run it" fix "run {install}, or `uninstall` to remove it";
            Warning missing_settings(name, install) "`{name}` was installed in this file, which no longer exists"
                does "Claude Code does not run it" fix "run {install}, or `uninstall` to remove it";
        }
        CHANGED_ENTRY
            "An entry of `install` has been edited."
            "Claude Code uses the changed entry, and the next `install` replaces it."
            => "Put the change into `[workspace.metadata.hookkit.hooks.NAME]` of the workspace's Cargo.toml, and run `install`."
        {
            Warning changed_entry(name, fix) "the entry of `{name}` has changed since `install`"
                does "Claude Code uses the changed entry"
                fix "{fix}; to override its settings, put them in its Cargo.toml under `[workspace.metadata.hookkit.hooks.{name}]`";
        }
        CHANGED_BINARY
            "A binary is not the one that `install` wrote."
            "Claude Code still runs it; `doctor` does not."
            => "Run `install` again."
        {
            Warning changed_binary(name) "the binary of `{name}` has changed since `install`" does "Claude Code still runs it";
        }
        UNKNOWN_BINARY
            "This machine has no record that it installed the hook."
            "Claude Code still runs the binary; `doctor` does not."
            => "Run `install` in the hook's workspace."
        {
            Warning unknown_binary(name) "`{name}` was not installed here by this machine" does "Claude Code still runs the binary";
            Warning unread_record(name, why) "`doctor` cannot tell whether `{name}` was installed here: {why}"
                does "Claude Code still runs the binary";
        }
        OUT_OF_DATE
            "The sources of a hook have changed since `install`."
            "Claude Code runs the version that was installed before."
            => "Run `install` again."
        {
            Warning out_of_date(name, what) "`{name}` is not up to date: {what}";
        }
        INSTALLED_TWICE
            "A hook is in two settings files, of two workspaces, or in the settings and in a plugin."
            "Claude Code runs both."
            => "Uninstall one of them, turn it off in its workspace, or remove the plugin."
        {
            Warning in_a_plugin_too(name, plugin, age, here, there) "`{name}` is also in the {plugin}"
                does "Claude Code runs both; {age}" fix "remove one of them: {here}, or {there}";
            Note in_two_workspaces(name, one, other) "`{name}` is a hook of `{one}` and of `{other}`"
                fix "if they are the same, turn one of them off in its workspace: `off = true` in `[workspace.metadata.hookkit.hooks.{name}]`";
            Warning installed_twice(name, options) "`{name}` is also installed in another settings file"
                fix "remove it from one of them: `cargo xtask uninstall{options}`, then `install` the hooks to keep";
        }
        SHARED_FILES_DIFFER
            "`settings.json`, `hookkit.toml` and `hookkit.lock` contradict each other."
            "A clone installs hooks from the last two, not from the settings."
            => "Correct the wrong file, or restore it from git, and run `cargo xtask sync`."
        {
            Warning shared_files_differ(options; what)
                does "a clone installs hooks from these files, not from the settings"
                fix "correct the wrong file, or restore it from git, and run `cargo xtask sync{options}`";
        }
        CANNOT_START
            "The operating system cannot start a hook's binary."
            "The hook fails each time."
            => "Run `install` again on this machine."
        {
            Warning cannot_start(name, why; does) "`{name}` cannot be started: {why}";
        }
        HOOK_CRASHED
            "A hook crashed when `doctor` ran it."
            "Claude Code treats that as a failure."
            => "Run the hook with `cargo xtask run NAME`, fix it, and run `install`."
        {
            Warning hook_crashed(name, event, then) "`{name}` crashed on a recorded {event}"
                does "Claude Code treats that as a failure, and {then}";
            Warning crashed_on_empty_input(name) "`{name}` crashed on empty input"
                does "its failure policy has no effect";
        }
        HOOK_TIMED_OUT
            "A hook did not exit when `doctor` ran it."
            "Claude Code ends it after its `timeout`."
            => "Run the hook with `cargo xtask run NAME`, fix it, and run `install`."
        {
            Warning hook_timed_out(name, event, then) "`{name}` did not exit on a recorded {event}"
                does "Claude Code ends it after its `timeout`, and {then}";
            Warning timed_out_on_empty_input(name) "`{name}` did not exit on empty input"
                does "its failure policy has no effect";
        }
        ANSWER_IGNORED
            "A hook printed an answer that Claude Code ignores."
            "Claude Code uses only the exit code."
            => "Run `install` again, or print the answer with hookkit's types."
        {
            Warning answer_ignored(name, event, why) "the answer of `{name}` to a recorded {event} is ignored: {why}";
        }
        UNEXPECTED_EXIT
            "On empty input, a hook did not fail in the way that its entry declares."
            "Its failure policy has no effect."
            => "Run `install` again, which updates the entry and the binary."
        {
            Warning failure_without_block(name) "`{name}` exits with 1 on empty input, but its entry declares that a failure blocks";
            Warning unexpected_exit(name, code) "`{name}` exits with {code} on empty input, and Claude Code does not count that as a failure";
        }
        HOOK_OFF
            "`cargo xtask off` or `allow-once` has turned a hook off for a while, or for one run of a command."
            "Claude Code goes ahead without its answer."
            => "Run `cargo xtask on NAME`, or wait: it is on again when the time is over."
        {
            Note hook_off(name, pause, options; does) "`{name}` is {pause}"
                fix "to end this, run `cargo xtask on {name}{options}`";
        }
        RECORDS_RUNS
            "Hooks were installed with `--record`: they append their input and answers to a file of yours."
            ""
            => "To stop this, run `install` without `--record`. `cargo xtask run NAME --from` shows a recorded run."
        {
            Note records_runs(hooks, fix; does) "{hooks} runs" fix "to end this, {fix}";
        }
        HOOK_FAILED
            "A hook failed on a recorded event, in an empty project."
            "It may need something that such a project does not have."
            => "Run the hook with `cargo xtask run NAME --project DIR`."
        {
            Note hook_failed(name, event, code; does) "`{name}` failed on a recorded {event}, in an empty project, with exit code {code}"
                fix "";
        }
    }
}
