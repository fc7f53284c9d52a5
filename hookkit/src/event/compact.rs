//! Compaction: a summary replaces the conversation.

use crate::wire::wire;

wire! {
    /// The conversation is about to be compacted.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Saves a copy of the transcript.
    /// #[hook(PreCompact)]
    /// pub fn keep(_compact: PreCompact, context: Context) -> std::io::Result<()> {
    ///     std::fs::copy(&context.transcript_path, context.transcript_path.with_extension("bak")).map(drop)
    /// }
    /// # fn main() {}
    /// ```
    pub struct PreCompact {
        /// Manual or automatic. Compared with the matcher.
        trigger: CompactTrigger,
        /// Text that the user typed after `/compact`.
        custom_instructions: Option<String>,
    }

    /// Creates a compaction for tests.
    pub new PreCompact(trigger: impl Into<CompactTrigger>);

    /// The conversation was compacted.
    ///
    /// Raised after the [`SessionStart`](super::SessionStart) of the same compaction.
    /// A hook cannot undo it.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Saves the summary.
    /// #[hook(PostCompact)]
    /// pub fn keep(compact: PostCompact, context: Context) -> std::io::Result<()> {
    ///     std::fs::write(context.project_dir.join(".claude/summary.md"), compact.compact_summary)
    /// }
    /// # fn main() {}
    /// ```
    pub struct PostCompact {
        /// Manual or automatic. Compared with the matcher.
        trigger: CompactTrigger,
        /// The summary, as the model wrote it.
        compact_summary: String,
    }

    /// Creates a compaction for tests.
    pub new PostCompact(trigger: impl Into<CompactTrigger>, compact_summary: &str);

    /// The trigger of a compaction.
    pub enum CompactTrigger {
        /// The user (`/compact`).
        Manual = "manual",
        /// The client, because the context is nearly full.
        Auto = "auto",
    }
}
