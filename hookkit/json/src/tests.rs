use serde_json::Value;

use super::de::Deserializer;
use super::{Index, Json, Members, Object, PayloadProjection, Projection, Scanner, Stream};

/// Decodes a document into a `Value` with hookkit's scanner and deserializer.
pub(super) fn ours(document: &[u8]) -> Result<Value, super::Error> {
    let mut scanner = Scanner::new(document);
    let value = scanner.value()?;
    scanner.end()?;
    serde::Deserialize::deserialize(Deserializer::new(scanner.slice(value.text)))
}

#[test]
fn documents_are_read_as_serde_json_reads_them() {
    test_support::lines!("lines/documents.txt").check(|_, document| {
        match (ours(document.as_bytes()), serde_json::from_str::<Value>(document)) {
            (Ok(ours), Ok(theirs)) if ours == theirs => "valid".into(),
            (Err(_), Err(_)) => "error".into(),
            both => format!("{both:?}"),
        }
    });
    assert!(ours(b"\"\xff\"").is_err());
}

#[test]
fn the_last_of_two_members_with_the_same_key_counts() {
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
fn the_strings_of_a_value_have_the_names_of_their_members() {
    let strings = |text: &str| {
        let strings = Json::parse(text).unwrap().strings();
        strings.iter().map(|(name, text)| format!("{name}={text}")).collect::<Vec<_>>()
    };
    let text = r#"{"a":[{"b" : "x\\","c":1},"y\"z",["\u0041"]],"d":{"e":null},"f":"{\"g\":1}"}"#;
    assert_eq!(strings(text), ["b=x\\", "a=y\"z", "a=A", r#"f={"g":1}"#]);
    assert_eq!(strings(r#" "x" "#), ["=x"]);
    assert!(strings("[1,{},[]]").is_empty());
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth| [vec![b'['; depth], vec![b']'; depth]].concat();
    assert!(ours(&nested(125)).is_ok());
    assert!(ours(&nested(126)).is_err());
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
fn types_decode_as_from_serde_json() {
    use std::collections::BTreeMap;

    fn same<T: serde::de::DeserializeOwned + std::fmt::Debug + PartialEq>(document: &str) {
        let ours = T::deserialize(Deserializer::new(document.as_bytes()));
        let theirs = serde_json::from_str::<T>(document);
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{document}"),
            (Err(_), Err(_)) => {}
            (ours, theirs) => panic!("{document}: {ours:?}, but {theirs:?}"),
        }
    }

    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
    struct Id(String);
    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        command: String,
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    enum Choice {
        Unit,
        Newtype(u8),
        Tuple(u8, String),
        Struct { field: bool },
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(i64),
        Text(String),
        List(Vec<f64>),
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Flat {
        a: u8,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }

    same::<BTreeMap<Id, u8>>(r#"{"a":1,"b":2}"#);
    same::<BTreeMap<Option<String>, u8>>(r#"{"a":1}"#);
    same::<BTreeMap<i32, u8>>(r#"{"-1":1,"2":2}"#);
    same::<BTreeMap<i32, u8>>(r#"{"x":1}"#);
    same::<BTreeMap<bool, u8>>(r#"{"true":1}"#);
    for document in [r#"{"command":"ls"}"#, r#"{"command":"ls","other":1}"#, "{}", "[]", "null"] {
        same::<Strict>(document);
    }
    for document in [r#""Unit""#, r#"{"Newtype":7}"#, r#"{"Tuple":[7,"x"]}"#, r#"{"Struct":{"field":true}}"#] {
        same::<Choice>(document);
    }
    for document in [r#""Other""#, "{}", r#"{"Unit":null,"Newtype":1}"#, r#"{"Newtype":300}"#] {
        same::<Choice>(document);
    }
    for document in ["7", r#""x""#, "[1,2.5]", "{}", "1.5"] {
        same::<Either>(document);
    }
    same::<Flat>(r#"{"a":1,"b":[2],"c":{}}"#);
    same::<(u8, String)>(r#"[1,"x"]"#);
    same::<(u8, String)>(r#"[1,"x",2]"#);
    same::<u128>("340282366920938463463374607431768211455");
    same::<i128>("-170141183460469231731687303715884105728");
    same::<u64>("1.0");
    same::<i8>("200");
    same::<f64>("1");
    same::<char>(r#""x""#);
    same::<Option<u8>>("null");
    same::<()>("null");
}

#[test]
fn many_members_are_each_read_once() {
    let members: Vec<String> = (0..5000).map(|index| format!("\"k{}\":{index}", index % 4000)).collect();
    let value = ours(format!("{{{}}}", members.join(",")).as_bytes()).unwrap();
    let object = value.as_object().unwrap();
    assert_eq!(object.len(), 4000);
    assert_eq!((&object["k0"], &object["k1000"]), (&4000.into(), &1000.into()));
}

#[test]
fn an_error_names_its_field() {
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
        <Outer as serde::Deserialize>::deserialize(Deserializer::new(document.as_bytes())).unwrap_err().to_string()
    };
    let found = fault(r#"{"inner":[{"count":1},{"count":"two"}]}"#);
    assert_eq!(found, "`inner.1.count`: invalid type: a string, expected u32");
    assert_eq!(fault(r#"{"inner":[{}]}"#), "`inner.0`: missing field `count`");
}

#[test]
fn written_text_reads_back() {
    let text: String = ('\0'..='\u{ff}').chain(['☃', '😀', '\u{2028}']).collect();
    let mut out = Vec::new();
    let mut object = Object::new(&mut out);
    object.string("text", &text);
    object.end();
    let value: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(value, serde_json::json!({"text": text}));
}

#[test]
fn the_room_of_unread_members_of_a_stream_is_used_again() {
    let large = "x".repeat(100_000);
    let (early, late) = (&large[..10_000], &large);
    let text =
        format!(r#"{{"early":"{early}","small":"{}","in":{{"path":"p","late":["{late}"]}},"end":1}}"#, &large[..9]);
    let mut projection = PayloadProjection::nothing();
    projection.add_member("in", Projection::Members(&["path"]));
    projection.add_member("end", Projection::All);
    let mut start = text.as_bytes()[..50_000].to_vec();
    let mut scanner = Scanner::new(Stream::new(&mut start, &text.as_bytes()[50_000..]));
    let mut index = Index::start(&mut scanner).unwrap();
    while index.next(&mut scanner, &projection).unwrap() {}
    let kept = r#"{"early":null,"small":"xxxxxxxxx","in":{"path":"p","late":null},"end":1}"#;
    assert_eq!(scanner.scanned(), kept.as_bytes());
    let value: Value = Members::new(scanner.scanned(), &index).decode().unwrap();
    assert_eq!(value, serde_json::from_str::<Value>(kept).unwrap());
}

#[test]
fn an_error_behind_discarded_text_has_its_original_position() {
    let text = format!(r#"{{"early":"{}","b":?}}"#, "x".repeat(10_000));
    let mut start = text.clone().into_bytes();
    let mut scanner = Scanner::new(Stream::new(&mut start, std::io::empty()));
    let mut index = Index::start(&mut scanner).unwrap();
    let mut next = || index.next(&mut scanner, &PayloadProjection::nothing());
    assert!(next().unwrap());
    let place = text.find('?').unwrap();
    assert_eq!(next().unwrap_err().to_string(), format!("expected a value at byte {place}, found `?`"));
}

#[test]
fn a_member_that_is_replaced_leaves_the_rest_as_it_was() {
    let replaced = |document: &[u8], name, value: &[u8]| {
        let mut scanner = Scanner::new(document);
        let mut index = Index::start(&mut scanner).unwrap();
        while index.next(&mut scanner, &PayloadProjection::ALL).unwrap() {}
        Members::new(document, &index).replaced(name, value)
    };
    let document = br#"{ "a" : {"b":[1]} ,"c":"\u0061","\u0061d":1e3}"#;
    for (name, value, expected) in [
        ("a", "2", r#"{ "a" : 2 ,"c":"\u0061","\u0061d":1e3}"#),
        ("c", "{}", r#"{ "a" : {"b":[1]} ,"c":{},"\u0061d":1e3}"#),
        ("ad", "null", r#"{ "a" : {"b":[1]} ,"c":"\u0061","\u0061d":null}"#),
    ] {
        let replaced = replaced(document, name, value.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(replaced).unwrap(), expected);
    }
    assert_eq!(replaced(document, "b", b"1"), None);
    // The last one counts.
    assert_eq!(replaced(br#"{"a":1,"a":2}"#, "a", b"3").unwrap(), br#"{"a":1,"a":3}"#);
}
