//! HTML in which text of any origin stays text, and the frame of a page.

use std::fmt::Display;

use hmac_sha256::Hash;
use hookkit_protocol::escape::{LineEnds, escape};
use serde_json::Value;

/// The first line of each page: a file that begins with it may be overwritten.
pub(crate) const MARKER: &str = "<!doctype html><!-- written by cargo xtask -->\n";

const FRAME: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A part of a page. Only constants of ours become markup; everything else is escaped.
#[derive(Debug, Default)]
pub(crate) struct Html(String);

impl Html {
    /// Adds markup of ours.
    pub(crate) fn markup(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Adds text, as content of an element or of an attribute in quotes.
    pub(crate) fn text(&mut self, text: impl Display) -> &mut Self {
        self.0.push_str(&escaped(&text.to_string()));
        self
    }

    pub(crate) fn add(&mut self, other: &Self) -> &mut Self {
        self.0.push_str(&other.0);
        self
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.len()
    }
}

/// Returns text that an HTML parser reads as text. Characters that control, or change the direction of text, are visible.
pub(crate) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for char in escape(text, LineEnds::Blank).chars() {
        match char {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            _ => html.push(char),
        }
    }
    html
}

/// Returns JSON that ends no `<script>`.
fn in_script(value: &Value) -> String {
    escape(&value.to_string(), LineEnds::Blank).replace('<', "\\u003c")
}

/// Returns the whole page, with a title of ours. Its policy allows our own style and script, by their hashes, and nothing else.
pub(crate) fn page(title: &'static str, body: &Html, data: &Value) -> String {
    let mut page = MARKER.to_owned();
    for part in FRAME.split("{{") {
        let (name, rest) = part.split_once("}}").unwrap_or(("", part));
        match name {
            "style" => page.push_str(STYLE),
            "style-hash" => page.push_str(&base64(&Hash::hash(STYLE.as_bytes()))),
            "script" => page.push_str(SCRIPT),
            "script-hash" => page.push_str(&base64(&Hash::hash(SCRIPT.as_bytes()))),
            "data" => page.push_str(&in_script(data)),
            "title" => page.push_str(title),
            "body" => page.push_str(&body.0),
            _ => {}
        }
        page.push_str(rest);
    }
    page
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let number = (0..3).fold(0, |number, at| {
            number << 8 | usize::from(group.get(at).copied().unwrap_or_default())
        });
        for at in 0..4 {
            text.push(match at <= group.len() {
                true => char::from(DIGITS[number >> (18 - 6 * at) & 63]),
                false => '=',
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_stays_text() {
        for (text, html) in [
            (
                "</script><b a='1' b=\"2\">&amp;",
                "&lt;/script&gt;&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;amp;",
            ),
            ("<!-- \0\x1b[2J\r\n", "&lt;!-- \\u0000\\u001b[2J  "),
            ("a\u{202e}b\u{2066}\u{2028}é🦀", "a\\u202eb\\u2066\\u2028é🦀"),
        ] {
            assert_eq!(escaped(text), html);
        }
    }

    #[test]
    fn json_ends_no_script_and_keeps_its_meaning() -> serde_json::Result<()> {
        let value = json!(["</script><!--<script>", "\u{202e}\0\u{2028}"]);
        let text = in_script(&value);
        assert!(text.is_ascii() && !text.contains('<'), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text)?, value);
        Ok(())
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn a_page_has_its_marker_and_loads_nothing() {
        let mut body = Html::default();
        body.markup("<p>").text("{{script}} <img src=x>");
        let page = page("A title", &body, &json!([]));
        assert!(page.starts_with(MARKER) && page.contains("<p>{{script}} &lt;img src=x&gt;"));
        assert!(page.contains("<title>A title</title>"));
        assert!(page.contains("content=\"default-src 'none'; style-src 'sha256-"));
        for loading in [" src=", " href=\"h", "url(", "@import", "fetch(", "{{style"] {
            assert!(
                !page.contains(loading) || loading == " src=" && page.matches(loading).count() == 1,
                "{loading}"
            );
        }
    }
}
