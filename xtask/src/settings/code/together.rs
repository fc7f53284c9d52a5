//! Findings about permission rules, and about several hooks.

use crate::settings::finding::codes;

codes! {
    "Permission rules" {
        RULE_MATCHES_NOTHING
            "A rule of `permissions` matches no call: its tool does not exist, or its text does not mean what was intended."
            "Claude Code checks file writes against `Edit` rules, not `Write` rules. It reads a path that begins with \
             one `/` as within the folder of the settings, a pattern as one path, and `:*` only at the end."
            => "Write the rule that the finding suggests."
        {
            Warning rule_matches_nothing(rule, what; does, fix) "`{rule}` matches nothing: {what}";
        }
        ALLOWS_ANY_PROGRAM
            "An `allow` rule permits a program that starts others, such as `npx`, `xargs` or `python3`."
            "Claude Code runs all these programs without a question. (For `find -exec`, `awk` with `system()`, `eval` \
             and `watch` it asks anyway.)"
            => "Allow the commands that are used, with their arguments: `Bash(npx prettier *)`."
        {
            Warning allows_any_program(rules, start) "{rules} any program, not just one"
                does "Claude Code runs whatever `{start}` starts, without a question"
                fix "allow the commands that are used, with their arguments";
        }
        ASK_ANSWERED
            "A hook on PermissionRequest allows each call that matches an `ask` rule."
            "Claude Code runs these calls without asking the user. A hook on PreToolUse does not answer such a \
             question. If a hook replaces the input, all rules are compared with the new input only."
            => "Remove the hook, or give it a matcher without the tool."
        {
            Warning ask_answered(rule) "`{rule}` does not ask the user: a hook on PermissionRequest allows each call"
                does "Claude Code runs it without a question";
        }
        DENY_IN_PART
            "A `deny` rule is compared with the words of a call. `Read(./.env)` denies tools with this path, and lines that pass it to programs such as `cat`. Claude Code runs other lines without a question (`grep -r`, `rg`, `git show`, `git grep`, `git log -p`, `git blame`, `cat .e*`), and reads hard links and copies. If Bash is allowed, it also runs `python3`, `node`, `perl`, `tar`, `dd`, `less`, `more`, `xxd`, `curl file:`, `find`, `xargs`, `source`, `< .env`, `/bin/cat`, `bash -c`, `eval`, a name that a command prints and a link that the line makes. It denies `@.env` in prompts and imports. `Bash(git push --force:*)` denies lines that begin like this, but not `git --no-pager push` or `git push origin --force`."
            "This is not reported if a hook checks Bash calls, if a `sandbox` is on, or if the file names do not \
             suggest secrets."
            => "Keep the files outside of the project. Or add a hook that parses the line: hookkit's \
                `protect-secrets` recognizes `git show HEAD:.env` and `cat .e*`, but not searches of a folder; \
                `deny-destruction` recognizes what is destroyed."
        {
            Warning files_denied_in_part(rules) "{rules} only calls with the file's name"
                does "Claude Code runs `grep -r`, `git show`, and `cat` with a wildcard, without a question"
                fix "keep such files outside of the project, or add a hook that finds the files in a line, such as \
                     hookkit's protect-secrets (which does not follow searches of a folder)";
            Warning options_denied_in_part(rule, program) "`{rule}` denies only lines that begin like this, and all \
                                                           other uses of `{program}` are allowed"
                does "Claude Code runs the same command with its options first, in another order or in one word, and \
                      through `bash -c` or `eval`"
                fix "allow single commands of `{program}`, or add a hook that parses the line, such as hookkit's \
                     deny-destruction";
        }
    }
    "Several hooks" {
        DUPLICATE_HOOK
            "The same hook is listed twice."
            "Claude Code runs it once when both matchers match."
            => "Remove one of them."
        {
            Warning duplicate_hook() "the same hook is already listed";
        }
        DIFFERING_COPIES
            "The same hook is listed twice, with different options."
            "Claude Code runs only the last copy. If that copy does not block on failure, a failing guard blocks \
             nothing."
            => "Keep one of them, or write the same options in both."
        {
            Warning disarmed_copy(difference) "the same hook is repeated below {difference}"
                does "Claude Code runs only the last copy: when the guard fails, nothing is blocked"
                fix "remove the other copy, or use the same options there";
            Warning differing_copies(key) "the same hook is repeated below with a different `{key}`"
                does "Claude Code runs only the last copy" fix "keep one of them";
        }
        PROGRAM_TWICE
            "Two differently written commands call the same program."
            "Claude Code runs it twice, at the same time."
            => "Remove one of them."
        {
            Warning program_twice() "a differently written command already calls the same program";
        }
        COMPETING_CHANGES
            "Two hooks change the input or the output of the same calls. Claude Code gives both the original, and \
             keeps only the change of the hook that ends last (on PermissionRequest: first)."
            "For hookkit's hooks, `doctor` uses the types of their answers. For other hooks, it searches their text \
             for the member."
            => "Make both changes in one program, or give the hooks matchers without a common tool. Hooks of one hookkit workspace can run one after the other: `[workspace.metadata.hookkit.orders]`."
        {
            Warning competing_changes(part, winner) "another hook on the same calls also changes the {part}"
                does "Claude Code gives both the same {part}, and uses the change of the hook that {winner}"
                fix "make both changes in one program, or give them matchers without a common tool";
        }
    }
}
