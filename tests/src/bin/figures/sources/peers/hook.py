#!/usr/bin/env python3
"""`path_only` in Python, with the standard library."""
import json
import sys

payload = json.load(sys.stdin)
if payload["tool_name"] in ("Edit", "Write") and payload["tool_input"]["file_path"].endswith(".rs"):
    answer = {
        "hookEventName": payload["hook_event_name"],
        "additionalContext": "remember to run the tests",
    }
    print(json.dumps({"hookSpecificOutput": answer}))
