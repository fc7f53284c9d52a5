//! Hooks for Claude Code.

