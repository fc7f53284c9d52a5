//! Questions of MCP servers to the user.

use crate::Json;

use crate::wire::wire;

wire! {
    /// An MCP server asks the user something; the user has not been asked yet.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Answers no survey.
    /// #[hook(Elicitation)]
    /// pub fn no_surveys(question: Elicitation) -> Option<ElicitationAnswer> {
    ///     question.message.contains("survey").then(ElicitationAnswer::decline)
    /// }
    /// # fn main() {}
    /// ```
    pub struct Elicitation {
        /// The server's name as it was configured. The matcher is compared with it.
        mcp_server_name: String,
        /// The question.
        message: String,
        /// Way in which the user is asked.
        mode: Option<ElicitationMode>,
        /// The page that the user is to open.
        url: Option<String>,
        /// Ties the question to its [`ElicitationResult`].
        elicitation_id: Option<String>,
        /// The JSON schema of the answer: an object.
        requested_schema: Option<Json>,
    }

    /// A question, for a test.
    pub new Elicitation(mcp_server_name: &str, message: &str);

    /// The question of an MCP server was answered; the server does not have the answer yet.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Has a question that was closed count as declined.
    /// #[hook(ElicitationResult)]
    /// pub fn closed_is_declined(result: ElicitationResult) -> Option<ElicitationResultAnswer> {
    ///     let is_closed = result.action == event::ElicitationAction::Cancel;
    ///     is_closed.then(ElicitationResultAnswer::decline)
    /// }
    /// # fn main() {}
    /// ```
    pub struct ElicitationResult {
        /// The server's name as it was configured. The matcher is compared with it.
        mcp_server_name: String,
        /// Ties the answer to its [`Elicitation`].
        elicitation_id: Option<String>,
        /// Way in which the user was asked.
        mode: Option<ElicitationMode>,
        /// Reaction of the user.
        action: ElicitationAction,
        /// The answer: an object that fits the question's schema.
        content: Option<Json>,
    }

    /// An answer, for a test.
    pub new ElicitationResult(mcp_server_name: &str, action: impl Into<ElicitationAction>);

    /// A way in which an MCP server asks the user.
    pub enum ElicitationMode {
        /// By a form.
        Form = "form",
        /// On a page of the server's.
        Url = "url",
    }

    /// A reaction of the user to a question.
    pub enum ElicitationAction {
        /// Answered it.
        Accept = "accept",
        /// Refused to answer it.
        Decline = "decline",
        /// Closed it.
        Cancel = "cancel",
    }
}
