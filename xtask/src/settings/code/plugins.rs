//! Findings about plugins and their mods.

use crate::settings::finding::codes;

codes! {
    "Plugins" {
        BYTE_ORDER_MARK
            "A plugin's file with hooks begins with a byte order mark."
            "Claude Code ignores the whole file, although it reads settings files with one."
            => "Save the file as UTF-8 without a byte order mark."
        {
            Error byte_order_mark() "the file starts with a byte order mark" fix "remove it";
        }
        INVALID_PLUGIN_NAME
            "The name in `plugin.json` contains a space."
            "Claude Code ignores the whole plugin."
            => "Write `-` instead."
        {
            Error invalid_plugin_name() "a plugin's name cannot contain spaces";
        }
        INVALID_PLUGIN_HOOKS
            "`hooks` in `plugin.json` is neither a path, nor events with their hooks, nor a list of both."
            "Claude Code ignores the whole plugin."
            => "Begin the path with `./` and end it with `.json`."
        {
            Error invalid_plugin_hooks() "`hooks` should be a path, events with their hooks, or a list of both";
        }
        IGNORED_PLUGIN
            "Another file of the plugin has a mistake."
            "Claude Code ignores the whole plugin because of it, and this file too."
            => "Fix the other file, which has its own finding."
        {
            Error ignored_plugin(; does) "nothing in this file is read" fix "";
        }
        PLUGIN_NOT_FOUND
            "The settings enable a plugin that is in none of the places where `doctor` looks."
            "`doctor` cannot tell whether the plugin has hooks."
            => "Install the plugin with `/plugin`, or remove it from `enabledPlugins`."
        {
            Note plugin_not_found(why, scope) "this plugin is enabled, but was not found here: {why}"
                does "`doctor` cannot tell whether the {scope} has hooks" fix "";
        }
        NO_PROGRAM_FOR_SYSTEM
            "A plugin made by `cargo xtask package` has no program for this system."
            "Its hooks with `\"onFailure\": \"block\"` block everything that they check; its other hooks do nothing."
            => "Package the plugin again with `--target` for this system, and update it."
        {
            Error no_program_for_system(id, system, target; does) "the {id} has no program for this system, {system}"
                fix "package it again with `--target {target}`, and update the plugin";
        }
        PROGRAM_OF_ANOTHER_SYSTEM
            "A plugin made by `cargo xtask package` starts a program here that is not for this system."
            "Its hooks with `\"onFailure\": \"block\"` block everything that they check; its other hooks do nothing."
            => "Restore the file: install the plugin again, or package it again."
        {
            Error program_of_another_system(file, system; does) "{file} is not a program for this system, {system}";
        }
        MISSING_PLUGIN_FILE
            "A file of a plugin made by `cargo xtask package` is missing."
            "Without the script or the program, its hooks with `\"onFailure\": \"block\"` block everything that they \
             check, and its other hooks do nothing. Without `hooks.json`, it has no hooks."
            => "Restore the file: install the plugin again, or package it again."
        {
            Error missing_program(; what, does);
            Error missing_hooks(hooks; what) does "Claude Code runs none of its hooks: {hooks}";
            Warning missing_manifest(; what) does "Claude Code finds no version of the plugin, so it cannot detect an update";
            Warning missing_origin(; what)
                does "Claude Code does not need it, but `list` and `doctor` cannot identify the plugin's hooks";
            Warning missing_files(id, files) "missing in the {id}: {files}"
                does "a missing program is for another system, where the hooks cannot start";
        }
        CHANGED_PLUGIN_FILE
            "A file of a plugin made by `cargo xtask package` differs from the plugin's SHA256SUMS."
            "Claude Code uses the changed file: another program may run in place of the hooks."
            => "Restore the file: install the plugin again, or package it again. To compare it with its sources, run `cargo xtask verify DIR`."
        {
            Warning unreadable_origin(; what)
                does "Claude Code does not need it, but `list` and `doctor` cannot identify the plugin's hooks";
            Error no_program(; what, does);
            Error changed_program(hooks; what) does "Claude Code still starts it, for {hooks}";
            Warning changed_hooks(; what) does "Claude Code uses its entries as they are now";
            Warning changed_file(; what) does "the plugin is not the one that was packaged";
        }
        ADDED_PLUGIN_FILE
            "A plugin made by `cargo xtask package` has a file that is not in its SHA256SUMS."
            "Claude Code also reads commands, agents, skills and MCP servers that are added to a plugin."
            => "Remove the files that are not yours, or package the plugin again."
        {
            Warning added_files(id, files) "not in SHA256SUMS of the {id}: {files}";
        }
        MISSING_SUMS
            "A plugin made by `cargo xtask package` has no readable SHA256SUMS."
            "`doctor` cannot check that the plugin's files are unchanged since packaging."
            => "Install the plugin again, or package it again."
        {
            Warning missing_sums(; what);
        }
        PLUGIN_NOT_LOADED
            "A plugin made by `cargo xtask package` in a `skills` folder has no `.claude-plugin/plugin.json`."
            "Claude Code does not load the plugin, and runs none of its hooks."
            => "Restore the file, or package the plugin again."
        {
            Error plugin_not_loaded(hooks; what)
                does "Claude Code does not load the plugin, and runs none of its hooks: {hooks}";
        }
    }
    "Mods" {
        MOD_SKIPS_HOOKS
            "A mod (a plugin's JavaScript) runs inside Claude Code and intercepts its events. It can skip every hook \
             outside managed settings, and override permission rules."
            "Neither the terminal nor the transcript shows it."
            => "Remove the plugin, or stop mods from skipping hooks with `cargo xtask hold-mods`."
        {
            Error mod_skips_hooks(id, around, hooks; fix) "`{id}` is a mod: JavaScript that runs inside Claude Code \
                                                           around {around}"
                does "it can skip or overrule {hooks} and permission rules, and run programs, and no session shows it";
        }
        HARMLESS_MOD
            "A mod cannot skip hooks: Claude Code refuses to load it, it only passes events on, or managed settings stop it."
            ""
            => "Remove the plugin if it is not needed. A later edit can make it a mod that skips hooks."
        {
            Note refused_mod(id, why) "the mod of `{id}` cannot skip hooks: {why}" does "the rest of the plugin is loaded" fix "";
            Note harmless_mod(id) "the mod of `{id}` cannot skip hooks: it only passes events on"
                does "a later edit can change that" fix "";
            Note held_mod(id) "the mod of `{id}` cannot skip hooks: managed settings stop it"
                does "it can run programs, and answer in a tool's place" fix "";
        }
        MODS_NOT_HELD
            "Nothing stops mods from skipping hooks: there are no managed settings, they have no keys, or they turn off Claude Code's own guard."
            "Mods (JavaScript in plugins, even from a checkout) can skip hooks outside managed settings."
            => "Write managed settings with `cargo xtask hold-mods`, or add the guard to `prependPlugins`."
        {
            Warning guard_left_out(key, guard) "`{key}` leaves out `{guard}`" fix "put it in";
            Warning no_key_holds(; fix) "these managed settings have no key";
            Note mods_not_held(hooks; fix) "nothing stops mods from skipping {hooks}";
        }
        ENABLED_AGAIN
            "The project's settings enable a mod that your own settings turn off."
            "The project's value is used."
            => "Turn the plugin off in `.claude/settings.local.json`."
        {
            Warning enabled_again(id; fix) "it enables `{id}`, which your own settings turn off";
        }
    }
}
