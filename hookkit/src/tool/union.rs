//! Declares enums for values that have one of several forms.

/// Declares an enum with a variant for each typed form of a value. The last variant, `Other`, keeps any other form.
///
/// The form is selected by the word in one member (`by "status"`), or by the first listed member that is present (`by
/// member`). Content that does not fit the selected form is an error.
macro_rules! open_union {
    (
        $(#[$about:meta])*
        pub enum $name:ident by member { $($(#[$doc:meta])* $form:ident($type:ty) = $word:literal,)* }
    ) => {
        $crate::tool::open_union! {
            @ $(#[$about])* #[serde(untagged)] $name(json) = json.first_member(&[$($word),*]);
            $($(#[$doc])* $form($type) = $word,)*
        }
    };
    ($(#[$about:meta])* pub enum $name:ident by $tag:literal { $($forms:tt)* }) => {
        $crate::tool::open_union! {
            @ $(#[$about])* #[serde(tag = $tag)] $name(json) = json.word($tag);
            $($forms)*
        }
    };
    (
        @ $(#[$about:meta])* $name:ident($json:ident) = $found:expr;
        $($(#[$doc:meta])* $form:ident($type:ty) = $word:literal,)*
    ) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        $(#[$about])*
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "a hook has one of them")]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $form($type),)*
            /// A form that this version of hookkit does not support, as the client wrote it.
            #[serde(untagged)]
            Other($crate::Json),
        }

        /// Creates [`Other`](Self::Other) with `null`.
        impl Default for $name {
            fn default() -> Self {
                Self::Other($crate::Json::default())
            }
        }

        impl $crate::wire::Value for $name {}

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let $json = <$crate::Json as serde::Deserialize>::deserialize(deserializer)?;
                match $found.as_deref() {
                    $(Some($word) => $json.decode().map(Self::$form).map_err(serde::de::Error::custom),)*
                    _ => Ok(Self::Other($json)),
                }
            }
        }
    };
}

pub(crate) use open_union;

#[cfg(test)]
mod tests {
    use crate::Json;
    use crate::tool::{AgentResponse, ArtifactResponse, WebSearchResult};

    fn decoded<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, crate::JsonError> {
        Json::parse(text)?.decode()
    }

    #[test]
    fn a_form_is_selected_by_its_word_and_written_with_it() {
        let text = r#"{"status":"remote_launched","taskId":"t","sessionUrl":"u","description":"d","prompt":"p","outputFile":"/o"}"#;
        let response: AgentResponse = decoded(text).unwrap();
        assert!(matches!(&response, AgentResponse::RemoteLaunched(remote) if remote.task_id == "t"));
        assert_eq!(serde_json::to_string(&response).unwrap(), text);
    }

    #[test]
    fn a_form_is_selected_by_its_member() {
        let text = r#"{"pin":{"action":"pin","url":"u","pinned":true}}"#;
        let response: ArtifactResponse = decoded(text).unwrap();
        assert!(matches!(&response, ArtifactResponse::Pin(pin) if pin.pin.pinned));
        assert_eq!(serde_json::to_string(&response).unwrap(), text);
    }

    #[test]
    fn an_unknown_form_is_kept() {
        for text in ["null", "[1]", r#""text""#, "{}", r#"{"status":"x"}"#, r#"{"status":7}"#] {
            let response: AgentResponse = decoded(text).unwrap();
            assert_eq!(response, AgentResponse::Other(Json::parse(text).unwrap()));
            assert_eq!(serde_json::to_string(&response).unwrap(), text);
        }
        let result: WebSearchResult = decoded("[1]").unwrap();
        assert_eq!(result, WebSearchResult::Other(Json::parse("[1]").unwrap()));
    }

    #[test]
    fn a_value_that_does_not_fit_its_form_is_an_error() {
        let err = decoded::<AgentResponse>(r#"{"status":"completed","totalTokens":"many"}"#).unwrap_err();
        assert!(err.to_string().contains("totalTokens"), "{err}");
    }
}
