//! Questions of MCP servers to the user.

use crate::Json;

use crate::wire::wire;

wire! {
    /// An MCP server asks the user a question; the user has not seen it yet.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Declines surveys.
    /// #[hook(Elicitation)]
    /// pub fn decline_surveys(question: Elicitation) -> Option<ElicitationAnswer> {
    ///     question.message.contains("survey").then(ElicitationAnswer::decline)
    /// }
    /// # fn main() {}
    /// ```
    pub struct Elicitation {
        /// Name of the server as configured. Compared with the matcher.
        mcp_server_name: String,
        /// The question.
        message: String,
        /// Form or web page.
        mode: Option<ElicitationMode>,
        /// The page that the user should open.
        url: Option<String>,
        /// Id of the question, the same as in its [`ElicitationResult`].
        elicitation_id: Option<String>,
        /// JSON schema of the answer: an object.
        requested_schema: Option<Json>,
    }

    /// Creates a question for tests.
    pub new Elicitation(mcp_server_name: &str, message: &str);

    /// The user answered an MCP server's question; the server does not have the answer yet.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Treats a closed question as declined.
    /// #[hook(ElicitationResult)]
    /// pub fn closed_is_declined(result: ElicitationResult) -> Option<ElicitationResultAnswer> {
    ///     let is_closed = result.action == event::ElicitationAction::Cancel;
    ///     is_closed.then(ElicitationResultAnswer::decline)
    /// }
    /// # fn main() {}
    /// ```
    pub struct ElicitationResult {
        /// Name of the server as configured. Compared with the matcher.
        mcp_server_name: String,
        /// Id of the question, the same as in its [`Elicitation`].
        elicitation_id: Option<String>,
        /// Form or web page.
        mode: Option<ElicitationMode>,
        /// The user's decision.
        action: ElicitationAction,
        /// The answer: an object that matches the question's schema.
        content: Option<Json>,
    }

    /// Creates an answer for tests.
    pub new ElicitationResult(mcp_server_name: &str, action: impl Into<ElicitationAction>);

    /// The form of an MCP server's question.
    pub enum ElicitationMode {
        /// A form.
        Form = "form",
        /// A web page of the server.
        Url = "url",
    }

    /// The user's decision on a question.
    pub enum ElicitationAction {
        /// Answered.
        Accept = "accept",
        /// Declined to answer.
        Decline = "decline",
        /// Closed without an answer.
        Cancel = "cancel",
    }
}
