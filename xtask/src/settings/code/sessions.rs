//! Findings about a session, past sessions, and people who can change the hooks of a session.

use crate::settings::finding::codes;

codes! {
    "The session" {
        HOOKS_DISABLED
            "A setting such as `disableAllHooks` or `allowManagedHooksOnly` turns hooks off."
            "Claude Code does not run them, although they are correct."
            => "Remove or change the setting."
        {
            Error all_hooks_disabled() "`disableAllHooks` is true" fix "remove the key to turn hooks on again";
            Warning hooks_disabled(key, hooks; fix) "`{key}` turns hooks off"
                does "Claude Code does not run {hooks} because of it";
        }
        NEVER_RUNS
            "The hook never runs, for the reason in the finding."
            ""
            => "Remove the reason, or the hook."
        {
            Warning never_runs(; does) "this hook never runs" fix "";
        }
        FEWER_HOOKS
            "A session started in another folder of the project has fewer hooks."
            "Claude Code reads `settings.json` and `.claude/skills` only in the folder where a session starts. From \
             the repository around it, or from the main working tree of a worktree, it reads only \
             `settings.local.json`."
            => "Start sessions in the root of the project. Or install the hooks for all its folders with \
                `--everywhere`, or into the root's \
                `settings.local.json` in place of its `settings.json`, with `--scope local`."
        {
            Note fewer_hooks(; what, fix)
                does "Claude Code reads `settings.json` and `.claude/skills` only in the folder where a session starts";
        }
        SETTINGS_OF_SERVER
            "The machine's managed settings have hooks or limit mods (`hold-mods`), but Claude Code also has settings from a server."
            "According to its documentation, the server's settings have priority over files; whether both are used was not observed (2.1.332)."
            => "Look at /status in a session, and give the server's settings the same entries."
        {
            Note settings_of_server(copy) "Claude Code also keeps settings from a server, in {copy}"
                does "it may use the server's settings in place of this file";
        }
        CLIENT_TOO_OLD
            "A hook needs an event or a key that the installed Claude Code does not support. Claude Code ignores the \
             entry or the key."
            "Claude Code ignores the whole settings file because of an unknown handler type or, before 2.1.101, an \
             unknown event."
            => "Update Claude Code: `claude update`."
        {
            Warning client_too_old(version, what, since; does) "the installed Claude Code {version} does not support {what}"
                fix "update it to {since} or later";
        }
        BELOW_MIN_CLIENT
            "The installed Claude Code is older than the `min-client` of a workspace whose hooks are installed."
            "Hooks may not run, or may not block as intended."
            => "Update Claude Code: `claude update`. Or lower `min-client` in `[workspace.metadata.hookkit]` of the workspace, and run `cargo xtask install`."
        {
            Warning below_min_client(version, least, name) "the installed Claude Code {version} is older than {least}, the `min-client` of the hooks of `{name}`" fix "run `claude update`";
        }
        UNKNOWN_CLIENT
            "`doctor` cannot determine the version of the installed Claude Code."
            "It does not check that the client supports all events and keys."
            => "Pass `--client-binary FILE`."
        {
            Note no_client() "there is no `claude` in PATH, so its version is unknown" does "";
            Note unknown_client(client) "{client} does not print its version" does "" fix "";
        }
        TOO_MANY_HOOKS
            "The file has more hooks than `doctor` checks."
            "Claude Code still runs all of them."
            => "Remove hooks that are not needed."
        {
            Warning too_many_hooks(; what);
        }
        SLOW_CHECK
            "Checking the hooks takes too long, so part of them was not checked."
            "A regular expression that backtracks is slow in Claude Code, too."
            => "Remove expressions like `(a+)+$`, and hooks that are not needed."
        {
            Warning slow_file(seconds) "checking all hooks takes longer than {seconds} s"
                does "the rest of this file and the files after it were not checked";
            Warning slow_comparison(seconds) "checking all hooks takes longer than {seconds} s"
                does "they were not compared with each other" fix "remove hooks that are not needed";
            Note slow_plugins(seconds) "checking the files of plugins takes longer than {seconds} s"
                does "they were not compared with their SHA256SUMS" fix "";
            Note slow_plugin(id, why) "not all files of the plugin {id} were checked: {why}"
                does "the others were not compared with its SHA256SUMS" fix "";
            Note slow_starts(seconds) "reading the settings of all folders with packages takes longer than {seconds} s"
                does "sessions started there were not compared with this one"
                fix "for one folder: `cargo xtask list --project DIR`";
            Note slow_checkout(seconds, list) "reading everything that this checkout runs takes longer than {seconds} \
                                               s"
                does "it was not compared with {list}" fix "run `cargo-hookkit verify`";
        }
        NOT_REVIEWED
            "The checkout has hooks, other settings, servers, plugins or scripts that differ from its list `.claude/hookkit.reviewed`: a branch or an edit has changed them since they were reviewed."
            "Sessions in this checkout run something that its team has not reviewed."
            => "Review it with `cargo-hookkit verify`, then accept it with `cargo-hookkit verify --accept`."
        {
            Note not_reviewed(; what);
        }
    }
    "Past sessions" {
        BYPASSED_IN_SESSIONS
            "A tool call ran in the last seven days although the hook had denied it, or without a start of the hook. \
             The hook's own record shows this; Claude Code does not."
            "A plugin's module runs inside Claude Code, and can cause both."
            => "Look for a `hooks.json` with `modules`, in `.claude/skills` of the project, in your configuration folder and in plugins. Remove the plugin, or turn it off with `false` in `enabledPlugins`."
        {
            Error bypassed_in_sessions(days, calls, last) "in the last {days} days, {calls} bypassed it: {last}"
                does "Claude Code did not show it"
                fix "remove the plugin whose module does this; `cargo xtask stats` lists the calls";
        }
        FAILED_IN_SESSIONS
            "The transcripts of the last seven days have runs of the hook that failed, or were late."
            "Claude Code went ahead, and did not show the error."
            => "Run the hook with the same input. `cargo xtask stats` lists all failures."
        {
            Note failed_in_sessions(share, count, why, last) "{share} failed, {count} of them like this: {why}"
                fix "the last one was at {last}; `cargo xtask stats` lists all of them";
        }
        IGNORED_IN_SESSIONS
            "The transcripts of the last seven days have outputs of the hook without effect: text where Claude Code reads JSON, or a member that its event does not have."
            ""
            => "Print only what an answer on the event can contain. `cargo xtask stats` lists all outputs without effect."
        {
            Note ignored_in_sessions(share, why, last) "{share} had an output without effect: {why}"
                does "Claude Code ignored that part of the answer"
                fix "the last one was at {last}; `cargo xtask stats` lists all of them";
        }
    }
    "File permissions" {
        WRITABLE_BY_OTHERS
            "Other users can write to a program or to a folder around it."
            "They can change what runs in your sessions."
            => "Remove the permission with `chmod`, or take ownership of the folder with `chown`."
        {
            Warning open_to_all(file, typed) "every user can write to {file}"
                does "every user of this machine can change what runs in your sessions" fix "run `chmod o-w {typed}`";
            Warning changeable_binary(name) "the binary of `{name}` can be changed by other users, or through another \
                                             hard link"
                does "Claude Code still runs it, but `doctor` does not";
            Warning folder_of_another_user(folder, id) "the folder {folder} belongs to another user (id {id})"
                does "that user can change what runs in your sessions"
                fix "run this as that user, or take ownership of the folder with `chown`";
            Warning open_folder(who, folder, mode, typed) "{who} can write to the folder `{folder}`"
                fix "run `chmod {mode} {typed}`";
        }
    }
}
