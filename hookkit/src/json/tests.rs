use serde_json::Value;

use super::de::Deserializer;
use super::{Json, Object, Scanner};

/// Decodes a document into a `Value`, by hookkit's scanner and deserializer.
pub(super) fn ours(document: &[u8]) -> Result<Value, super::Error> {
    let mut scanner = Scanner::new(document);
    let value = scanner.value()?;
    scanner.end()?;
    serde::Deserialize::deserialize(Deserializer::new(scanner.slice(value)))
}

#[test]
fn valid_documents_read_as_serde_json_reads_them() {
    for document in [
        "null",
        " true ",
        "[]",
        "[1, -2, 3.5, 1e3, -0, -0.0, 18446744073709551615, -9223372036854775808, 18446744073709551616]",
        r#"{"a":{"b":[{"c":"d"},{}],"e":null},"f":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}"#,
        r#"{"z":1,"a":2,"\u0061b":3}"#,
        "\t{ \"key\" :\r\n[ 1 , 2 ] }\n",
        "\"päth ☃ 😀\"",
    ] {
        let theirs: Value = serde_json::from_str(document).unwrap();
        assert_eq!(ours(document.as_bytes()).unwrap(), theirs, "{document}");
    }
}

#[test]
fn what_serde_json_refuses_is_refused() {
    for document in [
        "",
        " ",
        "nul",
        "truex",
        "01",
        "+1",
        "1.",
        ".5",
        "1e",
        "1e999",
        "-",
        "0x10",
        "inf",
        "[1,]",
        "[,]",
        "[1 2]",
        "[1}",
        "[",
        "{",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "\"open",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"a\nb\"",
        "1 2",
        "{} {}",
        "'a'",
    ] {
        assert!(serde_json::from_str::<Value>(document).is_err(), "{document}");
        assert!(ours(document.as_bytes()).is_err(), "{document}");
    }
    assert!(ours(b"\"\xff\"").is_err());
}

#[test]
fn of_a_member_that_stands_twice_the_last_counts() {
    let value = ours(br#"{"a":1,"b":2,"a":3}"#).unwrap();
    assert_eq!(value, serde_json::json!({"a": 3, "b": 2}));
}

#[test]
fn a_lone_surrogate_is_read_as_the_replacement_character() {
    for (document, text) in [
        (r#""\ud800""#, "\u{fffd}"),
        (r#""a\udc00b""#, "a\u{fffd}b"),
        (r#""\ud83d\n""#, "\u{fffd}\n"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
    ] {
        assert_eq!(ours(document.as_bytes()).unwrap(), text, "{document}");
    }
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth| [vec![b'['; depth], vec![b']'; depth]].concat();
    assert!(ours(&nested(126)).is_ok());
    assert!(ours(&nested(127)).is_err());
    assert!(ours(&nested(100_000)).is_err());
}

#[test]
fn a_struct_reads_the_members_that_it_names() {
    #[derive(Debug, serde::Deserialize, PartialEq)]
    struct Named {
        path: String,
        #[serde(default)]
        limit: Option<u64>,
        raw: Json,
    }
    let document = br#"{"skipped":{"deep":[1,2,{"x":"]}"}]},"path":"a\tb","limit":null,"raw":{"k":1.50},"other":tru}"#;
    let named: Named = serde::Deserialize::deserialize(Deserializer::new(document)).unwrap();
    assert_eq!(named.path, "a\tb");
    assert_eq!(named.limit, None);
    assert_eq!(named.raw.text(), r#"{"k":1.50}"#);
}

#[test]
fn a_fault_names_its_field() {
    #[derive(Debug, serde::Deserialize)]
    struct Outer {
        #[expect(dead_code, reason = "decoding it fails")]
        inner: Vec<Inner>,
    }
    #[derive(Debug, serde::Deserialize)]
    struct Inner {
        #[expect(dead_code, reason = "decoding it fails")]
        count: u32,
    }
    let fault = |document: &'static str| {
        <Outer as serde::Deserialize>::deserialize(Deserializer::new(document.as_bytes()))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        fault(r#"{"inner":[{"count":1},{"count":"two"}]}"#),
        "`inner.1.count`: invalid type: a string, expected u32"
    );
    assert_eq!(fault(r#"{"inner":[{}]}"#), "`inner.0`: missing field `count`");
}

#[test]
fn what_is_written_reads_back() {
    let text: String = ('\0'..='\u{ff}').chain(['☃', '😀', '\u{2028}']).collect();
    let mut out = Vec::new();
    let mut object = Object::new(&mut out);
    object.string("text", &text);
    object.optional_string("absent", None);
    object.object("inner").end();
    object.end();
    let value: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(value, serde_json::json!({"text": text, "inner": {}}));
}
