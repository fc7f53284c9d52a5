//! Findings about commands and their output.

use crate::settings::finding::codes;

codes! {
    "Commands" {
        UNQUOTED_PATH
            "A variable in a path is not in double quotes."
            "In a clone whose path contains a space, the shell splits it, and the hook fails."
            => "Write `\\\"$CLAUDE_PROJECT_DIR\\\"`, with backslashes, since it is in a JSON string."
        {
            Warning unquoted_path(path; does) "`{path}` is not quoted"
                fix "write `\\\"{path}\\\"`, with backslashes, since it is in a JSON string";
        }
        QUOTED_EXPANSION
            "A `~` is in quotes, or a variable is in single quotes."
            "The shell does not expand it, finds no such file, and the hook fails."
            => "Write `\\\"$HOME\\\"` for `~`, and double quotes around a variable."
        {
            Warning quoted_home(word; does) "the shell does not expand `~` in quotes: {word}" fix "write `\"$HOME\"` instead";
            Warning quoted_variable(variable, word, path; does) "the shell does not expand `{variable}` in single quotes: {word}"
                fix "write `\\\"{path}\\\"`, with backslashes, since it is in a JSON string";
        }
        EXPANSION_WITHOUT_SHELL
            "A hook with `args` has `~`, `$HOME` or `$CLAUDE_PROJECT_DIR`, which no shell expands. Claude Code replaces `${CLAUDE_PROJECT_DIR}`, but only with braces."
            "The program is not found, or gets the text unexpanded."
            => "Write `${CLAUDE_PROJECT_DIR}` or an absolute path, or move the words of `args` into `command`."
        {
            Warning folder_without_braces(name, word, fixed; does) "`${name}` in `{word}` is not expanded: a hook with `args` has no shell"
                fix "write `{fixed}`";
            Warning home_without_shell(name, word; does)
                "`{name}` in `{word}` is not expanded: a hook with `args` has no shell"
                fix "write the absolute path, or move the words of `args` into `command`";
        }
        COMMAND_LINE_WITH_ARGS
            "A hook has `args`, but its `command` is a whole line, not the name of a program."
            "Claude Code finds no such program, and the hook fails."
            => "Move the words after the program into `args`."
        {
            Warning command_line_with_args(line; does) "with `args`, `{line}` is the name of one program";
        }
        RELATIVE_PATH
            "A path is relative to the session's current folder."
            "After a `cd` in the session, the program is not found, and the hook fails."
            => "Begin the path with `\\\"$CLAUDE_PROJECT_DIR\\\"/`, or write an absolute path."
        {
            Warning relative_path(path, does; fix) "`{path}` is relative to the session's current folder"
                does "after a `cd` in the session {does}";
        }
        PROGRAM_NOT_FOUND
            "A program is not in any folder of PATH."
            "The hook fails each time."
            => "Install it, or write its absolute path."
        {
            Warning program_not_found(name; does) "there is no program `{name}` on the PATH";
        }
        MISSING_FILE
            "The file that a command calls does not exist."
            "The hook fails each time; if an interpreter such as `sh` exits with 2 because of it, Claude Code blocks each time."
            => "Correct the path, create the file, or remove the hook."
        {
            Warning missing_file(path, within; does) "there is no file `{path}`{within}";
        }
        PROJECT_DIR_DIFFERS
            "A command in the `settings.local.json` of a repository's root begins with `$CLAUDE_PROJECT_DIR`. Sessions in all folders and linked worktrees of the repository run it, but the variable is the folder where the session starts, and the file is not there."
            "The hook fails in those sessions; if an interpreter such as `sh` exits with 2 because of it, Claude Code blocks each time."
            => "Write the absolute path of the file, in a `settings.local.json` that is not committed."
        {
            Warning project_dir_differs(folders, does, root) "`$CLAUDE_PROJECT_DIR` is a different folder in sessions started in {folders}"
                does "the file is not there, so {does}" fix "write `{root}` in place of `$CLAUDE_PROJECT_DIR`";
        }
        MISSING_FOLDER
            "The folder that a command changes to, or creates a file in, does not exist."
            "The hook fails each time; if `/bin/sh` is dash, it exits with 2, and Claude Code blocks each time."
            => "Create it, or write `mkdir -p` with its path before the command."
        {
            Warning missing_folder(path; does) "there is no folder `{path}`";
        }
        FOLDER_AS_PROGRAM
            "A command has a folder in place of a program."
            "The hook fails each time."
            => "Write the program's path."
        {
            Warning folder_as_program(path; does) "`{path}` is a folder";
        }
        NOT_EXECUTABLE
            "A command starts a file that is not executable."
            "The hook fails each time."
            => "Run `chmod +x` on the file."
        {
            Warning not_executable(file, typed; does) "{file} is not executable" fix "run `chmod +x {typed}`";
        }
        CARRIAGE_RETURN
            "The `#!` line of a script ends in a carriage return, which is part of the interpreter's name."
            "The hook fails each time."
            => "Save it with Unix line endings."
        {
            Warning carriage_return(path; does)
                "the `#!` line of `{path}` ends in a carriage return, which is part of the program's name";
        }
        BASH_IN_SH
            "A line, or a script that `sh` runs, has bash syntax."
            "`/bin/sh` is dash here, where `[[` and bash commands fail. Arrays, `<(…)`, `<<<`, `${x//y}` and, in \
             older versions, `set -o pipefail` make it exit with 2, which denies the call if the hook can deny."
            => "Write it for `sh`: `[ … ]` with `=` for `[[ … ]]`, `.` for source; or move it into a script that bash runs."
        {
            Warning bash_in_sh(part, place; does) "`{part}`{place} is bash syntax, but `/bin/sh` is dash here";
        }
        SYNTAX_ERROR
            "A shell cannot read a line: a quote, a bracket or a word such as `fi` is missing, or the line is for another shell."
            "The shell runs nothing and exits with 2, so Claude Code blocks each time, if the hook can block."
            => "Correct the line, or move it into a script of its language."
        {
            Warning syntax_error(said; does) "`/bin/sh` cannot read the line: {said}";
        }
        PLUGIN_VARIABLE
            "A variable such as `CLAUDE_PLUGIN_ROOT` exists only in plugin hooks."
            "In settings, either Claude Code reports an error instead of running the hook, or the variable is empty."
            => "Write the path, or move the hook into the plugin."
        {
            Warning only_in_plugins(name) "`{name}` only works in plugin hooks"
                does "Claude Code reports an error instead of running the hook, and goes on";
            Warning filled_in_with_args(start; does) "`{start}…}}` is only replaced in hooks with `args`"
                fix "write the program as `command`, and the other words as `args`";
            Warning plugin_variable(name) "`{name}` is only set in plugin hooks"
                does "it is empty here, so the path after it starts at the root of the file system";
        }
        NOT_JUDGED
            "A plugin's hook has a path that depends on the session, such as `${CLAUDE_PLUGIN_DATA}` or the output of a command."
            "`doctor` checks the rest of the hook, but not that file."
            => "Nothing to fix; or begin the path with `\\\"${CLAUDE_PLUGIN_ROOT}\\\"/`."
        {
            Note not_judged(; what) does "`doctor` cannot check whether its files exist" fix "";
        }
        FIELD_ELSEWHERE
            "A hook reads a field of the tool input from the top level of its JSON."
            "The field is not there, so the hook checks nothing."
            => "Read it from `tool_input`, for example with `jq -r .tool_input.file_path`."
        {
            Warning field_elsewhere(name) "there is no field `{name}` at the top level of the input"
                fix "read it from `tool_input`: `.tool_input.{name}`";
        }
        VARIABLE_NEVER_SET
            "Claude Code does not set the variable, or not on this event, so it is empty."
            "The hook checks nothing, or a program that gets no path works on the whole folder."
            => "Read the input from stdin, as JSON, for example with `jq -r .tool_input.file_path`."
        {
            Warning variable_never_set(name, place, does) "Claude Code does not set the variable `{name}`{place}" does "it is empty, so {does}";
        }
    }
    "Answers of a hook" {
        EXIT_CODE_DOES_NOT_BLOCK
            "The hook exits with a code other than 2 to block."
            "Claude Code treats it as a failure, and goes ahead."
            => "To block, write `exit 2`, and the reason to stderr."
        {
            Warning exit_code_does_not_block(code, event) "`exit {code}` does not block on {event}";
            Warning statement_does_not_block(statement, place, event) "`{statement}`{place} does not block on {event}"
                fix "to block, exit with 2, and write the reason to stderr";
        }
        NO_TERMINAL
            "A program of a hook asks the user, but a hook has no terminal, and its stdin is the JSON about the event."
            "It fails, or reads the hook's JSON as the answer."
            => "Remove the question; on PreToolUse, print `\"permissionDecision\": \"ask\"` instead."
        {
            Warning no_terminal(word, place) "`{word}`{place} asks the user: a hook has no terminal";
        }
        ANSWER_NOT_JSON
            "The output of a command looks like JSON, but is not."
            "Claude Code treats it as plain text, not as a decision."
            => "Write it in single quotes, as JSON."
        {
            Warning answer_without_quotes(program) "the shell removes the quotes, so `{program}` does not print JSON";
            Warning answer_not_json(program) "the output of `{program}` looks like JSON, but is not";
        }
        ANSWER_WITHOUT_EFFECT
            "A hook prints an answer that has no effect on its event."
            "Claude Code ignores it."
            => "Remove it, or print an answer for this event."
        {
            Warning answer_without_effect(part, event, why) "{part} in this output has no effect on {event}: {why}";
        }
        ASYNC_DECISION
            "The hook makes a decision, but is `async`."
            "Claude Code goes ahead without the decision."
            => "Remove `async`."
        {
            Warning async_decision();
        }
        ENDLESS_STOP
            "The hook blocks the end of a turn without checking `stop_hook_active`."
            "As long as the reason for the block holds, Claude continues, until Claude Code ends the turn at the ninth block."
            => "Read the JSON on stdin, and do not block if `stop_hook_active` is true; or count the blocks."
        {
            Warning endless_stop(event) "the hook blocks on {event} without checking `stop_hook_active`";
        }
    }
}
