#!/usr/bin/env bash
# `path_only` with jq, called once.
IFS=$'\t' read -r event tool path < <(jq -r '[.hook_event_name, .tool_name, .tool_input.file_path] | @tsv')
if [[ $tool =~ ^(Edit|Write)$ && $path == *.rs ]]; then
    jq -nc --arg event "$event" \
        '{hookSpecificOutput: {hookEventName: $event, additionalContext: "remember to run the tests"}}'
fi
