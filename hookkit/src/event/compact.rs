//! Compaction: a summary takes the place of the conversation.

use crate::wire::wire;

wire! {
    /// The conversation is about to be compacted.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps a copy of the whole conversation.
    /// #[hook(PreCompact)]
    /// pub fn keep(_compact: PreCompact, context: Context) -> std::io::Result<()> {
    ///     std::fs::copy(&context.transcript_path, context.transcript_path.with_extension("bak")).map(drop)
    /// }
    /// # fn main() {}
    /// ```
    pub struct PreCompact {
        /// Cause. The matcher is compared with it.
        trigger: CompactTrigger,
        /// Text that the user typed behind `/compact`.
        custom_instructions: Option<String>,
    }

    /// A compaction, for a test.
    pub new PreCompact(trigger: impl Into<CompactTrigger>);

    /// The conversation was compacted.
    ///
    /// Raised after the [`SessionStart`](super::SessionStart) of the same compaction.
    /// Nothing can be undone.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps what is left of the conversation.
    /// #[hook(PostCompact)]
    /// pub fn keep(compact: PostCompact, context: Context) -> std::io::Result<()> {
    ///     std::fs::write(context.project_dir.join(".claude/summary.md"), compact.compact_summary)
    /// }
    /// # fn main() {}
    /// ```
    pub struct PostCompact {
        /// Cause. The matcher is compared with it.
        trigger: CompactTrigger,
        /// The summary, as the model wrote it.
        compact_summary: String,
    }

    /// A compaction, for a test.
    pub new PostCompact(trigger: impl Into<CompactTrigger>, compact_summary: &str);

    /// A cause of a compaction.
    pub enum CompactTrigger {
        /// The user (`/compact`).
        Manual = "manual",
        /// The client, since the context is nearly full.
        Auto = "auto",
    }
}
