use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;

use bytes::Bytes;
use hookkit::prelude::*;
use hookkit::service::Caller;
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower_service::Service as _;

use super::*;

#[path = "../../src/soak.rs"]
mod soak;

/// Keeps files from being removed.
#[hook(PreToolUse, matcher = "Bash")]
pub fn keep_files(call: PreToolUse<tool::Bash>) -> Result<PreToolUseAnswer, Error> {
    match &*call.input.command {
        "panic" => panic!("a mistake of its author"),
        "error" => Err(Error::msg("a broken list")),
        command if command.starts_with("rm ") => Ok(PreToolUseAnswer::deny("use `git rm`")),
        _ => Ok(PreToolUseAnswer::pass()),
    }
}

/// Observes calls, and always fails.
#[hook(PostToolUse)]
pub fn look_on(call: PostToolUse) -> Result<(), Error> {
    Err(Error::msg(format_args!("no log for {}", call.tool_name)))
}

/// Shows the model the caller's name.
#[hook(UserPromptSubmit)]
pub fn name_caller(caller: Caller) -> UserPromptSubmitAnswer {
    UserPromptSubmitAnswer::pass().with_context(format!("{caller:?}"))
}

const KEY: &str = "0123456789abcdef0123456789abcdef";

fn keys() -> Keys {
    Keys::parse(&format!("old {}\nlaptops {KEY}\n", KEY.replace('0', "f"))).unwrap()
}

fn address(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

fn service(keys: Keys) -> Service {
    Service::new(hooks![keep_files, look_on, name_caller], keys, address("127.0.0.1:0")).unwrap()
}

fn bash(command: &str) -> Vec<u8> {
    json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}).to_string().into()
}

/// Calls a hook and returns the status and the JSON of the answer.
fn ask(service: &Service, hook: &str, authorization: Option<&str>, body: impl Into<Vec<u8>>) -> (u16, Value) {
    let mut request = Request::post(format!("/hooks/{hook}"));
    if let Some(value) = authorization {
        request = request.header(AUTHORIZATION, value);
    }
    let answer = service.answer(&request.body(body.into()).unwrap());
    let json = serde_json::from_slice(answer.body()).unwrap_or_default();
    (answer.status().as_u16(), json)
}

fn denied(answer: &(u16, Value)) -> &str {
    let (status, json) = answer;
    assert_eq!(*status, 200);
    let output = &json["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny", "{json}");
    output["permissionDecisionReason"].as_str().unwrap()
}

#[test]
fn an_answer_is_that_of_the_hook_and_no_opinion_is_an_empty_object() {
    let service = service(Keys::none());
    assert_eq!(denied(&ask(&service, "keep-files", None, bash("rm a"))), "use `git rm`");
    assert_eq!(ask(&service, "keep-files", None, bash("ls")), (200, json!({})));
    // The client filters by the entry's matcher; the hook does so, too.
    let read = r#"{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"a"}}"#;
    assert_eq!(ask(&service, "keep-files", None, read), (200, json!({})));
}

#[test]
fn a_failure_has_the_answer_of_its_policy() {
    let service = service(Keys::none()).with_limit(1000);
    for (body, why) in [
        (bash("panic"), "it panicked: a mistake of its author"),
        (bash("error"), "a broken list"),
        (b"{".to_vec(), "stdin is not the JSON object"),
        (Vec::new(), "stdin is empty"),
        (br#"{"hook_event_name":"PreToolUse","tool_name":"Bash"}"#.to_vec(), "tool_input"),
        (bash(&"x".repeat(1000)), "larger than 1000 bytes"),
    ] {
        let answer = ask(&service, "keep-files", None, body);
        assert!(denied(&answer).contains(why), "{why}: {answer:?}");
    }
    // The client would obey no answer to an event that the hook does not declare: the status lets `onFailure` decide.
    for body in [r#"{"hook_event_name":"PermissionRequest","tool_name":"Bash"}"#, "{}"] {
        assert_eq!(ask(&service, "keep-files", None, body), (422, Value::Null), "{body}");
    }
    let event = r#"{"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{},"tool_response":{}}"#;
    assert_eq!(ask(&service, "look-on", None, event), (200, json!({})));
}

#[test]
fn nothing_is_evaluated_or_said_without_a_key() {
    let seen = Arc::new(Mutex::new(0));
    let counted = seen.clone();
    let service = service(keys()).observed(move |_| *counted.lock().unwrap() += 1);
    let with = |value: &str| ask(&service, "keep-files", Some(value), bash("rm a"));
    assert_eq!(denied(&with(&format!("Bearer {KEY}"))), "use `git rm`");
    assert_eq!(denied(&with(&format!("bearer {KEY} "))), "use `git rm`");
    assert_eq!(*seen.lock().unwrap(), 2);
    for value in ["", "Bearer", "Bearer ", "Bearer x", KEY, &format!("Basic {KEY}"), &format!("Bearer {KEY}0")] {
        assert_eq!(with(value), (401, Value::Null), "{value}");
    }
    assert_eq!(ask(&service, "keep-files", None, bash("rm a")), (401, Value::Null));
    // A caller without a key does not learn which hooks exist.
    assert_eq!(ask(&service, "no-such-hook", None, "{}").0, 401);
    assert_eq!(ask(&service, "no-such-hook", Some(&format!("Bearer {KEY}")), "{}").0, 404);
    assert_eq!(*seen.lock().unwrap(), 2);
}

#[test]
fn the_name_of_a_key_is_proven_and_the_session_is_claimed() {
    let prompt = r#"{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"go"}"#;
    let context = |service: &Service, value: Option<&str>| {
        let (_, json) = ask(service, "name-caller", value, prompt);
        json["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    };
    let named = context(&service(keys()), Some(&format!("Bearer {KEY}")));
    assert_eq!(named, r#"Caller { proven: Some("laptops"), claimed_session: Some("s1") }"#);
    let unnamed = context(&service(Keys::none()), None);
    assert_eq!(unnamed, r#"Caller { proven: None, claimed_session: Some("s1") }"#);
}

#[test]
fn keys_are_refused_by_line_and_never_quoted() {
    for text in ["", "# none\n\n", "a", "a short", &format!("a {KEY}\nb secret-of-b"), &format!("a {KEY} {KEY}")] {
        let message = Keys::parse(text).err().unwrap().to_string();
        assert!(!message.contains("secret") && !message.contains(KEY), "{message}");
    }
    let message = Keys::parse(&format!("a {KEY}\nb secret-of-b")).err().unwrap().to_string();
    assert!(message.starts_with("line 2 of the keys "), "{message}");
}

#[test]
fn a_service_that_others_reach_needs_keys_and_names_are_unique() {
    let without = |at: &str| Service::new(hooks![keep_files], Keys::none(), address(at)).map(drop);
    without("127.0.0.1:80").unwrap();
    without("[::1]:80").unwrap();
    for at in ["0.0.0.0:80", "[::]:80", "192.168.0.1:80"] {
        let message = without(at).unwrap_err().to_string();
        assert!(message.contains(at) && message.contains("give the service keys"), "{message}");
    }
    Service::new(hooks![keep_files], keys(), address("0.0.0.0:80")).map(drop).unwrap();
    let twice = Service::new(hooks![keep_files, keep_files], Keys::none(), address("127.0.0.1:80"));
    assert!(twice.map(drop).unwrap_err().to_string().starts_with("two hooks are called `keep-files`"));
}

#[test]
fn health_and_metrics_are_answered_and_nothing_else() {
    let kept = service(keys());
    let service = service(Keys::none());
    ask(&service, "keep-files", None, bash("rm a"));
    ask(&service, "keep-files", None, bash("error"));
    ask(&service, "keep-files", None, bash("ls"));
    let get = |path: &str| {
        let answer = service.answer(&Request::get(path).body("").unwrap());
        (answer.status().as_u16(), String::from_utf8(answer.into_body()).unwrap())
    };
    assert_eq!(get("/healthz"), (200, "ok\n".to_owned()));
    let (status, text) = get("/metrics");
    assert_eq!(status, 200);
    for line in [
        "hookkit_answers_total{hook=\"keep-files\",decision=\"deny\"} 2",
        "hookkit_answers_total{hook=\"keep-files\",decision=\"none\"} 1",
        "hookkit_failures_total 1",
        "hookkit_refused_total 0",
        "hookkit_seconds_bucket{le=\"+Inf\"} 3",
        "hookkit_seconds_count 3",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    assert!(text.ends_with("# EOF\n"));
    assert_eq!(get("/hooks/keep-files").0, 405);
    assert_eq!(get("/").0, 404);
    let status = |path: &str| kept.answer(&Request::get(path).body("").unwrap()).status().as_u16();
    assert_eq!((status("/healthz"), status("/metrics")), (200, 401));
}

#[test]
fn hooks_at_the_same_time_have_their_own_callers() {
    let service = service(keys());
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let service = service.clone();
            thread::spawn(move || {
                for _ in 0..100 {
                    let prompt =
                        json!({"hook_event_name": "UserPromptSubmit", "session_id": number.to_string(), "prompt": ""});
                    let (_, json) = ask(&service, "name-caller", Some(&format!("Bearer {KEY}")), prompt.to_string());
                    let context = json["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
                    assert!(context.ends_with(&format!("Some(\"{number}\") }}")), "{context}");
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Runs a future whose parts are all ready.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

/// A body that breaks off.
struct Broken;

impl Body for Broken {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(Some(Err(std::io::Error::other("the connection has ended"))))
    }
}

fn called<B>(request: Request<B>) -> (u16, Value)
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let Ok(response) = now(service(keys()).with_limit(1000).call(request));
    let status = response.status().as_u16();
    let body = now(response.into_body().collect()).unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

#[test]
fn tower_reads_bodies_of_requests_that_may_ask() {
    let request = |key: &str| Request::post("/hooks/keep-files").header(AUTHORIZATION, format!("Bearer {key}"));
    let full = |body: Vec<u8>| Full::new(Bytes::from(body));
    assert_eq!(denied(&called(request(KEY).body(full(bash("rm a"))).unwrap())), "use `git rm`");
    let large = called(request(KEY).body(full(bash(&"x".repeat(1000)))).unwrap());
    assert!(denied(&large).contains("larger than 1000 bytes"), "{large:?}");
    let broken = called(request(KEY).body(Broken).unwrap());
    assert!(denied(&broken).contains("the connection has ended"), "{broken:?}");
    assert_eq!(called(request("x").body(Broken).unwrap()), (401, Value::Null));
}

/// Changes a few bytes of a body: replaces or removes some, repeats parts, or keeps only the beginning.
fn damaged(body: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    const BYTES: &[u8] = b"\"\\{}[]:,0eE-.tn \n\x00\x7f\xc3\xff";
    let mut body = body.to_vec();
    for _ in 0..random.usize(1..4) {
        let at = random.usize(..=body.len());
        match random.u8(..4) {
            0 if at < body.len() => body[at] = BYTES[random.usize(..BYTES.len())],
            0 | 1 => body.truncate(at),
            2 => body.insert(at, BYTES[random.usize(..BYTES.len())]),
            _ => {
                let part = body[at..body.len().min(at + random.usize(..40))].to_vec();
                body.splice(at..at, part);
            }
        }
    }
    body
}

#[test]
fn a_damaged_body_is_never_taken_for_a_harmless_call() {
    let key = format!("Bearer {KEY}");
    let (kept, service) = (service(keys()), service(Keys::none()));
    let mut random = fastrand::Rng::with_seed(61);
    let bodies = ["rm a", "ls", "rm \"\u{1f600}\"\n"].map(bash);
    for round in soak::rounds(5_000, 100_000) {
        let body = damaged(&bodies[round as usize % 3], &mut random);
        let shown = String::from_utf8_lossy(&body).into_owned();
        let answer = ask(&service, "keep-files", None, &*body);
        // Bytes that are not UTF-8 are read as the character that replaces them.
        let call: Option<Value> = serde_json::from_str(&shown).ok();
        let member = |pointer: &str| call.as_ref().and_then(|call| call.pointer(pointer)?.as_str());
        let removes = member("/tool_name") == Some("Bash")
            && member("/tool_input/command").is_some_and(|command| command.starts_with("rm "));
        let is_of_event = member("/hook_event_name") == Some("PreToolUse");
        match &answer {
            (422, _) => assert!(!is_of_event, "{shown}"),
            (200, pass) if *pass == json!({}) => assert!(is_of_event && !removes, "{shown}"),
            _ => assert!(!denied(&answer).is_empty(), "{shown}"),
        }
        assert_eq!(ask(&kept, "keep-files", None, &*body).0, 401);
        assert_eq!(ask(&kept, "keep-files", Some(&key), &*body), answer, "{shown}");
    }
}
