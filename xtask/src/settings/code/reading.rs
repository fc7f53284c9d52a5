//! Findings about files that the client reads only in part, or not at all.

use crate::settings::finding::codes;

codes! {
    "Files" {
        NOT_JSON
            "The file is not valid JSON."
            "Claude Code ignores the whole file: permissions, environment and hooks."
            => "Correct the syntax at the marked place."
        {
            Error not_json(what) "this is not JSON: {what}"
                fix "fix it manually; until then Claude Code ignores the whole file";
            Error not_readable(what) "this cannot be read: {what}" fix "fix it manually";
        }
        COMMENT_IN_JSON
            "JSON has no comments."
            "Claude Code ignores the whole file because of a comment."
            => "Remove the comment."
        {
            Error comment_in_json() fix "remove it";
        }
        TRAILING_COMMA
            "A comma follows the last element of an object or a list, which JSON does not allow."
            "Claude Code ignores the whole file because of the comma."
            => "Remove the comma."
        {
            Error trailing_comma() "trailing comma in an object or a list" fix "remove it";
        }
        MERGE_CONFLICT
            "A merge left a conflict marker in the file."
            "Claude Code ignores the whole file."
            => "Resolve the conflict first."
        {
            Error merge_conflict() "a merge left a conflict marker here";
        }
        UNRENDERED_TEMPLATE
            "The file is a template with placeholders such as `{{ … }}`, not JSON."
            "Claude Code ignores the whole file."
            => "Check the generated file instead."
        {
            Error unrendered_template() "this is a template, not JSON"
                fix "check the generated file instead, and put the hooks into the template manually";
        }
        EMPTY_FILE
            "The file is empty, which is not valid JSON."
            "Claude Code ignores it."
            => "Delete it, or write `{}`."
        {
            Error empty_file() "the file is empty";
        }
        NOT_AN_OBJECT
            "The settings are a list or a single value."
            "Claude Code ignores the whole file."
            => "Wrap it in an object, `{ … }`."
        {
            Error not_an_object() "the settings should be an object";
        }
        NOT_UTF_8
            "The file is neither UTF-8 nor UTF-16LE with a byte order mark."
            "Claude Code ignores the whole file."
            => "Save the file as UTF-8."
        {
            Error not_utf_8() "this is not UTF-8" fix "save the file as UTF-8";
            Error neither_encoding() fix "save it as UTF-8";
        }
        NESTED_TOO_DEEP
            "Objects and lists are nested deeper than hookkit can follow."
            "The file is neither checked nor edited."
            => "Put the hooks into another settings file."
        {
            Error nested_too_deep() "hookkit does not read objects and lists that are nested deeper than this";
        }
        UNREADABLE_FILE
            "The file exists, but cannot be opened: it is a folder, for example, or its mode forbids it."
            "Its hooks are not checked, but Claude Code runs them if it can read the file."
            => "Make it a file that you can read, or remove it."
        {
            Warning unreadable_file(why) "it cannot be read: {why}";
            Warning unreadable_program(; what) does "`doctor` cannot check that it is the packaged one";
        }
        DUPLICATE_KEY
            "An object defines a key twice."
            "Claude Code reads the last one, and ignores the hooks in the others."
            => "Merge the values into one key."
        {
            Error defined_twice(name) "`{name}` is defined twice" fix "merge the two";
            Error defined_again(name) "`{name}` is defined again below" fix "merge the two";
        }
        TOO_MANY_MISTAKES
            "The file has more mistakes than hookkit lists."
            "Claude Code ignores the parts with the other mistakes, too."
            => "Fix the listed mistakes first."
        {
            Error too_many_mistakes(count) "there are {count} more findings, which are not listed";
        }
    }
    "Structure of hooks" {
        MISPLACED_HOOKS
            "Hooks are in a place where Claude Code does not look for them: outside of `hooks`, or not below their event."
            "If they could deny a tool call, Claude Code ignores the whole file."
            => "Move them into `hooks`, below their event."
        {
            Error hooks_without_key() "`hooks` is missing here" fix "write `{{ \"hooks\": {{ … }} }}` around the events";
            Error hooks_elsewhere(key) "`{key}` contains hooks, but is outside `hooks`";
            Error hooks_as_matcher() "expected a matcher, found hooks of PreToolUse, PermissionRequest or PreSkillShellCommand"
                fix "move them below their event in `hooks`";
        }
        HOOKS_NOT_AN_OBJECT
            "`hooks` is a list or a single value."
            "Claude Code ignores all of it."
            => "Write an object with a list for each event: `\"hooks\": { \"PreToolUse\": [ … ] }`."
        {
            Error hooks_not_an_object() "`hooks` is not an object" fix "write an object with a list for each event";
            Error hooks_should_be_object() "`hooks` should be an object"
                fix "Claude Code finds no hooks in this form; give it one list for each event";
            Error hooks_should_be_tables() "`hooks` is a single value" fix "write each hook as a table `[[hooks]]`";
        }
        UNKNOWN_EVENT
            "A key of `hooks` is not the name of an event. Names are case-sensitive."
            "Claude Code never runs the hooks below it."
            => "Write the name of an event, such as `PreToolUse`."
        {
            Error unknown_event(name; fix) "`{name}` is not an event";
        }
        EVENT_NOT_A_LIST
            "The value of an event is not a list of matchers."
            "Claude Code ignores its hooks, and the whole file if they could deny a tool call."
            => "Put the value into a list: `[ { \"matcher\": …, \"hooks\": [ … ] } ]`."
        {
            Error event_not_a_list(event; fix) "`hooks.{event}` is not a list";
            Error event_should_be_list(event) "`hooks.{event}` should be a list"
                fix "until then Claude Code reads no hooks in it; wrap it in a list, `[ … ]`";
        }
        MALFORMED_MATCHER
            "An element of an event's list is not a matcher with its hooks."
            "Claude Code ignores it, and the whole file if its hooks could deny a tool call."
            => "Write `{ \"matcher\": …, \"hooks\": [ { \"type\": \"command\", … } ] }`."
        {
            Error malformed_matcher(group; what) fix "write `{group}`";
        }
        MALFORMED_HOOK
            "A hook is not an object, or has no `type`."
            "Claude Code ignores the hook, and the whole file if it could deny a tool call."
            => "Write `{ \"type\": \"command\", \"command\": … }`."
        {
            Error malformed_hook() "a hook should be an object";
            Error hook_without_type() "a hook needs a `type`" fix "write `command`, `http`, `mcp_tool`, `prompt` or `agent`";
        }
        UNKNOWN_HOOK_TYPE
            "The `type` of a hook does not exist."
            "Claude Code ignores the hook, and the whole file if it could deny a tool call."
            => "Write `command`, `http`, `mcp_tool`, `prompt` or `agent`."
        {
            Error unknown_hook_type() "there is no such `type` of hook";
        }
        MISSING_KEY
            "A required key is missing."
            "Claude Code ignores the object that needs it, and the whole file if its hooks could deny a tool call."
            => "Add the key."
        {
            Error missing_key(key, wanted) "`{key}` is missing here" fix "add `{key}`, {wanted}";
        }
        INVALID_VALUE
            "The value of a key has the wrong type, or is out of range."
            "Claude Code ignores the object around it, and the whole file if its hooks could deny a tool call."
            => "Write a value of the type shown in the finding."
        {
            Error invalid_value(key, wanted; fix) "`{key}` should be {wanted}";
        }
    }
}
