//! Past sessions: the runs of hooks in them, from the transcripts that Claude Code keeps.

pub(crate) mod bypassed;
pub(crate) mod failed;
pub(crate) mod files;
pub(crate) mod kept;
pub(crate) mod lines;
pub(crate) mod name;
pub(crate) mod page;
pub(crate) mod past;
pub(crate) mod recorded;
pub(crate) mod replay;
pub(crate) mod row;
pub(crate) mod tally;
pub(crate) mod timeline;
pub(crate) mod times;
pub(crate) mod unseen;
