// `path_only` in Go, with the standard library.
package main

import (
	"encoding/json"
	"os"
	"strings"
)

type payload struct {
	HookEventName string `json:"hook_event_name"`
	ToolName      string `json:"tool_name"`
	ToolInput     struct {
		FilePath string `json:"file_path"`
	} `json:"tool_input"`
}

func main() {
	var p payload
	if err := json.NewDecoder(os.Stdin).Decode(&p); err != nil {
		os.Exit(1)
	}
	if (p.ToolName == "Edit" || p.ToolName == "Write") && strings.HasSuffix(p.ToolInput.FilePath, ".rs") {
		json.NewEncoder(os.Stdout).Encode(map[string]any{"hookSpecificOutput": map[string]string{
			"hookEventName":     p.HookEventName,
			"additionalContext": "remember to run the tests",
		}})
	}
}
